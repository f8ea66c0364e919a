#include "check/packed.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The tags are a cell's first words. */
enum { TAGS = offsetof(struct simt_cell, writer_site) / sizeof(uint32_t) };

/* Cells that differ from the first one only in their tags. After `lead` cells, and then every
 * `repeat` cells, a tag grows by its step. Loads of a word per lane have steps of 1 and no
 * repetition. Loads of float4 have repetitions of 4, and columns have larger steps. */
struct run {
    struct simt_cell first;
    uint32_t steps[TAGS];
    uint16_t leads[TAGS], repeats[TAGS], count;
};

struct simt_packed {
    size_t runs;
    struct run run[];
};

static uint32_t tag_of(const struct simt_cell *cell, unsigned int tag)
{
    uint32_t value;
    memcpy(&value, (const char *)cell + tag * sizeof value, sizeof value);
    return value;
}

/* How many cells, at most `count`, have this tag of the first. */
static size_t equal(const struct simt_cell *cells, size_t count, unsigned int tag)
{
    const uint32_t first = tag_of(cells, tag);
    size_t i = 1;
    while (i < count && tag_of(&cells[i], tag) == first) {
        i++;
    }
    return i;
}

/* How many cells, at most `count`, continue the pattern of the first ones for this tag. */
static size_t follow(const struct simt_cell *cells, size_t count, unsigned int tag, struct run *run)
{
    uint32_t expected = tag_of(cells, tag);
    size_t i = equal(cells, count, tag), second, left;
    run->repeats[tag] = run->leads[tag] = (uint16_t)i;
    if (i == count) {
        return count;
    }
    run->steps[tag] = tag_of(&cells[i], tag) - expected;
    second = equal(&cells[i], count - i, tag);
    run->repeats[tag] = (uint16_t)(second > i ? second : i); /* the first may have begun before */
    for (left = 0; i < count; i++, left--) {
        if (left == 0) {
            expected += run->steps[tag];
            left = run->repeats[tag];
        }
        if (tag_of(&cells[i], tag) != expected) {
            break;
        }
    }
    return i;
}

static bool are_alike(const struct simt_cell *a, const struct simt_cell *b)
{
    const size_t tags = TAGS * sizeof(uint32_t);
    return memcmp((const char *)a + tags, (const char *)b + tags, sizeof *a - tags) == 0;
}

/* The longest run that starts here. */
static struct run run_at(const struct simt_cell *cells, size_t count)
{
    struct run run = {.first = cells[0]};
    size_t length = 1;
    while (length < count && are_alike(&cells[length], &cells[0])) {
        length++;
    }
    for (unsigned int tag = 0; tag < TAGS; tag++) {
        length = follow(cells, length, tag, &run);
    }
    run.count = (uint16_t)length;
    return run;
}

struct simt_packed *simt_cells_pack(const struct simt_cell *cells, size_t count)
{
    struct run runs[256];
    const size_t room = sizeof runs / sizeof *runs, most = count * sizeof *cells / sizeof *runs / 4;
    struct simt_packed *packed;
    size_t used = 0;
    for (size_t i = 0; i < count; i += runs[used - 1].count) {
        if (used == room || used == most) {
            return NULL;
        }
        runs[used++] = run_at(cells + i, count - i);
    }
    packed = malloc(sizeof *packed + used * sizeof *runs);
    if (packed) {
        packed->runs = used;
        memcpy(packed->run, runs, used * sizeof *runs);
    }
    return packed;
}

static void unpack_run(const struct run *run, struct simt_cell *cells)
{
    for (unsigned int i = 0; i < run->count; i++) {
        cells[i] = run->first;
    }
    for (unsigned int tag = 0; tag < TAGS; tag++) {
        uint32_t value = tag_of(&run->first, tag);
        for (unsigned int i = run->leads[tag], left = 0; i < run->count; i++, left--) {
            if (left == 0) {
                value += run->steps[tag];
                left = run->repeats[tag];
            }
            memcpy((char *)&cells[i] + tag * sizeof value, &value, sizeof value);
        }
    }
}

void simt_cells_unpack(const struct simt_packed *packed, struct simt_cell *cells)
{
    for (size_t i = 0; i < packed->runs; i++) {
        unpack_run(&packed->run[i], cells);
        cells += packed->run[i].count;
    }
}
/* SPDX-License-Identifier: MIT */
