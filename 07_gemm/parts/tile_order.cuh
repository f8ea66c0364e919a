/* Step 07, on tensor cores: the order of the tiles of C, column by column within groups of rows of
 * tiles, so that blocks that run at the same time share rows of A and columns of B in L2. */
#ifndef RUNGS_07_TILE_ORDER_CUH
#define RUNGS_07_TILE_ORDER_CUH

/* Which tile of C it is, counted in tiles. */
struct tile_of_c {
    unsigned row, column;
};

template <unsigned GROUP>
static inline __device__ struct tile_of_c tile_in_order(unsigned number, unsigned rows,
                                                        unsigned columns)
{
    const unsigned in_group = number % (GROUP * columns);
    const unsigned first = number / (GROUP * columns) * GROUP;
    const unsigned group_rows = min(GROUP, rows - first);

    return {first + in_group % group_rows, in_group / group_rows};
}

#endif
/* SPDX-License-Identifier: MIT */
