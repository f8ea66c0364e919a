/* For tests of speed on a GPU: the step's rungs by the exercises' launches. */
#include "kernel/reduce_objects.cuh"

/* What the rungs' own launches need: not linked here, where none is called. */
extern "C" unsigned reduction_blocks(const struct reduction *call, unsigned threads,
                                     unsigned resident) __attribute__((weak));

#include "../atomic.cu"

/* *result += the sum of n elements, by the 4 blocks that 04b has. */
extern "C" void rung_atomic_block(const float *in, int n, float *result)
{
    const Unary<Sum<float>> sum = {{}, in};
    atomic_block<<<4, REDUCTION_BLOCK>>>(sum, (size_t)n, result);
}
