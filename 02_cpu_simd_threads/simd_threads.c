/* Step 02: many additions at once, in SIMD lanes and then on several threads. */
#include <pthread.h>

enum { LANES = 32, CACHE_LINE = 64, MAX_THREADS = 256 };

#define REDUCE_LOOPS "simd_loops.h"
#include "reduce_each.h"

void run_simd(const struct reduction *call)
{
    REDUCE_CALL(simd, call);
}

void run_threads(const struct reduction *call)
{
    REDUCE_CALL(threads, call);
}

double depth_simd(const struct reduction *call)
{
    return (double)(call->n / LANES + 1) + 5; /* a lane's own elements, then log2 of the lanes */
}

double depth_threads(const struct reduction *call)
{
    return depth_simd(call) + call->threads; /* at worst one thread has everything */
}
