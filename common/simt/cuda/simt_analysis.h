/* The counts and checks of the CPU back end, for kernels that were compiled with instrumentation
 * (SIMT_INSTRUMENTATION in simt.cmake). docs/simt_back_end.md compares the counts with a GPU's.
 *
 * Every program linked with the back end reads these environment variables:
 *   SIMT_COUNTERS=table|lines|json   prints the counts when the program ends: as a table, as the
 *                                    source with the counts beside each line, or both as JSON
 *   SIMT_OUT=FILE                    prints them to this file instead of stderr
 *   SIMT_REQUESTS=FILE               writes every request of the first block of each launch to this
 *                                    file, as a JSON array of {launch, kernel, barriers (that the
 *                                    block has passed), warp, line, source, space, access, bytes
 *                                    (per lane), base (where the allocation begins), offsets (of
 *                                    the lanes' addresses from base; null for an inactive lane)}
 *   SIMT_EXPLORE=FILE.html           writes an interactive page that replays the kernels step by
 *                                    step (docs/explorer.md): the first block of each launch, or
 *                                    the blocks in SIMT_EXPLORE_BLOCKS, such as 0-3,8 or all
 *   SIMT_CHECKS=off                  turns off the checks and, without SIMT_COUNTERS, all analysis,
 *                                    which makes kernels faster
 * A finding (a data race, an access out of bounds, ...) is printed to stderr and ends the program
 * with status 1 after the launch. */
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

/* Counts of one kind of access. A request is one warp-level instruction: the accesses that the
 * lanes of a warp make together. */
struct simt_access_counters {
    uint64_t requests;
    uint64_t lanes;     /* active lanes, summed over the requests */
    uint64_t units;     /* global: sectors of 32 bytes; shared: wavefronts */
    uint64_t conflicts; /* shared: wavefronts beyond the number that the bytes require */
    uint64_t bytes;     /* global: distinct bytes of each request, summed */
    uint64_t crowd;     /* atomics: the most lanes on one address in each request, summed */
};

/* Counts for a kernel, or for a source line of a kernel. */
struct simt_line_counters {
    struct simt_access_counters access[SIMT_ACCESSES];
    uint64_t splits;    /* divergent branches: basic blocks at whose end a warp's lanes diverge */
    uint64_t barriers;  /* __syncthreads and its variants, one per block that completes it */
    uint64_t syncwarps; /* __syncwarp, one per warp that completes it */
    uint64_t shuffles;  /* one per warp */
    uint64_t votes;     /* one per warp: ballot, any, all, match, reduce */
    uint64_t bulk_copies, bulk_bytes; /* cp.async.bulk, its tensor forms among them */
    uint64_t matrix;            /* mma.sync, ldmatrix, stmatrix: one per instruction of a warp */
    uint64_t matrix_wavefronts; /* of wgmma's operands in shared memory */
};

/* Whether any code of the program was compiled with instrumentation. */
bool simt_instrumented(void);

/* Turns the analysis of later launches on or off. It starts on if the program is instrumented and
 * SIMT_CHECKS is not off. */
void simt_analyse(bool on);

/* Sets all counts to 0. */
void simt_analysis_reset(void);
/* Sums over all launches since the reset. */
void simt_analysis_totals(struct simt_line_counters *totals);

/* The same per source line, over all kernels. Fills in at most `most` lines and returns their
 * number. */
struct simt_line {
    const char *file;
    int line; /* 0 if unknown */
    struct simt_line_counters counters;
};
size_t simt_analysis_lines(struct simt_line *lines, size_t most);

/* Prints the counts, as SIMT_COUNTERS does. */
enum simt_format { SIMT_TABLE, SIMT_LINES, SIMT_JSON };
void simt_analysis_print(FILE *file, enum simt_format format);

/* With `keep`, findings are not printed and do not end the program (unless it cannot continue);
 * simt_findings returns their text since the last reset, "" if there are none. */
void simt_findings_keep(bool keep);
const char *simt_findings(void);

/* The page of SIMT_EXPLORE, for a program that writes it itself. From now on, records the blocks
 * with these numbers, such as "0", "0-3,8" or "all". False: that is not such a list. NULL: cancels
 * the page of SIMT_EXPLORE, and returns false. */
bool simt_explore_start(const char *blocks);
/* The page shows launches from now on under this name; NULL: under no name. */
void simt_explore_part(const char *name);
/* Writes the page. If there is nothing to show, writes nothing and returns false. */
bool simt_explore_write(FILE *file, const char *title);
/* From now on, a report that ends the program first writes the page to this file. */
void simt_explore_at_report(FILE *file, const char *title);

#ifdef __cplusplus
}
#endif

#endif
