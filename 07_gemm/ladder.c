/* Step 07: the ladder in float32. That in bfloat16 is in bf16_ladder.c. Everything else
 * (options, inputs, verification, timing, report) is in common/. */
#include "cpu.h"
#include "library/cublas.h"
#include "library/openblas.h"
#include "problem/gemm/gemm.h"
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
void launch_specialized(const struct gemm *call);
void prepare_specialized(const struct gemm *call);
const char *specialized_unavailable(void);
const char *hopper_unavailable(void);
void launch_tensor_3xtf32(const struct gemm *call);
void prepare_tensor_3xtf32(const struct gemm *call);
double depth_tensor_3xtf32(const struct gemm *call);

extern const struct ladder bf16, tf32;

static const struct gemm_rung rungs[] = {
    {
        .rung = {.name = "cpu_naive",
                 .idea = "one CPU thread, loops i, j, p: walks down the columns of B",
                 .flags = RUNG_HOST},
        .run = run_cpu_naive,
        .depth = gemm_depth_serial,
        .most_products = 0x1p27, /* about half a second */
    },
    {
        .rung = {.name = "cpu_rows",
                 .idea = "one CPU thread, loops i, p, j: walks along the rows of B, in vectors",
                 .flags = RUNG_HOST},
        .run = run_cpu_rows,
        .depth = gemm_depth_serial,
        .most_products = 0x1p29,
    },
    {
        .rung = {.name = "cpu_blocked",
                 .idea = "one CPU thread, a block of B stays in the cache for 64 rows",
                 .flags = RUNG_HOST},
        .run = run_cpu_blocked,
        .depth = gemm_depth_serial,
        .most_products = 0x1p32,
    },
    {
        .rung = {.name = "cpu_vectors",
                 .idea = "the same loops by this machine's widest vectors and multiply-adds",
                 .flags = RUNG_HOST},
        .run = run_cpu_vectors,
        .depth = gemm_depth_serial,
        .how = how_cpu_tile,
        .most_products = 0x1p32,
    },
    {
        .rung = {.name = "cpu_register_tile",
                 .idea = "a tile of C stays in vector registers: few loads per product, no stores",
                 .flags = RUNG_HOST},
        .run = run_cpu_register_tile,
        .depth = gemm_depth_serial,
        .how = how_cpu_tile,
        .most_products = 0x1p33,
    },
    {
        .rung = {.name = "cpu_packed",
                 .idea = "blocks of A and B for the caches, copied into the order of their use",
                 .flags = RUNG_HOST},
        .run = run_cpu_packed,
        .depth = depth_cpu_packed,
        .how = how_cpu_tile,
        .prepare = prepare_cpu_packed,
        .most_products = 0x1p34,
    },
    {
        .rung = {.name = "cpu_threads",
                 .idea = "all cores: they pack B together and share the rows of C",
                 .flags = RUNG_HOST},
        .run = run_cpu_threads,
        .depth = depth_cpu_packed,
        .how = how_cpu_threads,
        .prepare = prepare_cpu_threads,
    },
    OPENBLAS_GEMM_RUNG,
    {
        .rung = {.name = "naive_rows",
                 .idea = "one thread per element, threadIdx.x is the row: loads are not coalesced"},
        .run = launch_naive_rows,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "naive",
                 .idea = "threadIdx.x is the column: coalesced, two loads per product"},
        .run = launch_naive,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "shared_tile",
                 .idea = "32 x 32 tiles of A and B in shared memory: a 32nd of the global loads"},
        .run = launch_shared_tile,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "register_column",
                 .idea = "8 elements of a column per thread: an element of B in a register serves "
                         "8 products"},
        .run = launch_register_column,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "register_tile",
                 .idea = "8 x 8 elements per thread: 16 loads from shared memory for 64 products"},
        .run = launch_register_tile,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "vectorized",
                 .idea = "16-byte loads and stores; tiles of A are stored transposed for it"},
        .run = launch_vectorized,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "warp_tile",
                 .idea = "32 x 64 elements per warp, lanes in 4 rows of 8: no bank conflicts"},
        .run = launch_warp_tile,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "double_buffered",
                 .idea =
                     "the next tiles are loaded while these are multiplied: one barrier per step"},
        .run = launch_double_buffered,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "async_copies",
                 .idea = "cp.async directly to shared memory, three steps ahead"},
        .run = launch_async_copies,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "specialized",
                 .idea = "producer warps copy tiles, in part by TMA; consumer warps only multiply",
                 .needs_compute_capability = 90,
                 .unavailable = specialized_unavailable},
        .run = launch_specialized,
        .depth = gemm_depth_serial,
        .prepare = prepare_specialized,
    },
    {
        .rung = {.name = "tensor_3xtf32",
                 .idea = "tensor cores: each float as the sum of two numbers of TF32",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_tensor_3xtf32,
        .depth = depth_tensor_3xtf32,
        .prepare = prepare_tensor_3xtf32,
    },
    CUBLAS_GEMM_RUNG,
};

static const struct ladder f32 = {
    .name = "f32",
    .idea = "Matrix product: reuse from shared memory, from registers, and past the library",
    .kind = &gemm_kind,
    .back_end = &gpu_back_end,
    LADDER_RUNGS(rungs),
};

static const struct ladder *const ladders[] = {&f32, &bf16, &tf32};

const struct step step = {
    .name = "07_gemm",
    .ladders = ladders,
    .ladder_count = sizeof ladders / sizeof ladders[0],
    .ladder_option = "type",
};
