/* Step 06: the table of the rungs that reduce a vector on several GPUs. */
#include "library/nccl.h"
#include "problem/reduction/reduction.h"
#include "run/step.h"
#include "several_gpus.h"

/* The depth of the top rung of one GPU (ladder.c). */
static double depth_one_gpu(const struct reduction *call)
{
    return depth_two_stages(call) + 32;
}

/* The depth of a share, then one step per GPU to combine their numbers. */
static double depth_shares(const struct reduction *call)
{
    struct reduction share = *call;

    share.n = call->n - call->n / (size_t)call->gpus * (size_t)(call->gpus - 1);
    return depth_one_gpu(&share) + call->gpus;
}

/* The rungs differ only in how the GPUs' numbers are combined. */
#define BY_ONE_GPU                                                                                 \
    .same_kernels_as = "one_gpu", .same_kernels_because = "the idea is how the numbers travel"

static const struct reduction_rung rungs[] = {
    {
        .rung = {.name = "one_gpu",
                 .idea = "all of it on the first GPU, by the top rung there",
                 .needs_compute_capability = 90,
                 BY_ONE_GPU},
        .run = launch_one_gpu,
        .depth = depth_one_gpu,
    },
    {
        .rung = {.name = "host_copies",
                 .idea = "a share on each GPU; their numbers are copied to the host",
                 .needs_compute_capability = 90,
                 BY_ONE_GPU},
        .run = launch_host_copies,
        .how = how_host_copies,
        .prepare = place_shares,
        .declines = declines_ranks,
        .depth = depth_shares,
    },
    {
        .rung = {.name = "peer_copies",
                 .idea = "the numbers are copied to the first GPU",
                 .needs_compute_capability = 90,
                 BY_ONE_GPU},
        .run = launch_peer_copies,
        .how = how_peer_copies,
        .prepare = prepare_peers,
        .declines = declines_ranks,
        .depth = depth_shares,
    },
    {
        .rung = {.name = "peer_access",
                 .idea = "kernels write their numbers to the first GPU's memory",
                 .needs_compute_capability = 90,
                 BY_ONE_GPU},
        .run = launch_peer_access,
        .how = how_peer_access,
        .prepare = prepare_peers,
        .declines = declines_peer_access,
        .depth = depth_shares,
    },
    {
        .rung = {.name = "graph",
                 .idea = "the same launches as a CUDA graph: one call for all GPUs",
                 .needs_compute_capability = 90,
                 BY_ONE_GPU},
        .run = launch_graph,
        .how = how_graph,
        .prepare = prepare_graph,
        .declines = declines_peer_access,
        .depth = depth_shares,
    },
    {
        .rung = {.name = "nccl",
                 .idea = "an all-reduce by NCCL: every GPU gets the result",
                 .needs_compute_capability = 90,
                 .unavailable = nccl_unavailable,
                 BY_ONE_GPU},
        .run = ON_NCCL(launch_nccl),
        .how = ON_NCCL(how_nccl),
        .prepare = ON_NCCL(prepare_all_reduce),
        .ops = NCCL_OPS,
        .depth = depth_shares,
    },
    {
        .rung = {.name = "nccl_threads",
                 .idea = "a thread launches on each GPU",
                 .needs_compute_capability = 90,
                 .unavailable = nccl_unavailable,
                 BY_ONE_GPU},
        .run = ON_NCCL(launch_nccl_threads),
        .how = ON_NCCL(how_nccl_threads),
        .prepare = ON_NCCL(prepare_all_reduce),
        .declines = declines_ranks,
        .ops = NCCL_OPS,
        .depth = depth_shares,
    },
};

const struct ladder vectors_on_gpus = {
    .name = "vectors",
    .idea = "Reduction on several GPUs",
    .with = "gpus",
    .kind = &gpus_reduction_kind,
    .back_end = &gpu_back_end,
    LADDER_RUNGS(rungs),
};
/* SPDX-License-Identifier: MIT */
