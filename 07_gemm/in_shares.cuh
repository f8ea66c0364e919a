/* Step 07: the blocks of a tile of C each add up a share of its elements, when all have left their
 * sums in global memory. They must run at the same time (launch_dependent_together). */
#ifndef RUNGS_07_IN_SHARES_CUH
#define RUNGS_07_IN_SHARES_CUH

#include "consumers.cuh"
#include "kernel/dependent_launch.cuh"

/* Waits until all blocks of the tile have left their parts; then these are visible. The last to see
 * that makes the number 0 again, for the next launch. */
template <typename T>
static __device__ void wait_for_parts(unsigned *arrived, unsigned parts)
{
    consumers_sync<T>();
    if (threadIdx.x == 0) {
        __threadfence(); /* releases what all have stored */
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < parts)
            ;
        __threadfence();
        if (atomicAdd(arrived, 1) == 2 * parts - 1)
            atomicExch(arrived, 0);
    }
    consumers_sync<T>();
}

/* Adds up four neighbours of the parts from `first` to before `end`, which are `stride` apart. */
static __device__ float4 add_four(const float4 *four, size_t stride, unsigned first, unsigned end)
{
    const unsigned AT_ONCE = 8; /* loads in flight */
    float4 total = make_float4(0, 0, 0, 0);

    for (; first < end; first += AT_ONCE) {
        float4 of_part[AT_ONCE];
#pragma unroll
        for (unsigned i = 0; i < AT_ONCE; i++) /* __ldcg: L1 may be stale */
            of_part[i] = __ldcg(four + min(first + i, end - 1) * stride);
#pragma unroll
        for (unsigned i = 0; i < AT_ONCE; i++)
            if (first + i < end) {
                total.x += of_part[i].x;
                total.y += of_part[i].y;
                total.z += of_part[i].z;
                total.w += of_part[i].w;
            }
    }
    return total;
}

/* The parts of a tile: `count` of them, each a tile's sums times alpha, row-major. */
struct parts {
    const float *first;
    unsigned stride, count; /* floats from one to the next */
};

/* Adds up and stores share `rank` of the tile, of as many as there are parts. If it has fewer fours
 * than there are threads, groups of threads each add up some of the parts, by way of `sums`. */
template <typename T>
static __device__ void store_share(const struct gemm &call, const struct parts &parts,
                                   unsigned rank, struct place tile, float4 *sums)
{
    const unsigned all = T::M * T::N / 4, count = parts.count;
    const unsigned begin = all * rank / count, end = all * (rank + 1) / count, fours = end - begin;
    const unsigned groups = fours < T::CONSUMERS ? min(T::CONSUMERS / fours, count) : 1;
    const unsigned group = groups > 1 ? threadIdx.x / fours : 0;
    const bool aligned = has_aligned_rows(call.c, call.ldc);
    struct gemm scaled = call;

    scaled.alpha = 1;
    for (unsigned i = begin + threadIdx.x - group * fours; i < end; i += T::CONSUMERS) {
        float4 total;

        if (group < groups)
            total = add_four((const float4 *)parts.first + i, parts.stride / 4,
                             count * group / groups, count * (group + 1) / groups);
        if (groups > 1) {
            if (group < groups)
                sums[threadIdx.x] = total;
            consumers_sync<T>();
            if (group > 0)
                return;
            for (unsigned g = 1; g < groups; g++) {
                const float4 more = sums[g * fours + threadIdx.x];
                total.x += more.x;
                total.y += more.y;
                total.z += more.z;
                total.w += more.w;
            }
        }
        store_4(scaled, tile.row + i / (T::N / 4), tile.column + i % (T::N / 4) * 4,
                (const float *)&total, aligned);
    }
}

#endif
