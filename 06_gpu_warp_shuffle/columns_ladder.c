/* Step 06: the table of the rungs that reduce the columns of a matrix. */
#include <stdio.h>

#include "matrix_plan.h"
#include "problem/matrix_reduction/matrix_reduction.h"
#include "run/step.h"

void launch_column_block(const struct matrix_reduction *call);
void launch_column_thread(const struct matrix_reduction *call);
void launch_column_tile(const struct matrix_reduction *call);
void launch_column_vectorized(const struct matrix_reduction *call);
const char *declines_column_vectorized(const struct matrix_reduction *call);
void launch_column_in_flight(const struct matrix_reduction *call);
void launch_column_fitted(const struct matrix_reduction *call);
const char *declines_column_fitted(const struct matrix_reduction *call);
void launch_column_split(const struct matrix_reduction *call);
const char *declines_column_split(const struct matrix_reduction *call);

/* ---- how many roundings lie between an element and its result -------------------------------- */

static double depth_column_block(const struct matrix_reduction *call)
{
    return (double)divided_up(call->rows, ROW_BLOCK) + rounds_of_tree(ROW_BLOCK);
}

static double depth_column_thread(const struct matrix_reduction *call)
{
    return (double)call->rows;
}

/* A thread's rows, then the tree over the threads with the same columns. */
static double depth_of_plan(const struct column_plan *plan)
{
    const unsigned height = COLUMN_BLOCK / plan->width;
    return (double)divided_up(plan->rows_per_block, height) + rounds_of_tree(height);
}

static double depth_column_fixed(const struct matrix_reduction *call)
{
    const struct column_plan plan = column_plan_fixed(call, 1);
    return depth_of_plan(&plan);
}

static double depth_column_fitted(const struct matrix_reduction *call)
{
    if (call->columns == 0)
        return 0;
    const struct column_plan plan = column_plan_fitted(call);
    return depth_of_plan(&plan);
}

static double depth_column_split(const struct matrix_reduction *call)
{
    if (call->columns == 0)
        return 0;
    const struct column_plan plan = column_plan_split(call);
    if (plan.splits == 1)
        return depth_of_plan(&plan);
    const struct column_plan second = column_plan_second(call, plan.splits);
    return depth_of_plan(&plan) + depth_of_plan(&second);
}

/* ---- what was chosen, for the report --------------------------------------------------------- */

static void describe(const struct column_plan *plan, char text[RUNG_HOW_SIZE])
{
    snprintf(text, RUNG_HOW_SIZE, "%u x %u blocks, %u columns wide", plan->splits, plan->tiles,
             plan->width * plan->count);
}

static void describe_column_fitted(const struct matrix_reduction *call, char text[RUNG_HOW_SIZE])
{
    if (call->columns == 0)
        return;
    const struct column_plan plan = column_plan_fitted(call);
    describe(&plan, text);
}

static void describe_column_split(const struct matrix_reduction *call, char text[RUNG_HOW_SIZE])
{
    if (call->columns == 0)
        return;
    const struct column_plan plan = column_plan_split(call);
    describe(&plan, text);
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct matrix_rung rungs[] = {
    {
        .rung = {.name = "column_block",
                 .idea = "a block per column: neighbouring threads read a row apart"},
        .run = launch_column_block,
        .depth = depth_column_block,
    },
    {
        .rung = {.name = "column_thread",
                 .idea = "a thread per column: neighbours read neighbours"},
        .run = launch_column_thread,
        .depth = depth_column_thread,
    },
    {
        .rung = {.name = "column_tile",
                 .idea = "several threads per column, combined in shared memory"},
        .run = launch_column_tile,
        .depth = depth_column_fixed,
    },
    {
        .rung = {.name = "column_vectorized", .idea = "16-byte loads: several columns per thread"},
        .run = launch_column_vectorized,
        .declines = declines_column_vectorized,
        .depth = depth_column_fixed,
    },
    {
        .rung = {.name = "column_in_flight", .idea = "four independent loads in flight"},
        .run = launch_column_in_flight,
        .depth = depth_column_fixed,
    },
    {
        .rung = {.name = "column_fitted",
                 .idea = "tiles as wide as suits the matrix",
                 .same_kernels_as = "column_in_flight",
                 .same_kernels_because = "the kernel is given the width of its tile"},
        .run = launch_column_fitted,
        .declines = declines_column_fitted,
        .depth = depth_column_fitted,
        .how = describe_column_fitted,
    },
    {
        .rung = {.name = "column_split",
                 .idea = "several blocks for a long column if columns are few"},
        .run = launch_column_split,
        .declines = declines_column_split,
        .depth = depth_column_split,
        .how = describe_column_split,
    },
};

const struct ladder columns = {
    .name = "columns",
    .idea = "Every column of a matrix to one number",
    .lesson = "sect/load loads blocks",
    .kind = &column_reduction_kind,
    .back_end = &gpu_back_end,
    LADDER_RUNGS(rungs),
};
/* SPDX-License-Identifier: MIT */
