#include "map_reduce.h"

void map_reduce(const void *a, const void *b, size_t n, map_function *map,
                combine_function *combine, void *term, void *result)
{
    map_reduce_inline(a, b, n, map, combine, term, result);
}
/* SPDX-License-Identifier: MIT */
