/* The layout of shared memory.
 *
 * Here a __shared__ variable is a thread_local one (cuda_runtime.h). So the compiler, like nvcc,
 * can tell shared from global memory, and knows where the variable is. The linker puts the
 * variables of all kernels into one block. On a GPU a kernel has only its own variables, in the
 * order of declaration. This file finds that layout from the program's symbols. The layout gives
 * the size per kernel, the start of dynamic shared memory, and the banks of each variable.
 *
 * simt_rewrite adds a gap after each declaration: an unused variable, simt_gap_N. An access past
 * the end of an array lands there. Symbols do not tell the alignment of a variable; the size of its
 * gap does. The order of two gaps tells whether the compiler reversed the order of variables.
 *
 * A program without symbols is one variable. If a class has a constructor, even an empty one, the
 * compiler checks at each use whether it has run. The flag for that check (the guard) lies among
 * the variables, but is not one of the program's. */
#include "program/layout.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/need.h"
#include "base/own.h"
#include "cuda/simt.h"
#include "program/elf.h"
#include "program/symbols.h"

/* The library is linked last, so this is the last thread_local variable. An access past the end of
 * shared memory hits it, and not the C library's variables. */
__thread struct simt_own simt_own;

const struct simt_layout *simt_layout;

/* ---- the block of variables ---- */

static int find_block(struct dl_phdr_info *information, size_t size, void *data)
{
    size_t *bytes = data;
    (void)size;
    for (int i = 0; i < information->dlpi_phnum; i++) {
        if (information->dlpi_phdr[i].p_type == PT_TLS) {
            *bytes = (size_t)((char *)&simt_own - (char *)information->dlpi_tls_data);
        }
    }
    return 1; /* the first entry is the program */
}

char *simt_static_shared(size_t *size)
{
    static size_t known; /* the same in every thread */
    static bool looked;
    if (!looked) {
        dl_iterate_phdr(find_block, &known);
        looked = true;
    }
    *size = known;
    return (char *)&simt_own - known;
}

/* ---- alignments, and the order of declarations ---- */

/* The length of the name up to the variable's own name: _ZZ1kPfE in _ZZ1kPfE10simt_gap_7. */
static size_t scope_of(const struct simt_symbol *gap, size_t *number)
{
    const char *at = strstr(gap->name, SIMT_GAP_NAME);
    *number = strtoul(at + strlen(SIMT_GAP_NAME), NULL, 10);
    while (at > gap->name && at[-1] >= '0' && at[-1] <= '9') {
        at--;
    }
    return (size_t)(at - gap->name);
}

/* Whether the variable declared first has the highest address. */
static bool is_reversed(void)
{
    for (size_t i = 1; i < simt_symbols.gap_count; i++) {
        size_t number, before;
        const struct simt_symbol *gap = &simt_symbols.gaps[i];
        const size_t length = scope_of(gap, &number);
        if (length == scope_of(gap - 1, &before) && strncmp(gap->name, gap[-1].name, length) == 0) {
            return number < before;
        }
    }
    return false;
}

static bool reversed;

/* The alignment that the variable's gap encodes; without a gap, a guess from offset and size. */
static size_t alignment_of(const struct simt_symbol *variable)
{
    const size_t end = variable->offset + variable->size, most = 16;
    const struct simt_symbol *gap =
        simt_symbol_below(simt_symbols.gaps, simt_symbols.gap_count, end);
    size_t alignment = 1, number;
    if (!reversed && gap && gap->offset < end) {
        gap++;
    } else if (!reversed && !gap) {
        gap = simt_symbols.gaps;
    } else if (reversed && gap && gap->offset == end) {
        gap = gap > simt_symbols.gaps ? gap - 1 : NULL;
    }
    if (gap && gap < simt_symbols.gaps + simt_symbols.gap_count &&
        strncmp(gap->name, variable->name, scope_of(gap, &number)) == 0 &&
        gap->size >= SIMT_GAP_BYTES) {
        return (size_t)1 << (gap->size - SIMT_GAP_BYTES) / SIMT_GAP_UNIT % 32;
    }
    while (alignment < most && (variable->offset | variable->size) % (2 * alignment) == 0) {
        alignment *= 2;
    }
    return alignment;
}

/* ---- layouts ---- */

/* The text that the names of a function's variables begin with; "" if the function is unknown. */
static void prefix_of(const void *function, char *prefix, size_t size)
{
    const struct simt_symbol *kernel = simt_symbol_of_function(function);
    int length;
    prefix[0] = '\0';
    if (!kernel) {
        return;
    }
    length = strncmp(kernel->name, "_Z", 2) == 0
                 ? snprintf(prefix, size, "_ZZ%sE", kernel->name + 2)
                 : snprintf(prefix, size, "_ZZ%zu%sE", strlen(kernel->name), kernel->name);
    if (length < 0 || (size_t)length >= size) {
        prefix[0] = '\0';
    }
}

/* Also true for variables of the function's lambdas: _ZZZ1kvENKUlvE_clEvE1s. */
static bool begins_with(const char *name, const char *prefix)
{
    const size_t length = strlen(prefix); /* prefix begins with _ZZ */
    const char *at = name + 1;
    if (length == 0 || strncmp(name, "_ZZ", 3) != 0) {
        return false;
    }
    while (at[2] == 'Z') {
        at++;
    }
    return strncmp(at, prefix + 1, length - 1) == 0;
}

static void place(struct simt_layout *layout, const struct simt_symbol *variable, bool own)
{
    layout->placed[layout->count++] = (struct simt_placed){.at = variable->offset,
                                                           .size = variable->size,
                                                           .own = own,
                                                           .guard = variable->guard,
                                                           .name = variable->name};
}

/* Places the variables one after the other, in the order of declaration. */
static size_t lay_out(struct simt_layout *layout, bool own)
{
    size_t end = 0;
    for (size_t i = 0; i < layout->count; i++) {
        struct simt_placed *placed = &layout->placed[reversed ? layout->count - 1 - i : i];
        if (placed->own == own && !placed->guard) {
            const size_t alignment = alignment_of(
                &(struct simt_symbol){placed->at, placed->size, placed->name, placed->guard});
            placed->offset = end = (end + alignment - 1) / alignment * alignment;
            end += placed->size;
        }
    }
    return end;
}

static void find_span(struct simt_layout *layout)
{
    for (size_t i = 0; i < layout->count; i++) {
        const struct simt_placed *placed = &layout->placed[i];
        if (placed->own && layout->own_end == 0) {
            layout->own_begin = placed->at;
        }
        if (placed->own) {
            layout->own_end = placed->at + placed->size;
        }
    }
}

static struct simt_layout *new_layout(const void *function)
{
    struct simt_layout *layout = simt_needed(calloc(1, sizeof *layout), "shared memory's layout");
    char prefix[1024], enclosing[256];
    size_t bytes;
    simt_static_shared(&bytes);
    simt_symbols_read();
    reversed = is_reversed();
    layout->function = function;
    layout->placed = simt_needed(calloc(simt_symbols.variable_count + 1, sizeof *layout->placed),
                                 "shared memory's layout");
    prefix_of(function, prefix, sizeof prefix);
    for (size_t i = 0; i < simt_symbols.variable_count; i++) {
        const struct simt_symbol *variable = &simt_symbols.variables[i];
        const bool own = begins_with(variable->name, prefix);
        simt_enclosing_function(variable->name, enclosing, sizeof enclosing);
        if (variable->offset < bytes && /* the libraries' variables follow */
            (own || variable->guard || !prefix[0] || !simt_is_kernel_name(enclosing))) {
            place(layout, variable, own);
        }
    }
    if (simt_symbols.variable_count == 0) {
        struct simt_symbol all = {0, 0, "", false};
        simt_static_shared(&all.size);
        if (all.size > 0) {
            place(layout, &all, false);
        }
    }
    layout->own_bytes = lay_out(layout, true);
    lay_out(layout, false);
    find_span(layout);
    return layout;
}

const struct simt_layout *simt_layout_of(const void *function)
{
    static struct simt_layout *first;
    struct simt_layout **link = &first, *found;
    while (*link && (*link)->function != function) {
        link = &(*link)->next;
    }
    found = *link ? *link : new_layout(function);
    *link = found == *link ? found->next : NULL;
    found->next = first; /* move to front: the latest request comes first */
    first = found;
    return found;
}

void simt_layout_start_launch(const void *function)
{
    simt_layout = simt_layout_of(function);
}

/* ---- the variable at an address ---- */

const struct simt_placed *simt_placed_below(uint64_t address)
{
    static const struct simt_placed *last;
    static const struct simt_layout *of;
    size_t bytes, low = 0, high;
    const uint64_t at = address - (uintptr_t)simt_static_shared(&bytes);
    if (at >= bytes + sizeof simt_own || !simt_layout) {
        return NULL;
    }
    if (of == simt_layout && at - last->at < last->size) {
        return last;
    }
    for (high = simt_layout->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (simt_layout->placed[middle].at <= at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) {
        return NULL;
    }
    of = simt_layout;
    last = &simt_layout->placed[low - 1];
    return last;
}

bool simt_shared_range(uint64_t address, struct simt_range *range)
{
    size_t bytes;
    const uint64_t base = (uintptr_t)simt_static_shared(&bytes), at = address - base;
    const struct simt_placed *placed = simt_placed_below(address);
    if (at >= bytes + sizeof simt_own) {
        return false;
    }
    *range = (struct simt_range){address, 1, SPACE_SHARED, true};
    if (placed && at - placed->at < placed->size) {
        *range = (struct simt_range){base + placed->at, placed->size,
                                     placed->guard ? SPACE_LOCAL : SPACE_SHARED, false};
    }
    return true;
}

bool simt_shared_describe(uint64_t address, char *text, size_t size)
{
    size_t bytes;
    const uint64_t at = address - (uintptr_t)simt_static_shared(&bytes);
    const struct simt_placed *placed = simt_placed_below(address);
    char name[64];
    if (!placed || !placed->name[0]) {
        return false;
    }
    simt_plain_name(placed->name, name, sizeof name);
    if (at - placed->at < placed->size) {
        snprintf(text, size, "it begins in %s, %zu bytes, and ends past it", name, placed->size);
    } else {
        snprintf(text, size, "%zu bytes past the end of %s, which has %zu bytes",
                 (size_t)(at - placed->at) - placed->size, name, placed->size);
    }
    return true;
}

bool simt_shared_name(uint64_t address, char *text, size_t size)
{
    size_t bytes;
    const struct simt_placed *placed = simt_placed_below(address);
    if (!placed || !placed->name[0] || address - (uintptr_t)simt_static_shared(&bytes) >= bytes) {
        return false;
    }
    simt_plain_name(placed->name, text, size);
    return true;
}
/* SPDX-License-Identifier: MIT */
