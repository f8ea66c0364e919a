/* Step 07: a group of warps starts the copies of a chunk of A and of B to a stage of its ring. Rows
 * need not be aligned. */
#ifndef RUNGS_07_SMALL_COPIES_CUH
#define RUNGS_07_SMALL_COPIES_CUH

#include <stddef.h>
#include <stdint.h>

#include "kernel/mbarrier.cuh"

/* How many floats at a time can be copied from each row's start. */
static __device__ unsigned alignment_of(const float *matrix, size_t leading)
{
    const unsigned both = (unsigned)((uintptr_t)matrix / sizeof(float) | leading);

    return both % 4 == 0 ? 4 : both % 2 == 0 ? 2 : 1;
}

/* Copies COUNT floats asynchronously, of which the first `inside` exist; the others become 0. */
template <unsigned COUNT>
static __device__ void copy_floats(float *to, const float *from, unsigned inside)
{
    if (COUNT == 4) /* bypasses L1, which is small next to this much shared memory */
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                     "l"(from), "r"(inside * (unsigned)sizeof(float))
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(shared_address(to)),
                     "l"(from), "r"(inside * (unsigned)sizeof(float)), "n"(COUNT * sizeof(float))
                     : "memory");
}

/* A thread's share of the copies of a matrix's next chunk: its first element, how many floats it
 * copies at a time, where they go in a stage, and how much of the matrix is left from there. */
struct share {
    const float *from;
    size_t leading;
    unsigned alignment, to;
    int rows, columns;
};

template <unsigned ACROSS, unsigned PADDED, unsigned GROUP>
static __device__ struct share share_of(const float *matrix, size_t leading, size_t rows,
                                        size_t columns, size_t row, size_t column)
{
    const unsigned alignment = alignment_of(matrix, leading);
    const unsigned number = threadIdx.x % GROUP * alignment;
    const unsigned down = number / ACROSS, across = number % ACROSS;

    return {matrix + (row + down) * leading + column + across,
            leading,
            alignment,
            down * PADDED + across,
            (int)(rows - row) - (int)down,
            (int)(columns - column) - (int)across};
}

/* The group starts the copies of DOWN x ACROSS elements, COUNT at a time. Elements outside the
 * matrix become 0. WHOLE: no element is outside. */
template <unsigned DOWN, unsigned ACROSS, unsigned PADDED, unsigned GROUP, unsigned COUNT,
          bool WHOLE>
static __device__ void copy_part(float *stage, const struct share &share)
{
    const unsigned turn = GROUP * COUNT;

#pragma unroll
    for (unsigned i = 0; i < DOWN * ACROSS; i += turn) {
        if (i + turn > DOWN * ACROSS && threadIdx.x % GROUP * COUNT >= DOWN * ACROSS - i)
            break;
        const int left = share.columns - (int)(i % ACROSS);
        const bool inside = WHOLE || ((int)(i / ACROSS) < share.rows && left > 0);

        copy_floats<COUNT>(stage + share.to + i / ACROSS * PADDED + i % ACROSS,
                           inside ? share.from + i / ACROSS * share.leading + i % ACROSS
                                  : share.from,
                           !inside ? 0
                           : WHOLE ? COUNT
                                   : (unsigned)min((int)COUNT, left));
    }
}

template <unsigned DOWN, unsigned ACROSS, unsigned PADDED, unsigned GROUP>
static __device__ void copy_any_part(float *stage, const struct share &share, bool whole)
{
    if (share.alignment == 4 && whole)
        copy_part<DOWN, ACROSS, PADDED, GROUP, 4, true>(stage, share);
    else if (share.alignment == 4)
        copy_part<DOWN, ACROSS, PADDED, GROUP, 4, false>(stage, share);
    else if (share.alignment == 2 && whole)
        copy_part<DOWN, ACROSS, PADDED, GROUP, 2, true>(stage, share);
    else if (share.alignment == 2)
        copy_part<DOWN, ACROSS, PADDED, GROUP, 2, false>(stage, share);
    else if (whole)
        copy_part<DOWN, ACROSS, PADDED, GROUP, 1, true>(stage, share);
    else
        copy_part<DOWN, ACROSS, PADDED, GROUP, 1, false>(stage, share);
}

/* A group's copies: a thread's shares, and how many values of p are left. inside_a: `left` if all
 * of the tile's rows of A exist, otherwise 0 or less. inside_b: the same for columns of B. */
struct copies {
    struct share a, b;
    int left, inside_a, inside_b;
};

/* Starts the copies of a chunk. */
template <typename T>
static __device__ void start_stage(struct copies *next, float *stage)
{
    const int apart = T::SLICES * T::DEPTH, depth = T::DEPTH;

    if (next->left > 0) {
        copy_any_part<T::M, T::DEPTH, T::PADDED, T::GROUP>(stage, next->a, next->inside_a >= depth);
        copy_any_part<T::DEPTH, T::N, T::N, T::GROUP>(stage + T::A, next->b,
                                                      next->inside_b >= depth);
        next->a.from += apart;
        next->a.columns -= apart;
        next->b.from += apart * next->b.leading;
        next->b.rows -= apart;
        next->inside_a -= apart;
        next->inside_b -= apart;
    }
    next->left -= apart;
    asm volatile("cp.async.commit_group;" ::: "memory");
}

#endif
/* SPDX-License-Identifier: MIT */
