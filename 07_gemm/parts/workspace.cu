/* Step 07: see parts/workspace.h. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "device/gpu.h"
#include "kernel/launch_limits.cuh"
#include "parts/workspace.h"

static struct {
    float *parts, *copy;
    unsigned *flags;
    size_t copy_floats;
} workspaces[MOST_GPUS];

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
    auto &mine = workspaces[gpu_index()];

    if (mine.parts == NULL) {
        mine.parts =
            (float *)allocate(workspace_floats((size_t)call->multiprocessors) * sizeof(float));
        mine.flags = (unsigned *)allocate(WORKSPACE_FLAGS * sizeof(unsigned));
    }
    cudaMemsetAsync(mine.flags, 0, WORKSPACE_FLAGS * sizeof(unsigned));
}

extern "C" float *workspace_parts(void)
{
    return workspaces[gpu_index()].parts;
}

extern "C" unsigned *workspace_flags(void)
{
    return workspaces[gpu_index()].flags;
}

extern "C" float *workspace_copy(size_t floats)
{
    auto &mine = workspaces[gpu_index()];

    if (floats > mine.copy_floats) {
        cudaFree(mine.copy);
        mine.copy = (float *)allocate(floats * sizeof(float));
        mine.copy_floats = floats;
    }
    return mine.copy;
}

extern "C" size_t count_kept_in_l2(size_t count, size_t part_bytes)
{
    static int found[MOST_GPUS];
    int *const bytes = &found[gpu_index()];

    if (*bytes == 0)
        *bytes = device_attribute(cudaDevAttrL2CacheSize);
    const size_t one_percent = (size_t)*bytes / 100;
    return count * part_bytes <= 60 * one_percent ? count : 45 * one_percent / part_bytes;
}
/* SPDX-License-Identifier: MIT */
