/* What runs the rungs: the host CPU, or a GPU through the CUDA runtime.
 *
 * A back end owns memory, waiting and clocks, so that problems and the runner need not know where a
 * rung runs. cpu_back_end serves steps 01 and 02. gpu_back_end is written against the CUDA runtime
 * API: cuda.c is it on NVIDIA's, simt.c on common/simt's drop-in. */
#ifndef RUNGS_BACK_END_H
#define RUNGS_BACK_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* Facts about the processor in use; a number that is not known is 0. */
struct machine {
    char name[128];
    char details[128];       /* driver and toolkit, or the instruction set: one line */
    int processors;          /* GPU: streaming multiprocessors; CPU: those that may be used */
    int compute_capability;  /* GPU: major * 10 + minor */
    double peak_gflop_per_s; /* GPU: clock x FP32 cores x 2 (fused multiply-add) */
};

/* What its kernels did with memory, by warp-level requests (common/simt/simt_analysis.h). */
struct memory_counters {
    uint64_t load_requests, load_sectors, load_bytes; /* global memory */
    uint64_t store_requests, store_sectors, store_bytes;
    uint64_t atomic_requests;
    uint64_t shared_load_requests, shared_load_conflicts;
    uint64_t shared_store_requests, shared_store_conflicts;
    uint64_t shared_atomic_requests;
    uint64_t constant_requests;
    uint64_t
        atomic_crowd; /* the most lanes on one address, added up over the requests of atomics */
    uint64_t lanes;   /* active, added up over all requests */
    uint64_t splits;  /* branches that sent the lanes of a warp different ways */
};

/* What one run of a rung did, counted by the simt back end. */
struct counters {
    uint64_t launches, blocks, threads;
    uint64_t block_barriers; /* __syncthreads completed, per block */
    uint64_t warp_barriers;  /* __syncwarp completed, per warp */
    uint64_t shuffles;       /* warp-level */
    uint64_t votes;          /* warp-level */
    uint64_t atomics;        /* one a thread */
    bool has_memory;
    struct memory_counters memory;
};

enum counters_format { COUNTERS_NONE, COUNTERS_TABLE, COUNTERS_LINES, COUNTERS_JSON };

/* Counting and checking what kernels do with memory: the simt back end, in programs whose kernels
 * are instrumented. Active only between start and stop. */
struct analysis {
    bool (*is_instrumented)(void);
    void (*start)(void);
    /* Returns what was found, "" if nothing; valid until the next start. */
    const char *(*stop)(struct memory_counters *counters);
    /* What was counted last, by kernel. */
    void (*print)(FILE *file, enum counters_format format);
};

struct back_end {
    const char *name; /* "cpu", "cuda" or "simt": the result row's column */
    bool host_memory; /* allocate() returns memory that the host may use: nothing need be copied */
    bool clocks;      /* false on simt: how long emulation takes says nothing about a GPU */

    bool (*open)(int device, struct machine *machine, struct error *error);

    /* The bandwidth to be compared with, for a problem of `bytes`. GPU: memory clock x bus width.
     * CPU: what reading as many bytes reaches, measured (read_probe.h). */
    bool (*peak)(size_t bytes, double *gb_per_s, struct error *error);

    /* Memory of the back end, aligned to 256 bytes. release(NULL) does nothing. */
    void *(*allocate)(size_t bytes, struct error *error);
    void (*release)(void *memory);
    bool (*upload)(void *to, const void *from, size_t bytes, struct error *error);
    bool (*download)(void *to, const void *from, size_t bytes, struct error *error);
    bool (*fill)(void *to, int byte, size_t bytes, struct error *error);

    /* Waits until all work is done and reports what went wrong in it: launches are asynchronous. */
    bool (*finish)(struct error *error);

    /* Between timer_start and timer_stop lies all the work that an answer needs, and nothing else.
     */
    bool (*timer_start)(struct error *error);
    bool (*timer_stop)(double *microseconds, struct error *error);

    /* Pushes `bytes` at `memory` out of every cache. */
    bool (*evict)(const void *memory, size_t bytes, struct error *error);

    /* NULL where nothing is counted. */
    void (*counters_reset)(void);
    void (*counters_read)(struct counters *counters);
    const struct analysis *analysis;
};

extern const struct back_end cpu_back_end;
extern const struct back_end gpu_back_end;

#endif
