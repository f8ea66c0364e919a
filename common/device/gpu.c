#include "device/gpu.h"

#include <stdio.h>

static cudaEvent_t started, stopped;
static void *evict_buffer;
static size_t evict_bytes;

bool gpu_succeeded(cudaError_t status, const char *call, struct error *error)
{
    if (status == cudaSuccess)
        return true;
    cudaGetLastError(); /* clears the error, so that it is reported only once */
    return error_set(error, EXIT_DEVICE_ERROR, "%s: %s (%s)", call, cudaGetErrorString(status),
                     cudaGetErrorName(status));
}

bool gpu_open(int device, struct machine *machine, struct cudaDeviceProp *properties,
              struct error *error)
{
    int count = 0;

    if (!gpu_succeeded(cudaGetDeviceCount(&count), "cudaGetDeviceCount", error))
        return false;
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

bool gpu_finish(struct error *error)
{
    /* A failed launch is reported by cudaGetLastError, a crashed kernel by the synchronization. */
    return gpu_succeeded(cudaGetLastError(), "kernel launch", error) &&
           gpu_succeeded(cudaDeviceSynchronize(), "kernel", error);
}

bool gpu_timer_start(struct error *error)
{
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
    *microseconds = (double)milliseconds * 1e3;
    return true;
}

/* CUDA cannot flush single cache lines. Writing a buffer several times L2's size evicts all. */
bool gpu_evict(const void *memory, size_t bytes, struct error *error)
{
    (void)memory;
    (void)bytes;
    if (evict_buffer == NULL) {
        evict_buffer = gpu_allocate(evict_bytes, error);
        if (evict_buffer == NULL)
            return false;
    }
    return gpu_fill(evict_buffer, 0, evict_bytes, error);
}
