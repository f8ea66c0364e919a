/* The data that the explorer keeps about a run. The recorder (record.c, values.c) collects them.
 * data.c and page.c write them to the page. */
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

/* Approximate limits: bytes of the page for the steps of one block and of all blocks, and bytes
 * kept in memory until share.c divides the page. The page says what is left out. */
enum { EXPLORE_BLOCK_BYTES = 2 << 20, EXPLORE_PAGE_BYTES = 4 << 20, EXPLORE_KEPT_BYTES = 96 << 20 };
/* The limit for the blocks of all launches together. */
enum { EXPLORE_MOST_BLOCKS = 4000 };

enum explored_kind {
    EXPLORED_LOAD,
    EXPLORED_STORE,
    EXPLORED_ATOMIC,
    EXPLORED_COPY,   /* an asynchronous copy begins */
    EXPLORED_COPIED, /* an asynchronous copy has written */
    EXPLORED_BARRIER,
    EXPLORED_SYNCWARP,
    EXPLORED_COLLECTIVE,
    EXPLORED_FENCE,
    EXPLORED_BRANCH, /* lanes: all that reached it; first: those that continue now */
    EXPLORED_MBARRIER,
    EXPLORED_BULK,          /* a bulk copy begins */
    EXPLORED_NAMED_BARRIER, /* a barrier of some of the block's warps */
    EXPLORED_BULK_END,      /* a bulk copy ends; warp: the one that began it */
    EXPLORED_DEED,          /* enum simt_deed */
    EXPLORED_FAR_MBARRIER,  /* another block of the cluster uses an mbarrier of this one */
    EXPLORED_FAR_BULK,      /* that block begins a copy into this one */
    EXPLORED_CLUSTER,       /* that block completes the barrier of the cluster */
    EXPLORED_STOP           /* a report ends the program; lanes: those that ran */
};

/* The first operation of tensor cores. Their numbers follow those of enum simt_collective. */
enum { EXPLORED_MATRIX = SIMT_COLLECTIVES };

/* Steps of these kinds also have numbers. A place in memory takes two numbers: the index that
 * memory_of returns, and an offset. No place: -1, 0.
 * MBARRIER: how, phases before and after, arrivals and bytes missing, simt_mbarrier_use's number.
 * BULK: number, bytes, whether it copies out of shared memory, whether it uses a tensor map, its
 * target, its mbarrier. BULK_END: number, phases, arrivals and bytes missing, mbarrier.
 * NAMED_BARRIER: number, whether it is complete, whether the warp waits there.
 * DEED: which, whether the phase of the cluster's barrier is over, its number.
 * FAR_MBARRIER: as MBARRIER, the mbarrier, the other block's rank. The step's warp and lanes are
 * that block's. FAR_BULK: as BULK, rank. CLUSTER: phase.
 * wgmma.mma_async: columns, depth, A (none: in registers), B; wgmma.wait_group: groups. */
enum { EXPLORED_USE = 6 /* numbers of an MBARRIER step */ };

/* An action that lanes of a warp performed together. */
struct explored_step {
    uint32_t place, lanes;
    unsigned char kind, size;
    unsigned char operation; /* enum simt_collective */
    unsigned char width;     /* bytes per lane in `values`; 0: none */
    bool same;               /* `values` has one value, the same for all lanes */
    unsigned int warp, allocation;
    unsigned int bytes;     /* approximate size in the page */
    int64_t first, stride;  /* of the lanes' offsets; without a stride, see `offsets` */
    size_t offsets, values; /* indices of the first lane's in the block's arrays */
    size_t numbers;         /* index in `offsets` of the first number of its kind */
    unsigned char number_count;
};
#define EXPLORED_LIST INT64_MIN /* `stride` of a step whose offsets are a list */

/* Memory that a step touches. Addresses in a shared variable count from the variable's start. Its
 * place on the CPU means nothing, and rotating all banks changes no conflict. */
struct explored_memory {
    uint64_t base;
    size_t size;
    enum simt_space space;
    bool is_dynamic; /* shared: dynamic, of the size given by the launch */
    int rank;        /* shared: of the block of the cluster that owns it; -1: this block */
    char *name;      /* of the variable; NULL: unknown */
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
    size_t bytes;          /* of all kept steps */
    size_t seen, barriers; /* all steps and barriers, kept or not */
    size_t kept_barriers;
    bool full;        /* steps are missing */
    bool joined_late; /* only its end is recorded; all earlier steps are missing */
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
    char *part, *name; /* part: of the page; NULL: none */
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
    size_t not_kept;    /* requested blocks for which the page had no room */
    size_t kept_before; /* explore_kept_bytes before this launch */
    bool ended;
    bool stopped; /* by a report, in block `stopped_in`, which need not be in the page */
    struct uint3 stopped_in;
};

extern struct explored_launch *explored_launches;
extern size_t explored_launch_count;

/* ---- record.c ---- */

/* From now on, records the blocks with these numbers, such as "0", "0-3,8" or "all". If `blocks` is
 * not such a list, does nothing and returns false. */
bool explore_record(const char *blocks);
void explore_part(const char *name);
/* The running block; NULL if it is not recorded. The size of all kept steps. */
extern struct explored_block *explore_block;
extern size_t explore_kept_bytes;
/* The record of this block of the running launch; NULL: it is not recorded. */
struct explored_block *explore_block_of(const struct simt_block *block);
/* Records the running block from here on, even if it was not requested. */
void explore_join_block(void);
/* Keeps the text of a report about the running launch. `place`: where it happened, or 0. */
void explore_take_report(uint32_t place, const char *text);
static inline void *explore_need(void *memory)
{
    return simt_needed(memory, "the explorer");
}
static inline void *explore_room(void *items, size_t count, size_t *capacity, size_t size)
{
    return simt_with_room(items, count, capacity, size, "the explorer");
}

/* The analysis calls these. They do nothing while recording is off. */
bool simt_explore_is_on(void);
void simt_explore_start_launch(const struct simt_launch *launch);
/* `sites`: the numbers of the sites that the launch has touched, each with its counters. */
void simt_explore_end_launch(const unsigned int *sites, size_t count);
/* The running block starts; it continues after another block has run. */
void simt_explore_start_block(unsigned int threads);
void simt_explore_resume_block(void);
/* All threads of the block have reached the barrier. `caller`: the return address of its call. */
void simt_explore_barrier(const void *caller);

/* ---- steps.c ---- */

struct explored_value;

/* The next steps are those of another block. */
void explore_steps_start(void);
/* See struct simt_watcher. */
void explore_step(const struct simt_event *const *at, size_t ahead, unsigned int warp,
                  uint32_t lanes);
/* Adds the notes that no event of their lanes has followed, because another warp runs next. */
void explore_notes(unsigned int warp);
/* Adds the note at once, as a step of its own that belongs to no lane. */
void explore_note_now(const struct explored_value *note);
/* Adds a step to explore_block; NULL: the block is full. Then adds a number or a place to it. */
struct explored_step *explore_add_step(unsigned int kind, uint32_t place, unsigned int warp,
                                       uint32_t lanes);
void explore_add_number(struct explored_step *step, int64_t number);
void explore_add_place(struct explored_step *step, const void *address);
/* Some lanes of the warp could have run further: missing lanes then mean no divergence. */
void explore_steps_are_partial(void);

/* ---- far.c: actions of other blocks of the cluster on a block ---- */

void explore_far_mbarrier(const struct simt_mbarrier *barrier, const struct simt_mbarrier_use *use,
                          const void *caller);
void explore_far_copy(const struct simt_bulk_copy *copy);
void explore_cluster_meets(uint64_t phase);

/* ---- stop.c: a report ends the program ---- */

/* The report begins: its text is also kept. The place that the report names last. */
void explore_begin_report(void);
void simt_explore_told(uint32_t place);
/* The report ends: adds the last steps of the lanes, and the step that stops the program. */
void explore_end_report(void);

/* ---- share.c ---- */

/* Cuts the blocks that are too long for the page. */
void explore_share_page(void);

/* ---- values.c: the values of lanes, kept from the hook to the step that pairs the lanes ---- */

struct explored_value {
    uint64_t address; /* of its event */
    unsigned char bytes[16];
    /* For a collective. source: the lane that a shuffle reads; size: of the value. */
    unsigned char operation, source, size;
    bool known;
    /* For an action between events: the kind of its step, and its place. 0: an event's value. */
    unsigned char note;
    uint32_t place;
    unsigned int warp;
    unsigned char number_count;
    uint64_t *numbers; /* EXPLORED_NUMBERS at most; a place in memory: address, 0 */
};
enum { EXPLORED_NUMBERS = 8 };
void explore_values_start(void);
void explore_values_event(const struct simt_event *event);
void explore_values_pause(void);
void explore_values_stop(void);
/* Other callbacks of struct simt_watcher. */
void explore_values_mbarrier(const struct simt_mbarrier_use *use);
void explore_values_copy(const struct simt_bulk_copy *copy);
void explore_values_copied(const struct simt_bulk_copy *copy, uint64_t phase);
void explore_values_named(const void *caller, unsigned int number, bool completes, bool waits);
void explore_values_deed(enum simt_deed deed, const void *caller, uint64_t number, bool over);
/* Takes the lane's value of this event, the next one of the lane. */
struct explored_value explore_values_take(unsigned int lane, const struct simt_event *event);
/* A note that comes before the lane's next event, or NULL. The second function removes it. */
const struct explored_value *explore_values_note(unsigned int lane);
void explore_values_take_note(unsigned int lane);
/* The warp that ran last has no more events for now. */
void explore_values_leave(void);

/* ---- sources.c ---- */

/* Numbers all recorded places and files (an unknown file: -1). Call it before the functions
 * below. */
void explore_collect_places(void);
size_t explore_number_of(uint32_t place);
int explore_file_number(const char *path);
void explore_put_sites(FILE *file);
void explore_put_files(FILE *file);
/* The text with shortened file names. The caller frees it. */
char *explore_shortened(const char *text);
/* Writes a JSON string that is safe inside a <script>. */
void explore_put_text(FILE *file, const char *text);

/* ---- data.c, page.c ---- */

/* Writes the whole record as JSON that is safe inside a <script>. */
void explore_write_data(FILE *file, const char *title);
/* Writes the page when a report ends the program, if simt_explore_at_report() asked for it. */
void explore_report(void);
/* Writes the page, including the data. */
void explore_write_page(FILE *file, const char *title);

/* ---- ask.c ---- */

/* Writes the page that SIMT_EXPLORE asks for, as the program ends. Or cancels that page. */
void explore_exit(void);
void explore_forget(void);

#endif
/* SPDX-License-Identifier: MIT */
