/* Step 06, columns: how the threads of a tile combine their values per column. Each reduction
 * includes this file after matrix.cuh. */

static const unsigned BLOCK = COLUMN_BLOCK;

/* Combines the values of the threads in the same column, `width` threads apart. The first `width`
 * threads store them from `out` on. This is step 05's tree, ended when one value per column is
 * left. All threads must call it. `inside` says whether a thread's column exists. */
static __device__ void store_column(value mine, unsigned width, bool inside, value *out)
{
    __shared__ value partial[BLOCK];
    const unsigned tid = threadIdx.x;

    partial[tid] = mine;
    for (unsigned offset = BLOCK / 2; offset >= width; offset /= 2) {
        __syncthreads();
        if (tid < offset)
            partial[tid] = combine(partial[tid], partial[tid + offset]);
    }
    if (tid < width && inside)
        *out = partial[tid];
}

static __device__ struct pack identities()
{
    struct pack pack;
    for (unsigned e = 0; e < PACK; e++)
        pack.element[e] = IDENTITY;
    return pack;
}

/* Combines y into x, element by element. */
static __device__ void combine_packs(struct pack *x, const struct pack *y)
{
    for (unsigned e = 0; e < PACK; e++)
        x->element[e] = combine(x->element[e], y->element[e]);
}

/* The same as store_column, for the columns of a pack. */
static __device__ void store_columns(const struct pack *mine, unsigned width, bool inside,
                                     value *out)
{
    __shared__ struct pack partial[BLOCK];
    const unsigned tid = threadIdx.x;

    partial[tid] = *mine;
    for (unsigned offset = BLOCK / 2; offset >= width; offset /= 2) {
        __syncthreads();
        if (tid < offset)
            combine_packs(&partial[tid], &partial[tid + offset]);
    }
    if (tid < width && inside)
        for (unsigned e = 0; e < PACK; e++)
            out[e] = partial[tid].element[e];
}
/* SPDX-License-Identifier: MIT */
