/* The rungs of step 02, for its table and for each other. */
#ifndef LADDER_H
#define LADDER_H

#include "problem/reduction/reduction.h"

/* lanes.c */
void run_lanes(const struct reduction *call);
void how_lanes(const struct reduction *call, char text[RUNG_HOW_SIZE]);

/* vector.c: run_one_register and run_vector are in vector.h */
void how_vector(const struct reduction *call, char text[RUNG_HOW_SIZE]);

/* shared_result.c */
void run_race(const struct reduction *call);
void run_lock(const struct reduction *call);
void run_atomic(const struct reduction *call);
void how_threads(const struct reduction *call, char text[RUNG_HOW_SIZE]);

/* partials.c */
void run_adjacent(const struct reduction *call);
void run_adjacent_plain(const struct reduction *call);
void run_padded(const struct reduction *call);
void run_local(const struct reduction *call);

/* openmp.c */
void run_openmp(const struct reduction *call);
void run_openmp_simd(const struct reduction *call);
void run_openmp_vector(const struct reduction *call);
void how_openmp_simd(const struct reduction *call, char text[RUNG_HOW_SIZE]);
const char *openmp_unavailable(void);

/* pooled.c */
void run_pool(const struct reduction *call);
void run_simd_threads(const struct reduction *call);
void prepare_first_touch(const struct reduction *call);
void run_first_touch(const struct reduction *call);
void how_pool(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_simd_threads(const struct reduction *call, char text[RUNG_HOW_SIZE]);

#endif
/* SPDX-License-Identifier: MIT */
