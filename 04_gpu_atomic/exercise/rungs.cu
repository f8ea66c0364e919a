/* For tests of speed on a GPU: the step's rungs by the exercises' launches. Compiled by itself,
 * atomic_operators.cu has the kernels for the sum of floats. */
#include "kernel/blocks.cuh"

/* What the rungs' own launches need: not linked here, where none is called. */
extern "C" unsigned reduction_blocks(const struct reduction *call, unsigned threads,
                                     unsigned resident) __attribute__((weak));

#include "../atomic_operators.cu"

/* *result += the sum of n elements, by the 4 blocks that 04b has. */
extern "C" void rung_atomic_block(const float *in, int n, float *result)
{
    atomic_block<<<4, REDUCTION_BLOCK>>>(in, NULL, (size_t)n, result);
}
