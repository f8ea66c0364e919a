/* Step 06's two other tables of rungs, for --axis: the kernels and their launches are in matrix.cu.
 * Included by main.c. */
#ifndef RUNGS_06_MATRIX_RUNGS_H
#define RUNGS_06_MATRIX_RUNGS_H

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

static const struct rung row_rungs[] = {
    {
        .name = "row_thread",
        .idea = "a thread a row: the lanes read a row apart",
        .run.matrix = launch_row_thread,
        .depth.matrix = depth_row_thread,
    },
    {
        .name = "row_warp",
        .idea = "a warp a row: neighbours read neighbours, shuffles combine",
        .run.matrix = launch_row_warp,
        .depth.matrix = depth_row_warp,
    },
    {
        .name = "row_block",
        .idea = "a block a row: eight warps share it",
        .run.matrix = launch_row_block,
        .depth.matrix = depth_row_block,
    },
    {
        .name = "rows",
        .idea = "16-byte loads in flight; lanes, warp, block or several blocks a row",
        .run.matrix = launch_rows,
        .depth.matrix = depth_rows,
        .how.matrix = describe_rows,
    },
};

static const struct rung column_rungs[] = {
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
        .name = "columns",
        .idea = "16-byte loads in flight; tiles of columns, cut across where there are few",
        .run.matrix = launch_columns,
        .depth.matrix = depth_columns,
        .how.matrix = describe_columns,
    },
};

static const struct step step_of_rows = {
    .name = "06_gpu_warp_shuffle",
    .idea = "Every row of a matrix to one number",
    .family = &matrix_reduction_family,
    .back_end = &gpu_back_end,
    .rungs = row_rungs,
    .rung_count = sizeof row_rungs / sizeof row_rungs[0],
};

static const struct step step_of_columns = {
    .name = "06_gpu_warp_shuffle",
    .idea = "Every column of a matrix to one number",
    .family = &matrix_reduction_family,
    .back_end = &gpu_back_end,
    .rungs = column_rungs,
    .rung_count = sizeof column_rungs / sizeof column_rungs[0],
};

#endif
