#include "bf16_plan.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* A tile's width, and what a step and a tile of it cost, in cycles as measured on an H200: narrow
 * tiles wait for L2, not for the tensor cores. So do all if no row of A or B starts at a multiple
 * of 128 bytes, so that a row of a step's tile is in two cache lines. */
static const double widths[] = {64, 128, 192, 256}, step_cycles[] = {430, 570, 790, 1050};
static const double crossing_cycles[] = {1000, 900, 1060, 1380};
static const double tile_cycles = 1500;

/* A step along k has 64 terms. */
static size_t steps_of(const struct gemm *call)
{
    return (call->k + 63) / 64;
}

static bool crosses_lines(size_t columns, size_t leading)
{
    return columns > 64 && leading % 64 != 0;
}

/* All tiles of a row of tiles need the same rows of A: one row's stay near, and what is larger than
 * half of L2 comes from DRAM for each column of tiles. */
static double cycles_of_narrow_step(const struct gemm *call)
{
    const double half_of_l2 = 30e6, bytes = (double)call->m * (double)call->k * sizeof(uint16_t);

    return call->m <= 128 ? 390 : bytes > half_of_l2 ? 620 : step_cycles[BF16_NARROW];
}

static double cycles_of_step(const struct gemm *call, unsigned way)
{
    const double best = way == BF16_NARROW ? cycles_of_narrow_step(call) : step_cycles[way];
    const double of_a = crosses_lines(call->k, call->lda) ? 128 / (128 + widths[way]) : 0;
    const double of_b = crosses_lines(call->n, call->ldb) ? widths[way] / (128 + widths[way]) : 0;

    return best + (of_a + of_b) * fmax(crossing_cycles[way] - best, 0);
}

static double cycles_of(const struct gemm *call, unsigned way, unsigned splits)
{
    const double second_kernel = 4500, a_split = 100, bytes_a_cycle = 2000;
    const double tiles = ceil((double)call->m / 128) * ceil((double)call->n / widths[way]);
    const double waves = ceil(tiles * splits / call->multiprocessors);
    const double of_step = cycles_of_step(call, way);
    const double steps = ceil((double)steps_of(call) / splits);
    const double product = waves * (steps * of_step + tile_cycles);

    if (splits == 1)
        return product;
    return product + second_kernel +
           splits * (a_split + (double)call->m * (double)call->n * 8 / bytes_a_cycle);
}

/* With the last wave's tiles shared: no multiprocessor is idle, but some wait for the sums of
 * others. */
static double cycles_if_shared(const struct gemm *call)
{
    const double tiles = ceil((double)call->m / 128) * ceil((double)call->n / 256), waiting = 2e4;
    const double waves = fmax(tiles / call->multiprocessors, 1);

    return waves * ((double)steps_of(call) * cycles_of_step(call, BF16_WIDE) + tile_cycles) +
           waiting;
}

/* As many as fill the machine twice over. */
size_t bf16_plan_floats(const struct gemm *call)
{
    return (size_t)call->multiprocessors * 2 * 128 * 256;
}

/* A product of many tiles runs at the GPU's power limit. There the work counts, of which wide tiles
 * are the least, and not who is idle in the last wave: it leaves its power to the others. */
static bool is_at_power_limit(const struct gemm *call)
{
    const double tiles = ceil((double)call->m / 128) * ceil((double)call->n / 256);

    return call->k >= 1024 && tiles >= 6.0 * call->multiprocessors;
}

static struct bf16_plan plan_of_tiles(const struct gemm *call)
{
    static const unsigned splits[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
    struct bf16_plan best = {BF16_NARROW, 1};
    double least = -1;

    for (unsigned way = is_at_power_limit(call) ? BF16_WIDE : BF16_NARROW; way <= BF16_WIDE; way++)
        for (size_t s = 0; s < sizeof splits / sizeof splits[0]; s++) {
            const double cycles = cycles_of(call, way, splits[s]);
            if (splits[s] > 1 && (splits[s] > steps_of(call) ||
                                  call->m * call->n > bf16_plan_floats(call) / splits[s]))
                break;
            if (least < 0 || cycles < least) {
                least = cycles;
                best = (struct bf16_plan){(enum bf16_way)way, splits[s]};
            }
        }
    if (cycles_if_shared(call) < 0.95 * least)
        best = (struct bf16_plan){BF16_SHARED, 1};
    return best;
}

/* Which shapes the rungs for few rows or columns get: those with tiles enough to keep all
 * multiprocessors busy, and between the two rungs what was faster on an H200. */
static bool tma_takes(const void *matrix, size_t leading)
{
    return (uintptr_t)matrix % 16 == 0 && leading % 8 == 0;
}

static bool has_few_rows(const struct gemm *call)
{
    const bool is_easy = tma_takes(call->a, call->lda) && tma_takes(call->b, call->ldb);

    if (call->m == 1)
        return true;
    if (is_easy && crosses_lines(call->n, call->ldb) && call->n >= 1536)
        return false;
    return call->n >= 1024 && call->m <= 16;
}

static bool is_thin(const struct gemm *call)
{
    return (call->n <= 128 && call->m >= 1024) || (call->m <= 128 && call->n >= 1536);
}

struct bf16_plan bf16_plan_of(const struct gemm *call)
{
    if (call->k > 0 && call->n == 1)
        return (struct bf16_plan){BF16_VECTOR, 1};
    if (has_few_rows(call))
        return (struct bf16_plan){BF16_FEW_ROWS, 1};
    if (call->k == 0 || call->m > INT32_MAX || call->n > INT32_MAX || call->k > INT32_MAX)
        return (struct bf16_plan){BF16_OTHER, 1};
    if (is_thin(call))
        return (struct bf16_plan){BF16_THIN, 1};
    return plan_of_tiles(call);
}
