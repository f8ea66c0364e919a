/* Step 07, rungs whose warps have roles (warp specialization), on Hopper (sm_90a): 4 producer warps
 * copy tiles to a ring buffer in shared memory, 8 consumer warps multiply them.
 *
 * A float32 product on Hopper is bound by instruction issue: a multiprocessor can issue four
 * instructions per cycle, and each of them can be a multiply-add, so that any other instruction
 * costs a multiply-add. These rungs leave the consumers with little more than multiply-adds and
 * loads from shared memory. */
#include "kernel/dependent_launch.cuh"

#include "float32/parts/consumers.cuh"
#include "float32/parts/producers.cuh"
#include "rungs.h"
#include "float32/parts/map_b.cuh"

/* setmaxnreg is specific to Hopper: code for sm_90a runs on no other GPU. */
extern "C" const char *hopper_unavailable(void)
{
    const bool hopper = device_attribute(cudaDevAttrComputeCapabilityMajor) == 9 &&
                        device_attribute(cudaDevAttrComputeCapabilityMinor) == 0;
    return hopper ? NULL : "needs sm_90a, that is Hopper";
}

static const unsigned THREADS = Large::CONSUMERS + PRODUCERS;

/* The tile of C that the block computes. Tiles are numbered row by row. */
static __device__ struct place tile_of_block(const struct gemm &call)
{
    struct place tile;

    tile.row = first_row_of_tile(call.n, Large::M, Large::N);
    tile.column = first_column_of_tile(call.n, Large::N);
    return tile;
}

template <typename B>
static __device__ void produce(const struct gemm &call, const B &b, const struct ring &ring)
{
    struct slot slot = {0, 1};

    produce_tile<Large>(call, b, tile_of_block(call), 0, steps_along<Large>(call), ring, &slot);
}

template <enum order ORDER>
static __device__ void consume(const struct gemm &call, const struct ring &ring)
{
    const struct within at = place_in_tile<Large>();
    struct slot slot = {0, 0};
    float sum[THREAD_M][Large::THREAD_N] = {};

    multiply<Large, ORDER>(ring, at, steps_along<Large>(call), Large::SHARE, &slot, sum);
    store_tile<Large>(call, tile_of_block(call), at, ring.exchange, sum);
}

/* ---- producer warps -------------------------------------------------------------------------- */

/* Better: the warps that multiply copy nothing, and no __syncthreads stands in the loop. Each stage
 * of the ring has two mbarriers, which signal that it is full or free, so that warps need not stay
 * together: while one waits, another works. Still bad: a tile of B takes 16 copies by each of 128
 * threads, and each thread has at most 168 registers, too few for a consumer. */
static __global__ void __launch_bounds__(THREADS, 1) producer_warps(const struct gemm call)
{
    __shared__ phase_barrier full[Large::STAGES], free[Large::STAGES];
    const struct ring ring = make_ring<Large>(full, free, copied_b::ARRIVALS);

    if (threadIdx.x >= Large::CONSUMERS)
        produce(call, copied_b{call.b, call.ldb, call.k, call.n}, ring);
    else
        consume<ROW_BY_ROW>(call, ring);
}

extern "C" const char *declines_producer_warps(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return NULL;
    if (call->k == 0)
        return "requires k > 0";
    return has_short_rows<Large>(call) ? NULL : "requires rows of A of at most 8 million floats";
}

extern "C" void launch_producer_warps(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    cudaFuncSetAttribute(producer_warps, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         Large::SHARED_BYTES);
    producer_warps<<<tile_count(call, Large::M, Large::N), THREADS, Large::SHARED_BYTES>>>(*call);
}

/* ---- the TMA --------------------------------------------------------------------------------- */

extern "C" const char *declines_tensor_copies(const struct gemm *call)
{
    const char *const reason = declines_producer_warps(call);

    if (call->m == 0 || call->n == 0 || reason != NULL || tensor_takes_b(call))
        return reason;
    return has_aligned_rows(call->b, call->ldb) ? "requires n and k below 2^31"
                                                : "requires rows of B aligned to 16 bytes";
}

static void launch_with_map(const struct gemm *call, void (*kernel)(struct gemm, CUtensorMap))
{
    if (call->m == 0 || call->n == 0)
        return;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Large::SHARED_BYTES);
    kernel<<<tile_count(call, Large::M, Large::N), THREADS, Large::SHARED_BYTES>>>(
        *call, describe_b(call, Large::DEPTH, Large::N));
}

/* Better: B is needed as it is stored, so the TMA can copy a tile of it, for one instruction of one
 * thread; A must be transposed. Still bad: the registers; and the
 * TMA does not copy rows of B that are not aligned. */
static __global__ void __launch_bounds__(THREADS, 1)
    tensor_copies(const struct gemm call, const __grid_constant__ CUtensorMap b)
{
    __shared__ phase_barrier full[Large::STAGES], free[Large::STAGES];
    const struct ring ring = make_ring<Large>(full, free, tensor_b::ARRIVALS);

    if (threadIdx.x >= Large::CONSUMERS)
        produce(call, tensor_b{&b}, ring);
    else
        consume<ROW_BY_ROW>(call, ring);
}

extern "C" void launch_tensor_copies(const struct gemm *call)
{
    launch_with_map(call, tensor_copies);
}

/* ---- registers handed over ------------------------------------------------------------------- */

/* At launch all threads have the same number of registers. The producers release some (setmaxnreg),
 * which the consumers take. */
static const unsigned LAUNCH_REGISTERS = 168, CONSUMER_REGISTERS = 216, PRODUCER_REGISTERS = 72;
static_assert(Large::CONSUMERS * CONSUMER_REGISTERS + PRODUCERS * PRODUCER_REGISTERS <=
                  THREADS * LAUNCH_REGISTERS,
              "the consumers would wait for registers forever");

/* Better: the sums of a consumer, 128, and the elements for two values of p, 48, fit in its
 * registers. Still bad: a multiply-add whose three operands all come from the register file takes
 * an extra cycle. */
static __global__ void __launch_bounds__(THREADS, 1)
    specialized(const struct gemm call, const __grid_constant__ CUtensorMap b)
{
    __shared__ phase_barrier full[Large::STAGES], free[Large::STAGES];
    const struct ring ring = make_ring<Large>(full, free, tensor_b::ARRIVALS);

    if (threadIdx.x >= Large::CONSUMERS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
        produce(call, tensor_b{&b}, ring);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
        consume<ROW_BY_ROW>(call, ring);
    }
}

extern "C" void launch_specialized(const struct gemm *call)
{
    launch_with_map(call, specialized);
}

/* ---- the order of the multiply-adds ---------------------------------------------------------- */

/* Better: each multiply-add finds one operand in the reuse cache (add_products). Still bad: between
 * two launches the GPU is idle. */
static __global__ void __launch_bounds__(THREADS, 1)
    to_and_fro(const struct gemm call, const __grid_constant__ CUtensorMap b)
{
    __shared__ phase_barrier full[Large::STAGES], free[Large::STAGES];
    const struct ring ring = make_ring<Large>(full, free, tensor_b::ARRIVALS);

    if (threadIdx.x >= Large::CONSUMERS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
        produce(call, tensor_b{&b}, ring);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
        consume<TO_AND_FRO>(call, ring);
    }
}

extern "C" void launch_to_and_fro(const struct gemm *call)
{
    launch_with_map(call, to_and_fro);
}

/* ---- launches that overlap ------------------------------------------------------------------- */

/* Better: the kernel's blocks start, and make their rings, while the kernel before it in the stream
 * still runs. Still bad: 128 tiles on 132 multiprocessors are a good fit, 162 are not: the second
 * wave has 30. */
static __global__ void __launch_bounds__(THREADS, 1)
    overlapped(const struct gemm call, const __grid_constant__ CUtensorMap b)
{
    __shared__ phase_barrier full[Large::STAGES], free[Large::STAGES];
    const struct ring ring = make_ring<Large>(full, free, tensor_b::ARRIVALS);

    overlap_launches();
    if (threadIdx.x >= Large::CONSUMERS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
        produce(call, tensor_b{&b}, ring);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
        consume<TO_AND_FRO>(call, ring);
    }
}

extern "C" void launch_overlapped(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    cudaFuncSetAttribute(overlapped, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         Large::SHARED_BYTES);
    launch_dependent(overlapped, tile_count(call, Large::M, Large::N), THREADS, Large::SHARED_BYTES,
                     *call, describe_b(call, Large::DEPTH, Large::N));
}
