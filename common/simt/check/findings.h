/* What the checks have found, and how it is told. */
#ifndef SIMT_FINDINGS_H
#define SIMT_FINDINGS_H

#include "check/causality.h"
#include "observe/trace.h"

enum wrong {
    RACE,
    OUT_OF_BOUNDS,
    BAD_INDEX,
    UNINITIALISED,
    MISALIGNED,
    HOST_POINTER,
    NO_PROXY_FENCE, /* between a thread's access and a bulk copy's */
    READ_ONLY       /* written in a launch that reads it by __ldg */
};

struct finding {
    enum wrong wrong;
    enum simt_space space;
    enum simt_event_kind kind, other_kind;
    unsigned int site, other_site, thread, other_thread;
    bool other_block, same_instruction;
    bool same_warp; /* both of each pair that was found */
    enum simt_almost almost;
    unsigned int unless_guard; /* a site: not a finding if it is noted as a guard; 0: it is */
    bool unless_flag;          /* nor if that site reads one place only */
    struct uint3 block;
    uint64_t address;
    unsigned int size;
    uint64_t count;
    char text[160];
};

/* Keeps a finding, with the running block. One is kept for each kind and pair of places: NULL if
 * this one is known already (or there are very many), else the new entry. */
struct finding *simt_add_finding(struct finding finding);

#endif
