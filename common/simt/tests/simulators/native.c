#include "native.h"

#include <stdio.h>
#include <time.h>

void native_matmul(const float *a, const float *b, float *c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            float sum = 0;
            for (size_t k = 0; k < n; k++) {
                sum += a[i * n + k] * b[k * n + j];
            }
            c[i * n + j] = sum;
        }
    }
}

float native_sum(const float *x, size_t n)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
    }
    return sum;
}

double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void fill(float *x, size_t n, unsigned int seed)
{
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(seed >> 30);
    }
}

void tell(const char *problem, size_t size, const char *mode, double time)
{
    printf("%s,%zu,%s,%.9f\n", problem, size, mode, time);
    fflush(stdout);
}
