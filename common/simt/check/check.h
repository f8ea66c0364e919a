/* Checks of what kernels do with memory. */
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
/* The same, faster, for loads of words by all 32 lanes, side by side or (distance 0) of one, inside
 * one range; false if it must be done the other way. */
bool simt_check_simple_load(enum simt_space space, unsigned int site, unsigned int warp,
                            uint64_t first, uint64_t distance);
/* The same of local memory, which must be the lanes' own. */
void simt_check_local(enum simt_event_kind kind, unsigned int site, unsigned int warp,
                      unsigned int lanes, const uint64_t *addresses);
/* A copy or a fill that is about to be made, the latest operation: what else may be under way. */
void simt_check_operation(void);
/* The same: whether all that goes to the host was written, and its direction. hosts.c, as these: */
void simt_check_copy(void);
bool simt_check_goes_to_host(void);
/* What the host may do with each page of a region, as launches and copies may still use them. */
void simt_check_host_pages(const struct simt_region *region,
                           void (*found)(char *page, enum simt_region_access access));
/* Code of the host at `at` reads or writes there: whether one of them may still use the word. */
bool simt_check_host_access(const void *address, bool writes, const void *at);
/* functions.c. The device has made what is in these words. A launch starts that is checked: its
 * arguments. The running thread reads a word. From now on not all that kernels do is looked at. */
void simt_functions_learn(const void *words, size_t bytes);
void simt_functions_start_launch(const struct simt_launch *launch);
void simt_functions_read(const void *address, uint64_t value, const void *caller);
void simt_functions_not_looked(void);
/* Lanes free memory from the kernels' heap. */
void simt_check_free(unsigned int site, unsigned int warp, unsigned int lanes,
                     const uint64_t *addresses);
/* `function`: the kernel's address. */
/* `origin`: of a launch by a kernel; else NULL. */
void simt_check_start_launch(size_t blocks, const struct simt_origin *origin);
/* Lanes read by __ldg, whose cache does not see what the launch writes. */
void simt_check_read_only(unsigned int site, unsigned int size, unsigned int warp,
                          unsigned int lanes, const uint64_t *addresses);
/* Who wrote a word last in this launch; false: nobody. */
bool simt_check_last_change(uint64_t address, struct simt_last_change *last);
/* Block `number` of the grid starts. */
void simt_check_start_block(size_t number, unsigned int threads);

#endif
/* SPDX-License-Identifier: MIT */
