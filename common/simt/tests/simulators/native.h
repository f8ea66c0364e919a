/* The simulated kernels as plain loops in one thread. common/scripts/measure/compare_simulators.py
 * uses their time as its unit. Compiled with -O2. */
#ifndef SIMULATORS_NATIVE_H
#define SIMULATORS_NATIVE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* c = a b, all n x n and row-major. */
void native_matmul(const float *a, const float *b, float *c, size_t n);
float native_sum(const float *x, size_t n);

/* From a monotonic clock. */
double seconds(void);
/* Small whole numbers, so sums are exact in any order. */
void fill(float *x, size_t n, unsigned int seed);
/* Prints one line for the script: "problem,size,mode,seconds". */
void tell(const char *problem, size_t size, const char *mode, double time);

#ifdef __cplusplus
}
#endif

#endif
