/* Calls a kernel that sums n numbers, on n ones: whatever it prints but n is wrong. */
#ifndef SUM_ONES_H
#define SUM_ONES_H

#include "check.h"

/* The kernel adds the sum of in[0 .. n - 1] to *result. Returns 0 if that is right. */
static inline int sum_ones(void (*sum)(const float *in, int n, float *result), int n, int blocks,
                           int threads)
{
    const size_t bytes = n * sizeof(float);
    float *ones = (float *)malloc(bytes), *in, *result, total = 0;

    if (!ones)
        return 1;
    for (int i = 0; i < n; i++)
        ones[i] = 1;
    CHECK(cudaMalloc((void **)&in, bytes));
    CHECK(cudaMalloc((void **)&result, sizeof(float)));
    CHECK(cudaMemcpy(in, ones, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(result, 0, sizeof(float)));

    sum<<<blocks, threads>>>(in, n, result);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&total, result, sizeof(float), cudaMemcpyDeviceToHost));

    printf("%d ones, %d x %d threads: %g\n", n, blocks, threads, total);
    CHECK(cudaFree(in));
    CHECK(cudaFree(result));
    free(ones);
    return total == (float)n ? 0 : 1;
}

#endif
