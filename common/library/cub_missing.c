/* Stands in for cub.cu where CUB is not part of the build. */
#include "library/gpu_libraries.h"

const char *cub_unavailable(void)
{
#ifdef RUNGS_SIMT
    return "needs the cuda back end";
#else
    return "needs CUDA 12.2 or later";
#endif
}

void cub_prepare(const struct reduction *call)
{
    (void)call;
}

void cub_reduce(const struct reduction *call)
{
    (void)call;
}

void cub_how(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    (void)call;
    text[0] = '\0';
}
