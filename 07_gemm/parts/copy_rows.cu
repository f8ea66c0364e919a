/* Step 07: see parts/workspace.h. */
#include "kernel/overlap.cuh"
#include "parts/chunks.cuh"
#include "parts/workspace.h"

static const unsigned THREADS = 256;

/* Sizes are in elements of 2 bytes; a float is two of them. */
struct matrix_copy {
    const uint16_t *from;
    size_t leading, rows, columns;
    uint16_t *to;
    size_t pitch;
};

static __host__ __device__ size_t chunks_of(const struct matrix_copy &copy)
{
    return copy.rows * ((copy.columns + HALVES - 1) / HALVES);
}

/* SHIFTED also loads what lies beside a chunk. In the first and the last row it may not exist. */
static __device__ void copy_chunk(const struct matrix_copy &copy, size_t number)
{
    const size_t chunks = (copy.columns + HALVES - 1) / HALVES, row = number / chunks;
    const size_t first = number % chunks * HALVES;
    const uint16_t *const from = copy.from + row * copy.leading;
    const bool inside = row > 0 && row + 1 < copy.rows && first + HALVES <= copy.columns;

    *(uint4 *)(copy.to + row * copy.pitch + first) =
        inside ? load_chunk<SHIFTED>(from, first, copy.columns)
               : load_chunk<SINGLE>(from, first, copy.columns);
}

/* Copies one matrix, or two with the threads of one launch. */
static __global__ void __launch_bounds__(THREADS)
    copy_rows(const struct matrix_copy one, const struct matrix_copy other)
{
    const size_t of_one = chunks_of(one), chunks = of_one + chunks_of(other);

    wait_for_kernel_before(); /* first: the next kernel may read what the previous one wrote */
    let_next_kernel_in();
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < chunks;
         i += (size_t)gridDim.x * THREADS)
        if (i < of_one)
            copy_chunk(one, i);
        else
            copy_chunk(other, i - of_one);
}

static void launch_copies(const struct gemm *call, const struct matrix_copy &one,
                          const struct matrix_copy &other)
{
    const size_t needed = (chunks_of(one) + chunks_of(other) + THREADS - 1) / THREADS;
    const size_t resident = (size_t)call->multiprocessors * 8;

    if (needed > 0)
        launch_dependent(copy_rows, (unsigned)min(needed, resident), THREADS, 0, one, other);
}

static struct matrix_copy copy_of(const void *from, size_t leading, size_t rows, size_t columns,
                                  void *to, size_t size)
{
    const size_t halves = size / sizeof(uint16_t);

    return {(const uint16_t *)from, leading * halves, rows,
            columns * halves,       (uint16_t *)to,   aligned_pitch(columns, size) * halves};
}

extern "C" const float *copy_to_aligned_rows(const struct gemm *call, const float *from,
                                             size_t *leading, size_t rows, size_t columns,
                                             float *to)
{
    launch_copies(call, copy_of(from, *leading, rows, columns, to, sizeof(float)), {});
    *leading = aligned_pitch(columns, sizeof(float));
    return to;
}

static size_t bytes_of_copy(const struct gemm *call, size_t rows, size_t columns)
{
    const size_t size = gemm_element_size(call->type);

    return (rows * aligned_pitch(columns, size) * size + 127) / 128 * 128; /* whole lines */
}

static size_t bytes_of_both(const struct gemm *call, bool of_a, bool of_b)
{
    return (of_a ? bytes_of_copy(call, call->m, call->k) : 0) +
           (of_b ? bytes_of_copy(call, call->k, call->n) : 0);
}

extern "C" void reserve_aligned_rows(const struct gemm *call, bool of_a, bool of_b)
{
    workspace_copy(bytes_of_both(call, of_a, of_b) / sizeof(float));
}

extern "C" struct gemm with_aligned_rows(const struct gemm *call, bool of_a, bool of_b)
{
    const size_t size = gemm_element_size(call->type);
    struct gemm aligned = *call;
    struct matrix_copy a = {}, b = {};
    char *const copies = (char *)workspace_copy(bytes_of_both(call, of_a, of_b) / sizeof(float));

    if (of_a) {
        aligned.a = (float *)copies;
        aligned.lda = aligned_pitch(call->k, size);
        a = copy_of(call->a, call->lda, call->m, call->k, copies, size);
    }
    if (of_b) {
        char *const to = copies + (of_a ? bytes_of_copy(call, call->m, call->k) : 0);

        aligned.b = (float *)to;
        aligned.ldb = aligned_pitch(call->n, size);
        b = copy_of(call->b, call->ldb, call->k, call->n, to, size);
    }
    launch_copies(call, a, b);
    return aligned;
}
/* SPDX-License-Identifier: MIT */
