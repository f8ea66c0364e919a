/* Step 07: see parts/workspace.h. */
#include "kernel/overlap.cuh"
#include "parts/matrix.cuh"
#include "parts/workspace.h"

static const unsigned WARP_FLOATS = 128; /* a warp's at a time, of one row */

struct matrix_copy {
    const float *from;
    size_t leading;
    unsigned rows;
    size_t columns;
    float *to;
    size_t pitch;
};

static __device__ unsigned pieces_of_row(const struct matrix_copy &copy)
{
    return (unsigned)((copy.columns + WARP_FLOATS - 1) / WARP_FLOATS);
}

static __device__ void copy_piece(const struct matrix_copy &copy, unsigned piece)
{
    const unsigned pieces = pieces_of_row(copy), row = piece / pieces;
    const size_t first = (size_t)(piece % pieces) * WARP_FLOATS + threadIdx.x % 32;
    const size_t padded = (copy.columns + 3) / 4 * 4;
    float floats[WARP_FLOATS / 32];

#pragma unroll
    for (unsigned j = 0; j < WARP_FLOATS / 32; j++)
        floats[j] = load(copy.from, copy.leading, copy.rows, copy.columns, row, first + j * 32);
#pragma unroll
    for (unsigned j = 0; j < WARP_FLOATS / 32; j++)
        if (first + j * 32 < padded)
            copy.to[row * copy.pitch + first + j * 32] = floats[j];
}

/* One matrix, or two: then with the warps of one launch. */
static __global__ void copy_rows(const struct matrix_copy one, const struct matrix_copy other)
{
    const unsigned warps = gridDim.x * blockDim.x / 32;
    const unsigned of_one = one.rows * pieces_of_row(one);
    const unsigned pieces = of_one + other.rows * pieces_of_row(other);

    wait_for_kernel_before(); /* first: the next kernel may read what the one before wrote */
    let_next_kernel_in();
    for (unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) / 32; i < pieces; i += warps)
        if (i < of_one)
            copy_piece(one, i);
        else
            copy_piece(other, i - of_one);
}

static void launch_copies(const struct gemm *call, const struct matrix_copy &one,
                          const struct matrix_copy &other)
{
    const unsigned threads = 512, blocks = (unsigned)call->multiprocessors * 4;

    launch_dependent(copy_rows, blocks, threads, 0, one, other);
}

extern "C" const float *copy_to_aligned_rows(const struct gemm *call, const float *from,
                                             size_t *leading, size_t rows, size_t columns,
                                             float *to)
{
    const size_t pitch = aligned_floats(columns);

    launch_copies(call, {from, *leading, (unsigned)rows, columns, to, pitch}, {});
    *leading = pitch;
    return to;
}

static size_t floats_of_a(const struct gemm *call, bool of_a)
{
    return of_a ? (call->m * aligned_floats(call->k) + 31) / 32 * 32 : 0; /* whole lines */
}

static size_t floats_of_both(const struct gemm *call, bool of_a, bool of_b)
{
    return floats_of_a(call, of_a) + (of_b ? call->k * aligned_floats(call->n) : 0);
}

extern "C" void reserve_aligned_rows(const struct gemm *call, bool of_a, bool of_b)
{
    workspace_copy(floats_of_both(call, of_a, of_b));
}

extern "C" struct gemm with_aligned_rows(const struct gemm *call, bool of_a, bool of_b)
{
    struct gemm aligned = *call;
    struct matrix_copy a = {}, b = {};
    float *const copies = workspace_copy(floats_of_both(call, of_a, of_b));

    if (of_a) {
        aligned.a = copies;
        aligned.lda = aligned_floats(call->k);
        a = {call->a, call->lda, (unsigned)call->m, call->k, copies, aligned.lda};
    }
    if (of_b) {
        float *const to = copies + floats_of_a(call, of_a);

        aligned.b = to;
        aligned.ldb = aligned_floats(call->n);
        b = {call->b, call->ldb, (unsigned)call->k, call->n, to, aligned.ldb};
    }
    if (of_a || of_b)
        launch_copies(call, a, b);
    return aligned;
}
/* SPDX-License-Identifier: MIT */
