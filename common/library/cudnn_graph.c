/* cuDNN's graphs of operations, by its C interface: see cudnn_parts.h. A graph of one convolution
 * is offered to engines; an engine with its settings is a configuration, and a configuration that
 * can run is a plan. */
#include "library/cudnn_parts.h"

#include <stdint.h>
#include <stdio.h>

typedef cudnnBackendDescriptor_t descriptor;

enum { INPUT = 1, FILTER, OUTPUT }; /* tensors' names in the graph */
enum { MOST_PROPOSALS = 128, MOST_NOTES = CUDNN_NUMERICAL_NOTE_TYPE_COUNT };

/* The fastest plan found. */
static struct {
    descriptor plan, pack; /* the pack: pointers to the tensors and the workspace */
    const float *input, *filter;
    float *output; /* the output to which the pack points */
    char name[48];
} chosen;

static descriptor make(cudnnBackendDescriptorType_t type)
{
    descriptor made;
    cudnn_check(cudnnBackendCreateDescriptor(type, &made), "cudnnBackendCreateDescriptor");
    return made;
}

static void set(descriptor of, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                int64_t count, const void *values)
{
    cudnn_check(cudnnBackendSetAttribute(of, name, type, count, values),
                "cudnnBackendSetAttribute");
}

static void set_descriptor(descriptor of, cudnnBackendAttributeName_t name, descriptor value)
{
    set(of, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value);
}

static void destroy(descriptor *made)
{
    if (*made != NULL)
        cudnnBackendDestroyDescriptor(*made);
    *made = NULL;
}

/* The largest power of two that divides the address, at most 64. */
static int64_t alignment_of(const void *address)
{
    const uintptr_t low = (uintptr_t)address & 63;
    return low == 0 ? 64 : (int64_t)(low & -low);
}

/* The sizes are in NCHW's order for either layout. */
static descriptor tensor(int64_t name, const int64_t sizes[4], const float *memory,
                         cudnnTensorFormat_t format)
{
    const int64_t nchw[] = {sizes[1] * sizes[2] * sizes[3], sizes[2] * sizes[3], sizes[3], 1};
    const int64_t nhwc[] = {nchw[0], 1, sizes[3] * sizes[1], sizes[1]};
    const cudnnDataType_t type = CUDNN_DATA_FLOAT;
    const int64_t alignment = alignment_of(memory);
    const descriptor made = make(CUDNN_BACKEND_TENSOR_DESCRIPTOR);

    set(made, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &name);
    set(made, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
    set(made, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
    set(made, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, sizes);
    set(made, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4,
        format == CUDNN_TENSOR_NCHW ? nchw : nhwc);
    cudnn_check(cudnnBackendFinalize(made), "cudnnBackendFinalize: tensor");
    return made;
}

static descriptor convolution(const struct conv *call)
{
    const int64_t dimensions = 2, pads[] = {(int64_t)call->pad, (int64_t)call->pad};
    const int64_t dilations[] = {(int64_t)call->dilation, (int64_t)call->dilation};
    const int64_t strides[] = {(int64_t)call->stride_height, (int64_t)call->stride_width};
    const cudnnDataType_t type = CUDNN_DATA_FLOAT;
    const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
    const descriptor made = make(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);

    set(made, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &dimensions);
    set(made, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
    set(made, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
    set(made, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, 2, pads);
    set(made, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, 2, pads);
    set(made, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, 2, dilations);
    set(made, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, 2, strides);
    cudnn_check(cudnnBackendFinalize(made), "cudnnBackendFinalize: convolution");
    return made;
}

/* A graph that contains only the convolution. */
static descriptor graph_of(const struct conv *call, cudnnTensorFormat_t format)
{
    const int64_t input[] = {(int64_t)call->batch, (int64_t)(call->groups * call->channels),
                             (int64_t)call->height, (int64_t)call->width};
    const int64_t filter[] = {(int64_t)call->filters, (int64_t)call->channels,
                              (int64_t)call->kernel_height, (int64_t)call->kernel_width};
    const int64_t output[] = {(int64_t)call->batch, (int64_t)call->filters,
                              (int64_t)call->out_height, (int64_t)call->out_width};
    const float one = 1, zero = 0;
    cudnnHandle_t handle = cudnn_handle();
    descriptor x = tensor(INPUT, input, call->input, format);
    descriptor w = tensor(FILTER, filter, call->filter, format);
    descriptor y = tensor(OUTPUT, output, call->output, format), how = convolution(call);
    descriptor operation = make(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
    const descriptor graph = make(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);

    set_descriptor(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, x);
    set_descriptor(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, w);
    set_descriptor(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, y);
    set_descriptor(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, how);
    set(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, 1, &one);
    set(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, 1, &zero);
    cudnn_check(cudnnBackendFinalize(operation), "cudnnBackendFinalize: operation");
    set_descriptor(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
    set(graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
    cudnn_check(cudnnBackendFinalize(graph), "cudnnBackendFinalize: graph");
    destroy(&operation);
    destroy(&how);
    destroy(&y);
    destroy(&w);
    destroy(&x);
    return graph;
}

/* Whether an engine multiplies floats without rounding them first. */
static bool keeps_float32(descriptor engine)
{
    cudnnBackendNumericalNote_t notes[MOST_NOTES];
    int64_t count = 0;

    if (cudnnBackendGetAttribute(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                 CUDNN_TYPE_NUMERICAL_NOTE, MOST_NOTES, &count,
                                 notes) != CUDNN_STATUS_SUCCESS)
        return false;
    for (int64_t i = 0; i < count; i++)
        if (notes[i] == CUDNN_NUMERICAL_NOTE_TENSOR_CORE ||
            notes[i] == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS ||
            notes[i] == CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION)
            return false;
    return true;
}

/* A pack for the call's pointers. */
static descriptor pack_of(const struct conv *call, float *output)
{
    const int64_t names[] = {INPUT, FILTER, OUTPUT};
    const void *const pointers[] = {call->input, call->filter, output};
    void *const room = cudnn_workspace();
    const descriptor pack = make(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);

    set(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, 3, names);
    set(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 3, pointers);
    set(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &room);
    cudnn_check(cudnnBackendFinalize(pack), "cudnnBackendFinalize: pack");
    return pack;
}

static bool execute(const void *plan, const struct conv *call, float *output)
{
    if (chosen.pack == NULL || chosen.input != call->input || chosen.filter != call->filter ||
        chosen.output != output) {
        destroy(&chosen.pack);
        chosen.pack = pack_of(call, output);
        chosen.input = call->input;
        chosen.filter = call->filter;
        chosen.output = output;
    }
    return cudnnBackendExecute(cudnn_handle(), *(const descriptor *)plan, chosen.pack) ==
           CUDNN_STATUS_SUCCESS;
}

/* Times a configuration, and chooses it if it is the fastest so far. */
static float try_configuration(descriptor configuration, const struct conv *call, float *output,
                               const char *name, float best)
{
    cudnnHandle_t handle = cudnn_handle();
    descriptor plan = make(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    int64_t room = 0;

    set(plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
    set_descriptor(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
    if (cudnnBackendFinalize(plan) == CUDNN_STATUS_SUCCESS &&
        cudnnBackendGetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64,
                                 1, NULL, &room) == CUDNN_STATUS_SUCCESS &&
        room <= (int64_t)CUDNN_WORKSPACE) {
        const float us = time_conv(execute, &plan, call, output, best);
        if (us > 0 && (best == 0 || us < best)) {
            destroy(&chosen.plan);
            chosen.plan = plan;
            snprintf(chosen.name, sizeof chosen.name, "%s", name);
            return us;
        }
    }
    destroy(&plan);
    return best;
}

/* The number of a configuration's engine; -1 if it does not keep float32. */
static int64_t engine_of(descriptor configuration)
{
    descriptor engine = make(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    int64_t count = 0, index = -1;

    if (cudnnBackendGetAttribute(configuration, CUDNN_ATTR_ENGINECFG_ENGINE,
                                 CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count,
                                 &engine) != CUDNN_STATUS_SUCCESS ||
        !keeps_float32(engine) ||
        cudnnBackendGetAttribute(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1,
                                 &count, &index) != CUDNN_STATUS_SUCCESS)
        index = -1;
    destroy(&engine);
    return index;
}

/* Tries the configurations that one of the heuristics proposes. */
static float try_proposals(cudnnBackendHeurMode_t mode, descriptor graph, const struct conv *call,
                           float *output, float best)
{
    static descriptor configurations[MOST_PROPOSALS];
    descriptor heuristic = make(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    int64_t count = 0;
    char name[48];

    for (int i = 0; i < MOST_PROPOSALS; i++)
        configurations[i] = make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    set_descriptor(heuristic, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
    set(heuristic, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
    if (cudnnBackendFinalize(heuristic) != CUDNN_STATUS_SUCCESS ||
        cudnnBackendGetAttribute(heuristic, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                 CUDNN_TYPE_BACKEND_DESCRIPTOR, MOST_PROPOSALS, &count,
                                 configurations) != CUDNN_STATUS_SUCCESS)
        count = 0;
    for (int64_t i = 0; i < count && i < MOST_PROPOSALS; i++) {
        const int64_t engine = engine_of(configurations[i]);
        if (engine < 0)
            continue;
        snprintf(name, sizeof name, "engine %lld.%lld", (long long)engine, (long long)i);
        best = try_configuration(configurations[i], call, output, name, best);
    }
    for (int i = 0; i < MOST_PROPOSALS; i++)
        destroy(&configurations[i]);
    destroy(&heuristic);
    return best;
}

/* Tries an engine with its default settings. */
static float try_engine(int64_t index, descriptor graph, const struct conv *call, float *output,
                        float best)
{
    descriptor engine = make(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    descriptor configuration = make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    char name[48];

    set_descriptor(engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph);
    set(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &index);
    if (cudnnBackendFinalize(engine) == CUDNN_STATUS_SUCCESS && keeps_float32(engine)) {
        set_descriptor(configuration, CUDNN_ATTR_ENGINECFG_ENGINE, engine);
        snprintf(name, sizeof name, "engine %lld", (long long)index);
        if (cudnnBackendFinalize(configuration) == CUDNN_STATUS_SUCCESS)
            best = try_configuration(configuration, call, output, name, best);
    }
    destroy(&configuration);
    destroy(&engine);
    return best;
}

float cudnn_graph_prepare(const struct conv *call, cudnnTensorFormat_t format, float *output)
{
    static const cudnnBackendHeurMode_t modes[] = {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_B,
                                                   CUDNN_HEUR_MODE_FALLBACK};
    int64_t engines = 0;
    float best = 0;
    descriptor graph = graph_of(call, format);

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        best = try_proposals(modes[i], graph, call, output, best);
    if (cudnnBackendGetAttribute(graph, CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT,
                                 CUDNN_TYPE_INT64, 1, NULL, &engines) != CUDNN_STATUS_SUCCESS)
        engines = 0;
    for (int64_t i = 0; i < engines; i++)
        best = try_engine(i, graph, call, output, best);
    destroy(&graph);
    return best;
}

bool cudnn_graph_run(const void *ignored, const struct conv *call, float *output)
{
    (void)ignored;
    return execute(&chosen.plan, call, output);
}

const char *cudnn_graph_name(void)
{
    return chosen.name;
}
/* SPDX-License-Identifier: MIT */
