/* What the parts of the host API share. */
#ifndef SIMT_API_H
#define SIMT_API_H

#include "api/errors.h"
#include "memory/devices.h"

/* The device that is shown: an H200's numbers. */
enum {
    SIMT_MULTIPROCESSORS = 132,
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
int simt_stream_device(const void *stream); /* of a default stream: the current one */
/* For cudaDeviceReset(): of the device no handle is left, on it no kernel has opted in. */
void simt_handles_reset(int device);
void simt_kernels_reset(int device);

/* What is known of a kernel, by its address. */
struct simt_kernel {
    struct simt_kernel *next;
    const void *function;
    const char *name; /* this and invoke: NULL if it was not registered for launches by address */
    void (*invoke)(const void *function, void **arguments);
    int interleaved, instrumented; /* of the file that registered it; see struct simt_launch */
    struct {
        size_t shared_limit; /* of dynamic shared memory, if it has opted in */
        bool opted_in;
        bool large_clusters; /* of more than 8 blocks */
    } on[SIMT_MOST_DEVICES]; /* as cudaFuncSetAttribute() has it, on the current device */
};
/* NULL if nothing is known of it, or, of the second, if there is no memory. */
struct simt_kernel *simt_find_kernel(const void *function);
struct simt_kernel *simt_note_kernel(const void *function);

#endif
