/* A rung shows what its own kernels do: no two rungs launch the same kernels without a reason. */
#ifndef RUNGS_KERNELS_H
#define RUNGS_KERNELS_H

#include <stdbool.h>

#include "device/back_end.h"
#include "problem/rung.h"

/* Fills in the kernels that the back end launched last, in verify_rung; none if it does not say. */
void kernels_read(struct kernels *kernels, const struct back_end *back_end);

/* Whether both rungs launched the same kernels, at least one, and their ladder gives no reason. */
bool kernels_conflict(const struct rung *a, const struct kernels *of_a, const struct rung *b,
                      const struct kernels *of_b);

#endif
/* SPDX-License-Identifier: MIT */
