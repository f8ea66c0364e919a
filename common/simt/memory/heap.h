/* The kernels' own heap: malloc, free, new and delete in device code. */
#ifndef SIMT_HEAP_H
#define SIMT_HEAP_H

#include "base/space.h"

bool simt_heap_contains(const void *address);
void simt_heap_describe(const void *address, char *text, size_t size);
void simt_heap_open(bool closed); /* `closed`: it could not be touched before */
/* malloc or new has returned NULL in the running launch. */
bool simt_heap_refused(void);
bool simt_heap_is_used(void);
void simt_heap_close(void);
void simt_heap_reset(void);
/* The size in bytes of the allocation that starts at an address. */
size_t simt_heap_size(uint64_t address);
/* The checks have seen the free: from now on, an access is an error. */
void simt_heap_bury(uint64_t address);
bool simt_heap_range(uint64_t address, struct simt_range *range);

/* The limit of bytes in use: cudaLimitMallocHeapSize. */
extern size_t simt_heap_limit;
/* Allocates memory, or returns NULL; frees it, or returns the error. */
void *simt_heap_allocate(size_t size, size_t alignment);
enum simt_heap_free { SIMT_HEAP_FREED, SIMT_HEAP_UNKNOWN, SIMT_HEAP_FREED_BEFORE };
enum simt_heap_free simt_heap_free(const void *address);
/* The freed and unburied memory is so large that the checks should run. */
bool simt_heap_is_behind(void);

#endif
/* SPDX-License-Identifier: MIT */
