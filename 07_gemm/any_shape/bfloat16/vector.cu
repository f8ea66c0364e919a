/* Step 07, bfloat16: a matrix times a vector, for any_shape. Tensor cores do not help: each element
 * of the matrix is used once, and they lie in the order in which a warp adds them up. L2
 * keeps the first part of each row for the next product. */
#include "any_shape/bfloat16/plan.h"
#include "bfloat16/parts/fragments.cuh"
#include "kernel/overlap.cuh"
#include "parts/chunks.cuh"
#include "parts/workspace.h"

static __device__ float half_word(const uint4 &chunk, unsigned i)
{
    return bf16_value((uint16_t)(word(chunk, i / 2) >> i % 2 * 16));
}

/* Adds a lane's products of a row of A and B's only column, chunk by chunk up to term `end`. */
template <enum loads LOADS>
static __device__ float multiply_chunks(const struct gemm &call, const uint16_t *row, size_t begin,
                                        size_t end, const struct retention &hints)
{
    const bool b_aligned = call.ldb == 1 && (uintptr_t)call.b_bf16 % 16 == 0 && LOADS != SINGLE;
    float sum = 0;

#pragma unroll 4
    for (size_t p = begin + threadIdx.x % 32 * CHUNK; p < end; p += 32 * CHUNK) {
        const uint64_t hint = hint_at(hints, p);
        const uint4 a = load_chunk<LOADS>(row, p, call.k, &hint);
        if (b_aligned) {
            const uint4 b = load_chunk<ALIGNED>(call.b_bf16, p, call.k);
#pragma unroll
            for (unsigned i = 0; i < CHUNK; i++)
                sum += half_word(a, i) * half_word(b, i);
        } else {
#pragma unroll
            for (unsigned i = 0; i < CHUNK; i++)
                if (p + i < call.k)
                    sum += half_word(a, i) * bf16_value(call.b_bf16[(p + i) * call.ldb]);
        }
    }
    return sum;
}

/* n = 1: one warp per row of A. An unaligned chunk is loaded with its neighbours, except in the
 * first and last row, where these may be outside the matrix. */
static __global__ void __launch_bounds__(256)
    times_vector(const struct gemm call, const size_t kept_end)
{
    const size_t row = (size_t)blockIdx.x * 8 + threadIdx.x / 32;
    const uint16_t *const row_of_a = call.a_bf16 + row * call.lda;
    const bool aligned = has_aligned_chunks(call.a_bf16, call.lda);
    const struct retention hints = retention_until(kept_end);
    size_t whole = call.k / CHUNK * CHUNK;
    float sum = 0;

    overlap_launches();
    if (row >= call.m)
        return;
    if (aligned)
        sum = multiply_chunks<ALIGNED>(call, row_of_a, 0, whole, hints);
    else if (row > 0 && row + 1 < call.m)
        sum = multiply_chunks<SHIFTED>(call, row_of_a, 0, whole, hints);
    else
        whole = 0;
    sum += multiply_chunks<SINGLE>(call, row_of_a, whole, call.k, hints);
    for (unsigned distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(~0U, sum, distance);
    if (threadIdx.x % 32 == 0)
        call.c_bf16[row * call.ldc] = bf16_bits(blend_bf16(call, row, 0, sum));
}

extern "C" void launch_times_vector_bf16(const struct gemm *call)
{
    launch_dependent(times_vector, (unsigned)((call->m + 7) / 8), 256, 0, *call,
                     count_kept_in_l2(call->k, call->m * sizeof(uint16_t)));
}
/* SPDX-License-Identifier: MIT */
