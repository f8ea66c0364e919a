#include "model/spaces.h"

#include <stdlib.h>
#include <string.h>

#include "base/need.h"
#include "cuda/simt.h"
#include "machine/shared.h"
#include "memory/heap.h"
#include "memory/memory.h"
#include "program/layout.h"
#include "program/symbols.h"

/* __constant__ variables, added by simt_constant. */
static struct simt_range *constants;
static size_t constant_count;

/* The program's own code and data. */
static struct simt_range image_range(void)
{
    extern const char __executable_start[], _end[];
    return (struct simt_range){(uintptr_t)__executable_start, (size_t)(_end - __executable_start),
                               SPACE_GLOBAL, false};
}

bool simt_in_program(uint64_t address)
{
    const struct simt_range image = image_range();
    return simt_in_range(&image, address);
}

int simt_constant(const void *address, size_t size)
{
    constants =
        simt_needed(realloc(constants, (constant_count + 1) * sizeof *constants), "the checks");
    constants[constant_count++] =
        (struct simt_range){(uintptr_t)address, size, SPACE_CONSTANT, false};
    return 0;
}

/* The constant at the address, or the range between two constants around it. */
static struct simt_range find_in_image(uint64_t address)
{
    const struct simt_range image = image_range();
    uint64_t from = image.base, to = image.base + image.size;
    for (size_t i = 0; i < constant_count; i++) {
        uint64_t end = constants[i].base + constants[i].size;
        if (simt_in_range(&constants[i], address)) {
            return constants[i];
        }
        from = end <= address && end > from ? end : from;
        to = constants[i].base > address && constants[i].base < to ? constants[i].base : to;
    }
    return (struct simt_range){from, (size_t)(to - from), SPACE_GLOBAL, false};
}

/* Past the end of a variable: whether that variable is a constant. */
static bool is_behind_constant(uint64_t address)
{
    struct simt_range range;
    while (simt_data_range(--address, &range) && range.illegal) {
    }
    return find_in_image(address).space == SPACE_CONSTANT;
}

static struct simt_range find_range(uint64_t address)
{
    struct simt_range found;
    if (simt_machine_range(address, &found) || simt_memory_range(address, &found) ||
        simt_shared_range(address, &found)) {
        return found;
    }
    if (simt_in_program(address)) {
        found = find_in_image(address);
        if (found.space != SPACE_CONSTANT && simt_data_range(address, &found) && found.illegal &&
            is_behind_constant(address)) {
            found.space = SPACE_CONSTANT;
        }
        return found;
    }
    return (struct simt_range){address, 1, SPACE_HOST, false};
}

/* Also works in a launch that is not analysed. */
static bool is_in(const void *address, enum simt_space space)
{
    return !simt_in_shared(address) && find_range((uintptr_t)address).space == space;
}

bool simt_is_global(const void *address)
{
    return is_in(address, SPACE_GLOBAL) || is_in(address, SPACE_CONSTANT);
}

bool simt_is_constant(const void *address)
{
    return is_in(address, SPACE_CONSTANT);
}

bool simt_is_local(const void *address)
{
    return is_in(address, SPACE_LOCAL);
}

/* The ranges used last. Allocations change only between launches. */
enum { RANGES_KEPT = 8 };
static struct simt_range ranges[RANGES_KEPT];
static unsigned int next_range;

const struct simt_range *simt_range_of(uint64_t address)
{
    for (unsigned int i = 0; i < RANGES_KEPT; i++) {
        if (simt_in_range(&ranges[i], address)) {
            return &ranges[i];
        }
    }
    next_range = (next_range + 1) % RANGES_KEPT;
    ranges[next_range] = find_range(address);
    return &ranges[next_range];
}

void simt_ranges_forget(void)
{
    memset(ranges, 0, sizeof ranges);
}
/* SPDX-License-Identifier: MIT */
