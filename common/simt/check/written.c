#include "check/written.h"

#include <stdlib.h>
#include <string.h>

#include "base/need.h"

/* Ascending. `whole`: one bit per page. */
struct pages {
    uint64_t first;
    size_t count;
    uint8_t *whole;
};
static struct pages *allocations;
static size_t allocation_count, allocation_capacity;

/* The number of entries that begin at or below the page. */
static size_t count_below(uint64_t page)
{
    size_t low = 0, high = allocation_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (allocations[middle].first <= page) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct pages *find(uint64_t page)
{
    size_t count = count_below(page);
    return count && page - allocations[count - 1].first < allocations[count - 1].count
               ? &allocations[count - 1]
               : NULL;
}

static size_t bytes_of(const struct pages *pages)
{
    return (pages->count + 7) / 8;
}

void simt_written_add(uint64_t first, size_t count)
{
    struct pages new = {first, count, simt_needed(calloc((count + 7) / 8, 1), "the checks")};
    size_t at = count_below(first);
    allocations = simt_with_room(allocations, allocation_count, &allocation_capacity,
                                 sizeof *allocations, "the checks");
    memmove(allocations + at + 1, allocations + at, (allocation_count - at) * sizeof *allocations);
    allocations[at] = new;
    allocation_count++;
}

void simt_written_remove(uint64_t first)
{
    struct pages *found = find(first);
    if (found && found->first == first) {
        free(found->whole);
        memmove(found, found + 1,
                (size_t)(allocations + --allocation_count - found) * sizeof *found);
    }
}

bool simt_written_knows(uint64_t page)
{
    return find(page) != NULL;
}

bool simt_written_set(uint64_t page)
{
    struct pages *found = find(page);
    if (found) {
        found->whole[(page - found->first) / 8] |= (uint8_t)(1 << (page - found->first) % 8);
    }
    return found;
}

bool simt_written_get(uint64_t page)
{
    const struct pages *found = find(page);
    return found && found->whole[(page - found->first) / 8] >> (page - found->first) % 8 & 1;
}

void simt_written_set_all(void)
{
    for (size_t i = 0; i < allocation_count; i++) {
        memset(allocations[i].whole, 0xff, bytes_of(&allocations[i]));
    }
}
/* SPDX-License-Identifier: MIT */
