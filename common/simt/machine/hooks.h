/* Events that the runtime adds to the running lane's trace by itself. */
#ifndef SIMT_HOOKS_H
#define SIMT_HOOKS_H

#include "observe/recorder.h"

/* What the call that returns to `caller` does. */
void simt_trace_event(enum simt_event_kind kind, const void *caller, uint64_t address,
                      unsigned int size);
/* A fence was called, with this scope. */
void simt_trace_fence(const void *caller, unsigned int how);

#endif
