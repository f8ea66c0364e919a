/* Checks of the memory accesses of kernels. */
#ifndef SIMT_CHECK_H
#define SIMT_CHECK_H

#include "base/space.h"
#include "check/origins.h"
#include "memory/memory.h"
#include "observe/observer.h"

/* The lanes of a set make the same access; addresses[i] is lane i's. */
void simt_check_access(enum simt_space space, enum simt_event_kind kind, unsigned int how,
                       unsigned int site, unsigned int size, unsigned int warp, unsigned int lanes,
                       const uint64_t *addresses);
/* The same, but faster, for loads of words by all 32 lanes in one range: side by side or (distance
 * 0) of one word. False if the slow way is needed. */
bool simt_check_simple_load(enum simt_space space, unsigned int site, unsigned int warp,
                            uint64_t first, uint64_t distance);
/* The same for local memory, which must belong to the lanes. */
void simt_check_local(enum simt_event_kind kind, unsigned int site, unsigned int warp,
                      unsigned int lanes, const uint64_t *addresses);
/* A copy or a fill is about to be made, as the latest operation: checks it against pending ones. */
void simt_check_operation(void);
/* Checks that all data for the host is written, and the direction. In hosts.c, like these: */
void simt_check_copy(void);
bool simt_check_goes_to_host(void);
/* The allowed host accesses to each page of a region, given the pending launches and copies. */
void simt_check_host_pages(const struct simt_region *region,
                           void (*found)(char *page, enum simt_region_access access));
/* Host code at `at` reads or writes there: whether a pending operation still uses the word. */
bool simt_check_host_access(const void *address, bool writes, const void *at);
/* functions.c. The device made the values in these words. A checked launch starts: its arguments.
 * The running thread reads a word. From now on, some actions of kernels are not analysed. */
void simt_functions_learn(const void *words, size_t bytes);
void simt_functions_start_launch(const struct simt_launch *launch);
void simt_functions_read(const void *address, uint64_t value, const void *caller);
void simt_functions_not_looked(void);
/* Lanes free memory from the kernels' heap. */
void simt_check_free(unsigned int site, unsigned int warp, unsigned int lanes,
                     const uint64_t *addresses);
/* `origin`: of a launch by a kernel; else NULL. */
void simt_check_start_launch(size_t blocks, const struct simt_origin *origin);
/* Lanes read with __ldg, whose cache does not see what the launch writes. */
void simt_check_read_only(unsigned int site, unsigned int size, unsigned int warp,
                          unsigned int lanes, const uint64_t *addresses);
/* The last write to a word in this launch; false: none. */
bool simt_check_last_change(uint64_t address, struct simt_last_change *last);
void simt_check_start_block(size_t number, unsigned int threads);

#endif
/* SPDX-License-Identifier: MIT */
