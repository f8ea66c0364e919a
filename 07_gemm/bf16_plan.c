#include "bf16_plan.h"

#include <math.h>
#include <stdint.h>

#include "copy_rows.h"

/* A tile's width, and what a step and a tile of it cost, in cycles as measured on an H200: narrow
 * tiles wait for L2, not for the tensor cores. All wait if the rows of A and B do not start at
 * multiples of 128 bytes, so that a row of a step's tile is in two lines, and longer if not at
 * multiples of 32, so that it is in five sectors in place of four. */
static const double widths[] = {64, 128, 192, 256};
enum rows { IN_LINES, IN_SECTORS, IN_CHUNKS };
static const double step_cycles[][4] = {
    [IN_LINES] = {370, 540, 770, 1030},
    [IN_SECTORS] = {610, 700, 850, 1070},
    [IN_CHUNKS] = {810, 1070, 1500, 1800},
};
static const double shared_step_cycles[] = {1050, 1070, 1150}; /* pairs of blocks load B together */

/* A step along k has 64 terms. */
static size_t steps_of(const struct gemm *call)
{
    return (call->k + 63) / 64;
}

static enum rows rows_of(const uint16_t *matrix, size_t columns, size_t leading)
{
    const size_t both = (uintptr_t)matrix | leading * sizeof(uint16_t);

    if (columns <= 64 || both % 128 == 0)
        return IN_LINES;
    return both % 32 == 0 ? IN_SECTORS : IN_CHUNKS;
}

/* All tiles of a row of tiles need the same rows of A: one row's stay near, and what is larger than
 * half of L2 comes from DRAM for each column of tiles. */
static double cycles_of_narrow_step(const struct gemm *call)
{
    const double half_of_l2 = 30e6, bytes = (double)call->m * (double)call->k * sizeof(uint16_t);

    return call->m <= 128 ? 360 : bytes > half_of_l2 ? 620 : step_cycles[IN_LINES][BF16_NARROW];
}

/* `busy`: the share of the multiprocessors that have a tile. They have the others' share of L2. */
static double cycles_of_step(const struct gemm *call, unsigned way, double busy)
{
    const enum rows a = rows_of(call->a_bf16, call->k, call->lda);
    const enum rows b = rows_of(call->b_bf16, call->n, call->ldb);
    const double best =
        way == BF16_NARROW ? cycles_of_narrow_step(call) : step_cycles[IN_LINES][way];
    const double more_of_a = fmax(step_cycles[a][way] * busy - best, 0) * 128;
    const double more_of_b = fmax(step_cycles[b][way] * busy - best, 0) * widths[way];

    return best + (more_of_a + more_of_b) / (128 + widths[way]);
}

/* To start a tile and to store its sums: threads do if the TMA cannot, two bytes at a time, and the
 * longer the wider the tile. */
static double cycles_of_tile(const struct gemm *call, unsigned way)
{
    const bool by_tma = (uintptr_t)call->c_bf16 % 16 == 0 && call->ldc % 8 == 0 && call->n % 8 == 0;

    return 1500 + (by_tma ? 0 : 42 * (widths[way] - 64));
}

static double cycles_of(const struct gemm *call, unsigned way, unsigned splits)
{
    const double second_kernel = 4500, a_split = 100, bytes_a_cycle = 2000;
    const double tiles = ceil((double)call->m / 128) * ceil((double)call->n / widths[way]);
    const double waves = ceil(tiles * splits / call->multiprocessors);
    const double busy = fmin(tiles * splits / call->multiprocessors, 1);
    const double of_step = cycles_of_step(call, way, busy);
    const double steps = ceil((double)steps_of(call) / splits);
    const double product = waves * (steps * of_step + cycles_of_tile(call, way));

    if (splits == 1)
        return product;
    return product + second_kernel +
           splits * (a_split + (double)call->m * (double)call->n * 8 / bytes_a_cycle);
}

/* With the last wave's tiles shared: no multiprocessor is idle, but some wait for the sums of
 * others, and with fewer tiles than multiprocessors for those of several, one after the other. */
static double cycles_if_shared(const struct gemm *call)
{
    const double tiles = ceil((double)call->m / 128) * ceil((double)call->n / 256), waiting = 2e4;
    const double waves = tiles / call->multiprocessors, others = fmax(1 / waves - 1, 0);
    const double sums_of_another = 3300;
    const enum rows a = rows_of(call->a_bf16, call->k, call->lda);
    const enum rows b = rows_of(call->b_bf16, call->n, call->ldb);
    const double of_step = shared_step_cycles[a > b ? a : b];

    return waves * (double)steps_of(call) * of_step +
           fmax(waves, 1) * cycles_of_tile(call, BF16_WIDE) + waiting + others * sums_of_another;
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

/* The fastest way with the operands as they are, and its cycles. */
static struct bf16_plan plan_without_copies(const struct gemm *call, double *least)
{
    static const unsigned splits[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
    struct bf16_plan best = {.way = BF16_NARROW, .splits = 1};

    *least = HUGE_VAL;
    for (unsigned way = is_at_power_limit(call) ? BF16_WIDE : BF16_NARROW; way <= BF16_WIDE; way++)
        for (size_t s = 0; s < sizeof splits / sizeof splits[0]; s++) {
            const double cycles = cycles_of(call, way, splits[s]);
            if (splits[s] > 1 && (splits[s] > steps_of(call) ||
                                  call->m * call->n > bf16_plan_floats(call) / splits[s]))
                break;
            if (cycles < *least) {
                *least = cycles;
                best = (struct bf16_plan){.way = (enum bf16_way)way, .splits = splits[s]};
            }
        }
    if (cycles_if_shared(call) < 0.95 * *least) {
        *least = cycles_if_shared(call);
        best = (struct bf16_plan){.way = BF16_SHARED, .splits = 1};
    }
    return best;
}

static bool tma_takes(const void *matrix, size_t leading)
{
    return (uintptr_t)matrix % 16 == 0 && leading % 8 == 0;
}

static double cycles_of_copy(size_t rows, size_t columns)
{
    const double launch = 2500, bytes_a_cycle = 2000;

    return launch + 2 * (double)rows * (double)columns * sizeof(uint16_t) / bytes_a_cycle;
}

/* What must be copied is; what need not be, if the product gains more than that costs. */
static struct bf16_plan plan_of_tiles(const struct gemm *call)
{
    struct bf16_plan best = {.way = BF16_NARROW, .splits = 1};
    double least = HUGE_VAL;

    for (unsigned copies = 0; copies < 4; copies++) {
        const bool copies_a = copies % 2 == 1, copies_b = copies / 2 == 1;
        struct gemm copied = *call;
        double cycles;

        if ((!copies_a && !tma_takes(call->a_bf16, call->lda)) ||
            (!copies_b && !tma_takes(call->b_bf16, call->ldb)))
            continue;
        if (copies_a) {
            copied.a_bf16 = NULL;
            copied.lda = aligned_pitch(call->k, sizeof(uint16_t));
        }
        if (copies_b) {
            copied.b_bf16 = NULL;
            copied.ldb = aligned_pitch(call->n, sizeof(uint16_t));
        }
        struct bf16_plan plan = plan_without_copies(&copied, &cycles);
        cycles += copies_a ? cycles_of_copy(call->m, call->k) : 0;
        cycles += copies_b ? cycles_of_copy(call->k, call->n) : 0;
        if (cycles < least) {
            least = cycles;
            best = plan;
            best.copies_a = copies_a;
            best.copies_b = copies_b;
        }
    }
    return best;
}

/* Which shapes the rungs for few rows or columns get: those with tiles enough to keep all
 * multiprocessors busy, and between the two rungs what was faster on an H200. */
static bool has_few_rows(const struct gemm *call)
{
    const bool is_easy = tma_takes(call->a, call->lda) && tma_takes(call->b, call->ldb);

    if (call->m == 1)
        return true;
    if (is_easy && rows_of(call->b_bf16, call->n, call->ldb) != IN_LINES && call->n >= 1536)
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
        return (struct bf16_plan){.way = BF16_VECTOR, .splits = 1};
    if (has_few_rows(call))
        return (struct bf16_plan){.way = BF16_FEW_ROWS, .splits = 1};
    if (call->k == 0 || call->m > INT32_MAX || call->n > INT32_MAX || call->k > INT32_MAX)
        return (struct bf16_plan){.way = BF16_OTHER, .splits = 1};
    if (is_thin(call))
        return (struct bf16_plan){.way = BF16_THIN, .splits = 1};
    return plan_of_tiles(call);
}
