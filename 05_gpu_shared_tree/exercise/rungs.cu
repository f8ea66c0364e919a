/* For speed tests on a GPU: the step's rungs, launched like the exercises. shared_tree.cu compiled
 * alone has the kernels for the sum of floats. */
#include "kernel/blocks.cuh"

/* The rungs' own launches need this function. It is not linked, because none of them is called. */
extern "C" unsigned reduction_blocks(const struct reduction *call, unsigned threads,
                                     unsigned resident) __attribute__((weak));

#include "../shared_tree.cu"

/* out[b] = the sum of the elements of block b. There is one thread per element. */
extern "C" void rung_sequential(const float *in, int n, float *out, int blocks)
{
    sequential<<<(unsigned)blocks, REDUCTION_BLOCK>>>(in, NULL, (size_t)n, out);
}
