/* What the runtime's own files share. */
#ifndef SIMT_INTERNAL_H
#define SIMT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda_runtime_api.h"
#include "simt.h"

/* ---- api.c ---- */

/* Keeps an error as the last error, and returns it. */
cudaError_t simt_error(cudaError_t error);
/* The error a device would give for this launch. */
cudaError_t simt_check_launch(const struct simt_launch *launch);
bool simt_stream_exists(const void *stream);

/* ---- memory.c ---- */

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

/* ---- heap.c: malloc and new in kernels; memory.c asks it about addresses that are not its own
 * ---- */

bool simt_heap_contains(const void *address);
void simt_heap_describe(const void *address, char *text, size_t size);
void simt_heap_open(void);
/* The launch that runs has been given NULL by malloc or new. */
bool simt_heap_refused(void);
void simt_heap_close(void);
void simt_heap_reset(void);
/* Of the allocation that starts at an address, the bytes. */
size_t simt_heap_size(uint64_t address);
/* The checks know that it is freed: from now on an access to it is wrong. */
void simt_heap_bury(uint64_t address);

/* ---- check.c: what the host does with device memory ---- */

void simt_check_allocated(const void *address, size_t size);
void simt_check_freed(const void *address, size_t size);
/* The same by a kernel, of memory that was never used before. */
void simt_check_heap_allocated(const void *address, size_t size);
/* Written by a copy; `from` is NULL if by a fill. */
void simt_check_written(const void *address, size_t size, const void *from);

/* ---- api.c ---- */

/* What is known of a kernel, by its address. */
struct simt_kernel {
    struct simt_kernel *next;
    const void *function;
    const char *name; /* this and invoke: NULL if it was not registered for launches by address */
    void (*invoke)(const void *function, void **arguments);
    int interleaved, instrumented; /* of the file that registered it; see struct simt_launch */
    size_t shared_limit;           /* of dynamic shared memory */
};
/* NULL if nothing is known of it, or, of the second, if there is no memory. */
struct simt_kernel *simt_find_kernel(const void *function);
struct simt_kernel *simt_note_kernel(const void *function);

/* ---- fault.c ---- */

/* Takes SIGSEGV and SIGBUS: faults get a message that fits a learner's mistake. */
void simt_fault_install(void);

/* ---- exec.c ---- */

extern struct simt_counters simt_counts;

/* Starts a report on stderr: the kernel, block and thread that runs, if any. */
void simt_report_place(void);
bool simt_in_kernel(void);
enum simt_guard { SIMT_NO_GUARD, SIMT_STACK_GUARD, SIMT_SHARED_GUARD };
/* Which guard area of the runtime, if any, an address lies in. */
enum simt_guard simt_guard_of(const void *address);
size_t simt_stack_bytes(void);
size_t simt_shared_bytes(void);
/* The running thread made an atomic operation, or read a volatile variable. After many that change
 * nothing, the same each time, it may be waiting for another thread, and gives way. `lock`: it is a
 * compare or an exchange, of which any may; `signature`: what was asked for. */
void simt_atomic_done(const void *address, uint64_t old, bool changed, bool lock,
                      uint64_t signature, const char *file, int line);
void simt_volatile_read(const void *address, unsigned int size, const void *caller);
void simt_volatile_write(void);
/* An access to memory is about to be made: if the launch is interleaved, others come first. */
void simt_access_point(const void *address);
/* Ends the program with status 1, after what it has printed is out. */
__attribute__((noreturn)) void simt_exit(void);

/* The running thread's queue of asynchronous copies. */
struct simt_pipeline_copy {
    void *destination;
    const void *source;
    const void *caller; /* a return address: where the copy stands */
    unsigned char size, zero_fill;
    size_t group;
};
struct simt_pipeline {
    struct simt_pipeline_copy *copies;
    size_t count, capacity, group;
};
struct simt_pipeline *simt_current_pipeline(void);
void simt_pipeline_drain(struct simt_pipeline *pipeline, size_t first_kept_group);

#endif
