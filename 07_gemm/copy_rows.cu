/* Step 07: see copy_rows.h. */
#include "copy_rows.h"
#include "kernel/dependent_launch.cuh"
#include "tile.cuh"

/* Four floats per thread. */
static __global__ void copy_rows(const float *from, size_t leading, size_t rows, size_t columns,
                                 float *to, size_t pitch)
{
    const size_t fours = (columns + 3) / 4, stride = (size_t)gridDim.x * blockDim.x;

    overlap_launches();
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < rows * fours; i += stride)
        *(float4 *)(to + i / fours * pitch + i % fours * 4) =
            load_4(from, leading, rows, columns, i / fours, i % fours * 4, false);
}

extern "C" const float *copy_to_aligned_rows(const struct gemm *call, const float *from,
                                             size_t *leading, size_t rows, size_t columns,
                                             float *to)
{
    const unsigned threads = 512, blocks = (unsigned)call->multiprocessors * 4;
    const size_t pitch = aligned_pitch(columns, sizeof(float));

    launch_dependent(copy_rows, blocks, threads, 0, from, *leading, rows, columns, to, pitch);
    *leading = pitch;
    return to;
}
