/* Declarations that the files of the host API share. */
#ifndef SIMT_API_H
#define SIMT_API_H

#include "api/errors.h"
#include "memory/devices.h"

/* The device that programs see has the numbers of an H200. */
enum {
    SIMT_MULTIPROCESSOR_THREADS = 2048,
    SIMT_MULTIPROCESSOR_BLOCKS = 32,
    SIMT_MULTIPROCESSOR_SHARED = 228 << 10,
    SIMT_RESERVED_SHARED = 1 << 10, /* per block */
    SIMT_GRID_Y = 65535,
    SIMT_BLOCK_Z = 64
};

/* The error that a device would return for this launch, and the reason. */
cudaError_t simt_check_launch(const struct simt_launch *launch, char *reason, size_t size);
bool simt_stream_exists(const void *stream);
/* Rows of bytes. A copy uses the width and height of its destination. `caller`: the place in the
 * program that called `function`. `waits`: the function returns only when the work is done. */
struct simt_rows {
    char *first;
    size_t pitch, width, height;
};
cudaError_t simt_copy_memory(const struct simt_rows *to, const struct simt_rows *from,
                             enum cudaMemcpyKind kind, cudaStream_t stream, bool waits,
                             const char *function, const void *caller);
cudaError_t simt_fill_memory(const struct simt_rows *to, int value, cudaStream_t stream,
                             const char *function, const void *caller);

/* The same for elements of 1, 2 or 4 bytes. The width is still in bytes. */
cudaError_t simt_fill_elements(const struct simt_rows *to, unsigned int value, unsigned int element,
                               cudaStream_t stream, const char *function, const void *caller);
cudaError_t simt_copy_box(const struct cudaMemcpy3DParms *box, cudaStream_t stream, bool waits,
                          const char *function, const void *caller);

int simt_stream_device(const void *stream); /* a default stream: the current device */
/* For cudaDeviceReset(): frees the device's handles and arrays, and resets its kernels. */
void simt_handles_reset(int device);
void simt_kernels_reset(int device);
void simt_arrays_reset(int device);

/* Everything known about a kernel. Its address is the key. */
struct simt_kernel {
    struct simt_kernel *next;
    const void *function;
    const char *name; /* name, invoke: NULL if not registered for launches by address */
    void (*invoke)(const void *function, void **arguments);
    const size_t *sizes; /* of its parameters */
    size_t parameters;
    int interleaved, instrumented; /* as in the file that registered it; see struct simt_launch */
    struct {
        size_t shared_limit; /* limit of dynamic shared memory after opting in */
        bool opted_in;
        bool large_clusters; /* more than 8 blocks per cluster */
    } on[SIMT_MOST_DEVICES]; /* per device: cudaFuncSetAttribute() sets the current one */
};
/* simt_make_call() makes the closure of a launch by address, with the arguments' values (NULL if
 * out of memory). simt_invoke_call() runs one thread of it. */
void *simt_make_call(const struct simt_kernel *kernel, void **arguments, size_t *bytes);
void simt_invoke_call(void *closure);
/* A launch for later: copies a launch and its closure into one piece of memory, for one free(). */
struct simt_launch *simt_copy_launch(const struct simt_launch *launch);
/* simt_launch_later(): a kernel launches another kernel. simt_launch_children() runs such kernels
 * after the first one, and then what they launch. */
cudaError_t simt_launch_later(const struct simt_launch *launch);
void simt_launch_children(int (*run)(const struct simt_launch *launch));
/* simt_find_kernel(): NULL if the kernel is unknown. simt_note_kernel(): NULL if out of memory. */
struct simt_kernel *simt_find_kernel(const void *function);
struct simt_kernel *simt_note_kernel(const void *function);

#endif
/* SPDX-License-Identifier: MIT */
