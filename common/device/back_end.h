/* Back ends: what rungs run on, the host CPU or a GPU through the CUDA runtime.
 *
 * A back end provides memory, synchronization and timing, so problems and the runner do not depend
 * on the processor of a rung. cpu_back_end serves steps 01 and 02, gpu_back_end the others. The
 * latter is defined in cuda.c on NVIDIA's CUDA runtime, or in simt.c on common/simt, which
 * implements the same API on the CPU. */
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
    uint64_t splits;       /* divergent branches: the lanes of a warp took different paths */
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
    const void *function; /* identifies it in this process */
    const char *name;     /* as in the source of the launch */
    const char *symbol;   /* mangled; "" if unknown */
};

/* The different kernels of one run of a rung, from the simt back end. */
enum { MOST_KERNELS = 24 };
struct kernels {
    size_t count; /* may be larger than the array */
    struct launched of[MOST_KERNELS];
};

enum counters_format { COUNTERS_NONE, COUNTERS_TABLE, COUNTERS_LINES, COUNTERS_JSON };

/* Counts and checks the memory accesses of kernels between start and stop. Only the simt back end
 * has it, for programs whose kernels were compiled with instrumentation. */
struct analysis {
    bool (*is_instrumented)(void);
    void (*start)(void);
    /* Fills *counters. Returns the findings, such as data races, as text; "" if there are none. The
     * text is valid until the next start. */
    const char *(*stop)(struct memory_counters *counters);
    /* Prints the latest counts, kernel by kernel. */
    void (*print)(FILE *file, enum counters_format format);
    /* Between start and stop, records each step of the blocks with these numbers, such as "0",
     * "0-3,8" or "all"; false if that is not a valid list. The name of the part that began last is
     * shown with a launch. Then writes an HTML page that shows the steps; false, without a page, if
     * there are no steps to show. */
    bool (*explore_start)(const char *blocks);
    void (*explore_part)(const char *name);
    bool (*explore_write)(FILE *file, const char *title);
};

/* Work that was recorded and can be replayed any number of times. */
struct recording {
    void *replayable;  /* owned by the back end; NULL: nothing is recorded */
    size_t dependents; /* launches that may start before the previous one has ended */
};

struct back_end {
    const char *name; /* "cpu", "cuda" or "simt", as in the result row's column */
    bool host_memory; /* allocate() returns host memory, so no copies are needed */
    bool clocks;      /* timings are meaningful; false on simt, whose speed says nothing of a GPU */

    bool (*open)(int device, struct machine *machine, struct error *error);

    /* From now on the first *count GPUs work together, the first one of which is in use; finish and
     * evict are for all. 0 means all GPUs, and *count becomes their number. They must exist and be
     * alike. NULL: the back end has no GPUs. Code: EXIT_DEVICE_ERROR. */
    bool (*join)(int *count, struct error *error);

    /* The peak bandwidth for a problem of `bytes` bytes; reports give a percentage of it. GPU:
     * memory clock x bus width. CPU: measured, by reading that many bytes (read_probe.h). */
    bool (*peak)(size_t bytes, double *gb_per_s, struct error *error);
    bool measures_peak; /* the measured peak may be too low */

    /* Memory for rungs, aligned to 256 bytes. release(NULL) does nothing. */
    void *(*allocate)(size_t bytes, struct error *error);
    void (*release)(void *memory);
    bool (*upload)(void *to, const void *from, size_t bytes, struct error *error);
    bool (*download)(void *to, const void *from, size_t bytes, struct error *error);
    bool (*fill)(void *to, int byte, size_t bytes, struct error *error);

    /* Waits for all launched work and reports its errors, because launches are asynchronous. */
    bool (*finish)(struct error *error);

    /* The time from timer_start to timer_stop, which waits for the work in between. Callers put all
     * the work that an answer needs between them, and nothing else. */
    bool (*timer_start)(struct error *error);
    bool (*timer_stop)(double *microseconds, struct error *error);

    /* Launches after record_start are not executed. record_stop makes a recording of them, and
     * replay starts all of it at once. If record_stop returns false, the work cannot be recorded,
     * for example because it waits for the GPU or allocates memory. *error says why, and the back
     * end is as before record_start. All four are NULL: the back end does not record. */
    bool (*record_start)(struct error *error);
    bool (*record_stop)(struct recording *recording, struct error *error);
    bool (*replay)(const struct recording *recording, struct error *error);
    void (*record_free)(struct recording *recording); /* does nothing for an empty recording */

    /* Evicts the `bytes` bytes at `memory` from all caches. */
    bool (*evict)(const void *memory, size_t bytes, struct error *error);

    /* NULL if the back end does not count. */
    void (*counters_reset)(void);
    void (*counters_read)(struct counters *counters);
    void (*launched_reset)(void);
    void (*launched_read)(struct kernels *kernels);
    const struct analysis *analysis;

    /* The back end makes this call before it ends the program, because a kernel cannot continue. It
     * has already printed the reason. NULL: the back end does not end programs. */
    void (*at_end)(void (*call)(void));
};

extern const struct back_end cpu_back_end;
extern const struct back_end gpu_back_end;

#endif
/* SPDX-License-Identifier: MIT */
