/* Step 07: see workspace.h. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "workspace.h"

static const size_t MOST_TILE = 128 * 256;

static float *parts, *copy;
static unsigned *flags;
static size_t parts_floats, copy_floats;

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
        parts_floats = 2 * MOST_TILE * (size_t)call->multiprocessors;
        parts = (float *)allocate(parts_floats * sizeof(float));
        flags = (unsigned *)allocate(WORKSPACE_FLAGS * sizeof(unsigned));
    }
    cudaMemsetAsync(flags, 0, WORKSPACE_FLAGS * sizeof(unsigned));
}

extern "C" float *workspace_parts(void)
{
    return parts;
}

extern "C" size_t workspace_parts_floats(void)
{
    return parts_floats;
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
