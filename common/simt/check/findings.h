/* The findings of the checks, and their reports. */
#ifndef SIMT_FINDINGS_H
#define SIMT_FINDINGS_H

#include <stdio.h>

#include "base/space.h"
#include "check/causality.h"
#include "observe/event.h"

enum wrong {
    RACE,
    COPY_RACE,   /* of a copy or a fill of the host with an earlier operation */
    COPY_UNSET,  /* a note: a copy of unwritten memory to the host */
    WRONG_WAY,   /* the direction of a copy contradicts its pointers */
    HOST_ACCESS, /* by the host, to memory that a launch or a copy may still use */
    OUT_OF_BOUNDS,
    OTHER_DEVICE, /* memory of a device that the kernel's device cannot access */
    BAD_INDEX,
    UNINITIALISED,
    MISALIGNED,
    HOST_POINTER,
    HOST_FUNCTION,  /* of a function or virtual table, from the host; no site: in an argument */
    NO_PROXY_FENCE, /* between a thread's access and a bulk copy */
    NO_MAP_FENCE,   /* between a thread's write to a tensor map and a copy that uses it */
    BEYOND_ROWS,    /* a note: a store to a tensor writes past the ends of its rows */
    READ_ONLY,      /* written in a launch that reads it with __ldg */
    LOCAL_OF_OTHER,
    UNDEFINED, /* a note: stores a shuffle's value from a lane outside its mask */
    UNDER_WAY, /* uses a register that a pending wgmma writes */
    GOES_ROUND /* goes around a barrier that others wait at */
};

struct finding {
    enum wrong wrong;
    enum simt_space space;
    enum simt_event_kind kind, other_kind;
    unsigned int site, other_site, thread, other_thread;
    const struct simt_operation *other_operation; /* the host operation of the other access */
    bool other_block, same_instruction;
    bool same_warp;  /* in all pairs that were found */
    bool same_value; /* stores; each later one found its value already there */
    enum simt_almost almost;
    unsigned int unless_guard; /* a site: no finding if that is a guard; 0: unused */
    bool unless_flag;          /* also no finding if that site reads only one place */
    struct uint3 block;
    uint64_t address;
    unsigned int size;
    uint64_t count;
    char text[400];
};

/* Actions of the host, outside of kernels. */
static inline bool simt_is_of_host(const struct finding *finding)
{
    return finding->wrong == COPY_RACE || finding->wrong == COPY_UNSET ||
           finding->wrong == WRONG_WAY || finding->wrong == HOST_ACCESS;
}

/* Stores a finding, with the running block. One is stored per kind and pair of places. Returns the
 * new entry, or NULL if it is a duplicate (or there are too many). */
struct finding *simt_add_finding(struct finding finding);

/* A site that reads to wait, or to decide whether an atomic is worthwhile. Its reads may race with
 * atomics or, if they are volatile, with volatile writes. */
void simt_note_guard(unsigned int site);
/* A volatile read of a site. While the site reads only one place per era, it may read a flag. */
void simt_note_volatile_read(unsigned int site, uint64_t address, uint32_t era);

/* The first and the last one drop guarded and suppressed findings. The last one then reports and
 * forgets the others; if there were any, tell_more() adds text. It returns the number without
 * notes. simt_judge_strictly() drops notes, but treats no race as a note, whatever its values.
 * Kernels of this project are judged that way. */
bool simt_have_findings(void);
/* Whether all findings are reads of unwritten global memory without any copy into it. Then
 * describes that. */
bool simt_only_unset_memory(char *text, size_t size);
void simt_judge_strictly(void);
unsigned int simt_tell_findings(FILE *file, void (*tell_more)(FILE *file));

/* Called for each finding just before its report; NULL: no call. */
extern void (*simt_finding_told)(const struct finding *finding);

/* Prints the line of the running lane's last event; true if its address is misaligned. */
bool simt_tell_last(FILE *file);
void simt_tell_place(FILE *file, uint32_t place);

#endif
/* SPDX-License-Identifier: MIT */
