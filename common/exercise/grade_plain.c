/* Exercises in C that are graded by their results only. */
#include "grade_internal.h"

const bool grade_on_gpu = false, grade_counts_gpu = false;

void grade_explore_begin(int page)
{
    (void)page;
}

void grade_explore_end(void)
{
}

void grade_record_begin(void)
{
}

void grade_record_end(struct grade_record *record)
{
    (void)record;
}
/* SPDX-License-Identifier: MIT */
