/* How a kernel's shared memory is laid out: which of the program's variables it has, and where they
 * are on a GPU. */
#ifndef SIMT_LAYOUT_H
#define SIMT_LAYOUT_H

#include "base/space.h"

/* A variable: where it is in the program's block of them, and on the GPU. */
struct simt_placed {
    size_t at, size;
    size_t offset; /* from where the kernel's variables begin, or those of other functions */
    bool own;      /* the kernel's, and not that of a function that it may call */
    bool guard;    /* no variable of the program's */
    const char *name;
};

/* By `at`; none of another kernel. */
struct simt_layout {
    const void *function;
    struct simt_placed *placed;
    size_t count;
    size_t own_bytes;          /* what the kernel's take on a GPU, with what lies between them */
    size_t own_begin, own_end; /* where they are here */
    struct simt_layout *next;
};

/* That of a kernel, by its address. */
const struct simt_layout *simt_layout_of(const void *function);

/* A launch of the kernel begins. */
void simt_layout_start_launch(const void *function);
extern const struct simt_layout *simt_layout;

/* The program's static shared memory, in the thread that calls. */
char *simt_static_shared(size_t *size);
/* The variable that begins at the address or is the last before it; NULL if there is none, or the
 * address lies elsewhere. */
const struct simt_placed *simt_placed_below(uint64_t address);

bool simt_shared_range(uint64_t address, struct simt_range *range);
/* Says which variable an address that is out of bounds comes after; false if it is none of static
 * shared memory's. */
bool simt_shared_describe(uint64_t address, char *text, size_t size);
/* Its name. */
bool simt_shared_name(uint64_t address, char *text, size_t size);

#endif
/* SPDX-License-Identifier: MIT */
