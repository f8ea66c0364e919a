/* Asynchronous bulk copies: shared by bulk.c and tensor_copies.c. */
#ifndef SIMT_BULK_H
#define SIMT_BULK_H

#include "machine/ptx.h"
#include "observe/observer.h"

struct simt_bulk_piece {
    char *to;
    const char *from; /* NULL: zeros */
    unsigned int size;
    bool beyond; /* past the end of a tensor's row, but still stored */
};

struct simt_bulk_copy {
    struct simt_bulk_copy *next;
    const char *name, *file;
    int line;
    unsigned int thread, number;   /* of the program's copies */
    const void *caller;            /* the place of the call */
    struct simt_mbarrier *barrier; /* NULL: it belongs to a group of its thread */
    size_t group;
    bool is_read;
    enum simt_bulk_way way;
    /* For a reduction: the operation and the type of the numbers. */
    enum simt_atomic operation;
    unsigned int type; /* simt_ptx_type */
    /* For a store to a tensor: the bytes that it writes past the ends of rows. */
    unsigned int beyond;
    /* For a load of a tensor: fill with NaNs instead of zeros; round floats to TF32. For an
     * addition to a tensor: flush subnormal numbers. */
    bool fills, rounds, flushes;
    size_t count;
    struct simt_bulk_piece pieces[];
};

struct simt_bulk_copy *simt_bulk_new(const char *name, size_t count, const void *caller,
                                     const char *file, int line);
long simt_bulk_bytes(const struct simt_bulk_copy *copy);
/* All pieces are set: the copy begins. */
void simt_bulk_start_load(struct simt_bulk_copy *copy, struct simt_mbarrier *barrier);
void simt_bulk_start_store(struct simt_bulk_copy *copy);
/* reduce.c: makes all pieces; returns the new value of one number. */
void simt_bulk_make(const struct simt_bulk_copy *copy);
uint64_t simt_combined(enum simt_atomic operation, unsigned int type, uint64_t old,
                       uint64_t operand);

#endif
/* SPDX-License-Identifier: MIT */
