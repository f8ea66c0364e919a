/* Back ends: what rungs run on, the host CPU or a GPU through the CUDA runtime.
 *
 * A back end provides memory, synchronization and timing, so that problems and the runner need not
 * know where a rung runs. cpu_back_end serves steps 01 and 02, gpu_back_end the others. The latter
 * is defined in cuda.c on NVIDIA's CUDA runtime, or in simt.c on common/simt, which implements the
 * same API on the CPU. */
#ifndef RUNGS_BACK_END_H
#define RUNGS_BACK_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* The most GPUs that can work together. */
enum { MOST_GPUS = 16 };

/* The processor in use. Unknown numbers are 0. */
struct machine {
    char name[128];
    char details[128];       /* GPU: architecture, toolkit and driver; CPU: processor count */
    int processors;          /* GPU: streaming multiprocessors; CPU: those usable by this process */
    int compute_capability;  /* GPU: major * 10 + minor */
    double peak_gflop_per_s; /* GPU: clock x FP32 cores x 2 (a fused multiply-add is two) */
};

/* The memory accesses of a rung's kernels. A request is one warp-level instruction; see
 * common/simt/cuda/simt_analysis.h. */
struct memory_counters {
    uint64_t load_requests, load_sectors, load_bytes; /* global memory; sectors of 32 bytes */
    uint64_t store_requests, store_sectors, store_bytes;
    uint64_t atomic_requests;
    uint64_t shared_load_requests, shared_load_conflicts;
    uint64_t shared_store_requests, shared_store_conflicts;
    uint64_t shared_atomic_requests;
    uint64_t constant_requests;
    uint64_t atomic_crowd; /* per atomic request, the most lanes on one address; summed */
    uint64_t lanes;        /* active lanes, summed over all requests */
    uint64_t splits;       /* divergent branches: the lanes of a warp went different ways */
};

/* Counts of one run of a rung, from the simt back end. */
struct counters {
    uint64_t launches, blocks, threads;
    uint64_t block_barriers; /* __syncthreads, one per block that completes it */
    uint64_t warp_barriers;  /* __syncwarp, one per warp that completes it */
    uint64_t shuffles;       /* one per warp */
    uint64_t votes;          /* one per warp */
    uint64_t atomics;        /* one per thread */
    bool has_memory;
    struct memory_counters memory;
};

/* A kernel that was launched, or an instance of a template. */
struct launched {
    const void *function; /* what tells one from another, in this process */
    const char *name;     /* as the source of the launch has it */
    const char *symbol;   /* mangled; "" if unknown */
};

/* The kernels of one run of a rung, from the simt back end, each once. */
enum { MOST_KERNELS = 24 };
struct kernels {
    size_t count; /* may be more than there is room for */
    struct launched of[MOST_KERNELS];
};

enum counters_format { COUNTERS_NONE, COUNTERS_TABLE, COUNTERS_LINES, COUNTERS_JSON };

/* Counts and checks the memory accesses of kernels. The simt back end has it, for programs whose
 * kernels were compiled with instrumentation. Launches are analysed from start to stop only. */
struct analysis {
    bool (*is_instrumented)(void);
    void (*start)(void);
    /* Fills *counters. Returns the findings, such as data races, as text; "" if there are none.
     * Valid until the next start. */
    const char *(*stop)(struct memory_counters *counters);
    /* Prints the latest counts, kernel by kernel. */
    void (*print)(FILE *file, enum counters_format format);
    /* Records what kernels do between start and stop, step by step, of the blocks with these
     * numbers, such as "0", "0-3,8" or "all"; false: that is no such list. Launches are shown under
     * the name of the part that began last. Writes a page that shows them, in HTML; false, and
     * nothing is written, if there is nothing to show. */
    bool (*explore_start)(const char *blocks);
    void (*explore_part)(const char *name);
    bool (*explore_write)(FILE *file, const char *title);
};

/* Work that was recorded, and can be done again and again. */
struct recording {
    void *replayable;  /* the back end's; NULL: nothing is recorded */
    size_t dependents; /* launches that may start before the one ahead of them has ended */
};

struct back_end {
    const char *name; /* "cpu", "cuda" or "simt", as in the result row's column */
    bool host_memory; /* allocate() returns host memory: nothing needs to be copied */
    bool clocks;      /* timings are meaningful; false on simt, whose speed says nothing of a GPU */

    bool (*open)(int device, struct machine *machine, struct error *error);

    /* From now on the first *count GPUs work together, of which the first one is in use: finish and
     * evict are for all. *count 0: all that there are, and sets it. They must be there, and alike.
     * NULL: the back end has no GPUs. Code: EXIT_DEVICE_ERROR. */
    bool (*join)(int *count, struct error *error);

    /* The peak bandwidth for a problem of `bytes` bytes, of which reports give a percentage. GPU:
     * memory clock x bus width. CPU: measured, by reading that many bytes (read_probe.h). */
    bool (*peak)(size_t bytes, double *gb_per_s, struct error *error);
    bool measures_peak; /* which may then come out too low */

    /* Memory for rungs, aligned to 256 bytes. release(NULL) does nothing. */
    void *(*allocate)(size_t bytes, struct error *error);
    void (*release)(void *memory);
    bool (*upload)(void *to, const void *from, size_t bytes, struct error *error);
    bool (*download)(void *to, const void *from, size_t bytes, struct error *error);
    bool (*fill)(void *to, int byte, size_t bytes, struct error *error);

    /* Waits for all launched work and reports its errors: launches are asynchronous. */
    bool (*finish)(struct error *error);

    /* Time from timer_start to timer_stop, which waits for the work in between. Callers put between
     * them all the work that an answer needs, and nothing else. */
    bool (*timer_start)(struct error *error);
    bool (*timer_stop)(double *microseconds, struct error *error);

    /* What is launched after record_start is not done, but recorded by record_stop, for replay to
     * start all of it at once. false from record_stop: it cannot be recorded, since it waits for
     * the GPU or allocates memory, say; *error says why. The back end is then as it was before
     * record_start. NULL, all four: the back end does not record. */
    bool (*record_start)(struct error *error);
    bool (*record_stop)(struct recording *recording, struct error *error);
    bool (*replay)(const struct recording *recording, struct error *error);
    void (*record_free)(struct recording *recording); /* of an empty one, does nothing */

    /* Evicts the `bytes` bytes at `memory` from all caches. */
    bool (*evict)(const void *memory, size_t bytes, struct error *error);

    /* NULL if the back end does not count. */
    void (*counters_reset)(void);
    void (*counters_read)(struct counters *counters);
    void (*launched_reset)(void);
    void (*launched_read)(struct kernels *kernels);
    const struct analysis *analysis;

    /* The back end calls this before it ends the program because a kernel cannot go on, which it
     * has told by then. NULL: it does not end programs. */
    void (*at_end)(void (*call)(void));
};

extern const struct back_end cpu_back_end;
extern const struct back_end gpu_back_end;

#endif
/* SPDX-License-Identifier: MIT */
