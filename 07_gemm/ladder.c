/* Step 07: the ladder in float32. That in bfloat16 is in bf16_ladder.c. Everything else
 * (options, inputs, verification, timing, report) is in common/. */
#include "cpu.h"
#include "library/cublas.h"
#include "library/openblas.h"
#include "problem/gemm/gemm.h"
#include "run/step.h"
#include "workspace.h"

void launch_naive_rows(const struct gemm *call);
void launch_naive(const struct gemm *call);
void launch_shared_tile(const struct gemm *call);
void launch_register_column(const struct gemm *call);
void launch_register_tile(const struct gemm *call);
void launch_transposed(const struct gemm *call);
void launch_vectorized(const struct gemm *call);
void launch_warp_tile(const struct gemm *call);
void launch_double_buffered(const struct gemm *call);
void launch_async_copies(const struct gemm *call);
void launch_wide_tile(const struct gemm *call);
void launch_producer_warps(const struct gemm *call);
void launch_tensor_copies(const struct gemm *call);
void launch_specialized(const struct gemm *call);
void launch_to_and_fro(const struct gemm *call);
void launch_overlapped(const struct gemm *call);
void launch_stream_k(const struct gemm *call);
void launch_sliced_tiles(const struct gemm *call);
void launch_added_later(const struct gemm *call);
void launch_clustered(const struct gemm *call);
void launch_added_in_shares(const struct gemm *call);
void launch_aligned_copies(const struct gemm *call);
void launch_thin(const struct gemm *call);
void launch_edges(const struct gemm *call);
void launch_short_stage(const struct gemm *call);
void launch_narrow(const struct gemm *call);
void launch_streamed(const struct gemm *call);
void launch_kept_in_l2(const struct gemm *call);
void launch_any_shape(const struct gemm *call);
void how_any_shape(const struct gemm *call, char text[RUNG_HOW_SIZE]);
void prepare_any_shape(const struct gemm *call);
const char *hopper_unavailable(void);
void launch_tensor_3xtf32(const struct gemm *call);
void prepare_tensor_3xtf32(const struct gemm *call);
double depth_tensor_3xtf32(const struct gemm *call);
void launch_tensor_bf16x6(const struct gemm *call);
void prepare_tensor_bf16x6(const struct gemm *call);
double depth_tensor_bf16x6(const struct gemm *call);

extern const struct ladder bf16, tf32, f32_on_gpus, bf16_on_gpus;

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
        .rung = {.name = "transposed",
                 .idea = "tiles of A are stored transposed: a thread's elements are neighbours"},
        .run = launch_transposed,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "vectorized",
                 .idea = "16-byte loads and stores: a quarter of the instructions"},
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
        .rung = {.name = "wide_tile",
                 .idea = "8 x 16 elements per thread: 24 loads from shared memory for 128 products",
                 .needs_compute_capability = 80},
        .run = launch_wide_tile,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "producer_warps",
                 .idea = "4 warps copy tiles to a ring of mbarriers, 8 warps multiply",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_producer_warps,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "tensor_copies",
                 .idea = "the TMA copies the tiles of B",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_tensor_copies,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "specialized",
                 .idea = "the producers' registers are handed over to the consumers",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_specialized,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "to_and_fro",
                 .idea = "every multiply-add shares an operand with the one before it",
                 .needs_compute_capability = 80},
        .run = launch_to_and_fro,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "overlapped",
                 .idea = "the next launch starts while this one ends",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_overlapped,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "stream_k",
                 .idea = "all multiprocessors share the steps along k of all tiles equally",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_stream_k,
        .depth = gemm_depth_serial,
        .prepare = prepare_workspace,
    },
    {
        .rung = {.name = "sliced_tiles",
                 .idea = "smaller tiles for a smaller C: warps share a tile's values of p",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_sliced_tiles,
        .depth = gemm_depth_serial,
        .prepare = prepare_workspace,
    },
    {
        .rung = {.name = "added_later",
                 .idea = "the sums of many blocks are added up by a kernel of its own",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_added_later,
        .depth = gemm_depth_serial,
        .prepare = prepare_workspace,
    },
    {
        .rung = {.name = "clustered",
                 .idea = "blocks that share a tile are a cluster and add up their sums there",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_clustered,
        .depth = gemm_depth_serial,
        .prepare = prepare_workspace,
    },
    {
        .rung = {.name = "added_in_shares",
                 .idea = "more blocks wait for one another, and each adds up its share",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_added_in_shares,
        .depth = gemm_depth_serial,
        .prepare = prepare_any_shape,
    },
    {
        .rung = {.name = "aligned_copies",
                 .idea = "a B whose rows are not aligned is copied first",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_aligned_copies,
        .depth = gemm_depth_serial,
        .prepare = prepare_any_shape,
    },
    {
        .rung = {.name = "thin",
                 .idea = "few rows or columns of C: A or B is read once, into registers",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_thin,
        .depth = gemm_depth_serial,
        .prepare = prepare_any_shape,
    },
    {
        .rung = {.name = "edges",
                 .idea = "so are the few rows and columns beyond the last whole tile",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_edges,
        .depth = gemm_depth_serial,
        .prepare = prepare_any_shape,
    },
    {
        .rung = {.name = "short_stage",
                 .idea = "the last stage of a tile is multiplied only as far as k goes",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_short_stage,
        .depth = gemm_depth_serial,
        .prepare = prepare_any_shape,
    },
    {
        .rung = {.name = "narrow",
                 .idea = "tiles of 32 or 16 columns, with A as it lies, by the TMA",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_narrow,
        .depth = gemm_depth_serial,
        .prepare = prepare_any_shape,
    },
    {
        .rung = {.name = "streamed",
                 .idea = "up to 32 rows: B comes through a ring, by the TMA",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_streamed,
        .depth = gemm_depth_serial,
        .prepare = prepare_any_shape,
    },
    {
        .rung = {.name = "kept_in_l2",
                 .idea = "of a matrix larger than L2, a part stays there for the next product",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_kept_in_l2,
        .depth = gemm_depth_serial,
        .prepare = prepare_any_shape,
    },
    {
        .rung = {.name = "any_shape",
                 .idea = "small tiles for small products: a plan for every shape",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_any_shape,
        .depth = gemm_depth_serial,
        .how = how_any_shape,
        .prepare = prepare_any_shape,
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
    {
        .rung = {.name = "tensor_bf16x6",
                 .idea = "each float as the sum of three numbers of bfloat16: B is not transposed",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_tensor_bf16x6,
        .depth = depth_tensor_bf16x6,
        .prepare = prepare_tensor_bf16x6,
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

static const struct ladder *const ladders[] = {&f32, &bf16, &tf32, &f32_on_gpus, &bf16_on_gpus};

const struct step step = {
    .name = "07_gemm",
    .ladders = ladders,
    .ladder_count = sizeof ladders / sizeof ladders[0],
    .ladder_option = "type",
};
