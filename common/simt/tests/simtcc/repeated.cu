/* Launches that are made several times. A repeat that would change nothing is not run again. Each
 * case prints the contents of memory after each of its launches. */
#include <atomic>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thread>

enum { N = 1000, TIMES = 6 };

static float host[N];
static float *in, *out, *more;

/* ---- kernels ---- */

__global__ void twice(const float *from, float *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = 2 * from[i];
}

__global__ void plus(const float *from, float *to, int n, char what)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = from[i] + what;
}

__global__ void plus(const float *from, float *to, char what, double more)
{
    to[threadIdx.x] = from[threadIdx.x] + what + more;
}

__global__ void accumulate(const float *from, float *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] += from[i];
}

/* It reads what it writes, but the second launch changes nothing. */
__global__ void clamp(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = fminf(data[i], 10);
}

__global__ void sums(const float *from, float *to)
{
    __shared__ float partial[128];
    partial[threadIdx.x] = from[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (threadIdx.x < step)
            partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        to[blockIdx.x] = partial[0];
}

__global__ void returns_early(const float *from, float *to, int n)
{
    __shared__ float kept[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    kept[threadIdx.x] = threadIdx.x;
    if (i >= n)
        return;
    __syncthreads();
    to[i] = from[i] + kept[threadIdx.x / 2];
}

__global__ void count(const float *from, unsigned int *counter, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && from[i] > 3)
        atomicAdd(counter, 1);
}

__global__ void count_apart(unsigned int *counters)
{
    atomicAdd_block(&counters[threadIdx.x], 1);
}

__global__ void add_there(const float *where, float *to)
{
    to[(int)*where] += 1;
}

__global__ void tell(const float *from)
{
    if (threadIdx.x == 0)
        printf("the kernel finds %g\n", from[0]);
}

__global__ void puts_only(const float *from, float *to)
{
    to[threadIdx.x] = from[threadIdx.x];
    if (threadIdx.x == 0)
        printf("once more\n");
}

__global__ void times(long long *to)
{
    *to = clock64();
}

__device__ float scale = 3;
__device__ float result;
__constant__ float weights[4];
__managed__ float both[4];

__global__ void scaled(const float *from, float *to)
{
    to[threadIdx.x] = from[threadIdx.x] * scale;
}

__global__ void weighted(const float *from, float *to)
{
    to[threadIdx.x] = from[threadIdx.x] * weights[threadIdx.x % 4];
}

__global__ void to_variable(const float *from)
{
    result = from[0];
}

__global__ void of_managed(float *to)
{
    to[threadIdx.x] = both[threadIdx.x];
}

__global__ void bump_slowly(unsigned int *words)
{
    unsigned int value = words[0];
    words[1] = 1;
    for (int i = 0; i < 10000000; i++)
        value = value * 3 + 1;
    words[0] = value;
}
__global__ void fetch(cudaTextureObject_t texture, float *to)
{
    to[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x);
}

__global__ void reads_shared_first(float *to)
{
    extern __shared__ float unset[];
    to[threadIdx.x] = unset[threadIdx.x];
}

__global__ void flag(volatile int *to)
{
    *to = 1;
    __threadfence();
}

__global__ void allocates(float **to)
{
    float *memory = (float *)malloc(16);
    *to = memory;
    free(memory);
}

__global__ void parent(const float *from, float *to)
{
    twice<<<1, 32>>>(from, to, 32);
}

struct large {
    float values[2000];
};

__global__ void of_structure(large given, float *to)
{
    to[threadIdx.x] = given.values[threadIdx.x];
}

/* ---- contents of memory ---- */

static void show_memory(const char *what, const void *memory, size_t bytes)
{
    unsigned char *copy = (unsigned char *)malloc(bytes);
    unsigned int hash = 1;
    cudaMemcpy(copy, memory, bytes, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < bytes; i++)
        hash = hash * 31 + copy[i];
    printf("%s %08x, %s\n", what, hash, cudaGetErrorString(cudaGetLastError()));
    free(copy);
}

static void show(void)
{
    show_memory("out", out, N * sizeof *out);
}

static void prepare(void)
{
    for (int i = 0; i < N; i++)
        host[i] = i % 17;
    cudaMalloc(&in, N * sizeof *in);
    cudaMalloc(&out, N * sizeof *out);
    cudaMalloc(&more, N * sizeof *more);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, N * sizeof *out);
    cudaMemset(more, 0, N * sizeof *more);
}

#define TWICE twice<<<8, 128>>>(in, out, N)

static void symbols(int)
{
    scaled<<<1, 32>>>(in, out);
    weighted<<<1, 32>>>(in, out + 32);
    to_variable<<<1, 1>>>(in);
}

static float *registered(void)
{
    float *memory = (float *)aligned_alloc(4096, 4096);
    memset(memory, 0, 4096);
    cudaHostRegister(memory, N * sizeof *memory, cudaHostRegisterDefault);
    return memory;
}

/* The program clears `to` before each launch. The kernel copies its result to `copy`. */
static __global__ void add_and_keep(const float *from, float *to, float *copy, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] += from[i];
        copy[i] = to[i];
    }
}

/* ---- mistakes: found as if all launches were run ---- */

static cudaStream_t without_order(void)
{
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    return stream;
}
/* In the last round, a launch in a stream that nothing orders after the launch before it. */
static void race_with(void (*other)(cudaStream_t stream), int i)
{
    cudaDeviceSynchronize();
    TWICE;
    if (i == TIMES - 1)
        other(without_order());
}
static void race_write_input(int i)
{
    race_with([](cudaStream_t stream) { plus<<<8, 128, 0, stream>>>(more, in, N, 0); }, i);
}
static void race_read_output(int i)
{
    race_with([](cudaStream_t stream) { twice<<<8, 128, 0, stream>>>(out, more, N); }, i);
}
/* Clears data with a kernel that must run each time. */
static void clear(float *data, int i)
{
    cudaMemset(data, 0, N * sizeof *data);
    plus<<<8 + i, 128>>>(data, data, N, 0);
    cudaDeviceSynchronize();
}

static const struct {
    const char *name;
    void (*launch)(int i);
} cases[] = {
    {"plain", [](int) { TWICE; }},
    {"overloaded", [](int) { plus<<<1, 128>>>(in, out, (char)1, 2.0); }},
    {"other_launches",
     [](int) {
         TWICE;
         accumulate<<<8, 128>>>(more, more, 1);
         sums<<<7, 128>>>(out, more + 500);
     }},
    {"barriers",
     [](int) {
         sums<<<7, 128>>>(in, out);
         returns_early<<<8, 128>>>(in, out + 8, 500);
         sums<<<7, 128>>>(in, out);
     }},
    {"clamped",
     [](int) {
         clamp<<<8, 128>>>(in, N);
         show_memory("in", in, N * sizeof *in);
     }},
    {"same_again",
     [](int) {
         TWICE;
         cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
     }},
    {"symbols", symbols},
    {"graph",
     [](int i) {
         static cudaGraphExec_t exec;
         static cudaStream_t stream;
         if (i == 0) {
             cudaGraph_t made;
             cudaStreamCreate(&stream);
             cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
             twice<<<8, 128, 0, stream>>>(in, out, N);
             cudaStreamEndCapture(stream, &made);
             cudaGraphInstantiate(&exec, made, 0);
         }
         cudaGraphLaunch(exec, stream);
         cudaStreamSynchronize(stream);
     }},
    {"pointer",
     [](int) {
         int n = N;
         void *arguments[] = {&in, &out, &n};
         cudaLaunchKernel((const void *)twice, dim3(8), dim3(128), arguments, 0, NULL);
     }},
    {"timed",
     [](int) {
         cudaEvent_t start, end;
         float milliseconds;
         cudaEventCreate(&start);
         cudaEventCreate(&end);
         cudaEventRecord(start);
         TWICE;
         cudaEventRecord(end);
         cudaEventSynchronize(end);
         cudaEventElapsedTime(&milliseconds, start, end);
         puts(milliseconds > 0 && milliseconds < 10000 ? "takes time" : "takes no time");
     }},
    {"input_copied",
     [](int i) {
         host[i] += 1;
         cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
         TWICE;
     }},
    /* The change affects another block each time. */
    {"input_filled",
     [](int i) {
         cudaMemset((char *)in + 700 * i, i + 1, 1);
         TWICE;
     }},
    {"input_written",
     [](int i) {
         if (i % 2 == 1)
             plus<<<8, 128>>>(more, in, N, (char)i);
         TWICE;
     }},
    {"output_filled",
     [](int i) {
         TWICE;
         show();
         if (i > 1)
             cudaMemset(out + i, 1, 4);
     }},
    {"output_written",
     [](int i) {
         TWICE;
         show();
         plus<<<8, 128>>>(more, out, N, (char)(i / 3));
     }},
    {"in_place",
     [](int) {
         accumulate<<<8, 128>>>(in, in, N);
         show_memory("in", in, N * sizeof *in);
     }},
    {"accumulated", [](int) { accumulate<<<8, 128>>>(in, out, N); }},
    /* It always leaves the same result, but in the last round it starts from other contents. */
    {"started_again",
     [](int i) {
         if (i < TIMES - 1)
             cudaMemset(out, 0, N * sizeof *out);
         accumulate<<<8, 128>>>(in, out, N);
     }},
    {"counted", [](int) { count<<<8, 128>>>(in, (unsigned int *)out, N); }},
    {"counted_again",
     [](int) {
         cudaMemset(out, 0, sizeof *out);
         count<<<8, 128>>>(in, (unsigned int *)out, N);
     }},
    {"copied_back",
     [](int) {
         cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
         accumulate<<<8, 128>>>(in, in, N);
         show_memory("in", in, N * sizeof *in);
     }},
    /* Each kernel starts from what the others have left, as in the round before. */
    {"in_turns",
     [](int) {
         TWICE;
         accumulate<<<8, 128>>>(out, out, N);
         plus<<<8, 128>>>(out, more, N, 1);
         clamp<<<8, 128>>>(out, N);
     }},
    /* One number differs in round 4. It lies behind those that the launch writes. */
    {"found_other",
     [](int i) {
         cudaMemset(out, 0, N * sizeof *out);
         if (i == 4)
             cudaMemset(out + 900, 1, 1);
         plus<<<8, 128>>>(in, out, 900, 1);
         show_memory("out", out, N * sizeof *out);
     }},
    /* `to` is reset each time. The arrays that the kernel only reads and only writes are each
     * changed once. */
    {"put_back",
     [](int i) {
         cudaMemset(out, 0, N * sizeof *out);
         if (i == TIMES - 2)
             cudaMemset(in + 5, 0, sizeof *in);
         if (i == TIMES - 1)
             cudaMemset(more + 7, 1, 1);
         add_and_keep<<<8, 128>>>(in, out, more, N);
         show_memory("out", out, N * sizeof *out);
         show_memory("more", more, N * sizeof *more);
     }},
    /* From the third round on, at another address. */
    {"elsewhere",
     [](int i) {
         const float where = i < 2 ? 3 : 700;
         cudaMemset(out, 0, N * sizeof *out);
         cudaMemcpy(more, &where, sizeof where, cudaMemcpyHostToDevice);
         add_there<<<1, 1>>>(more, out);
         show_memory("out", out, N * sizeof *out);
     }},
    {"ping_pong",
     [](int) {
         plus<<<8, 128>>>(in, out, N, 1);
         plus<<<8, 128>>>(out, in, N, 1);
     }},
    {"argument",
     [](int i) {
         plus<<<8, 128>>>(in, out, N, (char)i);
         show();
         plus<<<8, 128>>>(in, out, N, (char)(i + 1));
     }},
    {"shape",
     [](int i) {
         twice<<<4 + i % 2, 128>>>(in, out, N);
         show();
         twice<<<8, 64 + 64 * (i % 2)>>>(in, out, N);
     }},
    {"new_memory",
     [](int i) {
         cudaFree(in);
         cudaMalloc(&in, N * sizeof *in);
         host[0] = i;
         cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
         TWICE;
     }},
    {"symbol_copied",
     [](int i) {
         float value = i;
         cudaMemcpyToSymbol(scale, &value, sizeof value);
         cudaMemcpyToSymbol(weights, &value, sizeof value, 4 * (i % 4));
         symbols(i);
     }},
    /* Two launches per round, and nothing else accesses device memory between them. */
    {"managed_written",
     [](int i) {
         for (int j = 0; j < 2; j++) {
             both[(i + j) % 4] = i + 10 * j;
             of_managed<<<1, 4>>>(out);
             cudaDeviceSynchronize();
         }
     }},
    {"pinned_written",
     [](int i) {
         static float *pinned;
         if (!pinned) {
             cudaMallocHost(&pinned, N * sizeof *pinned);
             memset(pinned, 0, N * sizeof *pinned);
         }
         for (int j = 0; j < 2; j++) {
             pinned[i] += i + j;
             twice<<<8, 128>>>(pinned, out, N);
             cudaDeviceSynchronize();
         }
     }},
    /* Another thread writes next to the kernel's words while the kernel runs, in the launch that
     * would be recorded. */
    {"written_beside",
     [](int i) {
         static unsigned int *pinned;
         std::thread other;
         std::atomic<bool> runs{i != 2};
         if (!pinned)
             cudaMallocHost(&pinned, 3 * sizeof *pinned);
         volatile unsigned int *const words = pinned;
         words[0] = words[1] = 0;
         words[2] = 5;
         if (i == 2)
             other = std::thread([words, &runs] {
                 for (runs = true; words[1] == 0;)
                     ; /* no yield: it must write before the kernel ends */
                 words[2] = 77;
             });
         while (!runs)
             std::this_thread::yield();
         bump_slowly<<<1, 1>>>(pinned);
         cudaDeviceSynchronize();
         if (i == 2)
             other.join();
         printf("%u, beside %u\n", words[0], words[2]);
     }},
    {"registered_written",
     [](int i) {
         static float *const memory = registered();
         memory[i] = i;
         twice<<<8, 128>>>(memory, out, N);
         cudaDeviceSynchronize();
     }},
    {"printed",
     [](int) {
         tell<<<1, 32>>>(in);
         puts_only<<<1, 32>>>(in, out);
         cudaDeviceSynchronize();
     }},
    {"clocks",
     [](int) {
         static long long before, now;
         times<<<1, 1>>>((long long *)more);
         cudaMemcpy(&now, more, sizeof now, cudaMemcpyDeviceToHost);
         puts(now > before ? "later" : "the same time");
         before = now;
     }},
    {"texture",
     [](int i) {
         cudaResourceDesc resource = {};
         cudaTextureDesc description = {};
         resource.resType = cudaResourceTypeLinear;
         resource.res.linear.devPtr = in;
         resource.res.linear.desc = cudaCreateChannelDesc<float>();
         resource.res.linear.sizeInBytes = N * sizeof *in;
         static cudaTextureObject_t one;
         if (!one)
             cudaCreateTextureObject(&one, &resource, &description, NULL);
         cudaMemset((char *)in + i, i, 1);
         fetch<<<1, 32>>>(one, out);
     }},
    {"fences", [](int) { flag<<<1, 1>>>((int *)more); }},
    {"heap", [](int) { allocates<<<1, 1>>>((float **)more); }},
    {"children",
     [](int i) {
         cudaMemset((char *)in + i, i, 1);
         parent<<<1, 1>>>(in, out);
     }},
    {"large_argument",
     [](int i) {
         large given = {};
         given.values[1500 + i] = i;
         of_structure<<<1, 32>>>(given, out);
     }},
    {"devices",
     [](int i) {
         static float *others[2];
         float *both_in[2] = {in, others[1]};
         if (i == 0) {
             cudaSetDevice(1);
             cudaMalloc(&others[1], N * sizeof *in);
             cudaMemcpy(others[1], host, sizeof host, cudaMemcpyHostToDevice);
             both_in[1] = others[1];
         }
         cudaSetDevice(i % 2);
         plus<<<8, 128>>>(both_in[i % 2], both_in[i % 2], N, 1);
         cudaDeviceSynchronize();
         show_memory("of the device", both_in[i % 2], N * sizeof *in);
         cudaSetDevice(0);
     }},
    {"failing", [](int i) { twice<<<8, i == 3 ? 2048 : 128>>>(in, out, N); }},
    {"unset_shared", [](int) { reads_shared_first<<<1, 32, 128>>>(out); }},
    {"unset_again",
     [](int i) {
         TWICE;
         if (i == 3) { /* same contents, but uninitialized after cudaMalloc */
             float *old = in;
             cudaFree(in);
             cudaMalloc(&in, N * sizeof *in);
             printf("%d\n", in == old);
         }
     }},
    {"other_device",
     [](int i) {
         cudaSetDevice(i == TIMES - 1);
         TWICE;
     }},
    {"unregistered",
     [](int i) {
         static float *const memory = registered();
         if (i == TIMES - 1)
             cudaHostUnregister(memory);
         twice<<<8, 128>>>(memory, out, N);
     }},
    {"freed",
     [](int i) {
         TWICE;
         cudaDeviceSynchronize();
         if (i == 3)
             cudaFree(in);
     }},
    {"race_write_input", race_write_input},
    {"race_read_output", race_read_output},
    {"race_fill_input",
     [](int i) {
         race_with([](cudaStream_t stream) { cudaMemsetAsync(in + 10, 0, 4, stream); }, i);
     }},
    {"race_copy_output",
     [](int i) {
         race_with(
             [](cudaStream_t stream) {
                 cudaMemcpyAsync(more, out, 400, cudaMemcpyDeviceToDevice, stream);
             },
             i);
     }},
    /* Between these launches, a kernel that is never a repeat reads the input. */
    {"race_after_reader",
     [](int i) {
         count<<<8, 128>>>(in, (unsigned int *)more, N);
         race_write_input(i);
     }},
    /* Between these launches, another launch writes the same values. */
    {"race_after_writer",
     [](int i) {
         if (i > 0)
             accumulate<<<8, 128>>>(more, out, N);
         race_read_output(i);
     }},
    /* After the last launch, others read its output. An unordered one then writes its input. */
    {"race_before_reader",
     [](int i) {
         cudaDeviceSynchronize();
         TWICE;
         if (i == TIMES - 1) {
             sums<<<7, 128>>>(more, more + 900);
             sums<<<7, 128>>>(out, more);
             plus<<<8, 128, 0, without_order()>>>(more + 900, in, 90, 0);
         }
     }},
    /* After the last launch there are more launches than the runtime remembers. */
    {"race_after_many",
     [](int i) {
         cudaDeviceSynchronize();
         TWICE;
         if (i == TIMES - 1) {
             for (int j = 0; j < 100; j++)
                 plus<<<1, 32>>>(more, more + 32, 32, (char)j);
             plus<<<8, 128, 0, without_order()>>>(more + 64, in, 900, 0);
         }
     }},
    /* The launch of the last round is not ordered after another launch, which writes the values
     * that are there already. */
    {"race_of_repeat",
     [](int i) {
         plus<<<8, 128>>>(more, more, N, 0);
         cudaDeviceSynchronize();
         if (i == TIMES - 1)
             plus<<<8, 128, 0, without_order()>>>(in, in, N, 0);
         TWICE;
     }},
    {"race_read_counter",
     [](int i) {
         clear(more, i);
         count<<<8, 128>>>(in, (unsigned int *)more, N);
         if (i == TIMES - 1)
             plus<<<1, 1, 0, without_order()>>>(more, out, 1, 0);
     }},
    /* The kernel's atomics are atomic only within its block. */
    {"race_of_block_scope",
     [](int i) {
         clear(more, i);
         count_apart<<<1, 128>>>((unsigned int *)more);
         if (i == TIMES - 1)
             count<<<8, 128, 0, without_order()>>>(in, (unsigned int *)more + 5, N);
     }},
    {"no_race_of_atomics",
     [](int i) {
         clear(more, i);
         count<<<8, 128>>>(in, (unsigned int *)more, N);
         if (i == TIMES - 1)
             count<<<8, 128, 0, without_order()>>>(in, (unsigned int *)more, N);
     }},
    {"no_race",
     [](int i) {
         static cudaStream_t streams[2];
         cudaEvent_t event;
         if (i == 0) {
             cudaStreamCreateWithFlags(&streams[0], cudaStreamNonBlocking);
             cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking);
             cudaDeviceSynchronize();
         }
         cudaEventCreate(&event);
         twice<<<8, 128, 0, streams[i % 2]>>>(in, out, N);
         cudaEventRecord(event, streams[i % 2]);
         cudaStreamWaitEvent(streams[(i + 1) % 2], event, 0);
     }},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (argc == 1) {
            puts(cases[i].name);
        } else if (strcmp(argv[1], cases[i].name) == 0) {
            prepare();
            for (int j = 0; j < TIMES; j++) {
                cases[i].launch(j);
                if (!strstr(argv[1], "race"))
                    show();
            }
            if (cudaDeviceSynchronize() != cudaSuccess)
                return 3;
            cudaMemcpyFromSymbol(host, result, sizeof result);
            printf("result %g\n", host[0]);
        }
    }
    return 0;
}
