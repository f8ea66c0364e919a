/* Stands in for cublas.cu and cublas_gemm.c where cuBLAS is not part of the build. */
#include "library/gpu_libraries.h"

const char *cublas_unavailable(void)
{
#ifdef RUNGS_SIMT
    return "needs the cuda back end";
#else
    return "built without cuBLAS (of CUDA 12.2 or later)";
#endif
}

void cublas_prepare(const struct reduction *call)
{
    (void)call;
}

void cublas_reduce(const struct reduction *call)
{
    (void)call;
}

void cublas_how(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    (void)call;
    text[0] = '\0';
}

void cublas_prepare_gemm(const struct gemm *call)
{
    (void)call;
}

void cublas_gemm(const struct gemm *call)
{
    (void)call;
}

void cublas_how_gemm(const struct gemm *call, char text[RUNG_HOW_SIZE])
{
    (void)call;
    text[0] = '\0';
}
