#include "check/used.h"

#include <stdlib.h>

#include "base/need.h"
#include "check/pages.h"

bool simt_used_is_noted;

static struct simt_page **noted; /* pages with noted rows */
static size_t noted_count, noted_capacity;

static void forget_noted(void)
{
    for (size_t i = 0; i < noted_count; i++) {
        noted[i]->read = noted[i]->stored = 0;
    }
    noted_count = 0;
}

void simt_used_begin(void)
{
    forget_noted();
    simt_used_is_noted = true;
}

static void add(struct simt_page *page, uint32_t read, uint32_t stored)
{
    if (!page->read && !page->stored) {
        noted = simt_with_room(noted, noted_count, &noted_capacity, sizeof *noted, "repeats");
        noted[noted_count++] = page;
    }
    page->read |= read;
    page->stored |= stored;
}

void simt_used_add(struct simt_page *page, uint32_t rows, enum simt_event_kind kind)
{
    if (page->shared) {
        return; /* lost when the block ends */
    }
    if (kind == EVENT_LOAD) {
        add(page, rows, 0);
    } else if (kind == EVENT_STORE) {
        add(page, 0, rows);
    } else if (kind == EVENT_ATOMIC) {
        add(page, rows, rows);
    } else {
        simt_not_repeatable();
    }
}

void simt_note_constant(uint64_t address, unsigned int size)
{
    if (simt_used_is_noted) {
        simt_used_add(simt_page_get(address),
                      simt_rows_of((unsigned int)(address % SIMT_PAGE_BYTES), size), EVENT_LOAD);
    }
}

/* ---- blocks that another process runs ---- */

struct told {
    uint64_t number;
    uint32_t read, stored;
};

void simt_used_part_ends(struct simt_part *part)
{
    const bool repeatable = simt_is_repeatable;
    simt_part_put(part, &repeatable, sizeof repeatable);
    simt_part_put(part, &noted_count, sizeof noted_count);
    for (size_t i = 0; i < noted_count; i++) {
        const struct told told = {noted[i]->number, noted[i]->read, noted[i]->stored};
        simt_part_put(part, &told, sizeof told);
    }
}

void simt_used_part_take(struct simt_part *part)
{
    bool repeatable;
    size_t count;
    simt_part_get(part, &repeatable, sizeof repeatable);
    simt_part_get(part, &count, sizeof count);
    simt_is_repeatable = simt_is_repeatable && repeatable;
    for (size_t i = 0; i < count; i++) {
        struct told told;
        simt_part_get(part, &told, sizeof told);
        add(simt_page_get(told.number << SIMT_PAGE_SHIFT), told.read, told.stored);
    }
}

/* ---- recorded pages ---- */

static int by_address(const void *left, const void *right)
{
    const uint64_t a = (*(struct simt_page *const *)left)->number;
    const uint64_t b = (*(struct simt_page *const *)right)->number;
    return (a > b) - (a < b);
}

struct simt_page *const *simt_used_pages(size_t *count)
{
    if (noted_count > 0) {
        qsort(noted, noted_count, sizeof *noted, by_address);
    }
    *count = noted_count;
    return noted;
}

void simt_used_end(void)
{
    simt_used_is_noted = false;
    forget_noted();
}
/* SPDX-License-Identifier: MIT */
