/* The kernels' own heap: malloc, free, new and delete in device code. */
#ifndef SIMT_HEAP_H
#define SIMT_HEAP_H

#include "base/space.h"

bool simt_heap_contains(const void *address);
void simt_heap_describe(const void *address, char *text, size_t size);
void simt_heap_open(bool closed); /* `closed`: it may be touched only from now on */
/* The launch that runs has been given NULL by malloc or new. */
bool simt_heap_refused(void);
bool simt_heap_is_used(void);
void simt_heap_close(void);
void simt_heap_reset(void);
/* Of the allocation that starts at an address, the bytes. */
size_t simt_heap_size(uint64_t address);
/* The checks know that it is freed: from now on an access to it is wrong. */
void simt_heap_bury(uint64_t address);
bool simt_heap_range(uint64_t address, struct simt_range *range);

/* How much may be in use: cudaLimitMallocHeapSize. */
extern size_t simt_heap_limit;
/* Memory, or NULL; gives it back, unless there is something `wrong` with that. */
void *simt_heap_allocate(size_t size, size_t alignment);
enum simt_heap_free { SIMT_HEAP_FREED, SIMT_HEAP_UNKNOWN, SIMT_HEAP_FREED_BEFORE };
enum simt_heap_free simt_heap_free(const void *address);
/* So much has been freed and not buried that the checks should see to it. */
bool simt_heap_is_behind(void);

#endif
/* SPDX-License-Identifier: MIT */
