// Graphs: built node by node or captured from streams, launched many times, changed in between.
#include "check.cuh"

__global__ void fill(int *data, int n, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = first + i;
}

template <class T>
__global__ void add(T *sum, const T *a, const T *b, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum[i] = a[i] + b[i];
}

static void CUDART_CB count(void *data)
{
    ++*(int *)data;
}

enum { N = 500, BYTES = N * sizeof(int) };

static int *a, *b, *sum, *host;

static cudaKernelNodeParams node_of(void *function, void **arguments)
{
    cudaKernelNodeParams parameters = {};
    parameters.func = function;
    parameters.gridDim = dim3(4);
    parameters.blockDim = dim3(128);
    parameters.kernelParams = arguments;
    return parameters;
}

// Two fills, their sum, a copy to the host, and a host function. *fill_a is the first fill.
static cudaGraph_t build(int *calls, cudaGraphNode_t *fill_a)
{
    int n = N, one = 1, thousand = 1000;
    cudaGraph_t graph;
    cudaGraphNode_t fills[2], added, copied, told, clear;
    void *of_a[] = {&a, &n, &one}, *of_b[] = {&b, &n, &thousand}, *of_sum[] = {&sum, &a, &b, &n};
    CHECK(cudaGraphCreate(&graph, 0));
    cudaMemsetParams zeros = {};
    zeros.dst = sum;
    zeros.value = 0x01020304;
    zeros.elementSize = 4;
    zeros.width = N;
    zeros.height = 1;
    CHECK(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &zeros));
    cudaKernelNodeParams parameters = node_of((void *)fill, of_a);
    CHECK(cudaGraphAddKernelNode(&fills[0], graph, nullptr, 0, &parameters));
    parameters = node_of((void *)fill, of_b);
    CHECK(cudaGraphAddKernelNode(&fills[1], graph, nullptr, 0, &parameters));
    parameters = node_of((void *)add<int>, of_sum);
    parameters.gridDim = dim3(1);
    CHECK(cudaGraphAddKernelNode(&added, graph, fills, 2, &parameters));
    CHECK(cudaGraphAddDependencies(graph, &clear, &added, nullptr, 1));
    CHECK(cudaGraphAddMemcpyNode1D(&copied, graph, &added, 1, host, sum, BYTES,
                                   cudaMemcpyDeviceToHost));
    cudaHostNodeParams function = {count, calls};
    CHECK(cudaGraphAddHostNode(&told, graph, &copied, 1, &function));
    *fill_a = fills[0];

    size_t nodes = 0, roots = 0, edges = 0;
    cudaGraphNodeType type;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
    CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
    CHECK(cudaGraphNodeGetType(told, &type));
    EXPECT(nodes == 6 && roots == 3 && edges == 5 && type == cudaGraphNodeTypeHost);
    // A cycle of edges.
    cudaGraph_t circle;
    cudaGraphExec_t none;
    CHECK(cudaGraphClone(&circle, graph));
    cudaGraphNode_t first, last;
    CHECK(cudaGraphNodeFindInClone(&first, fills[0], circle));
    CHECK(cudaGraphNodeFindInClone(&last, told, circle));
    CHECK(cudaGraphAddDependencies(circle, &last, &first, nullptr, 1));
    EXPECT(cudaGraphInstantiate(&none, circle, 0) == cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(cudaGraphDestroy(circle));
    return graph;
}

static void explicit_graph(cudaStream_t stream)
{
    int calls = 0, n = N, ten = 10;
    cudaGraphNode_t fill_a;
    cudaGraph_t graph = build(&calls, &fill_a), outer;
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    EXPECT(calls == 0);
    for (int i = 0; i < 3; i++)
        CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(calls == 3 && host[0] == 1001 && host[N - 1] == 1001 + 2 * (N - 1));
    // A new argument in the executable graph.
    void *changed[] = {&a, &n, &ten};
    cudaKernelNodeParams parameters = node_of((void *)fill, changed);
    CHECK(cudaGraphExecKernelNodeSetParams(exec, fill_a, &parameters));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(calls == 4 && host[7] == 1010 + 2 * 7);
    CHECK(cudaGraphExecDestroy(exec));
    // A child graph, twice.
    cudaGraphNode_t once, twice;
    CHECK(cudaGraphCreate(&outer, 0));
    CHECK(cudaGraphAddChildGraphNode(&once, outer, nullptr, 0, graph));
    CHECK(cudaGraphAddChildGraphNode(&twice, outer, &once, 1, graph));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphInstantiate(&exec, outer, 0));
    CHECK(cudaGraphDestroy(outer));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(calls == 6 && host[7] == 1001 + 2 * 7);
    CHECK(cudaGraphExecDestroy(exec));
}

// The same work in two streams. No work runs during the capture.
static cudaGraph_t capture(cudaStream_t stream, cudaStream_t other, cudaEvent_t fork,
                           cudaEvent_t join, int first)
{
    cudaGraph_t graph;
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(fork, stream));
    CHECK(cudaStreamWaitEvent(other, fork, 0));
    fill<<<4, 128, 0, stream>>>(a, N, first);
    CHECK(cudaMemsetAsync(b, 0, BYTES, other));
    CHECK(cudaStreamIsCapturing(other, &status));
    EXPECT(status == cudaStreamCaptureStatusActive);
    CHECK(cudaEventRecord(join, other));
    CHECK(cudaStreamWaitEvent(stream, join, 0));
    add<<<1, 128, 0, stream>>>(sum, a, b, N);
    CHECK(cudaMemcpyAsync(host, sum, BYTES, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaStreamIsCapturing(other, &status));
    EXPECT(status == cudaStreamCaptureStatusNone);
    return graph;
}

static void captured_graph(cudaStream_t stream, cudaStream_t other)
{
    cudaEvent_t fork, join;
    cudaGraphExec_t exec = nullptr;
    CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    for (int first = 1; first <= 3; first++) {
        cudaGraph_t graph = capture(stream, other, fork, join, first);
        host[5] = -1;
        if (exec) {
            cudaGraphExecUpdateResultInfo info;
            CHECK(cudaGraphExecUpdate(exec, graph, &info));
            EXPECT(info.result == cudaGraphExecUpdateSuccess);
        } else {
            CHECK(cudaGraphInstantiate(&exec, graph, 0));
        }
        CHECK(cudaGraphDestroy(graph));
        EXPECT(host[5] == -1);
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaStreamSynchronize(stream));
        EXPECT(host[5] == first + 5);
    }
    // A different topology does not fit.
    cudaGraph_t empty;
    cudaGraphExecUpdateResultInfo info;
    CHECK(cudaGraphCreate(&empty, 0));
    EXPECT(cudaGraphExecUpdate(exec, empty, &info) == cudaErrorGraphExecUpdateFailure);
    EXPECT(info.result == cudaGraphExecUpdateErrorTopologyChanged);
    EXPECT(cudaGetLastError() == cudaErrorGraphExecUpdateFailure);
    CHECK(cudaGraphDestroy(empty));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaEventDestroy(fork));
    CHECK(cudaEventDestroy(join));
}

// Calls that invalidate a capture, and streams that do not join the first one again.
static void wrong_captures(cudaStream_t stream, cudaStream_t other)
{
    cudaGraph_t graph;
    cudaEvent_t event;
    EXPECT(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) ==
           cudaErrorStreamCaptureUnsupported);
    EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorIllegalState);
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    EXPECT(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported);
    EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
    EXPECT(graph == nullptr);
    CHECK(cudaEventCreate(&event));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    CHECK(cudaEventRecord(event, stream));
    CHECK(cudaStreamWaitEvent(other, event, 0));
    fill<<<4, 128, 0, other>>>(a, N, 0);
    EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureUnjoined);
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    EXPECT(cudaMemset(a, 0, BYTES) == cudaErrorStreamCaptureImplicit);
    EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
    CHECK(cudaEventDestroy(event));
    cudaGetLastError();
}

int main()
{
    cudaStream_t stream, other;
    CHECK(cudaMalloc(&a, BYTES));
    CHECK(cudaMalloc(&b, BYTES));
    CHECK(cudaMalloc(&sum, BYTES));
    CHECK(cudaMallocHost(&host, BYTES));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamCreate(&other));
    explicit_graph(stream);
    captured_graph(stream, other);
    wrong_captures(stream, other);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(sum));
    return passed();
}
