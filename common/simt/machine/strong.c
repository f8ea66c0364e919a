/* Accesses that are strong in PTX's memory model: .relaxed, .acquire, .release. */
#include <string.h>

#include "cuda/simt_ptx_runtime.h"
#include "machine/hooks.h"
#include "machine/machine.h"

uint64_t simt_strong_load(const void *address, unsigned int size)
{
    return simt_strong_load_by(__builtin_return_address(0), address, size);
}

uint64_t simt_strong_load_by(const void *caller, const void *address, unsigned int size)
{
    const unsigned int bytes = size & ~(unsigned int)EVENT_HOW;
    uint64_t found = 0;
    simt_volatile_read(address, bytes, caller);
    if (simt_tracing) {
        simt_trace_event(EVENT_LOAD, caller, (uintptr_t)address,
                         EVENT_VOLATILE | EVENT_STRONG | size);
    }
    memcpy(&found, address, bytes);
    return found;
}

void simt_strong_store(void *address, uint64_t value, unsigned int size)
{
    simt_strong_store_by(__builtin_return_address(0), address, value, size);
}

void simt_strong_store_by(const void *caller, void *address, uint64_t value, unsigned int size)
{
    simt_volatile_write(caller);
    if (simt_tracing) {
        simt_trace_event(EVENT_STORE, caller, (uintptr_t)address,
                         EVENT_VOLATILE | EVENT_STRONG | size);
    }
    memcpy(address, &value, size & ~(unsigned int)EVENT_HOW);
}
/* SPDX-License-Identifier: MIT */
