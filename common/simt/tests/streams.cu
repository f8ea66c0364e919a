// Work in several streams, correctly ordered and not.
#include "cases.cuh"

static const int N = 256;
static const size_t BYTES = N * sizeof(float);

__global__ void produce(float *data)
{
    data[threadIdx.x] = threadIdx.x; // FAULT two_streams both_write copy_of_other_stream graph soon
}

__global__ void fill_child(float *data)
{
    data[threadIdx.x] = 1; // FAULT reads_child
}

__global__ void consume(const float *data, float *out)
{
    const int i = N - 1 - threadIdx.x;
    out[threadIdx.x] =
        data[i]; // FAULT two_streams write_after_read graph soon writes_in begins ends
}

__global__ void consume_behind(const float *data, float *out)
{
    cudaGridDependencySynchronize();
    out[threadIdx.x] = data[N - 1 - threadIdx.x];
}

// Kernels launched by a kernel.
__global__ void reads_child(float *out)
{
    if (threadIdx.x == 0)
        fill_child<<<1, N>>>(out); // FAULT reads_child
    __syncthreads();
    out[N + threadIdx.x] = out[threadIdx.x]; // FAULT reads_child
}

__global__ void writes_input(float *data, float *out, bool wrong)
{
    if (threadIdx.x == 0) {
        data[0] = 1;
        consume<<<1, N>>>(data, out);
        if (wrong)
            data[1] = 2; // FAULT writes_in
    }
}

__global__ void launches_early(float *data, float *out, bool wrong)
{
    data[threadIdx.x] = 1; // FAULT begins
    if (!wrong)
        __syncthreads();
    if (threadIdx.x == 0)
        consume<<<1, N>>>(data, out);
}

// The last block to arrive sees all stores of the others. A tail launch starts after all blocks.
__global__ void last_launches(float *data, float *out, int *counter, bool wrong)
{
    data[blockIdx.x * 32 + threadIdx.x] = 1; // FAULT ends
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && (atomicAdd(counter, 1) == gridDim.x - 1) != wrong) {
        __threadfence();
        consume<<<1, N>>>(data, out);
        fill_child<<<1, N, 0, cudaStreamTailLaunch>>>(data);
    }
    out[N + blockIdx.x * 32 + threadIdx.x] = data[32 * blockIdx.x];
}

// The second kernel may start before the first one has ended.
static void launch_early(void (*second)(const float *, float *), const float *data, float *out)
{
    cudaLaunchAttribute early = {};
    cudaLaunchConfig_t config = {1, N, 0, nullptr, &early, 1};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    produce<<<1, N>>>((float *)data);
    cudaLaunchKernelEx(&config, second, data, out); // FAULT soon
}

__global__ void read(const float *data)
{
    if (data[threadIdx.x] > 1e30f) // FAULT reader_of_third
        printf("large\n");
}

__global__ void overwrite(float *data)
{
    data[threadIdx.x] = 1; // FAULT write_after_read both_write reader_of_third graph_copy
}

__global__ void ok_add(int *counter)
{
    atomicAdd(counter, 1); // FAULT atomics_and_plain
}

__global__ void plain_add(int *counter)
{
    if (threadIdx.x == 0)
        *counter += 1; // FAULT atomics_and_plain
}

__global__ void every_second(float *data, int first)
{
    data[2 * threadIdx.x + first] = first;
}

static float *x, *y, *z, *host;
static int *counter;
static cudaStream_t a, b, c;
static cudaEvent_t event, other;

static void CUDART_CB in_between(void *)
{
}

// A graph captured from two streams. They join at the end and, if `ordered`, also before consume().
static void capture_and_launch(bool ordered)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    cudaEventRecord(event, a);
    cudaStreamWaitEvent(b, event, 0);
    produce<<<1, N, 0, a>>>(x); // FAULT graph
    cudaEventRecord(event, a);
    if (ordered)
        cudaStreamWaitEvent(b, event, 0);
    consume<<<1, N, 0, b>>>(x, y); // FAULT graph
    cudaEventRecord(event, b);
    cudaStreamWaitEvent(a, event, 0);
    cudaStreamEndCapture(a, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    for (int i = 0; i < 3; i++)
        cudaGraphLaunch(exec, c);
    cudaStreamSynchronize(c);
    overwrite<<<1, N>>>(x);
    cudaGraphExecDestroy(exec);
}

static const Case cases[] = {
    {"two_streams", "nothing orders the two",
     [] {
         produce<<<1, N, 0, a>>>(x);    // FAULT two_streams
         consume<<<1, N, 0, b>>>(x, y); // FAULT two_streams
     }},
    {"write_after_read", "in another stream read it at",
     [] {
         consume<<<1, N, 0, a>>>(x, y);
         overwrite<<<1, N, 0, b>>>(x);
     }},
    {"both_write", "in another stream wrote it at",
     [] {
         produce<<<1, N, 0, a>>>(x);
         overwrite<<<1, N, 0, b>>>(x);
     }},
    // The second stream's own reads must not hide those of the first stream.
    {"reader_of_third", "in another stream read it at",
     [] {
         read<<<4, N, 0, a>>>(x); // FAULT reader_of_third
         for (int i = 0; i < 3; i++)
             read<<<4, N, 0, b>>>(x);
         cudaStreamSynchronize(c);
         overwrite<<<1, N, 0, b>>>(x);
     }},
    {"event_of_another", "nothing orders the two",
     [] {
         produce<<<1, N, 0, a>>>(x); // FAULT event_of_another
         cudaEventRecord(event, c);
         cudaStreamWaitEvent(b, event, 0);
         consume<<<1, N, 0, b>>>(x, y); // FAULT event_of_another
     }},
    {"wait_too_early", "nothing orders the two",
     [] {
         cudaEventRecord(event, a);
         produce<<<1, N, 0, a>>>(x); // FAULT wait_too_early
         cudaStreamWaitEvent(b, event, 0);
         consume<<<1, N, 0, b>>>(x, y); // FAULT wait_too_early
     }},
    {"late_event", "nothing orders the two",
     [] {
         produce<<<1, N, 0, a>>>(x);    // FAULT late_event
         consume<<<1, N, 0, b>>>(x, y); // FAULT late_event
         cudaEventRecord(event, a);
         cudaStreamWaitEvent(b, event, 0);
     }},
    {"default_stream_not_blocking", "nothing orders the two",
     [] {
         produce<<<1, N>>>(x);          // FAULT default_stream_not_blocking
         consume<<<1, N, 0, c>>>(x, y); // FAULT default_stream_not_blocking
     }},
    {"kernel_after_fill", "cudaMemset() at",
     [] {
         cudaMemset(x, 0, BYTES);    // FAULT kernel_after_fill
         produce<<<1, N, 0, c>>>(x); // FAULT kernel_after_fill
     }},
    {"unset_by_copy", "cudaMemcpyAsync() at",
     [] {
         cudaMemcpyAsync(x, host, BYTES, cudaMemcpyHostToDevice, a); // FAULT unset_by_copy
         consume<<<1, N, 0, b>>>(x, y);                              // FAULT unset_by_copy
     }},
    {"write_after_copy", "in another stream reads it",
     [] {
         cudaMemcpyAsync(host, x, BYTES, cudaMemcpyDeviceToHost, a); // FAULT write_after_copy
         produce<<<1, N, 0, b>>>(x);                                 // FAULT write_after_copy
     }},
    {"copy_of_other_stream", "data race: it reads memory",
     [] {
         produce<<<1, N, 0, a>>>(x);                                 // FAULT copy_of_other_stream
         cudaMemcpyAsync(host, x, BYTES, cudaMemcpyDeviceToHost, b); // FAULT copy_of_other_stream
         cudaDeviceSynchronize();
     }},
    {"fill_while_read", "data race: it writes memory",
     [] {
         consume<<<1, N, 0, a>>>(x, y);   // FAULT fill_while_read
         cudaMemsetAsync(x, 0, BYTES, b); // FAULT fill_while_read
     }},
    {"second_fill", "cudaMemset2DAsync() at",
     [] {
         cudaMemset2DAsync(x, 64, 0, 32, 8, a); // FAULT second_fill
         produce<<<1, 8, 0, b>>>(x);            // FAULT second_fill
     }},
    {"two_copies", "data race: it reads memory",
     [] {
         cudaMemcpyAsync(x, host, BYTES, cudaMemcpyHostToDevice, a);   // FAULT two_copies
         cudaMemcpyAsync(y, x + 200, 64, cudaMemcpyDeviceToDevice, b); // FAULT two_copies
     }},
    {"buffer_reused", "data race: it writes memory",
     [] {
         cudaMemcpyAsync(x, host, BYTES, cudaMemcpyHostToDevice, a); // FAULT buffer_reused
         cudaMemcpyAsync(host, y, BYTES, cudaMemcpyDeviceToHost, b); // FAULT buffer_reused
     }},
    {"copy_on_device", "cudaMemcpy() at",
     [] {
         cudaMemcpy(x, y, BYTES, cudaMemcpyDeviceToDevice);          // FAULT copy_on_device
         cudaMemcpyAsync(host, x, BYTES, cudaMemcpyDeviceToHost, c); // FAULT copy_on_device
     }},
    {"freed_early", "data race: it frees memory",
     [] {
         float *memory;
         cudaMallocAsync(&memory, BYTES, a);
         produce<<<1, N, 0, a>>>(memory); // FAULT freed_early
         cudaFreeAsync(memory, b);        // FAULT freed_early
     }},
    {"allocated_elsewhere", "in another stream allocates it",
     [] {
         float *memory;
         cudaMallocAsync(&memory, BYTES, a); // FAULT allocated_elsewhere
         produce<<<1, N, 0, b>>>(memory);    // FAULT allocated_elsewhere
     }},
    {"atomics_and_plain", "changed it atomically at",
     [] {
         ok_add<<<1, 32, 0, a>>>(counter);
         plain_add<<<1, 32, 0, b>>>(counter);
     }},
    {"ok_one_stream", "",
     [] {
         cudaMemcpyAsync(x, host, BYTES, cudaMemcpyHostToDevice, a);
         consume<<<1, N, 0, a>>>(x, y);
         overwrite<<<1, N, 0, a>>>(x);
         cudaMemcpyAsync(host, x, BYTES, cudaMemcpyDeviceToHost, a);
     }},
    {"ok_event", "",
     [] {
         for (int i = 0; i < 3; i++) {
             produce<<<1, N, 0, a>>>(x);
             cudaEventRecord(event, a);
             cudaStreamWaitEvent(b, event, 0);
             consume<<<1, N, 0, b>>>(x, y);
             cudaEventRecord(other, b);
             cudaStreamWaitEvent(a, other, 0);
         }
     }},
    // If c waits for b, c has also waited for everything that b has waited for.
    {"ok_chain_of_events", "",
     [] {
         produce<<<1, N, 0, a>>>(x);
         cudaEventRecord(event, a);
         cudaStreamWaitEvent(b, event, 0);
         cudaEventRecord(other, b);
         cudaStreamWaitEvent(c, other, 0);
         consume<<<1, N, 0, c>>>(x, y);
     }},
    {"ok_default_stream", "",
     [] {
         produce<<<1, N, 0, a>>>(x);
         consume<<<1, N>>>(x, y);
         overwrite<<<1, N, 0, b>>>(y);
         cudaMemcpy(host, y, BYTES, cudaMemcpyDeviceToHost);
         overwrite<<<1, N, 0, a>>>(y);
     }},
    {"ok_host_waits", "",
     [] {
         produce<<<1, N, 0, a>>>(x);
         cudaStreamSynchronize(a);
         consume<<<1, N, 0, c>>>(x, y);
         cudaEventRecord(event, c);
         cudaEventSynchronize(event);
         overwrite<<<1, N, 0, b>>>(x);
         cudaDeviceSynchronize();
         produce<<<1, N, 0, c>>>(x);
         while (cudaStreamQuery(c) == cudaErrorNotReady) {
         }
         cudaMemcpy(host, x, BYTES, cudaMemcpyDeviceToHost);
         overwrite<<<1, N, 0, c>>>(x);
     }},
    {"ok_parts", "",
     [] {
         const int half = N / 2;
         float *of_host;
         cudaMallocHost(&of_host, BYTES);
         for (int i = 0; i < 2; i++) {
             cudaStream_t stream = i == 0 ? a : c;
             cudaMemcpyAsync(x + i * half, host + i * half, BYTES / 2, cudaMemcpyHostToDevice,
                             stream);
             overwrite<<<1, half, 0, stream>>>(x + i * half);
             cudaMemcpyAsync(of_host + i * half, x + i * half, BYTES / 2, cudaMemcpyDeviceToHost,
                             stream);
             cudaLaunchHostFunc(stream, in_between, nullptr);
         }
         every_second<<<1, half, 0, a>>>(y, 0);
         every_second<<<1, half, 0, c>>>(y, 1);
         cudaMemset2DAsync(z, 64, 0, 32, 8, a);
         cudaMemset2DAsync(z + 8, 64, 0, 32, 8, b);
         cudaDeviceSynchronize();
         cudaFreeHost(of_host);
     }},
    {"ok_readers_and_atomics", "",
     [] {
         read<<<4, N, 0, a>>>(x);
         read<<<4, N, 0, b>>>(x);
         ok_add<<<4, 32, 0, a>>>(counter);
         ok_add<<<4, 32, 0, b>>>(counter);
     }},
    {"ok_many_streams", "",
     [] {
         for (int i = 0; i < 500; i++) {
             cudaStream_t stream;
             cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
             produce<<<1, N, 0, stream>>>(x);
             if (i % 2) {
                 cudaStreamSynchronize(stream);
             } else {
                 cudaEventRecord(event, stream);
                 cudaEventSynchronize(event);
             }
             cudaStreamDestroy(stream);
         }
     }},
    {"reads_child", "which launched it, read it", [] { reads_child<<<1, N>>>(x); }},
    {"writes_in", "which launched it, wrote it", [] { writes_input<<<1, 32>>>(x, y, true); }},
    {"begins", "which launched it, wrote it", [] { launches_early<<<1, N>>>(x, y, true); }},
    {"ends", "which launched it, wrote it", [] { last_launches<<<2, 32>>>(x, y, counter, true); }},
    {"ok_children", "",
     [] {
         writes_input<<<1, 32>>>(x, y, false);
         launches_early<<<1, N>>>(x, y, false);
         last_launches<<<2, 32>>>(x, y, counter, false);
     }},
    {"soon", "before it in its stream", [] { launch_early(consume, x, y); }},
    {"ok_soon", "", [] { launch_early(consume_behind, x, y); }},
    {"graph", "in a graph, make the", [] { capture_and_launch(false); }},
    {"ok_graph", "", [] { capture_and_launch(true); }},
    {"graph_copy", "in another stream",
     [] {
         cudaGraph_t graph;
         cudaGraphExec_t exec;
         cudaGraphNode_t node;
         cudaGraphCreate(&graph, 0);
         const auto add = cudaGraphAddMemcpyNode1D;
         const auto down = cudaMemcpyDeviceToHost;
         add(&node, graph, nullptr, 0, host, x, BYTES, down); // FAULT graph_copy
         cudaGraphInstantiate(&exec, graph, 0);
         cudaGraphLaunch(exec, a);
         overwrite<<<1, N, 0, b>>>(x); // FAULT graph_copy
     }},
    {"ok_memory_of_a_stream", "",
     [] {
         float *memory;
         cudaMallocAsync(&memory, BYTES, a);
         produce<<<1, N, 0, a>>>(memory);
         cudaEventRecord(event, a);
         cudaStreamWaitEvent(b, event, 0);
         consume<<<1, N, 0, b>>>(memory, y);
         cudaFreeAsync(memory, b);
         cudaMalloc(&memory, BYTES);
         overwrite<<<1, N, 0, a>>>(memory);
         cudaFree(memory);
     }},
};

int main(int count, char **arguments)
{
    x = zeros<float>(4 * BYTES);
    y = zeros<float>(4 * BYTES);
    z = zeros<float>(4 * BYTES);
    counter = zeros<int>(256);
    cudaMallocHost(&host, BYTES);
    memset(host, 0, BYTES);
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaEventCreate(&other);
    cudaDeviceSynchronize();
    return run_case(cases, count, arguments);
}
