/* Step 06: the table of the rungs that reduce the rows of a matrix. */
#include <stdio.h>

#include "matrix_plan.h"
#include "problem/matrix_reduction/matrix_reduction.h"
#include "run/step.h"

void launch_row_thread(const struct matrix_reduction *call);
void launch_row_warp(const struct matrix_reduction *call);
void launch_row_block(const struct matrix_reduction *call);
void launch_row_vectorized(const struct matrix_reduction *call);
void launch_row_in_flight(const struct matrix_reduction *call);
void launch_row_fitted(const struct matrix_reduction *call);
const char *declines_row_fitted(const struct matrix_reduction *call);
void launch_row_split(const struct matrix_reduction *call);
const char *declines_row_split(const struct matrix_reduction *call);

/* ---- how many roundings lie between an element and its result -------------------------------- */

static double depth_row_thread(const struct matrix_reduction *call)
{
    return (double)call->columns;
}

static double depth_row_warp(const struct matrix_reduction *call)
{
    return (double)divided_up(call->columns, WARP_SIZE) + rounds_of_tree(WARP_SIZE);
}

static double depth_row_block(const struct matrix_reduction *call)
{
    return (double)divided_up(call->columns, ROW_BLOCK) + rounds_of_tree(ROW_BLOCK);
}

/* A thread's own packs, its elements before and after them, then the tree. */
static double depth_of_span(const struct matrix_reduction *call, size_t length, unsigned threads)
{
    const size_t pack = 16 / element_size(call->type);
    const size_t packs = divided_up(length / pack, threads);
    return (double)(packs * pack + divided_up(2 * (pack - 1), threads)) + rounds_of_tree(threads);
}

static double depth_row_packs(const struct matrix_reduction *call)
{
    return depth_of_span(call, call->columns, ROW_BLOCK);
}

static double depth_of_plan(const struct matrix_reduction *call, const struct row_plan *plan)
{
    return depth_of_span(call, plan->piece_length, plan->lanes > 0 ? plan->lanes : ROW_BLOCK);
}

static double depth_row_fitted(const struct matrix_reduction *call)
{
    const struct row_plan plan = row_plan_fitted(call, call->rows, call->columns);
    return depth_of_plan(call, &plan);
}

static double depth_row_split(const struct matrix_reduction *call)
{
    if (call->rows == 0)
        return 0;
    const struct row_plan plan = row_plan_split(call);
    if (plan.pieces == 1)
        return depth_of_plan(call, &plan);
    const struct row_plan second = row_plan_fitted(call, call->rows, plan.pieces);
    return depth_of_plan(call, &plan) + depth_of_plan(call, &second);
}

/* ---- what was chosen, for the report --------------------------------------------------------- */

static void describe(const struct row_plan *plan, char text[RUNG_HOW_SIZE])
{
    const bool lanes = plan->lanes > 0;
    const size_t count = lanes ? plan->lanes : plan->pieces;
    snprintf(text, RUNG_HOW_SIZE, "%zu %s%s a row", count, lanes ? "lane" : "block",
             count == 1 ? "" : "s");
}

static void describe_row_fitted(const struct matrix_reduction *call, char text[RUNG_HOW_SIZE])
{
    const struct row_plan plan = row_plan_fitted(call, call->rows, call->columns);
    describe(&plan, text);
}

static void describe_row_split(const struct matrix_reduction *call, char text[RUNG_HOW_SIZE])
{
    if (call->rows == 0)
        return;
    const struct row_plan plan = row_plan_split(call);
    describe(&plan, text);
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct matrix_rung rungs[] = {
    {
        .rung = {.name = "row_thread",
                 .idea = "a thread per row: neighbouring lanes read a row apart"},
        .run = launch_row_thread,
        .depth = depth_row_thread,
    },
    {
        .rung = {.name = "row_warp",
                 .idea = "a warp per row: neighbours read neighbours, shuffles combine"},
        .run = launch_row_warp,
        .depth = depth_row_warp,
    },
    {
        .rung = {.name = "row_block", .idea = "a block per row: eight warps share it"},
        .run = launch_row_block,
        .depth = depth_row_block,
    },
    {
        .rung = {.name = "row_vectorized", .idea = "16-byte loads, any alignment"},
        .run = launch_row_vectorized,
        .depth = depth_row_packs,
    },
    {
        .rung = {.name = "row_in_flight", .idea = "four independent loads in flight"},
        .run = launch_row_in_flight,
        .depth = depth_row_packs,
    },
    {
        .rung = {.name = "row_fitted",
                 .idea = "a short row has only as many lanes as have loads to do"},
        .run = launch_row_fitted,
        .declines = declines_row_fitted,
        .depth = depth_row_fitted,
        .how = describe_row_fitted,
    },
    {
        .rung = {.name = "row_split", .idea = "several blocks for a long row if rows are few"},
        .run = launch_row_split,
        .declines = declines_row_split,
        .depth = depth_row_split,
        .how = describe_row_split,
    },
};

const struct ladder rows = {
    .name = "rows",
    .idea = "Every row of a matrix to one number",
    .lesson = "sect/load loads blocks",
    .kind = &row_reduction_kind,
    .back_end = &gpu_back_end,
    LADDER_RUNGS(rungs),
};
/* SPDX-License-Identifier: MIT */
