/* Step 07, bfloat16: how the host launches the kernel of any_shape/bfloat16/persistent.cuh. */
#ifndef RUNGS_07_BF16_LAUNCH_CUH
#define RUNGS_07_BF16_LAUNCH_CUH

#include <string.h>

#include "any_shape/bfloat16/persistent.cuh"
#include "any_shape/bfloat16/plan.h"
#include "device/gpu.h"

template <typename Config>
static struct bf16_work work_of(const struct gemm *call)
{
    struct bf16_work work = {};

    work.row_tiles = (unsigned)((call->m + Config::TILE_M - 1) / Config::TILE_M);
    work.column_tiles = (unsigned)((call->n + Config::TILE_N - 1) / Config::TILE_N);
    work.steps = steps_along_k(call);
    work.splits = 1;
    work.c_is_mapped = can_be_stored(call->c, call->m, call->n, call->ldc, sizeof(uint16_t));
    return work;
}

/* What a launch needs beside the call, and is the same in every call with these arguments. */
struct prepared {
    struct gemm call;
    unsigned blocks;
    struct bf16_work work;
    struct maps maps;
};

template <typename Config>
static struct maps maps_of(const struct gemm *call, const struct bf16_work &work)
{
    return {map_a(call, Config::PART_ROWS), map_a(call, rows_of_last_tile(call, Config::TILE_M)),
            map_bf16(call->b_bf16, call->k, call->n, call->ldb, STEP_K / Config::DOWN),
            work.c_is_mapped ? map_c(call, Config::BUFFER_ROWS) : CUtensorMap{}};
}

/* As many as run at the same time, or fewer if there are fewer work tiles. */
template <typename Config>
static unsigned blocks_for(const struct gemm *call, const struct bf16_work &work)
{
    const unsigned most = max((unsigned)call->multiprocessors / Config::CLUSTER, 1U);
    const unsigned clusters = min(most, bf16_clusters()[Config::CLUSTER]);

    return min(clusters, work_tile_count<Config>(work)) * Config::CLUSTER;
}

/* A GPU's last is kept for the next call: making it takes as long as a small product. `parts` is
 * for the sums of several splits. */
template <typename Config>
static struct prepared *prepared_for(const void *kernel, const struct gemm *call, unsigned splits,
                                     float *parts)
{
    static struct prepared of_gpus[MOST_GPUS];
    struct prepared *const last = &of_gpus[gpu_index()];

    if (memcmp(&last->call, call, sizeof *call) != 0 || last->work.splits != splits) {
        last->call = *call;
        last->work = work_of<Config>(call);
        last->work.splits = splits;
        last->blocks = blocks_for<Config>(call, last->work);
        last->maps = maps_of<Config>(call, last->work);
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)Config::SHARED_BYTES);
    }
    last->work.parts = parts;
    return last;
}

#define LAUNCH_PREPARED(kernel, config, call, splits, parts)                                       \
    do {                                                                                           \
        const struct prepared *const with =                                                        \
            prepared_for<config>((const void *)kernel, call, splits, parts);                       \
        launch_dependent_clusters(kernel, config::CLUSTER, with->blocks, THREADS_OF(config),       \
                                  config::SHARED_BYTES, *(call), with->maps, with->work);          \
    } while (false)

#endif
/* SPDX-License-Identifier: MIT */
