/* Step 06: what the kernels of rows and columns and their launches share. Each reduction includes
 * this file after kernel/reduce.cuh. There is one input, and its elements have the type `value`,
 * float or double. */

/* The elements that one 16-byte load reads. */
struct __align__(16) pack
{
    value element[PACK];
};

/* A grid of `blocks` blocks or a few more. Blocks that do not fit in x continue in y. */
static inline dim3 grid_of(size_t blocks)
{
    const size_t most = (size_t)1 << 30;
    const size_t x = smaller(blocks, most);
    return dim3((unsigned)x, (unsigned)divided_up(blocks, x));
}

static inline __device__ size_t block_number()
{
    return (size_t)blockIdx.y * gridDim.x + blockIdx.x;
}
/* SPDX-License-Identifier: MIT */
