/* Step 07, bfloat16: see bfloat16/parts/even_plan.h. */
#include "bfloat16/parts/even_plan.h"

#include <math.h>

/* Each of n blocks, or pairs of blocks, computes every nth tile, high tiles first. So no block has
 * more tiles, or more high tiles, than the first. For each number of waves, low tiles replace high
 * ones until the last wave is full. */
struct even_plan even_plan_of(const struct gemm *call, bool pairs)
{
    static const unsigned low_rows[] = {232, 208};
    const int cluster = pairs ? 2 : 1;
    const double blocks = call->multiprocessors / cluster;
    const double columns = ceil((double)call->n / (EVEN_COLUMNS * cluster));
    const double high_tiles = ceil((double)call->m / EVEN_HIGH_ROWS);
    struct even_plan best = {.rows = HUGE_VAL};

    for (size_t i = 0; blocks > 0 && i < sizeof low_rows / sizeof *low_rows; i++) {
        const double low_tiles = ceil((double)call->m / low_rows[i]);
        const double most_waves = ceil(columns * low_tiles / blocks);
        for (double waves = ceil(columns * high_tiles / blocks); waves <= most_waves; waves++) {
            const double room = waves * blocks - columns * high_tiles;
            const double low = low_tiles > high_tiles
                                   ? fmin(floor(room / (low_tiles - high_tiles)), columns)
                                   : columns;
            const double high_waves = ceil((columns - low) * high_tiles / blocks);
            const double rows = high_waves * EVEN_HIGH_ROWS + (waves - high_waves) * low_rows[i];
            if (rows < best.rows)
                best = (struct even_plan){
                    low_rows[i], (unsigned)fmin(floor(high_waves * blocks / high_tiles), columns),
                    waves, rows};
        }
    }
    return best;
}
/* SPDX-License-Identifier: MIT */
