/* How n elements are shared out: thread t of `threads` has those from share_start(t) up to, and not
 * including, share_start(t + 1). Shares begin at multiples of 64 elements, so that no cache line is
 * shared where the input starts on one. */
#ifndef SPLIT_H
#define SPLIT_H

#include <stddef.h>

static inline size_t share_start(size_t n, int threads, int t)
{
    const size_t lines = n / 64, count = (size_t)threads, thread = (size_t)t;

    if (t == threads)
        return n;
    /* lines * t / threads without overflow */
    return 64 * (lines / count * thread + lines % count * thread / count);
}

#endif
