/* What the CPU back end counts and checks in kernels that were compiled with instrumentation
 * (SIMT_INSTRUMENTATION in simt.cmake). docs/simt_back_end.md tells how true the counts are.
 *
 * Any program linked with the back end takes two environment variables:
 *   SIMT_COUNTERS=table|lines|json   at its end the program prints what its kernels did: a table, the
 *                                    source with the counts beside each line, or all of it as JSON
 *   SIMT_OUT=FILE                    to this file instead of stderr
 *   SIMT_REQUESTS=FILE               every request of the first block of each launch, as JSON: an array of
 *                                    {launch, kernel, barriers (how many the block has passed), warp, line,
 *                                    source, space, access, bytes (of a lane), base, offsets (of the lanes'
 *                                    addresses from base, where the allocation begins; null: lane is off)}
 *   SIMT_CHECKS=off                  no checks (and, without SIMT_COUNTERS, no analysis: faster)
 * A broken rule (a data race, an access out of bounds, ...) is told on stderr and ends the program
 * with status 1, after the launch that broke it. */
#ifndef SIMT_ANALYSIS_H
#define SIMT_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum simt_access {
    SIMT_GLOBAL_LOAD,
    SIMT_GLOBAL_STORE,
    SIMT_GLOBAL_ATOMIC,
    SIMT_SHARED_LOAD,
    SIMT_SHARED_STORE,
    SIMT_SHARED_ATOMIC,
    SIMT_CONSTANT_LOAD,
    SIMT_ACCESSES
};

/* Accesses of one kind. A warp-level instruction (a request) is what the lanes of a warp do
 * together. */
struct simt_access_counters {
    uint64_t requests;
    uint64_t lanes;     /* active in the requests, added up */
    uint64_t units;     /* global: sectors of 32 bytes; shared: wavefronts */
    uint64_t conflicts; /* shared: wavefronts beyond those that the bytes need */
    uint64_t bytes;     /* global: asked for, each counted once in a request */
    uint64_t crowd;     /* atomics: the most lanes that hit one address, added up */
};

/* One kernel, or one line of one. */
struct simt_line_counters {
    struct simt_access_counters access[SIMT_ACCESSES];
    uint64_t splits;    /* ends of basic blocks where the lanes of a warp went different ways */
    uint64_t barriers;  /* __syncthreads and its kin that a block completed */
    uint64_t syncwarps; /* __syncwarp that the lanes of a mask completed */
    uint64_t shuffles;  /* warp-level */
    uint64_t votes;     /* warp-level: ballot, any, all, match, reduce */
};

/* Whether any code of the program was compiled with instrumentation. */
bool simt_instrumented(void);

/* Whether the launches from now on are analysed. At first they are if the program is instrumented,
 * unless SIMT_CHECKS=off. */
void simt_analyse(bool on);

/* Forgets what was counted. */
void simt_analysis_reset(void);
/* Sums over all launches since. */
void simt_analysis_totals(struct simt_line_counters *totals);

/* The same by line of the source, all kernels together; returns how many of at most `most` lines
 * there are. */
struct simt_line {
    const char *file;
    int line; /* 0 if not known */
    struct simt_line_counters counters;
};
size_t simt_analysis_lines(struct simt_line *lines, size_t most);

enum simt_format { SIMT_TABLE, SIMT_LINES, SIMT_JSON };
void simt_analysis_print(FILE *file, enum simt_format format);

/* Findings: with `keep`, a broken rule does not end the program (unless it cannot go on), and is
 * told to nobody but the caller. The text of the last launches' findings since the reset, "" if
 * none. */
void simt_findings_keep(bool keep);
const char *simt_findings(void);

#ifdef __cplusplus
}
#endif

#endif
