/* What the runtime's own files share. */
#ifndef SIMT_INTERNAL_H
#define SIMT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cuda/cuda_runtime_api.h"
#include "cuda/simt.h"

/* ---- errors.c ---- */

/* First in what a host program calls: one of its threads at a time goes on. */
#define SIMT_API __attribute__((cleanup(simt_api_leave), unused)) int simt_api = simt_api_enter()
int simt_api_enter(void);
void simt_api_leave(int *entered);

/* Keeps an error as the last error, and returns it. */
cudaError_t simt_error(cudaError_t error);
/* An assertion that failed in a kernel leaves nothing that works: the error from then on. */
cudaError_t simt_lost(void);
void simt_lose(cudaError_t error);
void simt_errors_reset(void);
/* A launch failed, of which only cudaGetLastError() tells. */
void simt_launch_failed(const struct simt_launch *launch, cudaError_t error, const char *reason);
/* Keeps, too, what failed and why. `caller`: the return address. */
__attribute__((format(printf, 4, 5))) cudaError_t simt_call_failed(const char *function,
                                                                   const void *caller,
                                                                   cudaError_t error,
                                                                   const char *reason, ...);
void simt_tell_failed_calls(FILE *file);

/* ---- api.c ---- */

/* The error a device would give for this launch, and why. */
cudaError_t simt_check_launch(const struct simt_launch *launch, char *reason, size_t size);
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
    size_t shared_limit;           /* of dynamic shared memory, if it has opted in */
    bool opted_in;
};
/* NULL if nothing is known of it, or, of the second, if there is no memory. */
struct simt_kernel *simt_find_kernel(const void *function);
struct simt_kernel *simt_note_kernel(const void *function);

/* ---- symbols.c ---- */

/* The program's static shared memory, in the thread that calls. */
void *simt_static_shared(size_t *size);
/* How much of it a kernel declares, by its address. */
size_t simt_static_shared_of(const void *function);

/* ---- arithmetic.c ---- */

/* Takes SIGFPE and SIGTRAP. */
void simt_arithmetic_install(void);

/* ---- fault.c ---- */

/* Takes SIGSEGV and SIGBUS: faults get a message that fits a learner's mistake. */
void simt_fault_install(void);

/* ---- exec.c ---- */

extern struct simt_counters simt_counts;

/* Starts a report on stderr: the kernel, block and thread that runs, if any. */
void simt_report_place(void);
bool simt_in_kernel(void);
/* Ends the launch that runs, from one of its threads: the host goes on. */
__attribute__((noreturn)) void simt_abandon_launch(cudaError_t error, const char *reason);
enum simt_guard { SIMT_NO_GUARD, SIMT_STACK_GUARD, SIMT_SHARED_GUARD };
/* Which guard area of the runtime, if any, an address lies in. */
enum simt_guard simt_guard_of(const void *address);
size_t simt_stack_bytes(void);
size_t simt_shared_bytes(void);
/* An atomic is about to be made, in a shuffled order: others may come first. */
void simt_atomic_point(const char *file, int line);
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
/* The same where memory or address space has run out. */
__attribute__((noreturn)) void simt_exit_without_memory(void);

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
/* A thread's bulk copies to global memory: groups it has committed. */
struct simt_bulk_copy;
struct simt_bulk_groups {
    struct simt_bulk_copy *first, **last;
    size_t group;
};
struct simt_pipeline *simt_current_pipeline(void);
void simt_pipeline_drain(struct simt_pipeline *pipeline, size_t first_kept_group);

#endif
