/* The counters of a kernel, and how they are printed. */
#ifndef SIMT_COUNTED_H
#define SIMT_COUNTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cuda/simt_analysis.h"

struct simt_place_counters {
    uint32_t place;
    struct simt_line_counters counters;
};

struct simt_kernel_counters {
    const char *name, *file;
    int line;
    const void *function;
    uint64_t launches, blocks, threads;
    struct simt_line_counters totals;
    struct simt_place_counters *places;
    size_t place_count, place_capacity;
};

struct simt_counted_line {
    const char *file;
    int number;
    struct simt_line_counters counters;
};

/* The kernel's lines in order; the caller frees them. */
struct simt_counted_line *simt_counted_lines(const struct simt_kernel_counters *kernel,
                                             size_t *count);

static inline bool simt_is_shared(int access)
{
    return access >= SIMT_SHARED_LOAD && access <= SIMT_SHARED_ATOMIC;
}

/* tables.c: the table; and the source with the counts beside each line. */
void simt_print_kernel(FILE *file, const struct simt_kernel_counters *kernel);
void simt_print_listing(FILE *file, const struct simt_kernel_counters *kernel);
/* json.c */
void simt_print_json(FILE *file, const struct simt_kernel_counters *kernels, size_t count);

#endif
/* SPDX-License-Identifier: MIT */
