/* Shared memory as on an H200 (driver 580, CUDA 13.0). Bank conflicts of 64 patterns, for loads and
 * stores of 4, 8 and 16 bytes (l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{ld,st}.sum of one
 * instruction). Sectors of atomics. Places from which wgmma reads the tiles of its descriptors,
 * found by multiplying distinct numbers by 1. */
#include <stdio.h>
#include <stdlib.h>

#include "cmocka_all.h"
#include "count/wavefronts.h"
#include "machine/wgmma_tiles.h"
#include "simt.h"

static void test_h200(void **state)
{
    char line[1024];
    int conflicts[6], used, count = 0;
    FILE *file = fopen(BANKS_FILE, "r");
    (void)state;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        uint64_t addresses[SIMT_WARP_SIZE] = {0};
        unsigned int lanes = 0, wavefronts, counted;
        char *rest;
        assert_int_equal(sscanf(line, "%d %d %d %d %d %d,%n", &conflicts[0], &conflicts[1],
                                &conflicts[2], &conflicts[3], &conflicts[4], &conflicts[5], &used),
                         6);
        for (unsigned int i = 0; i < 6; i++, count++) {
            const unsigned int size = 4u << i / 2;
            lanes = 0;
            rest = line + used;
            for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
                long element = strtol(rest, &rest, 10);
                lanes |= (unsigned int)(element >= 0) << lane;
                addresses[lane] = 4096 + (uint64_t)(element >= 0 ? element : 0) * size;
            }
            simt_count_banks(i % 2, size, lanes, addresses, &wavefronts, &counted);
            if ((int)counted != conflicts[i]) {
                fail_msg("%u conflicts instead of %d, %u bytes: %s", counted, conflicts[i], size,
                         line);
            }
        }
    }
    fclose(file);
    assert_int_equal(count, 384);
}

/* The same wavefronts as rungs and textbook programs in docs/results/counters_h200.csv have. */
static void test_wavefronts_of_pairs(void **state)
{
    static const struct {
        unsigned int size, lanes_on_one, store, wavefronts;
    } cases[] = {
        {4, 1, 0, 1},  {8, 1, 0, 2},  {16, 1, 0, 4},  {8, 2, 0, 1},  {16, 2, 0, 2},
        {16, 4, 0, 2}, {8, 32, 0, 1}, {16, 32, 0, 2}, {16, 2, 1, 4}, {8, 2, 1, 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t addresses[SIMT_WARP_SIZE];
        unsigned int wavefronts, conflicts;
        for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
            addresses[lane] = 4096 + (uint64_t)(lane / cases[i].lanes_on_one) * cases[i].size;
        }
        simt_count_banks(cases[i].store, cases[i].size, ~0u, addresses, &wavefronts, &conflicts);
        assert_int_equal(wavefronts, cases[i].wavefronts);
        assert_int_equal(conflicts, 0);
    }
}

/* Sectors of atom.add and red.add, .f32, .v2.f32 and .v4.f32. Lane l is at (l * step) % wrap
 * (l1tex__t_sectors_pipe_lsu_mem_global_op_{atom,red}.sum). */
static void test_sectors_of_atomics(void **state)
{
    static const struct {
        unsigned int size, step, wrap, sectors;
    } cases[] = {
        {4, 4, 65536, 4},   {4, 0, 1, 32},        {4, 4, 8, 16},       {4, 128, 65536, 32},
        {4, 32, 65536, 32}, {4, 8, 65536, 8},     {4, 4, 64, 4},       {8, 8, 65536, 8},
        {8, 0, 1, 32},      {8, 8, 16, 16},       {8, 128, 65536, 32}, {8, 32, 65536, 32},
        {8, 16, 65536, 16}, {8, 8, 128, 8},       {16, 16, 65536, 16}, {16, 0, 1, 32},
        {16, 16, 32, 16},   {16, 128, 65536, 32}, {16, 32, 65536, 32}, {16, 16, 256, 16},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct simt_site site = {0};
        uint64_t addresses[SIMT_WARP_SIZE];
        for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
            addresses[lane] = 4096 + lane * cases[i].step % cases[i].wrap;
        }
        simt_count_access(&site, SPACE_GLOBAL, EVENT_ATOMIC, cases[i].size, ~0u, addresses);
        assert_int_equal(site.counters.access[SIMT_GLOBAL_ATOMIC].requests, 1);
        assert_int_equal(site.counters.access[SIMT_GLOBAL_ATOMIC].units, cases[i].sectors);
    }
}

/* Each chunk belongs to the tile and lies within its bounds. */
static void check_chunks(struct simt_tile *tile)
{
    simt_tile_bound(tile);
    for (unsigned int chunk = 0; chunk < simt_tile_chunks(tile); chunk++) {
        unsigned int row, k;
        const uint32_t offset = simt_tile_chunk(tile, chunk, &row, &k);
        assert_true(offset >= tile->low && offset + SIMT_TILE_CHUNK - 1 <= tile->high);
        assert_true(simt_tile_has(tile, offset));
        assert_true(simt_tile_has(tile, offset + SIMT_TILE_CHUNK - 1));
    }
    assert_false(simt_tile_has(tile, tile->high + 1));
}

/* Checks the first chunks of half-precision tiles: 64 rows of A or 16 columns of B. `rest` points
 * to the expected tiles in a line of the file. */
static int check_tiles(const char *line, char operand, int transposed, unsigned int span,
                       unsigned int lead, unsigned int stride, char *rest)
{
    const uint64_t mode = span == 128 ? 1 : span == 64 ? 2 : span == 32 ? 3 : 0;
    int count = 0;
    for (; *rest == ','; count++) {
        const unsigned long start = strtoul(rest + 1, &rest, 10), base = strtoul(rest, &rest, 10);
        struct simt_tile tile;
        assert_null(simt_tile_read(&tile, start / 16 | (uint64_t)(lead / 16) << 16 |
                                              (uint64_t)(stride / 16) << 32 | (uint64_t)base << 49 |
                                              mode << 62));
        tile.type = SIMT_PTX_F16;
        tile.rows = operand == 'a' ? 64 : 16;
        tile.depth = 16;
        tile.transposed = transposed;
        for (unsigned int chunk = 0; chunk < 24; chunk++) {
            const long address = strtol(rest, &rest, 10);
            unsigned int row, k;
            if (simt_tile_chunk(&tile, chunk, &row, &k) != address) {
                fail_msg("chunk %u at %u, start %lu: %s", chunk,
                         simt_tile_chunk(&tile, chunk, &row, &k), start, line);
            }
        }
        check_chunks(&tile);
        for (tile.rows = 8; operand == 'b' && tile.rows <= 256; tile.rows *= 4) {
            check_chunks(&tile);
        }
    }
    return count;
}

static void test_tiles(void **state)
{
    static char line[1 << 14];
    char operand;
    int transposed, count = 0, used;
    unsigned int span, lead, stride;
    FILE *file = fopen(TILES_FILE, "r");
    (void)state;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        assert_int_equal(
            sscanf(line, "%c,%d,%u,%u,%u%n", &operand, &transposed, &span, &lead, &stride, &used),
            5);
        count += check_tiles(line, operand, transposed, span, lead, stride, line + used);
    }
    fclose(file);
    assert_true(count >= 300 && count <= 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_h200),
        cmocka_unit_test(test_wavefronts_of_pairs),
        cmocka_unit_test(test_sectors_of_atomics),
        cmocka_unit_test(test_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
