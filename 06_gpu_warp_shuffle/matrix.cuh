/* Step 06: what the kernels of rows and columns and their launches share. Included for each
 * reduction, after kernel/reduce.cuh. An element is a value here, a float or a double, and there is
 * one input. */

/* Elements that are loaded together, by one load of 16 bytes. */
struct __align__(16) pack
{
    value element[PACK];
};

/* A grid of one block per result. Results beyond the most blocks in x continue in y. */
static dim3 grid_of(size_t blocks)
{
    const size_t most = (size_t)1 << 30;
    const size_t x = smaller(blocks, most);
    return dim3((unsigned)x, (unsigned)divided_up(blocks, x));
}

static __device__ size_t block_number()
{
    return (size_t)blockIdx.y * gridDim.x + blockIdx.x;
}
/* SPDX-License-Identifier: MIT */
