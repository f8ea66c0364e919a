/* Step 06, the top rung: bulk copies by the TMA (tensor memory accelerator) of Hopper (sm_90) and
 * later GPUs.
 *
 * One thread issues copies of many kilobytes to shared memory. The data does not pass through
 * registers. A barrier in shared memory (mbarrier) counts the bytes that have arrived. */
#include "base/integers.h"
#include "kernel/launch_limits.cuh"
#include "kernel/mbarrier.cuh"
#include "kernel/overlap.cuh"
#include "kernel/reduce.cuh"
#include "warp_reduce.cuh"

static const unsigned BULK_THREADS = 512;

/* A tile is 32 KB of one input. If two inputs have different types, it is 32 KB of the wider one.
 * The ring has six tiles of one input or three of two. That is at most 192 KB; on sm_90 a block may
 * have 227 KB. */
enum {
    TILE_BYTES = 32 << 10,
    TILE_TERMS = TILE_BYTES / 16 * PACK,
    FIRST_BYTES = TILE_TERMS * sizeof(element),
    SECOND_BYTES = OPERANDS == 2 ? TILE_TERMS * sizeof(second) : 0,
    STAGE_BYTES = FIRST_BYTES + SECOND_BYTES,
    STAGES = 6 / OPERANDS
};

/* Starts the copies of one tile, from term number `first` on, to a stage of the ring. */
static __device__ void fetch(const element *a, const second *b, size_t first, unsigned char *stage,
                             phase_barrier *arrived)
{
    barrier_arrive_expecting(arrived, STAGE_BYTES);
    copy_bulk(stage, a + first, FIRST_BYTES, arrived);
    if (OPERANDS == 2)
        copy_bulk(stage + FIRST_BYTES, b + first, SECOND_BYTES, arrived);
}

/* A ring of STAGES tiles in shared memory: the TMA fills tiles while the threads reduce one. A
 * block takes every gridDim.x-th tile. Elements that do not fill a tile are loaded one by one.
 *
 * Better: 80 to 192 KB are in flight per SM at all times, and one thread issues all copies.
 * Still bad: it declines inputs of less than a tile, and two inputs with different alignment. */
__global__ void __launch_bounds__(BULK_THREADS)
    bulk_copies(const element *a, const second *b, size_t n, size_t head, value *block_results,
                value *result)
{
    extern __shared__ __align__(128) unsigned char stages[];
    __shared__ phase_barrier arrived[STAGES];
    const size_t tiles = (n - head) / TILE_TERMS;

    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < STAGES; s++)
            barrier_create(&arrived[s], 1);
        barriers_created();
    }
    __syncthreads();
    overlap_launches();

    if (threadIdx.x == 0)
        for (unsigned s = 0; s < STAGES; s++) {
            const size_t tile = blockIdx.x + (size_t)s * gridDim.x;
            if (tile < tiles)
                fetch(a, b, head + tile * TILE_TERMS, stages + (size_t)s * STAGE_BYTES,
                      &arrived[s]);
        }

    value mine[2] = {IDENTITY, IDENTITY};
    unsigned stage = 0, parity = 0;
    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        unsigned char *const at = stages + (size_t)stage * STAGE_BYTES;

        barrier_wait(&arrived[stage], parity);
#pragma unroll
        for (unsigned p = 0; p < TILE_BYTES / 16 / BULK_THREADS; p++)
            mine[p % 2] = combine(
                mine[p % 2], term_of_pack((const element *)at, (const second *)(at + FIRST_BYTES),
                                          (p * BULK_THREADS + threadIdx.x) * PACK));
        __syncthreads(); /* all have read the tile: it may be overwritten */

        const size_t next = tile + (size_t)STAGES * gridDim.x;
        if (threadIdx.x == 0 && next < tiles)
            fetch(a, b, head + next * TILE_TERMS, at, &arrived[stage]);
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
    const size_t thread = (size_t)blockIdx.x * BULK_THREADS + threadIdx.x;
    const size_t threads = (size_t)gridDim.x * BULK_THREADS;
    for (size_t i = thread; i < head; i += threads)
        mine[0] = combine(mine[0], term(a, b, i));
    for (size_t i = head + tiles * TILE_TERMS + thread; i < n; i += threads)
        mine[0] = combine(mine[0], term(a, b, i));

    finish_by_last_block(reduce_block(combine(mine[0], mine[1]), BULK_THREADS), block_results,
                         result);
}

/* True if the TMA can read both inputs from term number `head` on. */
static inline bool is_aligned_for_bulk(const element *a, const second *b, size_t head)
{
    return (size_t)(a + head) % 16 == 0 && (OPERANDS == 1 || (size_t)(b + head) % 16 == 0);
}

/* The number of whole tiles, counted from the first address that is a multiple of 16. */
size_t bulk_copies_tiles(const struct reduction *call)
{
    const size_t head = elements_to_alignment((const element *)call->a);

    return call->n > head ? (call->n - head) / TILE_TERMS : 0;
}

const char *declines_bulk_copies(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;

    return bulk_copies_tiles(call) == 0 ? "requires a whole tile of 32 KB"
           : !is_aligned_for_bulk(a, b, elements_to_alignment(a))
               ? "requires inputs with the same alignment"
           : !block_may_have(STAGES * STAGE_BYTES)
               ? "requires more shared memory per block than the GPU has"
               : NULL;
}

void launch_bulk_copies(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const block_results = (value *)call->workspace, *const result = (value *)call->result;
    const size_t head = elements_to_alignment(a);
    const unsigned grid = (unsigned)smaller((size_t)call->multiprocessors, bulk_copies_tiles(call));
    cudaLaunchAttribute attribute;
    const cudaLaunchConfig_t config =
        overlapping((const void *)bulk_copies, grid, BULK_THREADS, STAGES * STAGE_BYTES,
                    (cudaStream_t)call->stream, &attribute);

    cudaFuncSetAttribute((const void *)bulk_copies, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         STAGES * STAGE_BYTES);
    cudaLaunchKernelEx(&config, bulk_copies, a, b, call->n, head, block_results, result);
}
/* SPDX-License-Identifier: MIT */
