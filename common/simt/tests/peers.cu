// Work on several devices: their memory, their streams, and NCCL calls between them. Requires
// SIMT_DEVICES=4.
#include "cases.cuh"

#include <nccl.h>

#include <thread>

static const int N = 256, DEVICES = 4;
static const size_t BYTES = N * sizeof(float);

__global__ void fill(float *data)
{
    data[threadIdx.x] = 1; // FAULT store_elsewhere after_disable
}

__global__ void add(const float *from, float *to)
{
    to[threadIdx.x] += from[threadIdx.x]; // FAULT load_elsewhere one_way
}

__global__ void nothing()
{
}

static float *x[DEVICES], *y[DEVICES];
static cudaStream_t stream[DEVICES];
static cudaEvent_t event[DEVICES];
static ncclComm_t comm[DEVICES];

template <class F>
static void on(int device, F work)
{
    cudaSetDevice(device);
    work();
}

static void reduce(int d)
{
    const ncclDataType_t f = ncclFloat;
    ncclAllReduce(x[d], y[d], N, f, ncclSum, comm[d], stream[d]); // FAULT some_ranks missing
}

static void all_reduce(int first, int last)
{
    ncclGroupStart();
    for (int d = first; d < last; d++)
        reduce(d);
    ncclGroupEnd();
}

// Device 1 fills the array that device 0 adds.
static void launch_graph(bool ordered, cudaStream_t in)
{
    int current;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    cudaGetDevice(&current);
    cudaStreamBeginCapture(stream[0], cudaStreamCaptureModeThreadLocal);
    cudaEventRecord(event[0], stream[0]);
    cudaStreamWaitEvent(stream[1], event[0], 0);
    on(1, [] { fill<<<1, N, 0, stream[1]>>>(x[1]); }); // FAULT graph_too_early
    cudaEventRecord(event[1], stream[1]);
    if (ordered)
        cudaStreamWaitEvent(stream[0], event[1], 0);
    on(0, [] {
        cudaDeviceEnablePeerAccess(1, 0);
        add<<<1, N, 0, stream[0]>>>(x[1], y[0]); // FAULT graph_too_early
    });
    cudaStreamWaitEvent(stream[0], event[1], 0);
    cudaStreamEndCapture(stream[0], &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    cudaSetDevice(current);
    cudaGraphLaunch(exec, in);
    cudaGraphExecDestroy(exec);
}

static const Case cases[] = {
    {"load_elsewhere", "memory of device 1, to which device 0 has no peer access",
     [] { on(0, [] { add<<<1, N>>>(x[1], y[0]); }); }},
    {"store_elsewhere", "memory of device 3, to which device 2 has no peer access",
     [] { on(2, [] { fill<<<1, N>>>(x[3]); }); }},
    // Device 1 may access the memory of device 0, but not the other way round.
    {"one_way", "cudaDeviceEnablePeerAccess()",
     [] {
         on(1, [] { cudaDeviceEnablePeerAccess(0, 0); });
         on(0, [] { add<<<1, N>>>(x[1], y[0]); });
     }},
    {"after_disable", "no peer access",
     [] {
         cudaSetDevice(0);
         cudaDeviceEnablePeerAccess(1, 0);
         fill<<<1, N>>>(x[1]);
         cudaDeviceDisablePeerAccess(1);
         fill<<<1, N>>>(x[1]);
     }},
    {"stream_of_another", "refused",
     [] {
         cudaSetDevice(0);
         nothing<<<1, 1, 0, stream[1]>>>();
         if (cudaGetLastError() == cudaErrorInvalidResourceHandle) {
             puts("refused");
             exit(1);
         }
     }},
    {"two_default_streams", "nothing orders the two",
     [] {
         cudaSetDevice(1);
         cudaDeviceEnablePeerAccess(0, 0);
         fill<<<1, N>>>(x[0]); // FAULT two_default_streams
         cudaSetDevice(0);
         add<<<1, N>>>(x[0], y[0]); // FAULT two_default_streams
     }},
    {"synchronized_another", "nothing orders the two",
     [] {
         cudaSetDevice(1);
         cudaDeviceEnablePeerAccess(0, 0);
         fill<<<1, N>>>(x[0]); // FAULT synchronized_another
         cudaSetDevice(0);
         cudaDeviceSynchronize();
         add<<<1, N>>>(x[0], y[0]); // FAULT synchronized_another
     }},
    {"peer_copy_too_early", "data race: it reads memory",
     [] {
         on(1, [] { fill<<<1, N, 0, stream[1]>>>(x[1]); }); // FAULT peer_copy_too_early
         on(0, [] {
             cudaMemcpyPeerAsync(x[0], 0, x[1], 1, BYTES, stream[0]); // FAULT peer_copy_too_early
         });
     }},
    // A graph with nodes on two devices and no order between them.
    {"graph_too_early", "data race", [] { launch_graph(false, stream[0]); }},
    {"result_too_early", "ncclAllReduce() at",
     [] {
         all_reduce(0, DEVICES);
         on(0, [] { add<<<1, N>>>(y[0], x[0]); }); // FAULT result_too_early
     }},
    {"input_overwritten", "in another stream reads it",
     [] {
         all_reduce(0, DEVICES);
         on(2, [] { fill<<<1, N>>>(x[2]); }); // FAULT input_overwritten
     }},
    {"some_ranks", "rank 0 of 4 waits for rank 2, rank 3, and no thread is left",
     [] { all_reduce(0, 2); }},
    {"no_group", "between",
     [] {
         for (int d = 0; d < DEVICES; d++)
             ncclBroadcast(x[d], y[d], N, ncclFloat, 0, comm[d], stream[d]); // FAULT no_group
     }},
    {"missing", "waits for rank 3",
     [] {
         std::thread threads[DEVICES - 1];
         for (int d = 0; d < DEVICES - 1; d++)
             threads[d] = std::thread(reduce, d);
         for (int d = 0; d < DEVICES - 1; d++)
             threads[d].join();
     }},
    {"other_count", "(256 elements) meets",
     [] {
         ncclGroupStart();
         for (int d = 0; d < DEVICES; d++) {
             const int n = d == 0 ? N : N / 2;
             ncclAllGather(x[d], y[d], n, ncclFloat, comm[d], stream[d]); // FAULT other_count
         }
         ncclGroupEnd();
     }},
    {"other_operation", "the operations must be the same on all ranks",
     [] {
         ncclGroupStart();
         for (int d = 0; d < DEVICES - 1; d++)
             reduce(d);
         ncclBroadcast(x[3], y[3], N, ncclFloat, 0, comm[3], stream[3]); // FAULT other_operation
         ncclGroupEnd();
     }},
    {"both_send", "rank 1 of 4 waits for rank 0",
     [] {
         ncclGroupStart();
         ncclSend(x[0], N, ncclFloat, 1, comm[0], stream[0]); // FAULT both_send
         ncclSend(x[1], N, ncclFloat, 0, comm[1], stream[1]); // FAULT both_send
         ncclGroupEnd();
     }},
    {"ok_peer", "",
     [] {
         cudaSetDevice(0);
         cudaDeviceEnablePeerAccess(1, 0);
         add<<<1, N>>>(x[1], y[0]);
         cudaMemcpyPeer(y[1], 1, y[0], 0, BYTES);
         on(1, [] { add<<<1, N>>>(x[1], y[1]); });
     }},
    {"ok_events", "",
     [] {
         on(1, [] {
             fill<<<1, N, 0, stream[1]>>>(x[1]);
             cudaEventRecord(event[1], stream[1]);
         });
         on(0, [] {
             cudaStreamWaitEvent(stream[0], event[1], 0);
             cudaMemcpyPeerAsync(x[0], 0, x[1], 1, BYTES, stream[0]);
             add<<<1, N, 0, stream[0]>>>(x[0], y[0]);
         });
     }},
    // A copy in a default stream makes the default streams of both devices wait for it.
    {"ok_copy_in_default_stream", "",
     [] {
         on(1, [] { fill<<<1, N>>>(x[1]); });
         on(0, [] { cudaMemcpyPeer(x[0], 0, x[1], 1, BYTES); });
         on(1, [] { fill<<<1, N>>>(x[1]); });
         on(0, [] { add<<<1, N>>>(x[0], y[0]); });
     }},
    // Launched in a stream of one of its devices, of another device, and in a default stream.
    {"ok_graph", "",
     [] {
         launch_graph(true, stream[0]);
         cudaStreamSynchronize(stream[0]);
         launch_graph(true, stream[2]);
         cudaStreamSynchronize(stream[2]);
         cudaSetDevice(3);
         launch_graph(true, 0);
     }},
    {"ok_all_reduce", "",
     [] {
         for (int i = 0; i < 3; i++) {
             for (int d = 0; d < DEVICES; d++)
                 on(d, [d] { fill<<<1, N, 0, stream[d]>>>(x[d]); });
             all_reduce(0, DEVICES);
             for (int d = 0; d < DEVICES; d++)
                 on(d, [d] { add<<<1, N, 0, stream[d]>>>(y[d], x[d]); });
         }
     }},
    {"ok_threads", "",
     [] {
         std::thread threads[DEVICES];
         for (int d = 0; d < DEVICES; d++)
             threads[d] = std::thread([d] {
                 cudaSetDevice(d);
                 fill<<<1, N, 0, stream[d]>>>(x[d]);
                 ncclAllReduce(x[d], y[d], N, ncclFloat, ncclSum, comm[d], stream[d]);
                 add<<<1, N, 0, stream[d]>>>(y[d], x[d]);
             });
         for (int d = 0; d < DEVICES; d++)
             threads[d].join();
     }},
    {"ok_ring", "",
     [] {
         ncclGroupStart();
         for (int d = 0; d < DEVICES; d++) {
             ncclSend(x[d], N, ncclFloat, (d + 1) % DEVICES, comm[d], stream[d]);
             ncclRecv(y[d], N, ncclFloat, (d + 3) % DEVICES, comm[d], stream[d]);
         }
         ncclGroupEnd();
         on(0, [] { add<<<1, N, 0, stream[0]>>>(y[0], x[0]); });
     }},
};

int main(int count, char **arguments)
{
    for (int d = 0; d < DEVICES; d++) {
        cudaSetDevice(d);
        x[d] = zeros<float>(4 * BYTES);
        y[d] = zeros<float>(4 * BYTES);
        cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&event[d], cudaEventDisableTiming);
        cudaDeviceSynchronize();
    }
    if (ncclCommInitAll(comm, DEVICES, nullptr) != ncclSuccess)
        return 3;
    cudaSetDevice(0);
    return run_case(cases, count, arguments);
}
