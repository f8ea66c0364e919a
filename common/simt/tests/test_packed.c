/* Shadow memory cells are unchanged after packing and unpacking. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"

#include "check/packed.h"

enum { WORDS = SIMT_PAGE_BYTES / 4 };

static struct simt_cell cells[SIMT_PAGE_BYTES];

static struct simt_cell cell_of(uint32_t writer, uint32_t reader, uint16_t site)
{
    return (struct simt_cell){.writer = writer, .reader = reader, .reader_site = site};
}

/* Whether the cells can be packed. If so, unpacking must restore them. */
static bool comes_back(size_t count)
{
    static struct simt_cell back[SIMT_PAGE_BYTES];
    struct simt_packed *packed = simt_cells_pack(cells, count);
    if (!packed) {
        return false;
    }
    memset(back, 0xff, sizeof back);
    simt_cells_unpack(packed, back);
    free(packed);
    assert_memory_equal(back, cells, count * sizeof *cells);
    for (size_t i = count; i < SIMT_PAGE_BYTES; i++) {
        assert_int_equal(back[i].flags, 0xffff);
    }
    return true;
}

/* Patterns of kernels: one word per lane, vectors, rows of tiles, transposed, a single reader. */
static void test_patterns(void **state)
{
    (void)state;
    memset(cells, 0, sizeof cells);
    assert_true(comes_back(WORDS));
    assert_true(comes_back(SIMT_PAGE_BYTES));
    for (uint32_t words = 1; words <= 64; words *= 2) {
        for (uint32_t step = 0; step <= 2048; step = 2 * step + 1) {
            for (uint32_t i = 0; i < WORDS; i++) {
                cells[i] = cell_of(7000 + i / words * step, 5000 - i / words, 3);
            }
            assert_true(comes_back(WORDS));
        }
    }
    for (uint32_t row = 16; row <= 512; row *= 2) {
        for (uint32_t i = 0; i < WORDS; i++) {
            cells[i] =
                cell_of(i / row * 1024 + i % row, i % row * 1024 + i / row, (uint16_t)(i / row));
        }
        assert_true(comes_back(WORDS));
    }
}

/* Packing keeps every different tag, site and flag. Cells without a pattern are not packed. */
static void test_differences(void **state)
{
    (void)state;
    srand(1);
    for (unsigned int i = 0; i < 4000; i++) {
        const size_t count = i % 2 ? WORDS : SIMT_PAGE_BYTES;
        for (uint32_t j = 0; j < count; j++) {
            cells[j] = cell_of(100 + j / 4, UINT32_MAX - 600 + j, 9);
        }
        for (unsigned int changes = i % 20; changes > 0; changes--) {
            /* any bit of any cell, often near the ends */
            size_t j = (size_t)rand() % (rand() % 2 ? 4 : count), bit = (size_t)rand() % 256;
            ((unsigned char *)&cells[rand() % 2 ? j : count - 1 - j])[bit / 8] ^=
                (unsigned char)(1u << bit % 8);
        }
        assert_true(comes_back(count));
    }
    for (uint32_t j = 0; j < WORDS; j++) {
        cells[j] = cell_of((uint32_t)rand(), (uint32_t)rand(), (uint16_t)rand());
    }
    assert_false(comes_back(WORDS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_patterns),
                                       cmocka_unit_test(test_differences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
