/* Events that the runtime itself adds to the running lane's trace. */
#ifndef SIMT_HOOKS_H
#define SIMT_HOOKS_H

#include "cuda/simt.h"
#include "observe/part.h"
#include "observe/recorder.h"

/* Records an event for the call that returns to `caller`. */
void simt_trace_event(enum simt_event_kind kind, const void *caller, uint64_t address,
                      unsigned int size);
/* An atomic operation, requested by the call that returns to `caller`. */
uint64_t simt_atomic_by(const void *caller, enum simt_atomic operation, enum simt_type type,
                        void *address, uint64_t operand, uint64_t compare, const char *file,
                        int line);
/* Whether other blocks also see this memory: it is neither shared memory nor the thread's own. */
static inline bool simt_is_of_all_blocks(const void *address)
{
    return !simt_in_shared(address) && !simt_is_local(address);
}
/* Returns a worker's atomic changes of device memory. The main process skips or repeats them. */
void simt_atomics_part_ends(struct simt_part *part);
void simt_atomics_part_take(struct simt_part *part, bool apply);
/* Strong accesses, requested in the same way. */
uint64_t simt_strong_load_by(const void *caller, const void *address, unsigned int size);
void simt_strong_store_by(const void *caller, void *address, uint64_t value, unsigned int size);
/* A fence with this scope was called. */
void simt_trace_fence(const void *caller, unsigned int how);

#endif
/* SPDX-License-Identifier: MIT */
