/* Step 06: what the kernels of rows and columns and their launches share. */
#ifndef MATRIX_CUH
#define MATRIX_CUH

#include "matrix_plan.h"
#include "warp_reduce.cuh"

/* COUNT elements that are loaded together: one load of up to 16 bytes. */
template <typename T, unsigned COUNT>
struct __align__(sizeof(T) * COUNT) Pack
{
    T element[COUNT];
};

/* A grid with a block for each of very many results: more than a grid may have in x go on in y. */
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

/* Calls launch(in) with the matrix and the operator: in.a the elements, in.term(i) element i
 * (common/kernel/reduce_objects.cuh). */
template <typename Launch>
static void matrix_with(const struct matrix_reduction *call, Launch launch)
{
    if (call->type == TYPE_F64)
        reduce_unary(call->op, (const double *)call->a, launch);
    else
        reduce_unary(call->op, (const float *)call->a, launch);
}

#endif
