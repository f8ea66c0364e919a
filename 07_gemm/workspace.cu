/* Step 07: see workspace.h. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "workspace.h"

static float *parts, *copy;
static unsigned *flags;
static size_t copy_floats;

static void *allocate(size_t bytes)
{
    void *memory = NULL;

    if (cudaMalloc(&memory, bytes) == cudaSuccess)
        return memory;
    fprintf(stderr, "07_gemm: out of memory for the workspace, %zu bytes\n", bytes);
    exit(EXIT_DEVICE_ERROR);
}

extern "C" void prepare_workspace(const struct gemm *call)
{
    if (parts == NULL) {
        parts = (float *)allocate(workspace_floats((size_t)call->multiprocessors) * sizeof(float));
        flags = (unsigned *)allocate(WORKSPACE_FLAGS * sizeof(unsigned));
    }
    cudaMemsetAsync(flags, 0, WORKSPACE_FLAGS * sizeof(unsigned));
}

extern "C" float *workspace_parts(void)
{
    return parts;
}

extern "C" unsigned *workspace_flags(void)
{
    return flags;
}

extern "C" float *workspace_copy(size_t floats)
{
    if (floats > copy_floats) {
        cudaFree(copy);
        copy = (float *)allocate(floats * sizeof(float));
        copy_floats = floats;
    }
    return copy;
}
