/* Clusters: blocks that run at the same time and can access one another's shared memory. */
#ifndef SIMT_CLUSTER_H
#define SIMT_CLUSTER_H

#include "machine/machine.h"

enum { SIMT_MOST_CLUSTER = 16 };

/* A launch begins, with clusters of these dimensions ({0, 0, 0}: of one block). */
void simt_cluster_start_launch(struct uint3 dimensions);
unsigned int simt_cluster_size(void);
/* Whether block `number`, in starting order, is the first of its cluster; its index in the grid. */
bool simt_cluster_begins(size_t number);
struct uint3 simt_cluster_index_of(size_t number);
/* The running block starts (returns its number for the observer); one of its threads has left the
 * kernel; it ends. */
size_t simt_cluster_start_block(size_t number);
void simt_cluster_thread_exited(void);
void simt_cluster_block_ended(void);

/* The place of a rank holds its shared memory while that block does not run. Returns the address
 * there that matches `address` of the running block (NULL: the place's start). */
char *simt_cluster_place(unsigned int rank, const void *address);
/* The owner of an address in a place: its rank, and the address in that block's own shared memory.
 * False: the address is in no place. */
bool simt_cluster_find(const void *address, unsigned int *rank, void **own);
/* The block of a rank; NULL if it has not started or has returned. `state`: "has returned", ... */
struct simt_block *simt_cluster_block(unsigned int rank, const char **state);
/* The size of a place. */
size_t simt_cluster_place_bytes(void);

#endif
/* SPDX-License-Identifier: MIT */
