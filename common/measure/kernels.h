/* What a rung shows is what it launched: no two rungs launch the same kernels without a reason. */
#ifndef RUNGS_KERNELS_H
#define RUNGS_KERNELS_H

#include <stdbool.h>

#include "device/back_end.h"
#include "problem/rung.h"

/* Fills in what the back end launched last, in verify_rung; nothing if it does not say. */
void kernels_read(struct kernels *kernels, const struct back_end *back_end);

/* Whether both rungs launched the same kernels, at least one, and nothing in their ladder explains
 * it. */
bool kernels_conflict(const struct rung *a, const struct kernels *of_a, const struct rung *b,
                      const struct kernels *of_b);

#endif
/* SPDX-License-Identifier: MIT */
