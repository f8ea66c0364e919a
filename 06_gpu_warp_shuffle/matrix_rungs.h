/* Step 06's two other ladders: the kernels and their launches are in matrix.cu.
 * Included by main.c. */
#ifndef RUNGS_06_MATRIX_RUNGS_H
#define RUNGS_06_MATRIX_RUNGS_H

#include "problem/matrix_reduction/matrix_reduction.h"
#include "run/step.h"

void launch_row_thread(const struct matrix_reduction *call);
void launch_row_warp(const struct matrix_reduction *call);
void launch_row_block(const struct matrix_reduction *call);
void launch_rows(const struct matrix_reduction *call);
void launch_column_block(const struct matrix_reduction *call);
void launch_column_thread(const struct matrix_reduction *call);
void launch_columns(const struct matrix_reduction *call);
double depth_row_thread(const struct matrix_reduction *call);
double depth_row_warp(const struct matrix_reduction *call);
double depth_row_block(const struct matrix_reduction *call);
double depth_rows(const struct matrix_reduction *call);
double depth_column_block(const struct matrix_reduction *call);
double depth_column_thread(const struct matrix_reduction *call);
double depth_columns(const struct matrix_reduction *call);
void describe_rows(const struct matrix_reduction *call, char text[RUNG_HOW_SIZE]);
void describe_columns(const struct matrix_reduction *call, char text[RUNG_HOW_SIZE]);

static const struct matrix_rung row_rungs[] = {
    {
        .rung = {"row_thread", "a thread a row: the lanes read a row apart"},
        .run = launch_row_thread,
        .depth = depth_row_thread,
    },
    {
        .rung = {"row_warp", "a warp a row: neighbours read neighbours, shuffles combine"},
        .run = launch_row_warp,
        .depth = depth_row_warp,
    },
    {
        .rung = {"row_block", "a block a row: eight warps share it"},
        .run = launch_row_block,
        .depth = depth_row_block,
    },
    {
        .rung = {"rows", "16-byte loads in flight; lanes, warp, block or several blocks a row"},
        .run = launch_rows,
        .depth = depth_rows,
        .how = describe_rows,
    },
};

static const struct matrix_rung column_rungs[] = {
    {
        .rung = {"column_block", "a block a column: the threads read a row apart"},
        .run = launch_column_block,
        .depth = depth_column_block,
    },
    {
        .rung = {"column_thread", "a thread a column: neighbours read neighbours"},
        .run = launch_column_thread,
        .depth = depth_column_thread,
    },
    {
        .rung = {"columns",
                 "16-byte loads in flight; tiles of columns, cut across where there are few"},
        .run = launch_columns,
        .depth = depth_columns,
        .how = describe_columns,
    },
};

static const struct ladder rows = {
    .name = "rows",
    .idea = "Every row of a matrix to one number",
    .kind = &row_reduction_kind,
    .back_end = &gpu_back_end,
    LADDER_RUNGS(row_rungs),
};

static const struct ladder columns = {
    .name = "columns",
    .idea = "Every column of a matrix to one number",
    .kind = &column_reduction_kind,
    .back_end = &gpu_back_end,
    LADDER_RUNGS(column_rungs),
};

#endif
