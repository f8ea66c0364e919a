/* The GPU through the CUDA runtime API, NVIDIA's or common/simt's: RUNGS_SIMT says which. */
#include <cuda_runtime_api.h>
#include <stdio.h>

#include "device/back_end.h"

#ifdef RUNGS_SIMT
#include "simt.h"
#include "simt_analysis.h"
enum { IS_SIMT = 1 };
#else
enum { IS_SIMT = 0 };
#endif

static cudaEvent_t started, stopped;
static void *evict_buffer;
static size_t evict_bytes;

/* True if the call went well; otherwise says which call failed and how. */
static bool succeeded(cudaError_t status, const char *call, struct error *error)
{
    if (status == cudaSuccess)
        return true;
    cudaGetLastError(); /* the error is reported here, once */
    return error_set(error, EXIT_DEVICE_ERROR, "%s: %s (%s)", call, cudaGetErrorString(status),
                     cudaGetErrorName(status));
}

/* FP32 cores of one multiprocessor, by compute capability (CUDA C++ Programming Guide, table of
 * arithmetic throughput). */
static int cores_per_multiprocessor(int compute_capability)
{
    return compute_capability == 75 || compute_capability == 80 ? 64 : 128;
}

static bool gpu_open(int device, struct machine *machine, struct error *error)
{
    struct cudaDeviceProp properties;
    int count = 0, clock_khz = 0, driver = 0, runtime = 0;

    if (!succeeded(cudaGetDeviceCount(&count), "cudaGetDeviceCount", error))
        return false;
    if (device >= count)
        return error_set(error, EXIT_DEVICE_ERROR, "--device %d: this machine has %d GPU%s", device,
                         count, count == 1 ? "" : "s");
    if (!succeeded(cudaSetDevice(device), "cudaSetDevice", error) ||
        !succeeded(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties",
                   error) ||
        !succeeded(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, device),
                   "cudaDeviceGetAttribute", error) ||
        !succeeded(cudaDriverGetVersion(&driver), "cudaDriverGetVersion", error) ||
        !succeeded(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion", error) ||
        !succeeded(cudaEventCreate(&started), "cudaEventCreate", error) ||
        !succeeded(cudaEventCreate(&stopped), "cudaEventCreate", error))
        return false;

    snprintf(machine->name, sizeof machine->name, "%.100s", properties.name);
    machine->multiprocessors = properties.multiProcessorCount;
    machine->compute_capability = properties.major * 10 + properties.minor;
    evict_bytes = 4 * (size_t)properties.l2CacheSize;
#ifdef RUNGS_SIMT
    simt_findings_keep(true);
    simt_analyse(false); /* but between analysis_start and analysis_stop */
#endif
    if (IS_SIMT) {
        snprintf(machine->details, sizeof machine->details, "counts what a GPU would do");
    } else {
        snprintf(machine->details, sizeof machine->details, "sm_%d, CUDA %d.%d, driver API %d.%d",
                 machine->compute_capability, runtime / 1000, runtime % 1000 / 10, driver / 1000,
                 driver % 1000 / 10);
        machine->peak_gflop_per_s = 2.0 * clock_khz * 1e3 * properties.multiProcessorCount *
                                    cores_per_multiprocessor(machine->compute_capability) * 1e-9;
    }
    return true;
}

static bool gpu_peak(size_t bytes, double *gb_per_s, struct error *error)
{
    int device = 0, clock_khz = 0, bus_bits = 0;

    (void)bytes;
    if (!succeeded(cudaGetDevice(&device), "cudaGetDevice", error) ||
        !succeeded(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrMemoryClockRate, device),
                   "cudaDeviceGetAttribute", error) ||
        !succeeded(cudaDeviceGetAttribute(&bus_bits, cudaDevAttrGlobalMemoryBusWidth, device),
                   "cudaDeviceGetAttribute", error))
        return false;
    *gb_per_s = 2.0 * clock_khz * 1e3 * bus_bits / 8 * 1e-9; /* two transfers a clock */
    return true;
}

static void *gpu_allocate(size_t bytes, struct error *error)
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

static void gpu_release(void *memory)
{
    cudaFree(memory);
}

static bool gpu_upload(void *to, const void *from, size_t bytes, struct error *error)
{
    return succeeded(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy", error);
}

static bool gpu_download(void *to, const void *from, size_t bytes, struct error *error)
{
    return succeeded(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy", error);
}

static bool gpu_fill(void *to, int byte, size_t bytes, struct error *error)
{
    return succeeded(cudaMemset(to, byte, bytes), "cudaMemset", error);
}

static bool gpu_finish(struct error *error)
{
    /* A launch that was refused leaves its error here; one that crashed, in the synchronisation. */
    return succeeded(cudaGetLastError(), "kernel launch", error) &&
           succeeded(cudaDeviceSynchronize(), "kernel", error);
}

static bool gpu_timer_start(struct error *error)
{
    return succeeded(cudaEventRecord(started, 0), "cudaEventRecord", error);
}

static bool gpu_timer_stop(double *microseconds, struct error *error)
{
    float milliseconds = 0;

    if (!succeeded(cudaEventRecord(stopped, 0), "cudaEventRecord", error) ||
        !succeeded(cudaGetLastError(), "kernel launch", error) ||
        !succeeded(cudaEventSynchronize(stopped), "kernel", error) ||
        !succeeded(cudaEventElapsedTime(&milliseconds, started, stopped), "cudaEventElapsedTime",
                   error))
        return false;
    *microseconds = (double)milliseconds * 1e3;
    return true;
}

/* A GPU cannot flush chosen lines: writing a buffer several times the L2's size replaces them. */
static bool gpu_evict(const void *memory, size_t bytes, struct error *error)
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

#ifdef RUNGS_SIMT
static void gpu_counters_reset(void)
{
    simt_counters_reset();
}

static void gpu_counters_read(struct counters *counters)
{
    struct simt_counters counted;
    simt_counters_read(&counted);
    *counters = (struct counters){
        .launches = counted.launches,
        .blocks = counted.blocks,
        .threads = counted.threads,
        .block_barriers = counted.block_barriers,
        .warp_barriers = counted.warp_barriers,
        .shuffles = counted.shuffles,
        .votes = counted.votes,
        .atomics = counted.atomics,
    };
}
#endif

#ifdef RUNGS_SIMT
static void analysis_start(void)
{
    simt_findings_keep(true);
    simt_analyse(true);
    simt_analysis_reset();
}

static const char *analysis_stop(struct memory_counters *counters)
{
    struct simt_line_counters totals;
    const struct simt_access_counters *access = totals.access;

    simt_analyse(false);
    simt_analysis_totals(&totals);
    *counters = (struct memory_counters){
        .load_requests = access[SIMT_GLOBAL_LOAD].requests,
        .load_sectors = access[SIMT_GLOBAL_LOAD].units,
        .load_bytes = access[SIMT_GLOBAL_LOAD].bytes,
        .store_requests = access[SIMT_GLOBAL_STORE].requests,
        .store_sectors = access[SIMT_GLOBAL_STORE].units,
        .store_bytes = access[SIMT_GLOBAL_STORE].bytes,
        .atomic_requests = access[SIMT_GLOBAL_ATOMIC].requests,
        .shared_load_requests = access[SIMT_SHARED_LOAD].requests,
        .shared_load_conflicts = access[SIMT_SHARED_LOAD].conflicts,
        .shared_store_requests = access[SIMT_SHARED_STORE].requests,
        .shared_store_conflicts = access[SIMT_SHARED_STORE].conflicts,
        .shared_atomic_requests = access[SIMT_SHARED_ATOMIC].requests,
        .constant_requests = access[SIMT_CONSTANT_LOAD].requests,
        .atomic_crowd = access[SIMT_GLOBAL_ATOMIC].crowd + access[SIMT_SHARED_ATOMIC].crowd,
        .splits = totals.splits,
    };
    for (int i = 0; i < SIMT_ACCESSES; i++)
        counters->lanes += access[i].lanes;
    return simt_findings();
}

static void analysis_print(FILE *file, enum counters_format format)
{
    simt_analysis_print(file, format == COUNTERS_JSON    ? SIMT_JSON
                              : format == COUNTERS_LINES ? SIMT_LINES
                                                         : SIMT_TABLE);
}

static const struct analysis gpu_analysis = {
    .is_instrumented = simt_instrumented,
    .start = analysis_start,
    .stop = analysis_stop,
    .print = analysis_print,
};
#endif

const struct back_end gpu_back_end = {
#ifdef RUNGS_SIMT
    .name = "simt",
    .clocks = false,
    .counters_reset = gpu_counters_reset,
    .counters_read = gpu_counters_read,
    .analysis = &gpu_analysis,
#else
    .name = "cuda",
    .clocks = true,
#endif
    .host_memory = false,
    .open = gpu_open,
    .peak = gpu_peak,
    .allocate = gpu_allocate,
    .release = gpu_release,
    .upload = gpu_upload,
    .download = gpu_download,
    .fill = gpu_fill,
    .finish = gpu_finish,
    .timer_start = gpu_timer_start,
    .timer_stop = gpu_timer_stop,
    .evict = gpu_evict,
};
