#include "matrix_plan.h"

#include <stdbool.h>
#include <stdint.h>

/* The number of waves of blocks, if the work can be cut freely. With more waves, SMs wait less at
 * the end, but starting and combining the blocks takes longer. */
enum { ROW_WAVES = 16, COLUMN_WAVES = 8 };

/* A row of this many bytes or more gets a block. A piece of a row has at least this many bytes. */
enum { LONG_ROW = 16 << 10 };

/* The least bytes of a row per block of columns, if the row has that many. TILE_BYTES is for the
 * matrix. SECTOR_BYTES is for the far smaller results of the first launch: narrow blocks keep many
 * SMs busy there. */
enum { TILE_BYTES = 512, SECTOR_BYTES = 32 };

/* ---- rows ------------------------------------------------------------------------------------ */

static size_t row_blocks_wanted(const struct matrix_reduction *call)
{
    return (size_t)call->multiprocessors * ROW_BLOCKS_RESIDENT * ROW_WAVES;
}

struct row_plan row_plan_fitted(const struct matrix_reduction *call, size_t rows, size_t columns)
{
    const size_t size = element_size(call->type), pack = 16 / size;
    struct row_plan plan = {0, 0, 1, columns};

    if (columns < LONG_ROW / size) {
        plan.lanes = power_of_two(divided_up(columns, pack * ROW_PACKS_IN_FLIGHT), WARP_SIZE);
        plan.grid =
            (unsigned)smaller(divided_up(rows, ROW_BLOCK / plan.lanes), row_blocks_wanted(call));
    }
    return plan;
}

struct row_plan row_plan_split(const struct matrix_reduction *call)
{
    const size_t size = element_size(call->type), pack = 16 / size;
    const size_t fitting = call->workspace_bytes / size / call->rows;
    struct row_plan plan = row_plan_fitted(call, call->rows, call->columns);

    if (plan.lanes > 0)
        return plan;
    size_t pieces =
        smaller(row_blocks_wanted(call) / call->rows, call->columns / (LONG_ROW / size));
    pieces = smaller(pieces, smaller(fitting, MOST_BLOCKS_IN_Y));
    if (pieces > 1) { /* each piece has the alignment of its row */
        plan.piece_length = divided_up(divided_up(call->columns, pieces), 8 * pack) * 8 * pack;
        plan.pieces = divided_up(call->columns, plan.piece_length);
    }
    return plan;
}

/* ---- columns --------------------------------------------------------------------------------- */

unsigned columns_a_thread(const struct matrix_reduction *call)
{
    const size_t pack = 16 / element_size(call->type);
    const bool aligned = (uintptr_t)call->a % 16 == 0 && call->columns % pack == 0;
    return aligned ? (unsigned)pack : 1;
}

struct column_plan column_plan_fixed(const struct matrix_reduction *call, unsigned count)
{
    const struct column_plan plan = {
        .count = count,
        .width = WARP_SIZE,
        .tiles = (unsigned)divided_up(call->columns, (size_t)WARP_SIZE * count),
        .splits = 1,
        .rows_per_block = call->rows,
    };
    return plan;
}

/* Plans `rows` rows of the call's columns, with `count` columns per thread. Blocks are at least
 * `narrowest` threads wide if there are enough columns, and at most `most_splits` blocks high. */
static struct column_plan plan_columns(const struct matrix_reduction *call, size_t rows,
                                       unsigned count, unsigned narrowest, size_t most_splits)
{
    const unsigned in_flight = count == 1 ? COLUMN_ELEMENTS_IN_FLIGHT : COLUMN_PACKS_IN_FLIGHT;
    const size_t blocks = (size_t)call->multiprocessors * COLUMN_BLOCKS_RESIDENT * COLUMN_WAVES;
    const size_t threads_across = divided_up(call->columns, count);
    struct column_plan plan = {.count = count, .rows_per_block = rows};

    /* No more threads in a column than its rows need, and no threads beyond the last column. */
    const unsigned height = power_of_two(divided_up(rows, in_flight), COLUMN_BLOCK / narrowest);
    plan.width = power_of_two(threads_across, COLUMN_BLOCK / height);
    plan.tiles = (unsigned)divided_up(threads_across, plan.width);

    const size_t rows_at_once = (size_t)(COLUMN_BLOCK / plan.width) * in_flight;
    size_t splits = smaller(blocks / plan.tiles, divided_up(rows, rows_at_once));
    splits = smaller(splits, smaller(most_splits, MOST_BLOCKS_IN_Y));
    if (splits > 1) {
        plan.rows_per_block = divided_up(rows, splits);
        splits = divided_up(rows, plan.rows_per_block);
    }
    plan.splits = splits > 1 ? (unsigned)splits : 1;
    return plan;
}

static struct column_plan first_column_plan(const struct matrix_reduction *call, size_t most_splits)
{
    const unsigned count = columns_a_thread(call);
    return plan_columns(call, call->rows, count,
                        TILE_BYTES / (count * (unsigned)element_size(call->type)), most_splits);
}

struct column_plan column_plan_fitted(const struct matrix_reduction *call)
{
    return first_column_plan(call, 1);
}

struct column_plan column_plan_split(const struct matrix_reduction *call)
{
    return first_column_plan(call,
                             call->workspace_bytes / element_size(call->type) / call->columns);
}

struct column_plan column_plan_second(const struct matrix_reduction *call, unsigned splits)
{
    return plan_columns(call, splits, 1, SECTOR_BYTES / (unsigned)element_size(call->type), 1);
}
/* SPDX-License-Identifier: MIT */
