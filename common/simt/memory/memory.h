/* Device memory: one reserved address range, inaccessible except where an allocation is open. */
#ifndef SIMT_MEMORY_H
#define SIMT_MEMORY_H

#include "base/space.h"
#include "cuda/cuda_runtime_api.h"

size_t simt_memory_total(void);
/* Device memory can be touched between the two: while a kernel runs. */
void simt_memory_open(void);
void simt_memory_close(void);
void simt_memory_reset(void);
bool simt_memory_is_device(const void *address);
enum cudaMemoryType simt_memory_type(const void *address);
/* Says in words where a device address lies. */
void simt_memory_describe(const void *address, char *text, size_t size);

/* Bytes of address space that device memory is given out of. */
size_t simt_memory_address_space(void);
/* The region that an address lies in, or false. */
bool simt_memory_range(uint64_t address, struct simt_range *range);

#endif
