/* For speed tests on a GPU: the step's rungs, launched like the exercises. atomic_operators.cu
 * compiled alone has the kernels for the sum of floats. */
#include "kernel/blocks.cuh"

/* The rungs' own launches need this function. It is not linked, because none of them is called. */
extern "C" unsigned reduction_blocks(const struct reduction *call, unsigned threads,
                                     unsigned resident) __attribute__((weak));

#include "../atomic_operators.cu"

/* *result += the sum of n elements, with 4 blocks as in exercise 04b. */
extern "C" void rung_atomic_block(const float *in, int n, float *result)
{
    atomic_block<<<4, REDUCTION_BLOCK>>>(in, NULL, (size_t)n, result);
}
