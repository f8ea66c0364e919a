#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 63 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many letters to insert, delete, replace or swap with the next letter. */
static size_t distance(const char *a, const char *b)
{
    const size_t m = strlen(a), n = strlen(b);
    size_t d[3][LONGEST + 1] = {{0}}; /* row i is d[i % 3] */

    if (m > LONGEST || n > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= n; j++)
        d[0][j] = j;
    for (size_t i = 1; i <= m; i++) {
        const size_t *const above = d[(i - 1) % 3];
        size_t *const row = d[i % 3];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], d[(i - 2) % 3][j - 2] + 1);
        }
    }
    return d[m % 3][n];
}

void nearest_try(struct nearest *nearest, const char *name)
{
    const size_t to_name = distance(nearest->text, name);

    if (nearest->name != NULL && nearest->distance <= to_name)
        return;
    nearest->name = name;
    nearest->distance = to_name;
}

void nearest_hint(const struct nearest *nearest, const char *prefix, char hint[HINT_SIZE])
{
    hint[0] = '\0';
    if (nearest->name != NULL && nearest->distance <= 1 + strlen(nearest->text) / 4 &&
        nearest->distance < strlen(nearest->name))
        snprintf(hint, HINT_SIZE, " Did you mean %s%s?", prefix, nearest->name);
}
/* SPDX-License-Identifier: MIT */
