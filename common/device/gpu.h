/* The part common to the back ends cuda and simt: everything that goes through the CUDA runtime
 * API, either NVIDIA's or common/simt's. back_end.h documents the functions. */
#ifndef RUNGS_GPU_H
#define RUNGS_GPU_H

#include <cuda_runtime_api.h>

#include "device/back_end.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The current GPU's index in an array of MOST_GPUS, for data of one GPU: memory, handles,
 * attributes of kernels. (GPUs that work together are the first ones. A GPU that works alone may
 * have any number.) */
unsigned gpu_index(void);

/* True if the call succeeded; otherwise *error names the call and the reason. Code:
 * EXIT_DEVICE_ERROR. */
bool gpu_succeeded(cudaError_t status, const char *call, struct error *error);

/* Selects the device and fills in *machine, except for details and peak_gflop_per_s. */
bool gpu_open(int device, struct machine *machine, struct cudaDeviceProp *properties,
              struct error *error);

/* The members of struct back_end that cuda and simt share. */
bool gpu_join(int *count, struct error *error);
bool gpu_peak(size_t bytes, double *gb_per_s, struct error *error);
void *gpu_allocate(size_t bytes, struct error *error);
void gpu_release(void *memory);
bool gpu_upload(void *to, const void *from, size_t bytes, struct error *error);
bool gpu_download(void *to, const void *from, size_t bytes, struct error *error);
bool gpu_fill(void *to, int byte, size_t bytes, struct error *error);
bool gpu_finish(struct error *error);
bool gpu_timer_start(struct error *error);
bool gpu_timer_stop(double *microseconds, struct error *error);
bool gpu_evict(const void *memory, size_t bytes, struct error *error);

/* Whether work is being recorded (struct back_end's record_start), or why it cannot be. */
extern struct gpu_record {
    bool active;
    char spoilt[128];
} gpu_record;

/* For rungs and libraries, when a call has failed. True if work is being recorded: the recording is
 * then cancelled for that reason, and the caller continues. False if the failure is an error. */
bool gpu_spoils_record(const char *reason);

/* Microseconds that the work takes: the shortest of some times, after one call to warm up. 0 if a
 * call failed; the runner's next call then also finds the error. */
double gpu_shortest_time(void (*work)(const void *argument), const void *argument);

/* Microseconds per call, for `calls` consecutive calls on the current GPU. If there are several and
 * the back end can record them, they are replayed from a recording. `work` returns false if it
 * fails. Then the time is 0. */
double gpu_time_each(bool (*work)(const void *argument), const void *argument, int calls);

#ifdef __cplusplus
}
#endif

#define GPU_FUNCTIONS                                                                              \
    .host_memory = false, .join = gpu_join, .peak = gpu_peak, .allocate = gpu_allocate,            \
    .release = gpu_release, .upload = gpu_upload, .download = gpu_download, .fill = gpu_fill,      \
    .finish = gpu_finish, .timer_start = gpu_timer_start, .timer_stop = gpu_timer_stop,            \
    .evict = gpu_evict

#endif
/* SPDX-License-Identifier: MIT */
