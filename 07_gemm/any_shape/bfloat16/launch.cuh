/* Step 07, bfloat16: how the host launches the kernel of any_shape/bfloat16/persistent.cuh. */
#ifndef RUNGS_07_BF16_LAUNCH_CUH
#define RUNGS_07_BF16_LAUNCH_CUH

#include <string.h>

#include "any_shape/bfloat16/persistent.cuh"
#include "any_shape/bfloat16/plan.h"
#include "device/gpu.h"
#include "parts/workspace.h"

/* A cluster has 1, 2 or 4 tiles down, and 1, 2 or 4 across. */
template <typename Config>
static struct bf16_work work_of(const struct gemm *call, unsigned down, unsigned across,
                                unsigned splits)
{
    const size_t rows = Config::TILE_M * down, columns = Config::TILE_N * across;
    struct bf16_work work = {};

    work.down_log2 = down / 2;
    work.across_log2 = across / 2;
    work.cluster_rows = (unsigned)((call->m + rows - 1) / rows);
    work.cluster_columns = (unsigned)((call->n + columns - 1) / columns);
    work.steps = steps_along_k(call);
    work.splits = splits;
    work.count = work.cluster_rows * work.cluster_columns * splits;
    work.c_is_mapped = can_be_stored(call->c, call->m, call->n, call->ldc, sizeof(uint16_t));
    return work;
}

/* What a launch needs besides the call. It is the same for every call with these arguments. */
struct prepared {
    struct gemm call;
    unsigned blocks;
    struct bf16_work work;
    struct maps maps;
};

/* a_last is for the last tile or, if blocks share A's rows, for the last part of a tile. */
template <typename Config>
static struct maps maps_of(const struct gemm *call, const struct bf16_work &work)
{
    const unsigned part = part_rows(Config::TILE_M, work.across_log2);
    const unsigned last = work.across_log2 == 0 ? rows_of_last_tile(call, Config::TILE_M)
                                                : (Config::TILE_M - 1) % part + 1;

    return {map_a(call, part), map_a(call, last),
            map_bf16(call->b_bf16, call->k, call->n, call->ldb, STEP_K >> work.down_log2),
            work.c_is_mapped ? map_c(call, Config::BUFFER_ROWS) : CUtensorMap{}};
}

/* As many blocks as run at the same time, or fewer if there are fewer work tiles. */
static inline unsigned blocks_for(const struct gemm *call, const struct bf16_work &work)
{
    const unsigned cluster = cluster_of(work);
    const unsigned most = max((unsigned)call->multiprocessors / cluster, 1U);

    return min(min(most, bf16_clusters()[cluster]), work.count) * cluster;
}

typedef void persistent_kernel(const struct gemm, const struct maps, const struct bf16_work);

/* Keeps what a GPU's last launch needed for the next call, because making it takes as long as a
 * small product. */
template <typename Config>
static void launch_prepared(persistent_kernel *kernel, const struct gemm *call,
                            const struct bf16_plan *plan)
{
    const unsigned down = max(plan->down, 1U), across = max(plan->across, 1U);
    static struct prepared of_gpus[MOST_GPUS];
    struct prepared *const last = &of_gpus[gpu_index()];

    if (memcmp(&last->call, call, sizeof *call) != 0 || last->work.splits != plan->splits ||
        last->work.down_log2 != down / 2 || last->work.across_log2 != across / 2) {
        last->call = *call;
        last->work = work_of<Config>(call, down, across, plan->splits);
        last->blocks = blocks_for(call, last->work);
        last->maps = maps_of<Config>(call, last->work);
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)Config::SHARED_BYTES);
    }
    last->work.parts = plan->splits > 1 ? workspace_parts() : NULL;
    launch_dependent_clusters(kernel, cluster_of(last->work), last->blocks, THREADS_OF(Config),
                              Config::SHARED_BYTES, *call, last->maps, last->work);
}

#endif
/* SPDX-License-Identifier: MIT */
