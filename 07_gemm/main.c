/* Step 07: the table of rungs. Everything else (options, inputs, verification, timing, report) is
 * rungs_main's, in common/. */
#include "cpu.h"
#include "library/gpu_libraries.h"
#include "library/openblas.h"
#include "run/step.h"

void launch_naive_rows(const struct gemm *call);
void launch_naive(const struct gemm *call);
void launch_shared_tile(const struct gemm *call);
void launch_register_column(const struct gemm *call);
void launch_register_tile(const struct gemm *call);
void launch_vectorized(const struct gemm *call);
void launch_warp_tile(const struct gemm *call);
void launch_double_buffered(const struct gemm *call);
void launch_async_copies(const struct gemm *call);
CUDA_ONLY void launch_specialized(const struct gemm *call);
CUDA_ONLY void prepare_specialized(const struct gemm *call);
CUDA_ONLY const char *specialized_unavailable(void);

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
    {
        .name = "register_column",
        .idea = "8 elements of a column a thread: an element of B in a register serves 8 products",
        .run.gemm = launch_register_column,
        .depth.gemm = gemm_depth_serial,
    },
    {
        .name = "register_tile",
        .idea = "8 x 8 elements a thread: 16 loads from shared memory for 64 products",
        .run.gemm = launch_register_tile,
        .depth.gemm = gemm_depth_serial,
    },
    {
        .name = "vectorized",
        .idea = "loads and stores of 16 bytes; tiles of A turned round for it",
        .run.gemm = launch_vectorized,
        .depth.gemm = gemm_depth_serial,
    },
    {
        .name = "warp_tile",
        .idea = "lanes stand in 4 rows of 8 over 32 x 64: no bank conflicts",
        .run.gemm = launch_warp_tile,
        .depth.gemm = gemm_depth_serial,
    },
    {
        .name = "double_buffered",
        .idea = "the next tiles come to registers while these are multiplied: one barrier",
        .run.gemm = launch_double_buffered,
        .depth.gemm = gemm_depth_serial,
    },
    {
        .name = "async_copies",
        .idea = "cp.async straight to shared memory, three tiles ahead",
        .run.gemm = launch_async_copies,
        .depth.gemm = gemm_depth_serial,
    },
    {
        .name = "specialized",
        .idea = "warps that bring tiles, by the copy engine too, and warps that only multiply",
        .run.gemm = launch_specialized,
        .depth.gemm = gemm_depth_serial,
        .prepare.gemm = prepare_specialized,
        .unavailable = specialized_unavailable,
        .needs_compute_capability = 90,
    },
    CUBLAS_GEMM_RUNG,
};

const struct step step = {
    .name = "07_gemm",
    .idea = "Matrix product: reuse from shared memory, from registers, and past the library",
    .family = &gemm_family,
    .back_end = &gpu_back_end,
    .rungs = rungs,
    .rung_count = sizeof rungs / sizeof rungs[0],
};

int main(int argc, char **argv)
{
    return rungs_main(argc, argv, &step);
}
