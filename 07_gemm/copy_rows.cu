/* Step 07: see copy_rows.h. */
#include "copy_rows.h"
#include "kernel/dependent_launch.cuh"
#include "tile.cuh"

static const unsigned WARP_FLOATS = 128; /* a warp's at a time, of one row */

static __global__ void copy_rows(const float *from, size_t leading, unsigned rows, size_t columns,
                                 float *to, size_t pitch)
{
    const unsigned pieces = (unsigned)((columns + WARP_FLOATS - 1) / WARP_FLOATS);
    const unsigned warps = gridDim.x * blockDim.x / 32, lane = threadIdx.x % 32;
    const size_t padded = (columns + 3) / 4 * 4;

    wait_for_kernel_before(); /* first: the next kernel may read what the one before wrote */
    let_next_kernel_in();
    for (unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) / 32; i < rows * pieces; i += warps) {
        const unsigned row = i / pieces;
        const size_t first = (size_t)(i % pieces) * WARP_FLOATS + lane;
        float floats[WARP_FLOATS / 32];
#pragma unroll
        for (unsigned j = 0; j < WARP_FLOATS / 32; j++)
            floats[j] = load(from, leading, rows, columns, row, first + j * 32);
#pragma unroll
        for (unsigned j = 0; j < WARP_FLOATS / 32; j++)
            if (first + j * 32 < padded)
                to[row * pitch + first + j * 32] = floats[j];
    }
}

extern "C" const float *copy_to_aligned_rows(const struct gemm *call, const float *from,
                                             size_t *leading, size_t rows, size_t columns,
                                             float *to)
{
    const unsigned threads = 512, blocks = (unsigned)call->multiprocessors * 4;
    const size_t pitch = aligned_pitch(columns, sizeof(float));

    launch_dependent(copy_rows, blocks, threads, 0, from, *leading, (unsigned)rows, columns, to,
                     pitch);
    *leading = pitch;
    return to;
}
