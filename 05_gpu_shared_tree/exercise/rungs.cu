/* For tests of speed on a GPU: the step's rungs by the exercises' launches. Compiled by itself,
 * shared_tree.cu has the kernels for the sum of floats. */
#include "kernel/blocks.cuh"

/* What the rungs' own launches need: not linked here, where none is called. */
extern "C" unsigned reduction_blocks(const struct reduction *call, unsigned threads,
                                     unsigned resident) __attribute__((weak));

#include "../shared_tree.cu"

/* out[b] = the sum of the elements of block b: with as many threads as elements, each takes one. */
extern "C" void rung_sequential(const float *in, int n, float *out, int blocks)
{
    sequential<<<(unsigned)blocks, REDUCTION_BLOCK>>>(in, NULL, (size_t)n, out);
}
