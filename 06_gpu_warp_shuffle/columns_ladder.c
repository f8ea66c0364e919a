/* Step 06: the table of rungs that reduce the columns of a matrix. */
#include <stdio.h>

#include "matrix_plan.h"
#include "run/step.h"

void launch_column_block(const struct matrix_reduction *call);
void launch_column_thread(const struct matrix_reduction *call);
void launch_column_tile(const struct matrix_reduction *call);
void launch_column_vectorized(const struct matrix_reduction *call);
void launch_column_in_flight(const struct matrix_reduction *call);
void launch_column_fitted(const struct matrix_reduction *call);
void launch_column_split(const struct matrix_reduction *call);

/* ---- how many roundings lie between an element and its result -------------------------------- */

static double depth_column_block(const struct matrix_reduction *call)
{
    return (double)divided_up(call->rows, ROW_BLOCK) + rounds_of_tree(ROW_BLOCK);
}

static double depth_column_thread(const struct matrix_reduction *call)
{
    return (double)call->rows;
}

/* A thread's rows, then the tree over the threads that stand in the same columns. */
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

static const struct rung rungs[] = {
    {
        .name = "column_block",
        .idea = "a block a column: the threads read a row apart",
        .run.matrix = launch_column_block,
        .depth.matrix = depth_column_block,
    },
    {
        .name = "column_thread",
        .idea = "a thread a column: neighbours read neighbours",
        .run.matrix = launch_column_thread,
        .depth.matrix = depth_column_thread,
    },
    {
        .name = "column_tile",
        .idea = "several threads a column, combined in shared memory",
        .run.matrix = launch_column_tile,
        .depth.matrix = depth_column_fixed,
    },
    {
        .name = "column_vectorized",
        .idea = "16-byte loads: several columns a thread",
        .run.matrix = launch_column_vectorized,
        .depth.matrix = depth_column_fixed,
    },
    {
        .name = "column_in_flight",
        .idea = "four independent loads in flight",
        .run.matrix = launch_column_in_flight,
        .depth.matrix = depth_column_fixed,
    },
    {
        .name = "column_fitted",
        .idea = "tiles as wide as suits the matrix",
        .run.matrix = launch_column_fitted,
        .depth.matrix = depth_column_fitted,
        .how.matrix = describe_column_fitted,
    },
    {
        .name = "column_split",
        .idea = "several blocks for a long column where columns are few",
        .run.matrix = launch_column_split,
        .depth.matrix = depth_column_split,
        .how.matrix = describe_column_split,
    },
};

const struct step step_of_columns = {
    .name = "06_gpu_warp_shuffle",
    .idea = "Every column of a matrix to one number",
    .family = &matrix_reduction_family,
    .back_end = &gpu_back_end,
    .rungs = rungs,
    .rung_count = sizeof rungs / sizeof rungs[0],
};
