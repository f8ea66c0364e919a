/* Asynchronous copies in bulk, shared by bulk.c and tensor_copies.c. */
#ifndef SIMT_BULK_H
#define SIMT_BULK_H

#include "machine/ptx.h"
#include "observe/observer.h"

struct simt_bulk_piece {
    char *to;
    const char *from; /* NULL: zeros */
    unsigned int size;
    bool beyond; /* the last columns of a tensor, which is stored to nevertheless */
};

struct simt_bulk_copy {
    struct simt_bulk_copy *next;
    const char *name, *file;
    int line;
    unsigned int thread, number;   /* of the program's copies */
    const void *caller;            /* where it stands */
    struct simt_mbarrier *barrier; /* NULL: it belongs to a group of its thread */
    size_t group;
    bool is_read;
    enum simt_bulk_way way;
    /* If it reduces: by this operation, on numbers of this type. */
    enum simt_atomic operation;
    unsigned int type; /* simt_ptx_type */
    /* If it stores to a tensor: so many bytes behind its rows. */
    unsigned int beyond;
    /* If it loads a tensor: NaNs for zeros; floats are rounded to TF32. If it adds to one: without
     * subnormal numbers. */
    bool fills, rounds, flushes;
    size_t count;
    struct simt_bulk_piece pieces[];
};

struct simt_bulk_copy *simt_bulk_new(const char *name, size_t count, const void *caller,
                                     const char *file, int line);
long simt_bulk_bytes(const struct simt_bulk_copy *copy);
/* The pieces are known: the copy begins. */
void simt_bulk_start_load(struct simt_bulk_copy *copy, struct simt_mbarrier *barrier);
void simt_bulk_start_store(struct simt_bulk_copy *copy);
/* reduce.c: all its pieces; what is there afterwards of one number. */
void simt_bulk_make(const struct simt_bulk_copy *copy);
uint64_t simt_combined(enum simt_atomic operation, unsigned int type, uint64_t old,
                       uint64_t operand);

#endif
/* SPDX-License-Identifier: MIT */
