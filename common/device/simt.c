/* The back end simt: common/simt, which emulates a GPU on the CPU. Only this file uses more of it
 * than its CUDA runtime API. */
#include <stdio.h>
#include <stdlib.h>

#include "device/gpu.h"
#include "simt/cuda/simt.h"
#include "simt/cuda/simt_analysis.h"

static bool open_device(int device, struct machine *machine, struct error *error)
{
    struct cudaDeviceProp properties;

    simt_findings_keep(true);
    if (!gpu_open(device, machine, &properties, error))
        return false;
    snprintf(machine->details, sizeof machine->details, "counts what a GPU would do");
    const char *const page = getenv("SIMT_EXPLORE");
    if (page != NULL && page[0] != '\0' && !simt_explore_start(NULL))
        return error_set(error, EXIT_BAD_USAGE,
                         "SIMT_EXPLORE is for programs of simtcc: here, use --explore FILE.html");
    simt_analyse(false); /* only between analysis_start and analysis_stop */
    return true;
}

static void counters_reset(void)
{
    simt_counters_reset();
}

static void counters_read(struct counters *counters)
{
    struct simt_counters counted;
    simt_counters_read(&counted);
    *counters = (struct counters){
        .launches = counted.launches,
        .blocks = counted.blocks,
        .threads = counted.threads,
        .block_barriers = counted.block_barriers,
        .warp_barriers = counted.warp_barriers,
        .shuffles = counted.shuffles,
        .votes = counted.votes,
        .atomics = counted.atomics,
    };
}

static void launched_reset(void)
{
    simt_launched_reset();
}

static void launched_read(struct kernels *kernels)
{
    const struct simt_launched *launched;

    kernels->count = simt_launched_read(&launched);
    for (size_t i = 0; i < kernels->count && i < MOST_KERNELS; i++)
        kernels->of[i] =
            (struct launched){launched[i].function, launched[i].name, launched[i].symbol};
}

static void analysis_start(void)
{
    simt_findings_keep(true);
    simt_analyse(true);
    simt_analysis_reset();
}

static const char *analysis_stop(struct memory_counters *counters)
{
    struct simt_line_counters totals;
    const struct simt_access_counters *access = totals.access;

    simt_analyse(false);
    simt_analysis_totals(&totals);
    *counters = (struct memory_counters){
        .load_requests = access[SIMT_GLOBAL_LOAD].requests,
        .load_sectors = access[SIMT_GLOBAL_LOAD].units,
        .load_bytes = access[SIMT_GLOBAL_LOAD].bytes,
        .store_requests = access[SIMT_GLOBAL_STORE].requests,
        .store_sectors = access[SIMT_GLOBAL_STORE].units,
        .store_bytes = access[SIMT_GLOBAL_STORE].bytes,
        .atomic_requests = access[SIMT_GLOBAL_ATOMIC].requests,
        .shared_load_requests = access[SIMT_SHARED_LOAD].requests,
        .shared_load_conflicts = access[SIMT_SHARED_LOAD].conflicts,
        .shared_store_requests = access[SIMT_SHARED_STORE].requests,
        .shared_store_conflicts = access[SIMT_SHARED_STORE].conflicts,
        .shared_atomic_requests = access[SIMT_SHARED_ATOMIC].requests,
        .constant_requests = access[SIMT_CONSTANT_LOAD].requests,
        .atomic_crowd = access[SIMT_GLOBAL_ATOMIC].crowd + access[SIMT_SHARED_ATOMIC].crowd,
        .splits = totals.splits,
    };
    for (int i = 0; i < SIMT_ACCESSES; i++)
        counters->lanes += access[i].lanes;
    return simt_findings();
}

static void analysis_print(FILE *file, enum counters_format format)
{
    simt_analysis_print(file, format == COUNTERS_JSON    ? SIMT_JSON
                              : format == COUNTERS_LINES ? SIMT_LINES
                                                         : SIMT_TABLE);
}

static const struct analysis analysis = {
    .is_instrumented = simt_instrumented,
    .start = analysis_start,
    .stop = analysis_stop,
    .print = analysis_print,
    .explore_start = simt_explore_start,
    .explore_part = simt_explore_part,
    .explore_write = simt_explore_write,
};

const struct back_end gpu_back_end = {
    .name = "simt",
    .clocks = false,
    .open = open_device,
    .counters_reset = counters_reset,
    .counters_read = counters_read,
    .launched_reset = launched_reset,
    .launched_read = launched_read,
    .analysis = &analysis,
    .at_end = simt_at_exit,
    GPU_FUNCTIONS,
};
/* SPDX-License-Identifier: MIT */
