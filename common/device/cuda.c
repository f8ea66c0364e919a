/* The back end cuda: an NVIDIA GPU. */
#include <stdio.h>
#include <stdlib.h>

#include "device/gpu.h"

/* FP32 cores per SM. Source: CUDA C++ Programming Guide, Arithmetic Instructions, table of
 * throughput by compute capability. */
static int cores_per_multiprocessor(int compute_capability)
{
    return compute_capability == 75 || compute_capability == 80 ? 64 : 128;
}

static bool open_device(int device, struct machine *machine, struct error *error)
{
    struct cudaDeviceProp properties;
    int clock_khz = 0, driver = 0, runtime = 0;

    if (!gpu_open(device, machine, &properties, error) ||
        !gpu_succeeded(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, device),
                       "cudaDeviceGetAttribute", error) ||
        !gpu_succeeded(cudaDriverGetVersion(&driver), "cudaDriverGetVersion", error) ||
        !gpu_succeeded(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion", error))
        return false;
    snprintf(machine->details, sizeof machine->details, "sm_%d, CUDA %d.%d, driver API %d.%d",
             machine->compute_capability, runtime / 1000, runtime % 1000 / 10, driver / 1000,
             driver % 1000 / 10);
    machine->peak_gflop_per_s = 2.0 * clock_khz * 1e3 * machine->processors *
                                cores_per_multiprocessor(machine->compute_capability) * 1e-9;
    return true;
}

/* ---- recordings, as CUDA graphs -------------------------------------------------------------- */

/* The default stream in programs compiled with CUDA_API_PER_THREAD_DEFAULT_STREAM. */
#define DEFAULT_STREAM cudaStreamPerThread

/* In this mode, this thread's calls that wait or allocate fail, and invalidate the recording. */
static bool record_start(struct error *error)
{
    gpu_record.spoilt[0] = '\0';
    gpu_record.active =
        gpu_succeeded(cudaStreamBeginCapture(DEFAULT_STREAM, cudaStreamCaptureModeThreadLocal),
                      "cudaStreamBeginCapture", error);
    return gpu_record.active;
}

/* Counts the launches of a graph that may start early (common/kernel/overlap.cuh). Toolkits before
 * 12.3 do not record that property. */
static bool count_dependents(cudaGraph_t graph, size_t *count, struct error *error)
{
    *count = 0;
#if CUDART_VERSION >= 12030
    size_t edges = 0;
#if CUDART_VERSION >= 13000
#define GET_EDGES cudaGraphGetEdges
#else
#define GET_EDGES cudaGraphGetEdges_v2
#endif
    if (!gpu_succeeded(GET_EDGES(graph, NULL, NULL, NULL, &edges), "cudaGraphGetEdges", error))
        return false;
    if (edges == 0) /* cudaGraphGetEdges does not accept arrays of 0 edges */
        return true;
    cudaGraphNode_t *const nodes = calloc(2 * edges + 1, sizeof *nodes);
    cudaGraphEdgeData *const data = calloc(edges + 1, sizeof *data);
    const bool done = nodes != NULL && data != NULL
                          ? gpu_succeeded(GET_EDGES(graph, nodes, nodes + edges, data, &edges),
                                          "cudaGraphGetEdges", error)
                          : error_set(error, EXIT_DEVICE_ERROR, "out of memory");
    for (size_t i = 0; done && i < edges; i++)
        *count += data[i].type == cudaGraphDependencyTypeProgrammatic;
    free(nodes);
    free(data);
    return done;
#else
    (void)graph;
    (void)error;
    return true;
#endif
}

static bool record_stop(struct recording *recording, struct error *error)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t replayable = NULL;

    *recording = (struct recording){.replayable = NULL};
    gpu_record.active = false;
    const cudaError_t ended = cudaStreamEndCapture(DEFAULT_STREAM, &graph);
    const cudaError_t launched = cudaGetLastError(); /* from a call whose status was not checked */
    bool done = gpu_record.spoilt[0] == '\0'
                    ? gpu_succeeded(ended, "cudaStreamEndCapture", error) &&
                          gpu_succeeded(launched, "kernel launch", error)
                    : error_set(error, EXIT_DEVICE_ERROR, "%s", gpu_record.spoilt);
    done =
        done && count_dependents(graph, &recording->dependents, error) &&
        gpu_succeeded(cudaGraphInstantiate(&replayable, graph, 0), "cudaGraphInstantiate", error);
    if (graph != NULL)
        cudaGraphDestroy(graph);
    cudaGetLastError();
    if (done)
        recording->replayable = replayable;
    return done;
}

static bool replay(const struct recording *recording, struct error *error)
{
    return gpu_succeeded(cudaGraphLaunch((cudaGraphExec_t)recording->replayable, DEFAULT_STREAM),
                         "cudaGraphLaunch", error);
}

static void record_free(struct recording *recording)
{
    if (recording->replayable != NULL)
        cudaGraphExecDestroy((cudaGraphExec_t)recording->replayable);
    recording->replayable = NULL;
}

const struct back_end gpu_back_end = {
    .name = "cuda",
    .clocks = true,
    .open = open_device,
    .record_start = record_start,
    .record_stop = record_stop,
    .replay = replay,
    .record_free = record_free,
    GPU_FUNCTIONS,
};
/* SPDX-License-Identifier: MIT */
