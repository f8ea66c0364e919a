/* Step 07: the ladders of rungs that multiply on several GPUs, in float32 and in bfloat16. */
#include "library/cublas.h"
#include "library/nccl.h"
#include "run/step.h"
#include "rungs.h"
#include "several_gpus/several_gpus.h"

extern const struct ladder f32_on_gpus, bf16_on_gpus;

/* For rungs that use NCCL. */
static const char *gathering_unavailable(void)
{
    return nccl_unavailable() != NULL ? nccl_unavailable() : hopper_unavailable();
}

static const char *cublas_nccl_unavailable(void)
{
    return cublas_unavailable() != NULL ? cublas_unavailable() : nccl_unavailable();
}

/* Rungs differ in what is copied from other GPUs, and when. any_shape multiplies each part. */
#define BY_ANY_SHAPE                                                                               \
    .same_kernels_as = "one_gpu",                                                                  \
    .same_kernels_because = "the idea is the communication around the products"

/* Common to all rungs whose C is in shares. */
#define SHARED .how = how_several_gpus, .scatter = scatter_c, .collect = collect_c

/* Every type has the same rungs. One GPU computes each sum, so the depth is that of one GPU. */
#define RUNGS(depth_of_type)                                                                       \
    {                                                                                              \
        {                                                                                          \
            .rung = {.name = "one_gpu",                                                            \
                     .idea = "all of it on the first GPU, by the top rung there",                  \
                     .needs_compute_capability = 90,                                               \
                     .unavailable = hopper_unavailable,                                            \
                     BY_ANY_SHAPE},                                                                \
            .run = launch_one_gpu,                                                                 \
            .prepare = prepare_multiply,                                                           \
            .depth = depth_of_type,                                                                \
        },                                                                                         \
            {                                                                                      \
                .rung = {.name = "b_everywhere",                                                   \
                         .idea = "a share of the rows of A and C on each GPU, and all of B",       \
                         .needs_compute_capability = 90,                                           \
                         .unavailable = hopper_unavailable,                                        \
                         BY_ANY_SHAPE},                                                            \
                .run = launch_b_everywhere,                                                        \
                .prepare = prepare_b_everywhere,                                                   \
                .declines = declines_without_nccl,                                                 \
                .depth = depth_of_type,                                                            \
                SHARED,                                                                            \
            },                                                                                     \
            {                                                                                      \
                .rung = {.name = "all_gather",                                                     \
                         .idea = "a share of B on each GPU; first, NCCL gathers it on all",        \
                         .needs_compute_capability = 90,                                           \
                         .unavailable = gathering_unavailable,                                     \
                         BY_ANY_SHAPE},                                                            \
                .run = ON_NCCL(launch_all_gather),                                                 \
                .prepare = ON_NCCL(prepare_all_gather),                                            \
                .depth = depth_of_type,                                                            \
                SHARED,                                                                            \
            },                                                                                     \
            {                                                                                      \
                .rung = {.name = "nccl_pieces",                                                    \
                         .idea = "B comes in pieces; one is multiplied while the next one comes",  \
                         .needs_compute_capability = 90,                                           \
                         .unavailable = gathering_unavailable,                                     \
                         BY_ANY_SHAPE},                                                            \
                .run = ON_NCCL(launch_nccl_pieces),                                                \
                .prepare = ON_NCCL(prepare_nccl_pieces),                                           \
                .depth = depth_of_type,                                                            \
                SHARED,                                                                            \
            },                                                                                     \
            {                                                                                      \
                .rung = {.name = "copy_engines",                                                   \
                         .idea = "copy engines bring the pieces: all multiprocessors multiply",    \
                         .needs_compute_capability = 90,                                           \
                         .unavailable = hopper_unavailable,                                        \
                         BY_ANY_SHAPE},                                                            \
                .run = launch_copy_engines,                                                        \
                .prepare = prepare_copy_engines,                                                   \
                .declines = declines_ranks,                                                        \
                .depth = depth_of_type,                                                            \
                SHARED,                                                                            \
            },                                                                                     \
            {                                                                                      \
                .rung = {.name = "grid",                                                           \
                         .idea = "C is cut by rows and columns: less of A and B has to come",      \
                         .needs_compute_capability = 90,                                           \
                         .unavailable = hopper_unavailable,                                        \
                         BY_ANY_SHAPE},                                                            \
                .run = launch_grid,                                                                \
                .prepare = prepare_grid,                                                           \
                .declines = declines_grid,                                                         \
                .depth = depth_of_type,                                                            \
                SHARED,                                                                            \
            },                                                                                     \
            {                                                                                      \
                .rung = {.name = "cublas_nccl",                                                    \
                         .idea = "the libraries: an all-gather, then cuBLAS on each GPU",          \
                         .flags = RUNG_LIBRARY,                                                    \
                         .unavailable = cublas_nccl_unavailable},                                  \
                .run = ON_CUBLAS(ON_NCCL(launch_cublas_nccl)),                                     \
                .prepare = ON_CUBLAS(ON_NCCL(prepare_cublas_nccl)),                                \
                .depth = depth_of_type,                                                            \
                SHARED,                                                                            \
            },                                                                                     \
    }

static const struct gemm_rung f32_rungs[] = RUNGS(gemm_depth_serial);
static const struct gemm_rung bf16_rungs[] = RUNGS(gemm_depth_tensor);

const struct ladder f32_on_gpus = {
    .name = "f32",
    .idea = "Matrix product on several GPUs",
    .with = "gpus",
    .kind = &gemm_gpus_kind,
    .back_end = &gpu_back_end,
    LADDER_RUNGS(f32_rungs),
};

const struct ladder bf16_on_gpus = {
    .name = "bf16",
    .idea = "Matrix product in bfloat16 on several GPUs",
    .with = "gpus",
    .kind = &gemm_bf16_gpus_kind,
    .back_end = &gpu_back_end,
    LADDER_RUNGS(bf16_rungs),
};
/* SPDX-License-Identifier: MIT */
