#include "device/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/ranks.h"

static cudaEvent_t started, stopped;
static void *evict_buffers[MOST_GPUS];
static size_t evict_bytes;
static int joined = 1; /* GPUs that work together; 1: the one in use */

struct gpu_record gpu_record;

bool gpu_spoils_record(const char *reason)
{
    if (gpu_record.active && gpu_record.spoilt[0] == '\0')
        snprintf(gpu_record.spoilt, sizeof gpu_record.spoilt, "%s", reason);
    return gpu_record.active;
}

bool gpu_succeeded(cudaError_t status, const char *call, struct error *error)
{
    if (status == cudaSuccess)
        return true;
    cudaGetLastError(); /* clears the error, so that it is reported only once */
    return error_set(error, EXIT_DEVICE_ERROR, "%s: %s (%s)", call, cudaGetErrorString(status),
                     cudaGetErrorName(status));
}

unsigned gpu_index(void)
{
    int device = 0;

    cudaGetDevice(&device);
    return (unsigned)device % MOST_GPUS;
}

bool gpu_open(int device, struct machine *machine, struct cudaDeviceProp *properties,
              struct error *error)
{
    int count = 0;

    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver)
        return error_set(error, EXIT_DEVICE_ERROR,
                         "no GPU answers here: %s. To run on the CPU, configure with "
                         "-DRUNGS_BACKEND=simt",
                         cudaGetErrorString(status));
    if (!gpu_succeeded(status, "cudaGetDeviceCount", error))
        return false;
    if (ranks_count() > 1 && ranks_place() >= count)
        return error_set(error, EXIT_DEVICE_ERROR,
                         "mpirun has started more processes on this machine than it has GPUs: %d",
                         count);
    device = ranks_count() > 1 ? ranks_place() : device;
    if (device >= count)
        return error_set(error, EXIT_DEVICE_ERROR, "--device %d: this machine has %d GPU%s", device,
                         count, count == 1 ? "" : "s");
    if (!gpu_succeeded(cudaSetDevice(device), "cudaSetDevice", error) ||
        !gpu_succeeded(cudaGetDeviceProperties(properties, device), "cudaGetDeviceProperties",
                       error) ||
        !gpu_succeeded(cudaEventCreate(&started), "cudaEventCreate", error) ||
        !gpu_succeeded(cudaEventCreate(&stopped), "cudaEventCreate", error))
        return false;
    snprintf(machine->name, sizeof machine->name, "%.100s", properties->name);
    machine->processors = properties->multiProcessorCount;
    machine->compute_capability = properties->major * 10 + properties->minor;
    evict_bytes = 4 * (size_t)properties->l2CacheSize;
    return true;
}

static bool is_like_first(int device, struct error *error)
{
    struct cudaDeviceProp first, other;

    if (!gpu_succeeded(cudaGetDeviceProperties(&first, 0), "cudaGetDeviceProperties", error) ||
        !gpu_succeeded(cudaGetDeviceProperties(&other, device), "cudaGetDeviceProperties", error))
        return false;
    return strcmp(first.name, other.name) == 0 ||
           error_set(error, EXIT_DEVICE_ERROR,
                     "--gpus: GPUs of one kind can share work, but GPU 0 is %s and GPU %d is %s",
                     first.name, device, other.name);
}

/* Each of several ranks has one GPU, which is already in use. */
static bool join_ranks(int *count, struct error *error)
{
    struct cudaDeviceProp own;
    char first[sizeof own.name];

    if (*count != 1)
        return error_set(error, EXIT_BAD_USAGE,
                         "--gpus: under mpirun each process has one GPU: give --gpus 1");
    if (ranks_count() > MOST_GPUS)
        return error_set(error, EXIT_BAD_USAGE,
                         "mpirun has started %d processes: at most %d GPUs can work together",
                         ranks_count(), MOST_GPUS);
    if (!ranks_agree(gpu_succeeded(cudaGetDeviceProperties(&own, ranks_place()),
                                   "cudaGetDeviceProperties", error),
                     error))
        return false;
    memcpy(first, own.name, sizeof first);
    ranks_broadcast(first, sizeof first, 0);
    *count = ranks_count();
    return strcmp(first, own.name) == 0 ||
           error_set(error, EXIT_DEVICE_ERROR,
                     "--gpus: GPUs of one kind can share work, but rank 0 has %s and this one %s",
                     first, own.name);
}

bool gpu_join(int *count, struct error *error)
{
    int found = 0;

    if (ranks_count() > 1)
        return join_ranks(count, error);
    if (!gpu_succeeded(cudaGetDeviceCount(&found), "cudaGetDeviceCount", error))
        return false;
    if (*count > found)
        return error_set(error, EXIT_DEVICE_ERROR, "--gpus %d: this machine has %d GPU%s", *count,
                         found, found == 1 ? "" : "s");
    if (*count == 0)
        *count = found < MOST_GPUS ? found : MOST_GPUS;
    for (int device = 1; device < *count; device++)
        if (!is_like_first(device, error))
            return false;
    joined = *count;
    return true;
}

/* Calls `work` for every GPU that works, for the first one last. */
static bool on_each(bool (*work)(int device, struct error *error), struct error *error)
{
    if (joined == 1)
        return work(0, error);
    for (int device = joined - 1; device >= 0; device--)
        if (!gpu_succeeded(cudaSetDevice(device), "cudaSetDevice", error) || !work(device, error))
            return false;
    return true;
}

bool gpu_peak(size_t bytes, double *gb_per_s, struct error *error)
{
    int device = 0, clock_khz = 0, bus_bits = 0;

    (void)bytes;
    if (!gpu_succeeded(cudaGetDevice(&device), "cudaGetDevice", error) ||
        !gpu_succeeded(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrMemoryClockRate, device),
                       "cudaDeviceGetAttribute", error) ||
        !gpu_succeeded(cudaDeviceGetAttribute(&bus_bits, cudaDevAttrGlobalMemoryBusWidth, device),
                       "cudaDeviceGetAttribute", error))
        return false;
    *gb_per_s = 2.0 * clock_khz * 1e3 * bus_bits / 8 * 1e-9; /* two transfers per clock */
    return true;
}

void *gpu_allocate(size_t bytes, struct error *error)
{
    void *memory = NULL;
    size_t free_bytes = 0, total_bytes = 0;

    if (cudaMalloc(&memory, bytes > 0 ? bytes : 1) == cudaSuccess)
        return memory;
    cudaGetLastError();
    cudaMemGetInfo(&free_bytes, &total_bytes);
    error_set(error, EXIT_DEVICE_ERROR,
              "cudaMalloc: out of memory: %zu MiB wanted, %zu MiB available on the device",
              bytes >> 20, free_bytes >> 20);
    return NULL;
}

void gpu_release(void *memory)
{
    cudaFree(memory);
}

bool gpu_upload(void *to, const void *from, size_t bytes, struct error *error)
{
    return gpu_succeeded(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy", error);
}

bool gpu_download(void *to, const void *from, size_t bytes, struct error *error)
{
    return gpu_succeeded(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy", error);
}

bool gpu_fill(void *to, int byte, size_t bytes, struct error *error)
{
    return gpu_succeeded(cudaMemset(to, byte, bytes), "cudaMemset", error);
}

static bool finish_one(int device, struct error *error)
{
    (void)device;
    /* A failed launch is reported by cudaGetLastError, a crashed kernel by the synchronization. */
    return gpu_succeeded(cudaGetLastError(), "kernel launch", error) &&
           gpu_succeeded(cudaDeviceSynchronize(), "kernel", error);
}

bool gpu_finish(struct error *error)
{
    return on_each(finish_one, error);
}

bool gpu_timer_start(struct error *error)
{
    ranks_meet();
    return gpu_succeeded(cudaEventRecord(started, 0), "cudaEventRecord", error);
}

bool gpu_timer_stop(double *microseconds, struct error *error)
{
    float milliseconds = 0;

    if (!gpu_succeeded(cudaEventRecord(stopped, 0), "cudaEventRecord", error) ||
        !gpu_succeeded(cudaGetLastError(), "kernel launch", error) ||
        !gpu_succeeded(cudaEventSynchronize(stopped), "kernel", error) ||
        !gpu_succeeded(cudaEventElapsedTime(&milliseconds, started, stopped),
                       "cudaEventElapsedTime", error))
        return false;
    *microseconds = ranks_greatest((double)milliseconds * 1e3); /* of the slowest rank */
    return true;
}

double gpu_shortest_time(void (*work)(const void *argument), const void *argument)
{
    enum { TIMES = 5 };
    struct error error;
    double shortest = 0, time;

    for (int i = 0; i <= TIMES; i++) {
        if (!gpu_timer_start(&error))
            return 0;
        work(argument);
        if (!gpu_timer_stop(&time, &error))
            return 0;
        shortest = i <= 1 || time < shortest ? time : shortest;
    }
    return shortest;
}

static bool call_all(bool (*work)(const void *argument), const void *argument, int calls)
{
    bool done = true;

    for (int i = 0; i < calls && done; i++)
        done = work(argument);
    return done;
}

static bool record_calls(bool (*work)(const void *argument), const void *argument, int calls,
                         struct recording *recording)
{
    struct error ignored;

    if (gpu_back_end.record_start == NULL || !gpu_back_end.record_start(&ignored))
        return false;
    if (!call_all(work, argument, calls))
        gpu_spoils_record("a call fails");
    return gpu_back_end.record_stop(recording, &ignored);
}

double gpu_time_each(bool (*work)(const void *argument), const void *argument, int calls)
{
    struct recording recording = {.replayable = NULL};
    struct error error;
    cudaEvent_t begin = NULL, end = NULL;
    float milliseconds = 0;
    const bool replays = calls > 1 && record_calls(work, argument, calls, &recording);
    /* Keeps the GPU busy while the host enqueues the calls that are timed. */
    bool done = calls == 1 || (replays ? gpu_back_end.replay(&recording, &error) : work(argument));

    done = done && cudaEventCreate(&begin) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess &&
           cudaEventRecord(begin, 0) == cudaSuccess &&
           (replays ? gpu_back_end.replay(&recording, &error) : call_all(work, argument, calls)) &&
           cudaEventRecord(end, 0) == cudaSuccess && cudaEventSynchronize(end) == cudaSuccess &&
           cudaEventElapsedTime(&milliseconds, begin, end) == cudaSuccess;
    if (begin != NULL)
        cudaEventDestroy(begin);
    if (end != NULL)
        cudaEventDestroy(end);
    if (replays)
        gpu_back_end.record_free(&recording);
    return done ? (double)milliseconds * 1e3 / calls : 0;
}

static bool evict_one(int device, struct error *error)
{
    if (evict_buffers[device] == NULL) {
        evict_buffers[device] = gpu_allocate(evict_bytes, error);
        if (evict_buffers[device] == NULL)
            return false;
    }
    return gpu_fill(evict_buffers[device], 0, evict_bytes, error);
}

/* CUDA cannot flush single cache lines. Writing a buffer several times L2's size evicts all. */
bool gpu_evict(const void *memory, size_t bytes, struct error *error)
{
    (void)memory;
    (void)bytes;
    return on_each(evict_one, error);
}
/* SPDX-License-Identifier: MIT */
