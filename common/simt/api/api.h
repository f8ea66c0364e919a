/* What the parts of the host API share. */
#ifndef SIMT_API_H
#define SIMT_API_H

#include "api/errors.h"
#include "memory/devices.h"

/* The device that is shown: an H200's numbers. */
enum {
    SIMT_MULTIPROCESSOR_THREADS = 2048,
    SIMT_MULTIPROCESSOR_BLOCKS = 32,
    SIMT_MULTIPROCESSOR_SHARED = 228 << 10,
    SIMT_RESERVED_SHARED = 1 << 10, /* for each block */
    SIMT_GRID_Y = 65535,
    SIMT_BLOCK_Z = 64
};

/* The error a device would give for this launch, and why. */
cudaError_t simt_check_launch(const struct simt_launch *launch, char *reason, size_t size);
bool simt_stream_exists(const void *stream);
/* Rows of bytes; of a copy's source, width and height are the destination's. Copied or filled in a
 * stream, by a function that the program has called from `caller`. `waits`: the function returns
 * when it is done. */
struct simt_rows {
    char *first;
    size_t pitch, width, height;
};
cudaError_t simt_copy_memory(const struct simt_rows *to, const struct simt_rows *from,
                             enum cudaMemcpyKind kind, cudaStream_t stream, bool waits,
                             const char *function, const void *caller);
cudaError_t simt_fill_memory(const struct simt_rows *to, int value, cudaStream_t stream,
                             const char *function, const void *caller);

/* The same of elements of 1, 2 or 4 bytes; the width is in bytes. */
cudaError_t simt_fill_elements(const struct simt_rows *to, unsigned int value, unsigned int element,
                               cudaStream_t stream, const char *function, const void *caller);
cudaError_t simt_copy_box(const struct cudaMemcpy3DParms *box, cudaStream_t stream, bool waits,
                          const char *function, const void *caller);

int simt_stream_device(const void *stream); /* of a default stream: the current one */
/* For cudaDeviceReset(): of the device no handle is left, on it no kernel has opted in. */
void simt_handles_reset(int device);
void simt_kernels_reset(int device);
void simt_arrays_reset(int device);

/* What is known of a kernel, by its address. */
struct simt_kernel {
    struct simt_kernel *next;
    const void *function;
    const char *name; /* this and invoke: NULL if it was not registered for launches by address */
    void (*invoke)(const void *function, void **arguments);
    const size_t *sizes; /* of its parameters */
    size_t parameters;
    int interleaved, instrumented; /* of the file that registered it; see struct simt_launch */
    struct {
        size_t shared_limit; /* of dynamic shared memory, if it has opted in */
        bool opted_in;
        bool large_clusters; /* of more than 8 blocks */
    } on[SIMT_MOST_DEVICES]; /* as cudaFuncSetAttribute() has it, on the current device */
};
/* The closure of a launch by address, with the arguments' values (NULL if there is no memory), and
 * what runs one thread of it. */
void *simt_make_call(const struct simt_kernel *kernel, void **arguments, size_t *bytes);
void simt_invoke_call(void *closure);
/* A launch that is made later: a copy of it and of its closure, to be freed as one. */
struct simt_launch *simt_copy_launch(const struct simt_launch *launch);
/* A kernel launches another one, which runs when the kernel is done; then all of these run, and
 * what they launch. */
cudaError_t simt_launch_later(const struct simt_launch *launch);
void simt_launch_children(int (*run)(const struct simt_launch *launch));
/* NULL if nothing is known of it, or, of the second, if there is no memory. */
struct simt_kernel *simt_find_kernel(const void *function);
struct simt_kernel *simt_note_kernel(const void *function);

#endif
/* SPDX-License-Identifier: MIT */
