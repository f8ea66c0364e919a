#include "measure/kernels.h"

#include <string.h>

void kernels_read(struct kernels *kernels, const struct back_end *back_end)
{
    kernels->count = 0;
    if (back_end->launched_read != NULL)
        back_end->launched_read(kernels);
}

static bool are_the_same(const struct kernels *a, const struct kernels *b)
{
    bool same = a->count == b->count && a->count > 0;

    for (size_t i = 0; same && i < a->count && i < MOST_KERNELS; i++) {
        bool found = false;
        for (size_t j = 0; !found && j < b->count && j < MOST_KERNELS; j++)
            found = a->of[i].function == b->of[j].function;
        same = found;
    }
    return same;
}

/* Whether the name is one of `names`, which are separated by commas and spaces. */
static bool is_named(const char *names, const char *name)
{
    while (names != NULL && *names != '\0') {
        const size_t length = strcspn(names, ", ");
        if (length == strlen(name) && strncmp(names, name, length) == 0)
            return true;
        names += length + strspn(names + length, ", ");
    }
    return false;
}

/* Whether both may launch the same kernels: libraries and host rungs have their own, or none. */
static bool may_be_the_same(const struct rung *a, const struct rung *b)
{
    const char *const as_a = a->same_kernels_as, *const as_b = b->same_kernels_as;

    return (a->flags | b->flags) & (RUNG_LIBRARY | RUNG_HOST | RUNG_DISPATCHES) ||
           is_named(as_a, b->name) || is_named(as_b, a->name) ||
           (as_a != NULL && as_b != NULL && strcmp(as_a, as_b) == 0);
}

bool kernels_conflict(const struct rung *a, const struct kernels *of_a, const struct rung *b,
                      const struct kernels *of_b)
{
    return are_the_same(of_a, of_b) && !may_be_the_same(a, b);
}
/* SPDX-License-Identifier: MIT */
