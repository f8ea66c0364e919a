/* Step 07: the table of rungs. Everything else (options, inputs, verification, timing, report) is
 * rungs_main's, in common/. */
#include "cpu.h"
#include "gpu_libraries.h"
#include "openblas.h"
#include "step.h"

void launch_naive_rows(const struct gemm *call);
void launch_naive(const struct gemm *call);
void launch_shared_tile(const struct gemm *call);

static const struct rung rungs[] = {
    {
        .name = "cpu_naive",
        .idea = "one CPU thread, i, j, p: the inner loop walks down a column of B",
        .run.gemm = run_cpu_naive,
        .depth.gemm = gemm_depth_serial,
        .flags = RUNG_HOST,
        .most_products = 0x1p27, /* half a second or so */
    },
    {
        .name = "cpu_rows",
        .idea = "one CPU thread, i, p, j: along a row of B, in vectors",
        .run.gemm = run_cpu_rows,
        .depth.gemm = gemm_depth_serial,
        .flags = RUNG_HOST,
        .most_products = 0x1p29,
    },
    {
        .name = "cpu_blocked",
        .idea = "one CPU thread, a block of B stays in the cache for 64 rows",
        .run.gemm = run_cpu_blocked,
        .depth.gemm = gemm_depth_serial,
        .flags = RUNG_HOST,
        .most_products = 0x1p32,
    },
    OPENBLAS_GEMM_RUNG,
    {
        .name = "naive_rows",
        .idea = "one thread an element, threadIdx.x walks down a column: nothing coalesces",
        .run.gemm = launch_naive_rows,
        .depth.gemm = gemm_depth_serial,
    },
    {
        .name = "naive",
        .idea = "threadIdx.x walks along a row: coalesced, two loads a product",
        .run.gemm = launch_naive,
        .depth.gemm = gemm_depth_serial,
    },
    {
        .name = "shared_tile",
        .idea = "32 x 32 tiles of A and B in shared memory: a 32nd of the global loads",
        .run.gemm = launch_shared_tile,
        .depth.gemm = gemm_depth_serial,
    },
    CUBLAS_GEMM_RUNG,
};

const struct step step = {
    .name = "07_gemm",
    .idea = "Matrix product: coalescing, then reuse from shared memory",
    .family = &gemm_family,
    .back_end = &gpu_back_end,
    .rungs = rungs,
    .rung_count = sizeof rungs / sizeof rungs[0],
};

int main(int argc, char **argv)
{
    return rungs_main(argc, argv, &step);
}
