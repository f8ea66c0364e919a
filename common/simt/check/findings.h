/* What the checks have found, and how it is told. */
#ifndef SIMT_FINDINGS_H
#define SIMT_FINDINGS_H

#include <stdio.h>

#include "base/space.h"
#include "check/causality.h"
#include "observe/event.h"

enum wrong {
    RACE,
    COPY_RACE,   /* of a copy or a fill that the host asks for, with what went before */
    COPY_UNSET,  /* a note: a copy to the host of what was never written */
    WRONG_WAY,   /* the direction of a copy is not what its pointers say */
    HOST_ACCESS, /* of the host, to what a launch or a copy may still use */
    OUT_OF_BOUNDS,
    OTHER_DEVICE, /* memory of a device to which the kernel's has no access */
    BAD_INDEX,
    UNINITIALISED,
    MISALIGNED,
    HOST_POINTER,
    HOST_FUNCTION,  /* its address, or virtual ones, of the host's; no site: an argument has it */
    NO_PROXY_FENCE, /* between a thread's access and a bulk copy's */
    NO_MAP_FENCE,   /* between a thread's write to a tensor map and a copy that goes by it */
    BEYOND_ROWS,    /* a note: a store to a tensor writes behind the ends of its rows */
    READ_ONLY,      /* written in a launch that reads it by __ldg */
    LOCAL_OF_OTHER,
    UNDEFINED, /* a note: what a shuffle gives from a lane that its mask leaves out is stored */
    UNDER_WAY, /* a register that wgmma is going to write is used */
    GOES_ROUND /* a barrier that others wait at */
};

struct finding {
    enum wrong wrong;
    enum simt_space space;
    enum simt_event_kind kind, other_kind;
    unsigned int site, other_site, thread, other_thread;
    const struct simt_operation *other_operation; /* of the host's, which the other access is of */
    bool other_block, same_instruction;
    bool same_warp;  /* both of each pair that was found */
    bool same_value; /* stores, of which each later one found its value there */
    enum simt_almost almost;
    unsigned int unless_guard; /* a site: not a finding if it is noted as a guard; 0: it is */
    bool unless_flag;          /* nor if that site reads one place only */
    struct uint3 block;
    uint64_t address;
    unsigned int size;
    uint64_t count;
    char text[400];
};

/* What the host does, in no kernel. */
static inline bool simt_is_of_host(const struct finding *finding)
{
    return finding->wrong == COPY_RACE || finding->wrong == COPY_UNSET ||
           finding->wrong == WRONG_WAY || finding->wrong == HOST_ACCESS;
}

/* Keeps a finding, with the running block. One is kept for each kind and pair of places: NULL if
 * this one is known already (or there are very many), else the new entry. */
struct finding *simt_add_finding(struct finding finding);

/* A site that reads in order to wait, or to see whether an atomic is worth its while: its reads may
 * race with atomics, or, if it is volatile, with volatile writes. */
void simt_note_guard(unsigned int site);
/* A site reads a place, volatile. As long as it is one place in an era, it may be a flag. */
void simt_note_volatile_read(unsigned int site, uint64_t address, uint32_t era);

/* Those that are none, as guards are known by now, are left out, and those that the user has
 * suppressed. Then they are told and forgotten; if there were any, tell_more() adds something.
 * Returns how many were more than notes. simt_judge_strictly() leaves notes out, but a race is none
 * then, whatever its values: so kernels of this project are judged. */
bool simt_have_findings(void);
/* Whether all are reads of global memory that was never written, into which nothing was copied;
 * then says so in words. */
bool simt_only_unset_memory(char *text, size_t size);
void simt_judge_strictly(void);
unsigned int simt_tell_findings(FILE *file, void (*tell_more)(FILE *file));

/* Is given each of them just before it is told; NULL: nobody is. */
extern void (*simt_finding_told)(const struct finding *finding);

/* The line of the running lane's last event; true if its address there is misaligned. */
bool simt_tell_last(FILE *file);
void simt_tell_place(FILE *file, uint32_t place);

#endif
/* SPDX-License-Identifier: MIT */
