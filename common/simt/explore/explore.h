/* What the explorer keeps of a run, from the recorder (record.c, values.c) to the page (data.c,
 * page.c). */
#ifndef SIMT_EXPLORE_H
#define SIMT_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/need.h"
#include "base/space.h"
#include "cuda/simt.h"
#include "cuda/simt_analysis.h"
#include "observe/event.h"
#include "observe/watcher.h"

struct simt_block;

/* How much of a page the steps of a block, and of all blocks, may take, about; and how much is kept
 * until it is known what has to share the page. What is left out, the page says. */
enum { EXPLORE_BLOCK_BYTES = 2 << 20, EXPLORE_PAGE_BYTES = 4 << 20, EXPLORE_KEPT_BYTES = 96 << 20 };
/* The blocks of all launches. */
enum { EXPLORE_MOST_BLOCKS = 4000 };

enum explored_kind {
    EXPLORED_LOAD,
    EXPLORED_STORE,
    EXPLORED_ATOMIC,
    EXPLORED_COPY,   /* an asynchronous copy begins */
    EXPLORED_COPIED, /* it has written */
    EXPLORED_BARRIER,
    EXPLORED_SYNCWARP,
    EXPLORED_COLLECTIVE,
    EXPLORED_FENCE,
    EXPLORED_BRANCH, /* lanes: those that came to it; first: those that go on now */
    EXPLORED_MBARRIER,
    EXPLORED_BULK,          /* a bulk copy begins */
    EXPLORED_NAMED_BARRIER, /* of some of the block's warps */
    EXPLORED_BULK_END,      /* a bulk copy is made; warp: of who began it */
    EXPLORED_DEED,          /* enum simt_deed */
    EXPLORED_FAR_MBARRIER,  /* another block of the cluster uses an mbarrier of this one */
    EXPLORED_FAR_BULK,      /* it begins a copy to here */
    EXPLORED_CLUSTER,       /* it completes the barrier of the cluster */
    EXPLORED_STOP           /* a report ends the program; lanes: that ran */
};

/* What tensor cores do: an operation beyond those of enum simt_collective. */
enum { EXPLORED_MATRIX = SIMT_COLLECTIVES };

/* Steps of these kinds have numbers besides. Places in memory are two, as memory_of counts them and
 * an offset; -1, 0: none.
 * MBARRIER: how, phases before and after, arrivals and bytes missing, simt_mbarrier_use's number.
 * BULK: number, bytes, whether it leaves shared memory, whether a tensor map leads it, where it
 * goes, its mbarrier. BULK_END: number, phases, arrivals and bytes missing, mbarrier.
 * NAMED_BARRIER: number, whether it is complete, whether the warp waits there.
 * DEED: which, its number, whether the phase of the cluster's barrier is over.
 * FAR_MBARRIER: as MBARRIER, the mbarrier, rank of the other block, whose warp and lanes are the
 * step's. FAR_BULK: as BULK, rank. CLUSTER: phase.
 * wgmma.mma_async: columns, depth, A (none: in registers), B; wgmma.wait_group: groups. */
enum { EXPLORED_USE = 6 /* of an mbarrier's */ };

/* What the lanes of a warp did together. */
struct explored_step {
    uint32_t place, lanes;
    unsigned char kind, size;
    unsigned char operation; /* enum simt_collective */
    unsigned char width;     /* bytes that `values` has of each lane; 0: none */
    bool same;               /* one value stands for all */
    unsigned int warp, allocation;
    unsigned int bytes;     /* that it takes in the page, about */
    int64_t first, stride;  /* of the lanes' offsets; if they have no stride: */
    size_t offsets, values; /* where in the block's arrays those of the lanes begin */
    size_t numbers;         /* where in `offsets` the numbers of its kind begin */
    unsigned char number_count;
};
#define EXPLORED_LIST INT64_MIN /* the stride of offsets that have none */

/* Memory that a step touches. Of a shared variable, addresses count from its start: where the
 * compiler for the CPU puts it says nothing, and moving all banks round changes no conflict. */
struct explored_memory {
    uint64_t base;
    size_t size;
    enum simt_space space;
    bool is_dynamic; /* shared: what the launch asked for */
    int rank;        /* shared: of the block of the cluster that has it; -1: the block itself */
    char *name;      /* of a variable; NULL: not known */
};

struct explored_block {
    size_t number;
    struct uint3 index;
    unsigned int threads;
    struct explored_step *steps;
    size_t count, capacity;
    int64_t *offsets;
    size_t offset_count, offset_capacity;
    unsigned char *values;
    size_t value_count, value_capacity;
    struct explored_memory *memory;
    size_t memory_count, memory_capacity;
    size_t bytes;          /* of all steps that are kept */
    size_t seen, barriers; /* steps and barriers, also those that are not kept */
    size_t kept_barriers;
    bool full;        /* steps are missing */
    bool joined_late; /* it is here for its end: what came before is missing */
};

struct explored_site {
    uint32_t place;
    struct simt_line_counters counters;
};

struct explored_finding {
    uint32_t place, other_place; /* 0: none */
    char *text;
};

/* A word of a launch's arguments that points into global memory. */
struct explored_pointer {
    uint64_t address;
    size_t offset; /* in the arguments */
};
enum { EXPLORE_MOST_POINTERS = 32 };

struct explored_launch {
    char *part, *name; /* the part of the page: NULL if it has none */
    const char *file;
    int line;
    struct uint3 grid, block;
    size_t shared_bytes;
    struct simt_counters counts; /* of this launch */
    struct explored_site *sites;
    size_t site_count;
    struct explored_block **blocks;
    size_t block_count;
    struct explored_finding *findings;
    size_t finding_count;
    struct explored_pointer pointers[EXPLORE_MOST_POINTERS];
    size_t pointer_count, argument_bytes;
    size_t not_kept;    /* blocks that were asked for, and for which the page had no room */
    size_t kept_before; /* explore_kept_bytes, before it */
    bool ended;
    bool stopped; /* by a report, in this block, which the page has or has not */
    struct uint3 stopped_in;
};

extern struct explored_launch *explored_launches;
extern size_t explored_launch_count;

/* ---- record.c ---- */

/* Records from now on the blocks with these numbers, such as "0", "0-3,8" or "all"; false, and
 * nothing is done, if that is no such list. */
bool explore_record(const char *blocks);
void explore_part(const char *name);
/* That runs; NULL: it is not recorded. What all steps that are kept take. */
extern struct explored_block *explore_block;
extern size_t explore_kept_bytes;
/* That is recorded of the running launch; NULL: it is not. */
struct explored_block *explore_block_of(const struct simt_block *block);
/* The running block, which was not asked for, is recorded from here on. */
void explore_join_block(void);
/* What a report says of the launch that runs, and the place of that, or 0. */
void explore_take_report(uint32_t place, const char *text);
static inline void *explore_need(void *memory)
{
    return simt_needed(memory, "the explorer");
}
static inline void *explore_room(void *items, size_t count, size_t *capacity, size_t size)
{
    return simt_with_room(items, count, capacity, size, "the explorer");
}

/* What the analysis tells of; nothing is done while nothing is to be recorded. */
bool simt_explore_is_on(void);
void simt_explore_start_launch(const struct simt_launch *launch);
/* The numbers of the sites that the launch has touched, with its counters. */
void simt_explore_end_launch(const unsigned int *sites, size_t count);
/* The running block starts; it goes on after another one. */
void simt_explore_start_block(unsigned int threads);
void simt_explore_resume_block(void);
/* All threads of the block have come to the barrier that this address is the return of. */
void simt_explore_barrier(const void *caller);

/* ---- steps.c ---- */

struct explored_value;

/* The steps of another block come. */
void explore_steps_start(void);
/* See struct simt_watcher. */
void explore_step(const struct simt_event *const *at, size_t ahead, unsigned int warp,
                  uint32_t lanes);
/* The steps of notes that no event of their lanes has followed: another warp goes on. */
void explore_notes(unsigned int warp);
/* What the note says is a step of its own, and no lane's: at once. */
void explore_note_now(const struct explored_value *note);
/* A step of the block that is set; NULL: it is full. It gets a number, or a place in memory. */
struct explored_step *explore_add_step(unsigned int kind, uint32_t place, unsigned int warp,
                                       uint32_t lanes);
void explore_add_number(struct explored_step *step, int64_t number);
void explore_add_place(struct explored_step *step, const void *address);
/* Not all lanes of the warp have run as far as they could: those that are missing did not part. */
void explore_steps_are_partial(void);

/* ---- far.c: what other blocks of the cluster do to a block ---- */

void explore_far_mbarrier(const struct simt_mbarrier *barrier, const struct simt_mbarrier_use *use,
                          const void *caller);
void explore_far_copy(const struct simt_bulk_copy *copy);
void explore_cluster_meets(uint64_t phase);

/* ---- stop.c: a report ends the program ---- */

/* It begins: what it prints is kept, too. The place that it tells of last. */
void explore_begin_report(void);
void simt_explore_told(uint32_t place);
/* It ends: its lanes' last steps, and that the program stops. */
void explore_end_report(void);

/* ---- share.c ---- */

/* Blocks that are too long for the page are cut. */
void explore_share_page(void);

/* ---- values.c: what lanes read and wrote, from the hook to the step that pairs the lanes ---- */

struct explored_value {
    uint64_t address; /* of the event that it belongs to */
    unsigned char bytes[16];
    /* Of a collective; source: the lane that a shuffle reads; size: of the value. */
    unsigned char operation, source, size;
    bool known;
    /* What a lane did between events (the kind of its step; 0: an event's value), and where. */
    unsigned char note;
    uint32_t place;
    unsigned int warp;
    unsigned char number_count;
    uint64_t *numbers; /* EXPLORED_NUMBERS at most; of places in memory: the address, and 0 */
};
enum { EXPLORED_NUMBERS = 8 };
void explore_values_start(void);
void explore_values_event(const struct simt_event *event);
void explore_values_pause(void);
void explore_values_stop(void);
/* What the machine tells besides (struct simt_watcher). */
void explore_values_mbarrier(const struct simt_mbarrier_use *use);
void explore_values_copy(const struct simt_bulk_copy *copy);
void explore_values_copied(const struct simt_bulk_copy *copy, uint64_t phase);
void explore_values_named(const void *caller, unsigned int number, bool completes, bool waits);
void explore_values_deed(enum simt_deed deed, const void *caller, uint64_t number, bool over);
/* The lane's value of this event, which is its next. */
struct explored_value explore_values_take(unsigned int lane, const struct simt_event *event);
/* A note that comes before the lane's next event; NULL if none does. It is taken. */
const struct explored_value *explore_values_note(unsigned int lane);
void explore_values_take_note(unsigned int lane);
/* The warp that ran last has no more events. */
void explore_values_leave(void);

/* ---- sources.c ---- */

/* Collects the places and files of all that was recorded; then they have numbers (of a file that is
 * not known: -1), and the page gets them. */
void explore_collect_places(void);
size_t explore_number_of(uint32_t place);
int explore_file_number(const char *path);
void explore_put_sites(FILE *file);
void explore_put_files(FILE *file);
/* The text with short names of files; to be freed. */
char *explore_shortened(const char *text);
/* As a string of JSON that can stand inside of a <script>. */
void explore_put_text(FILE *file, const char *text);

/* ---- data.c, page.c ---- */

/* All that was recorded, as JSON that can stand inside of a <script>. */
void explore_write_data(FILE *file, const char *title);
/* A report ends the program. */
void explore_report(void);
/* The text of the page with the data in it. */
void explore_write_page(FILE *file, const char *title);

/* ---- ask.c ---- */

/* The program ends: writes the page that SIMT_EXPLORE asks for. Or there shall be none. */
void explore_exit(void);
void explore_forget(void);

#endif
/* SPDX-License-Identifier: MIT */
