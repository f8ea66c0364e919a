// Graphs whose nodes are added, queried and changed by one function for all kinds, and graphs that
// allocate memory.
#include "check.cuh"

enum { N = 100 };

__device__ int table[N];

__global__ void fill(int *data, int n, int value)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        data[i] = value + i;
}

__global__ void add(int *to, const int *from, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        to[i] += from[i];
}

static int host[N];
static int *data;

static cudaGraphNodeParams kernel_node(void *function, void **arguments)
{
    cudaGraphNodeParams node = {};
    node.type = cudaGraphNodeTypeKernel;
    node.kernel.func = function;
    node.kernel.gridDim = dim3(1);
    node.kernel.blockDim = dim3(32);
    node.kernel.kernelParams = arguments;
    return node;
}

static void run(cudaGraph_t graph, unsigned long long flags = 0, int times = 1)
{
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, flags));
    for (int i = 0; i < times; i++)
        CHECK(cudaGraphLaunch(exec, nullptr));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(exec));
}

static void CUDART_CB count(void *calls)
{
    ++*(int *)calls;
}

// ---- nodes of all kinds, asked and changed ------------------------------------------------------

static void changed_nodes()
{
    int calls = 0, n = N, five = 5, seven = 7;
    void *with_five[] = {&data, &n, &five}, *with_seven[] = {&data, &n, &seven};
    cudaGraph_t graph;
    cudaGraphNode_t filled, copied, told, cleared;
    cudaGraphExec_t exec;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNodeParams node = {};
    node.type = cudaGraphNodeTypeMemset;
    node.memset.dst = data;
    node.memset.elementSize = 4;
    node.memset.width = N;
    node.memset.height = 1;
    CHECK(cudaGraphAddNode(&cleared, graph, nullptr, nullptr, 0, &node));
    node = kernel_node((void *)fill, with_five);
    CHECK(cudaGraphAddNode(&filled, graph, &cleared, nullptr, 1, &node));
    cudaKernelNodeAttrValue cooperative = {};
    cooperative.cooperative = 1;
    CHECK(
        cudaGraphKernelNodeSetAttribute(filled, cudaKernelNodeAttributeCooperative, &cooperative));
    node = {};
    node.type = cudaGraphNodeTypeMemcpy;
    node.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(data, sizeof host, N, 1);
    node.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(host, sizeof host, N, 1);
    node.memcpy.copyParams.extent = make_cudaExtent(sizeof host, 1, 1);
    node.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaGraphAddNode(&copied, graph, &filled, nullptr, 1, &node));
    node = {};
    node.type = cudaGraphNodeTypeHost;
    node.host.fn = count;
    node.host.userData = &calls;
    CHECK(cudaGraphAddNode(&told, graph, &copied, nullptr, 1, &node));
    // The parameters of the nodes, read back.
    cudaMemsetParams fill_of = {};
    cudaMemcpy3DParms copy_of = {};
    cudaHostNodeParams host_of = {};
    CHECK(cudaGraphMemsetNodeGetParams(cleared, &fill_of));
    CHECK(cudaGraphMemcpyNodeGetParams(copied, &copy_of));
    CHECK(cudaGraphHostNodeGetParams(told, &host_of));
    EXPECT(fill_of.dst == data && fill_of.width == N && copy_of.dstPtr.ptr == host);
    EXPECT(copy_of.extent.width == sizeof host && host_of.fn == count);
    size_t dependents = 1;
    cudaGraphNode_t next;
    CHECK(cudaGraphNodeGetDependentNodes(filled, &next, nullptr, &dependents));
    EXPECT(dependents == 1 && next == copied);
    CHECK(cudaGraphDebugDotPrint(graph, "graph_nodes.dot", 0));
    remove("graph_nodes.dot");
    CHECK(cudaGraphInstantiateWithFlags(&exec, graph, cudaGraphInstantiateFlagUseNodePriority));
    unsigned long long flags = 0;
    CHECK(cudaGraphExecGetFlags(exec, &flags));
    CHECK(cudaGraphLaunch(exec, nullptr));
    CHECK(cudaDeviceSynchronize());
    EXPECT(calls == 1 && host[3] == 8);
    // Changes the executable graph: other values, then nothing, then a copy from a variable.
    node = kernel_node((void *)fill, with_seven);
    CHECK(cudaGraphExecNodeSetParams(exec, filled, &node));
    CHECK(cudaGraphLaunch(exec, nullptr));
    CHECK(cudaDeviceSynchronize());
    EXPECT(host[3] == 10);
    unsigned int enabled = 1;
    CHECK(cudaGraphNodeSetEnabled(exec, filled, 0));
    CHECK(cudaGraphNodeGetEnabled(exec, filled, &enabled));
    CHECK(cudaGraphLaunch(exec, nullptr));
    CHECK(cudaDeviceSynchronize());
    EXPECT(enabled == 0 && host[3] == 0 && calls == 3);
    CHECK(cudaGraphExecDestroy(exec));
    // Changes the graph itself: no copy, and the host function after the kernel.
    CHECK(cudaGraphDestroyNode(copied));
    CHECK(cudaGraphAddDependencies(graph, &filled, &told, nullptr, 1));
    CHECK(cudaGraphRemoveDependencies(graph, &cleared, &filled, nullptr, 1));
    CHECK(cudaGraphAddDependencies(graph, &cleared, &filled, nullptr, 1));
    node = kernel_node((void *)fill, with_seven);
    CHECK(cudaGraphNodeSetParams(filled, &node));
    host[3] = -1;
    run(graph);
    EXPECT(calls == 4 && host[3] == -1);
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    EXPECT(host[3] == 10);
    CHECK(cudaGraphDestroy(graph));
}

static void symbols()
{
    cudaGraph_t graph;
    cudaGraphNode_t there, back;
    int ones[N], result[N] = {};
    for (int &one : ones)
        one = 1 + (int)(&one - ones);
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemcpyNodeToSymbol(&there, graph, nullptr, 0, table, ones, sizeof ones, 0,
                                         cudaMemcpyHostToDevice));
    CHECK(cudaGraphAddMemcpyNodeFromSymbol(&back, graph, &there, 1, result, table, 10 * sizeof(int),
                                           20 * sizeof(int), cudaMemcpyDeviceToHost));
    run(graph);
    EXPECT(result[0] == 21 && result[9] == 30 && result[10] == 0);
    CHECK(cudaGraphMemcpyNodeSetParamsFromSymbol(back, result, table, 5 * sizeof(int), 0,
                                                 cudaMemcpyDeviceToHost));
    run(graph);
    EXPECT(result[0] == 1 && result[4] == 5 && result[5] == 26);
    CHECK(cudaGraphDestroy(graph));
}

// ---- memory of a graph --------------------------------------------------------------------------

static void own_memory()
{
    cudaGraph_t graph;
    cudaGraphNode_t allocated, filled, added, freed;
    int n = N, one = 1;
    cudaGraphNodeParams node = {};
    CHECK(cudaGraphCreate(&graph, 0));
    node.type = cudaGraphNodeTypeMemAlloc;
    node.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    node.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
    node.alloc.bytesize = sizeof host;
    CHECK(cudaGraphAddNode(&allocated, graph, nullptr, nullptr, 0, &node));
    int *own = (int *)node.alloc.dptr;
    void *of_fill[] = {&own, &n, &one}, *of_add[] = {&data, &own, &n};
    node = kernel_node((void *)fill, of_fill);
    CHECK(cudaGraphAddNode(&filled, graph, &allocated, nullptr, 1, &node));
    node = kernel_node((void *)add, of_add);
    CHECK(cudaGraphAddNode(&added, graph, &filled, nullptr, 1, &node));
    CHECK(cudaGraphAddMemFreeNode(&freed, graph, &added, 1, own));
    CHECK(cudaMemset(data, 0, sizeof host));
    run(graph, 0, 3);
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    EXPECT(host[4] == 15);
    unsigned long long used = 1;
    CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    (void)used; // the graph may keep its memory until it is destroyed
    CHECK(cudaDeviceGraphMemTrim(0));
    CHECK(cudaGraphDestroy(graph));
}

// Memory from a capture. If the graph does not free it, the program or the next launch does.
static void captured_memory()
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *own;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMallocAsync(&own, sizeof host, stream));
    fill<<<1, 32, 0, stream>>>(own, N, 40);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaMemcpyAsync(host, own, sizeof host, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        EXPECT(host[2] == 42);
        host[2] = 0;
    }
    CHECK(cudaFreeAsync(own, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    // Captures into an existing graph.
    cudaGraphNode_t empty;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0));
    CHECK(cudaStreamBeginCaptureToGraph(stream, graph, &empty, nullptr, 1,
                                        cudaStreamCaptureModeGlobal));
    fill<<<1, 32, 0, stream>>>(data, N, 60);
    cudaGraph_t same;
    CHECK(cudaStreamEndCapture(stream, &same));
    size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    EXPECT(same == graph && nodes == 2);
    run(graph);
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    EXPECT(host[1] == 61);
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
}

int main()
{
    CHECK(cudaMalloc(&data, sizeof host));
    changed_nodes();
    symbols();
    own_memory();
    captured_memory();
    CHECK(cudaFree(data));
    return passed();
}
