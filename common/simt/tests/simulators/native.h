/* What the simulated kernels compute, as plain loops of one thread: the unit that
 * common/scripts/measure/compare_simulators.py measures them in. Compiled with -O2. */
#ifndef SIMULATORS_NATIVE_H
#define SIMULATORS_NATIVE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* c = a b, all n x n, row by row. */
void native_matmul(const float *a, const float *b, float *c, size_t n);
float native_sum(const float *x, size_t n);

/* Of a clock that only goes forward. */
double seconds(void);
/* Small whole numbers, so that sums are exact in any order. */
void fill(float *x, size_t n, unsigned int seed);
/* One line, "problem,size,mode,seconds", for the script. */
void tell(const char *problem, size_t size, const char *mode, double time);

#ifdef __cplusplus
}
#endif

#endif
