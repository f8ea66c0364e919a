/* Step 06, the top rung: bulk copies by the TMA (tensor memory accelerator) of Hopper (sm_90) and
 * later GPUs.
 *
 * One thread issues copies of kilobytes, which arrive in shared memory without passing through
 * registers, and a barrier in shared memory (mbarrier) tells when they have arrived. */
#include "kernel/dependent_launch.cuh"
#include "kernel/launch_limits.cuh"
#include "kernel/tma.cuh"
#include "warp_reduce.cuh"

/* Of an input; where the other's elements are wider or narrower, of the wider. */
static const unsigned TILE_BYTES = 32 << 10;
static const unsigned BULK_THREADS = 512;

/* A ring of STAGES tiles in shared memory: while the threads reduce one, the TMA fills the others.
 * A block takes every gridDim.x-th tile. Elements that do not fill a tile are read one by one.
 *
 * Better: 96 to 192 KB in flight on every multiprocessor at all times, and one thread issues all
 * copies. */
template <unsigned STAGES, typename R>
__global__ void __launch_bounds__(BULK_THREADS)
    bulk_copies(R in, size_t n, size_t head, typename R::value *block_results,
                typename R::value *result)
{
    typedef typename R::value value;
    typedef typename R::element element;
    typedef typename R::second_type second;
    const unsigned tile_terms = TILE_BYTES / 16 * R::PACK;
    const unsigned first_bytes = tile_terms * (unsigned)sizeof(element);
    const unsigned second_bytes = R::HAS_SECOND ? tile_terms * (unsigned)sizeof(second) : 0;
    const unsigned stage_bytes = first_bytes + second_bytes;
    extern __shared__ __align__(128) unsigned char stages[];
    __shared__ phase_barrier arrived[STAGES];
    const size_t tiles = (n - head) / tile_terms;

    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < STAGES; s++)
            barrier_create(&arrived[s], 1);
        barriers_created();
    }
    __syncthreads();
    overlap_launches();

    auto fetch = [&](size_t tile, unsigned stage) {
        unsigned char *const to = stages + (size_t)stage * stage_bytes;
        const size_t first = head + tile * tile_terms;
        barrier_arrive_expecting(&arrived[stage], stage_bytes);
        copy_bulk(to, in.a + first, first_bytes, &arrived[stage]);
        if (R::HAS_SECOND)
            copy_bulk(to + first_bytes, in.second() + first, second_bytes, &arrived[stage]);
    };
    if (threadIdx.x == 0)
        for (unsigned s = 0; s < STAGES; s++)
            if (blockIdx.x + (size_t)s * gridDim.x < tiles)
                fetch(blockIdx.x + (size_t)s * gridDim.x, s);

    value mine[2] = {R::identity(), R::identity()};
    unsigned stage = 0, parity = 0;
    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const element *const a = (const element *)(stages + (size_t)stage * stage_bytes);
        const second *const b = (const second *)((const unsigned char *)a + first_bytes);

        barrier_wait(&arrived[stage], parity);
#pragma unroll
        for (unsigned p = 0; p < TILE_BYTES / 16 / BULK_THREADS; p++)
            mine[p % 2] = R::combine(mine[p % 2],
                                     R::pack_at(a, b, (p * BULK_THREADS + threadIdx.x) * R::PACK));
        __syncthreads(); /* all have read the tile: it may be overwritten */

        const size_t next = tile + (size_t)STAGES * gridDim.x;
        if (threadIdx.x == 0 && next < tiles)
            fetch(next, stage);
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
    const size_t thread = (size_t)blockIdx.x * BULK_THREADS + threadIdx.x;
    const size_t threads = (size_t)gridDim.x * BULK_THREADS;
    for (size_t i = thread; i < head; i += threads)
        mine[0] = R::combine(mine[0], in.term(i));
    for (size_t i = head + tiles * tile_terms + thread; i < n; i += threads)
        mine[0] = R::combine(mine[0], in.term(i));

    finish_by_last_block<R>(reduce_block<BULK_THREADS, R>(R::combine(mine[0], mine[1])),
                            block_results, result);
}

/* Whether the TMA can read both inputs from term number `head` on. */
template <typename R>
static bool is_aligned_for_bulk(const R &in, size_t head)
{
    return (size_t)(in.a + head) % 16 == 0 &&
           (!R::HAS_SECOND || (size_t)(in.second() + head) % 16 == 0);
}

/* How an input is cut: elements before the first tile, tiles, and the ring's bytes. */
struct bulk_plan {
    size_t head, tiles, shared_bytes;
};

/* Six tiles of one input, or three of two: 192 KB of the 227 that a block may have on sm_90. */
template <typename R>
static const unsigned STAGES_OF = R::HAS_SECOND ? 3 : 6;

template <typename R>
static struct bulk_plan plan_bulk(const struct reduction *call, const R &in)
{
    const size_t tile_terms = TILE_BYTES / 16 * R::PACK;
    const size_t first_bytes = tile_terms * sizeof(typename R::element);
    const size_t second_bytes = R::HAS_SECOND ? tile_terms * sizeof(typename R::second_type) : 0;
    const size_t head = elements_to_alignment(in.a);

    return {head, call->n > head ? (call->n - head) / tile_terms : 0,
            STAGES_OF<R> * (first_bytes + second_bytes)};
}

extern "C" size_t bulk_copies_tiles(const struct reduction *call)
{
    size_t tiles = 0;

    reduce_with(call, [=, &tiles](auto in) { tiles = plan_bulk(call, in).tiles; });
    return tiles;
}

extern "C" const char *declines_bulk_copies(const struct reduction *call)
{
    const char *reason = NULL;

    reduce_with(call, [=, &reason](auto in) {
        const struct bulk_plan plan = plan_bulk(call, in);

        reason = plan.tiles == 0                       ? "requires a whole tile of 32 KB"
                 : !is_aligned_for_bulk(in, plan.head) ? "requires inputs with the same alignment"
                 : !block_may_have(plan.shared_bytes) ? "requires 192 KB of shared memory per block"
                                                      : NULL;
    });
    return reason;
}

template <unsigned STAGES, typename R>
static void start_bulk(const struct reduction *call, R in)
{
    const struct bulk_plan plan = plan_bulk(call, in);

    cudaFuncSetAttribute(bulk_copies<STAGES, R>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         (int)plan.shared_bytes);
    launch_dependent_in((cudaStream_t)call->stream, bulk_copies<STAGES, R>,
                        (unsigned)min((size_t)call->multiprocessors, plan.tiles), BULK_THREADS,
                        plan.shared_bytes, in, call->n, plan.head, in.values(call->workspace),
                        in.values(call->result));
}

extern "C" void launch_bulk_copies(const struct reduction *call)
{
    reduce_with(call, [=](auto in) { start_bulk<STAGES_OF<decltype(in)>>(call, in); });
}
