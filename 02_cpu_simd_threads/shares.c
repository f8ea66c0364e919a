#include "shares.h"

#include <string.h>

#include "problem/reduction/operators.h"
#include "vector.h"

struct reduction share_of(const struct reduction *call, int threads, int t, void *result)
{
    const size_t first = share_start(call->n, threads, t);
    const size_t end = share_start(call->n, threads, t + 1);

    return reduction_part(call, first, end - first, result);
}

int thread_count(const struct reduction *call)
{
    return call->threads < 1 ? 1 : call->threads > MAX_THREADS ? MAX_THREADS : call->threads;
}

void combine_partials(const struct reduction *call, const struct partial_results *partials,
                      int threads)
{
    const size_t size = result_size(call->type);
    alignas(2 * CACHE_LINE) unsigned char together[MAX_THREADS * sizeof(double)];

    for (int t = 0; t < threads; t++)
        memcpy(together + (size_t)t * size, partials->of[t].bytes, size);
    const struct reduction last = {
        .op = call->op == OP_DOT ? OP_SUM : call->op,
        .type = is_f64_result(call->type) ? TYPE_F64 : TYPE_F32,
        .a = together,
        .n = (size_t)threads,
        .result = call->result,
        .threads = 1,
    };
    run_vector(&last);
}

double depth_partials(const struct reduction *call)
{
    const int threads = thread_count(call);
    return (double)(call->n / (size_t)threads + 64) + threads;
}

double depth_vector_partials(const struct reduction *call)
{
    return depth_vector(call) + thread_count(call);
}
/* SPDX-License-Identifier: MIT */
