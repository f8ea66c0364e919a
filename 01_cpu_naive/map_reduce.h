/* A loop that knows neither the types nor the operator. Its caller passes a function for each. */
#ifndef MAP_REDUCE_H
#define MAP_REDUCE_H

#include <stddef.h>

typedef void map_function(const void *a, const void *b, size_t i, void *term);
typedef void combine_function(void *result, const void *term);

/* Computes term i into *term, which is the caller's scratch, and combines it into *result. */
static inline void map_reduce_inline(const void *a, const void *b, size_t n, map_function *map,
                                     combine_function *combine, void *term, void *result)
{
    for (size_t i = 0; i < n; i++) {
        map(a, b, i, term);
        combine(result, term);
    }
}

/* The same, compiled separately (map_reduce_library.c), as qsort in the C library is. The compiler
 * sees the caller's functions only as pointers. */
void map_reduce(const void *a, const void *b, size_t n, map_function *map,
                combine_function *combine, void *term, void *result);

#endif
/* SPDX-License-Identifier: MIT */
