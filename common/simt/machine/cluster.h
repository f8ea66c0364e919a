/* Clusters: blocks that run at the same time and reach one another's shared memory. */
#ifndef SIMT_CLUSTER_H
#define SIMT_CLUSTER_H

#include "machine/machine.h"

enum { SIMT_MOST_CLUSTER = 16 };

/* A launch begins, in clusters of so many blocks ({0, 0, 0}: of one). */
void simt_cluster_start_launch(struct uint3 dimensions);
unsigned int simt_cluster_size(void);
/* Whether block `number`, as they are started, is the first of its cluster; where in the grid it
 * is. */
bool simt_cluster_begins(size_t number);
struct uint3 simt_cluster_index_of(size_t number);
/* The running block starts (and has, for the observer, this number); one of its threads has left
 * the kernel; it is done. */
size_t simt_cluster_start_block(size_t number);
void simt_cluster_thread_exited(void);
void simt_cluster_block_ended(void);

/* Shared memory of a block of the cluster while it is not the one that runs: each rank has its
 * place. Where something of the running block's, at `address`, would be (NULL: it begins). */
char *simt_cluster_place(unsigned int rank, const void *address);
/* Whose an address is: the rank and the address in that block's own shared memory. False: it is
 * none of a place. */
bool simt_cluster_find(const void *address, unsigned int *rank, void **own);
/* The block of a rank, NULL if it has not started, or has returned: "has returned". */
struct simt_block *simt_cluster_block(unsigned int rank, const char **state);
/* How large a place is. */
size_t simt_cluster_place_bytes(void);

#endif
/* SPDX-License-Identifier: MIT */
