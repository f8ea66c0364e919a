/* Step 07: the ladder in bfloat16, on tensor cores. */
#include "library/cublas.h"
#include "problem/gemm/gemm.h"
#include "run/step.h"

void launch_wmma(const struct gemm *call);
void launch_mma_sync(const struct gemm *call);
void launch_swizzled(const struct gemm *call);

extern const struct ladder bf16;

static const struct gemm_rung rungs[] = {
    {
        .rung = {.name = "wmma",
                 .idea = "fragments of 16 x 16 by nvcuda::wmma, from tiles in shared memory",
                 .needs_compute_capability = 80},
        .run = launch_wmma,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "mma_sync",
                 .idea = "mma.sync, ldmatrix and cp.async: lanes' elements, three steps ahead",
                 .needs_compute_capability = 80},
        .run = launch_mma_sync,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "swizzled",
                 .idea = "chunks change places within a row: ldmatrix without bank conflicts",
                 .needs_compute_capability = 80},
        .run = launch_swizzled,
        .depth = gemm_depth_tensor,
    },
    CUBLAS_TENSOR_GEMM_RUNG,
};

const struct ladder bf16 = {
    .name = "bf16",
    .idea = "Matrix product in bfloat16: tensor cores, from fragments to clusters",
    .kind = &gemm_bf16_kind,
    .back_end = &gpu_back_end,
    LADDER_RUNGS(rungs),
};
