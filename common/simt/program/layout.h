/* The layout of a kernel's shared memory: which of the program's variables it has, and their
 * offsets on a GPU. */
#ifndef SIMT_LAYOUT_H
#define SIMT_LAYOUT_H

#include "base/space.h"

/* A variable: its place in the program's block (`at`), and on the GPU (`offset`). */
struct simt_placed {
    size_t at, size;
    size_t offset; /* from the first variable of the kernel, or of other functions */
    bool own;      /* the kernel's own, not one of a function that it may call */
    bool guard;    /* a guard (elf.h), not a variable of the program */
    const char *name;
};

/* Sorted by `at`. Variables of other kernels are left out. */
struct simt_layout {
    const void *function;
    struct simt_placed *placed;
    size_t count;
    size_t own_bytes;          /* size of the kernel's variables on a GPU, with padding */
    size_t own_begin, own_end; /* their range here */
    struct simt_layout *next;
};

/* The layout of a kernel, given its address. */
const struct simt_layout *simt_layout_of(const void *function);

/* Called when a launch of the kernel begins. */
void simt_layout_start_launch(const void *function);
extern const struct simt_layout *simt_layout;

/* The program's static shared memory in the calling thread. */
char *simt_static_shared(size_t *size);
/* The last variable that begins at or before the address. NULL if there is none, or if the address
 * is not in the block. */
const struct simt_placed *simt_placed_below(uint64_t address);

bool simt_shared_range(uint64_t address, struct simt_range *range);
/* Writes which variable an out-of-bounds address follows. False if no variable of static shared
 * memory precedes it. */
bool simt_shared_describe(uint64_t address, char *text, size_t size);
/* Writes the variable's name. */
bool simt_shared_name(uint64_t address, char *text, size_t size);

#endif
/* SPDX-License-Identifier: MIT */
