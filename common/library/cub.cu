/* The library CUB: see cub.h. Its calls are in cub_reduction.cu. */
#include <cub/version.cuh>
#include <stdio.h>

#include "library/cub.h"
#include "library/cub_parts.h"
#include "library/cuda_check.h"

/* Allocated by cub_prepare and kept. CUB's need depends on the problem. */
void *cub_temporary;
size_t cub_temporary_bytes;

void cub_prepare(const struct reduction *call)
{
    const size_t needed = cub_bytes_of(call);

    if (cub_temporary != NULL && needed <= cub_temporary_bytes)
        return;
    check_cuda(cudaFree(cub_temporary), "cub: cudaFree");
    cub_temporary = NULL;
    cub_temporary_bytes = needed > 0 ? needed : 1;
    check_cuda(cudaMalloc(&cub_temporary, cub_temporary_bytes), "cub: cudaMalloc");
}

void cub_how(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    (void)call;
    snprintf(text, RUNG_HOW_SIZE, "CUB %d.%d", CUB_MAJOR_VERSION, CUB_MINOR_VERSION);
}
/* SPDX-License-Identifier: MIT */
