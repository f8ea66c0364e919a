/* Step 07 on the host as libraries compute it: a tile of sums in registers, A and B copied into the
 * order in which the tile reads them, blocks that fit in the caches, all cores. The method is
 * GotoBLAS's: Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, ACM
 * Transactions on Mathematical Software 34(3), 2008. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/memory.h"
#include "cpu/cpu.h"
#include "cpu/tile.h"
#include "device/pool.h"

/* ---- registers ------------------------------------------------------------------------------- */

/* Computes single elements of C: rows `row` to `rows` - 1, columns `column` to `columns` - 1. */
static void run_rim(const struct gemm *call, size_t row, size_t rows, size_t column, size_t columns)
{
    for (size_t i = row; i < rows; i++)
        for (size_t j = column; j < columns; j++) {
            float sum = 0;
            for (size_t p = 0; p < call->k; p++)
                sum += call->a[i * call->lda + p] * call->b[p * call->ldb + j];
            float *const c = call->c + i * call->ldc + j;
            *c = blend(call->alpha, sum, call->beta, c);
        }
}

/* Better: the sums of a tile of C stay in registers for all of k. An element of A serves a row of
 * the tile, and one of B a column. With AVX-512, 16 loads feed 28 multiply-adds of 16 products
 * each. Still bad: the tile walks down B in steps of a whole row. Each step is on another page, so
 * address translation misses. If rows are a power of two bytes apart, all of them fall into a few
 * sets of the cache and evict each other. */
void run_cpu_register_tile(const struct gemm *call)
{
    const struct cpu_tile *const tile = cpu_tile();
    const size_t whole_rows = call->m / tile->rows * tile->rows;
    const size_t whole_columns = call->n / tile->columns * tile->columns;
    float sums[CPU_TILE_MOST];

    for (size_t column = 0; column < whole_columns; column += tile->columns)
        for (size_t row = 0; row < whole_rows; row += tile->rows) {
            tile->multiply(sums, call->k, call->a + row * call->lda, call->lda, call->b + column,
                           call->ldb);
            tile->store(sums, tile->rows, tile->columns, call->alpha, call->beta,
                        call->c + row * call->ldc + column, call->ldc);
        }
    run_rim(call, 0, whole_rows, whole_columns, call->n);
    run_rim(call, whole_rows, call->m, 0, call->n);
}

/* ---- packed blocks --------------------------------------------------------------------------- */

/* A block of A has BLOCK_ROWS x BLOCK_DEPTH floats (336 KiB), a panel of B has BLOCK_DEPTH x
 * tile->columns (at most 64 KiB). Both fit in the second-level cache, which delivers a tile's 14
 * rows of A and one panel of B as fast as they are used. A block of B, at most 8 MiB, is for the
 * third. */
enum { BLOCK_ROWS = 168, BLOCK_DEPTH = 512, BLOCK_COLUMNS = 4032 };

/* Floats from one packed row of A to the next. If rows were a power of two apart, they would share
 * few sets of the cache. */
enum { PITCH = BLOCK_DEPTH + 16 };

/* Kept from call to call, because each allocation costs page faults and a search for memory. */
static float *packed_b, *packed_a;
static int packed_a_threads; /* packed_a has room for one block per thread */

/* Multiples of every tile's size, plus at least one tile. */
static const size_t packed_a_floats = (BLOCK_ROWS + 16) * PITCH;
static const size_t packed_b_floats = (size_t)(BLOCK_COLUMNS + 32) * BLOCK_DEPTH;

static float *allocate(size_t floats)
{
    struct error error;
    float *const memory = host_allocate(floats * sizeof *memory, &error);

    /* A rung cannot return an error, so the program ends here, with the runner's exit code. */
    if (memory == NULL) {
        fprintf(stderr, "%s\n", error.text);
        exit(EXIT_DEVICE_ERROR);
    }
    return memory;
}

static void make_room(int threads)
{
    if (packed_b == NULL)
        packed_b = allocate(packed_b_floats);
    if (threads > packed_a_threads) {
        free(packed_a);
        packed_a = allocate((size_t)threads * packed_a_floats);
        packed_a_threads = threads;
    }
}

/* Copies rows of A, PITCH apart. Rows after the last, up to the end of its tile, are 0. */
static void pack_a(const struct cpu_tile *tile, float *packed, const float *a, size_t lda,
                   size_t rows, size_t depth)
{
    size_t row = 0;

    for (; row < rows; row++)
        memcpy(packed + row * PITCH, a + row * lda, depth * sizeof *packed);
    for (; row % tile->rows != 0; row++)
        memset(packed + row * PITCH, 0, depth * sizeof *packed);
}

/* Copies columns of B as panels of tile->columns columns, row by row, with 0 after the last. */
static void pack_b(const struct cpu_tile *tile, float *packed, const float *b, size_t ldb,
                   size_t columns, size_t depth)
{
    for (size_t column = 0; column < columns; column += tile->columns) {
        const size_t width = smaller(tile->columns, columns - column);
        for (size_t p = 0; p < depth; p++, packed += tile->columns) {
            memcpy(packed, b + p * ldb + column, width * sizeof *packed);
            memset(packed + width, 0, (tile->columns - width) * sizeof *packed);
        }
    }
}

/* A block of C, and the blocks of A and B whose product is added to it. */
struct block {
    const struct gemm *call;
    size_t column, columns, term, depth;
    int threads;
};

/* Prefetches C's rows, which arrive while the tile is multiplied. They lie too far apart for the
 * hardware's prefetcher. */
static void prefetch_tile(const float *c, size_t ldc, size_t rows, size_t columns)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j += 16)
            __builtin_prefetch(c + i * ldc + j, 0, 2); /* to L2: in L1 the rows may share a set */
}

/* Computes rows of the block of C from packed A and B. The first block along k adds beta * C. */
static void multiply_block(const struct block *block, size_t row, size_t rows, const float *a,
                           size_t first_column, size_t end_column)
{
    const struct gemm *const call = block->call;
    const struct cpu_tile *const tile = cpu_tile();
    const float beta = block->term == 0 ? call->beta : 1;
    float sums[CPU_TILE_MOST];

    for (size_t j = first_column; j < end_column; j += tile->columns)
        for (size_t i = 0; i < rows; i += tile->rows) {
            const size_t height = smaller(tile->rows, rows - i);
            const size_t width = smaller(tile->columns, end_column - j);
            float *const c = call->c + (row + i) * call->ldc + block->column + j;

            prefetch_tile(c, call->ldc, height, width);
            tile->multiply(sums, block->depth, a + i * PITCH, PITCH, packed_b + j * block->depth,
                           tile->columns);
            tile->store(sums, height, width, call->alpha, beta, c, call->ldc);
        }
}

/* The size of equal blocks of at most `most` elements that `count` elements are divided into, a
 * multiple of `granule`. A small last block would cost as many copies as a whole one. */
static size_t block_size(size_t count, size_t most, size_t granule)
{
    const size_t equal = count > 0 ? divided_up(count, divided_up(count, most)) : 1;

    return smaller(divided_up(equal, granule) * granule, most / granule * granule);
}

/* The first of a thread's share of `count` elements, a multiple of `granule` or `count`. */
static size_t share_begin(size_t count, size_t granule, int thread, int threads)
{
    const size_t granules = (count + granule - 1) / granule;
    return smaller(granules * (size_t)thread / (size_t)threads * granule, count);
}

static void pack_share(void *argument, int thread)
{
    const struct block *const block = argument;
    const struct gemm *const call = block->call;
    const struct cpu_tile *const tile = cpu_tile();
    const size_t begin = share_begin(block->columns, tile->columns, thread, block->threads);
    const size_t end = share_begin(block->columns, tile->columns, thread + 1, block->threads);

    pack_b(tile, packed_b + begin * block->depth,
           call->b + block->term * call->ldb + block->column + begin, call->ldb, end - begin,
           block->depth);
}

/* Threads divide the longer side of the block of C. If they divide rows, each packs its own rows of
 * A. If they divide columns, each packs all of A. */
static void multiply_share(void *argument, int thread)
{
    const struct block *const block = argument;
    const struct gemm *const call = block->call;
    const struct cpu_tile *const tile = cpu_tile();
    const bool by_rows = call->m >= block->columns;
    const int parts_m = by_rows ? block->threads : 1, part_m = by_rows ? thread : 0;
    const int parts_n = by_rows ? 1 : block->threads, part_n = by_rows ? 0 : thread;
    const size_t end_row = share_begin(call->m, tile->rows, part_m + 1, parts_m);
    const size_t column = share_begin(block->columns, tile->columns, part_n, parts_n);
    const size_t end_column = share_begin(block->columns, tile->columns, part_n + 1, parts_n);
    float *const a = packed_a + (size_t)thread * packed_a_floats;
    const size_t first_row = share_begin(call->m, tile->rows, part_m, parts_m);
    const size_t step = block_size(end_row - first_row, BLOCK_ROWS, tile->rows);

    for (size_t row = first_row; row < end_row; row += step) {
        const size_t rows = smaller(step, end_row - row);
        pack_a(tile, a, call->a + row * call->lda + block->term, call->lda, rows, block->depth);
        multiply_block(block, row, rows, a, column, end_column);
    }
}

static void run_packed(const struct gemm *call, int threads)
{
    const size_t step = block_size(call->n, BLOCK_COLUMNS, cpu_tile()->columns);
    const size_t depth = block_size(call->k, BLOCK_DEPTH, 1);

    make_room(threads);
    for (size_t column = 0; column < call->n; column += step)
        for (size_t term = 0; term == 0 || term < call->k; term += depth) {
            struct block block = {.call = call,
                                  .column = column,
                                  .columns = smaller(step, call->n - column),
                                  .term = term,
                                  .depth = smaller(depth, call->k - term),
                                  .threads = threads};
            pool_run(threads, pack_share, &block);
            pool_run(threads, multiply_share, &block);
        }
}

/* Better: what the tile reads is contiguous, on few pages, and does not overfill a set of the
 * cache. One copy serves a whole block. Still bad: only one core computes. */
void run_cpu_packed(const struct gemm *call)
{
    run_packed(call, 1);
}

/* Better: all cores compute. They pack a block of B together and share the rows of C. */
void run_cpu_threads(const struct gemm *call)
{
    run_packed(call, call->threads);
}

void prepare_cpu_packed(const struct gemm *call)
{
    (void)call;
    make_room(1);
}

void prepare_cpu_threads(const struct gemm *call)
{
    make_room(call->threads);
}

double depth_cpu_packed(const struct gemm *call)
{
    return (double)smaller(call->k, BLOCK_DEPTH) + (double)(call->k / BLOCK_DEPTH + 1);
}

void how_cpu_threads(const struct gemm *call, char text[RUNG_HOW_SIZE])
{
    snprintf(text, RUNG_HOW_SIZE, "%s, %d thread%s", cpu_tile()->name, call->threads,
             call->threads == 1 ? "" : "s");
}
/* SPDX-License-Identifier: MIT */
