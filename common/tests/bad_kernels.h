/* Launches of wrong kernels, and of a right one, for test_checker_gpu.c. */
#ifndef RUNGS_BAD_KERNELS_H
#define RUNGS_BAD_KERNELS_H

#include "problem/reduction/reduction.h"

#ifdef __cplusplus
extern "C" {
#endif

void launch_right(const struct reduction *call);
void launch_nothing(const struct reduction *call);
void launch_without_barrier(const struct reduction *call);
void launch_without_round_barrier(const struct reduction *call);
void launch_whole_blocks_only(const struct reduction *call);
void launch_whole_vectors_only(const struct reduction *call);
void launch_without_stride(const struct reduction *call);
void launch_one_twice(const struct reduction *call);
void launch_first_partial_only(const struct reduction *call);
void launch_last_partial_missing(const struct reduction *call);
void launch_partials_twice(const struct reduction *call);
void launch_stale_partial(const struct reduction *call);
void launch_first_stage_only(const struct reduction *call);

#ifdef __cplusplus
}
#endif

#endif
/* SPDX-License-Identifier: MIT */
