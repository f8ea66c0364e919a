/* Ways in which blocks affect one another, one per case. One core and several must give the same
 * output, counts and findings (simtcc/cores.sh). */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#define BLOCKS 24
#define THREADS 96

__device__ unsigned int finished;
__device__ int table[64];

/* Each thread stores a word, two words and a byte. Sums go to shared memory. */
__global__ void apart(const float *from, float *to, double2 *pairs, unsigned char *bytes)
{
    __shared__ float sums[THREADS];
    const int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    sums[t] = from[i] + from[(i * 7) % (BLOCKS * THREADS)];
    __syncthreads();
    to[i] = sums[THREADS - 1 - t] * 0.5f;
    if (i % 3 != 0)
        pairs[i] = make_double2(i, to[i]);
    bytes[i] = (unsigned char)(i * 5);
}

/* All blocks change the same memory, but no thread uses the old values. */
__global__ void reduced(const float *from, float *sum, int *counts, unsigned long long *most)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    atomicAdd(sum, from[i] * 1.1f); /* the result depends on the order */
    atomicAdd(&counts[i % 17], 1);
    atomicMax(most, (unsigned long long)(i * 7919 % 5003));
    atomicExch(&table[i % 64], i);
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(&counts[17]), "r"(2));
}

/* An array that only its own thread accesses, and a large stack frame. */
__global__ void own(int *to)
{
    int sums[128], all = 0;
    volatile int which = threadIdx.x;
    for (int i = 0; i < 128; i++)
        sums[(which + i) % 128] = i * 3;
    for (int i = 0; i < 128; i++)
        atomicAdd(&sums[(which + i) % 128], i * (int)blockIdx.x);
    for (int i = 0; i < 128; i++)
        all = all * 5 + sums[i];
    to[blockIdx.x * THREADS + threadIdx.x] = all;
}

/* Among a block's own words, some are stored before the atomics and some after them. */
__global__ void mixed(int *words)
{
    const int first = blockIdx.x * THREADS, i = first + threadIdx.x;
    words[i] = i;
    __syncthreads();
    atomicAdd(&words[first + (threadIdx.x + 1) % THREADS], 1000);
    __syncthreads();
    if (threadIdx.x < 5)
        words[i] += 1000000;
}

__global__ void tickets(int *next, int *places)
{
    const int place = atomicAdd(next, 1);
    places[place] = blockIdx.x * THREADS + threadIdx.x;
}

__global__ void last_block(const float *from, volatile float *sums, float *total)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < THREADS; i++)
            sum += from[blockIdx.x * THREADS + i];
        sums[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
        if (last) {
            *total = 0;
            for (int i = 0; i < BLOCKS; i++)
                *total += sums[i];
        }
    }
}

/* A block reads what the block before it writes. */
__global__ void neighbours(int *words)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    words[i] = i;
    if (blockIdx.x == 13 && threadIdx.x == 5)
        words[i + 1] = words[i - THREADS];
}

/* Two distant blocks write the same word. */
__global__ void same_word(int *words)
{
    if (threadIdx.x == 40 && blockIdx.x % 11 == 2)
        words[7] = blockIdx.x;
    words[100 + blockIdx.x * THREADS + threadIdx.x] = 1;
}

__global__ void read_after(int *words, int *to)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    to[i] = words[0];
    if (blockIdx.x == 19 && threadIdx.x == 95)
        words[0] = 1;
}

__global__ void atomic_and_plain(int *words)
{
    if (threadIdx.x == 0 && blockIdx.x != 9)
        atomicAdd(&words[3], 1);
    if (threadIdx.x == 33 && blockIdx.x == 9)
        words[3] = 5;
}

__global__ void unwritten(const int *from, int *to)
{
    if (blockIdx.x == 20)
        to[threadIdx.x] = from[threadIdx.x];
}

__global__ void beyond(int *to)
{
    to[blockIdx.x * THREADS + threadIdx.x + (blockIdx.x == 21 && threadIdx.x == 3 ? 1 << 20 : 0)] =
        1;
}

__global__ void cached(const int *from, int *to)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    to[i] = __ldg(&from[i % 64]);
    if (blockIdx.x == 15 && threadIdx.x == 1)
        const_cast<int *>(from)[63] = 4;
}

__global__ void prints(int *to)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    to[i] = i;
    if (threadIdx.x == 31 && blockIdx.x % 5 == 0)
        printf("block %d\n", blockIdx.x);
}

__global__ void allocates(int **lists)
{
    if (threadIdx.x == 0) {
        int *list = (int *)malloc(8 * sizeof *list);
        list[blockIdx.x % 8] = blockIdx.x;
        lists[blockIdx.x] = list;
    }
}

__global__ void frees(int **lists, int *to)
{
    if (threadIdx.x == 0) {
        to[blockIdx.x] = lists[blockIdx.x][blockIdx.x % 8];
        free(lists[blockIdx.x]);
    }
}

__global__ void launches(int *words)
{
    if (threadIdx.x == 0)
        own<<<1, 1>>>(words + 64 * blockIdx.x);
}

/* A branch that only late blocks take, and barriers after some threads have returned. */
__global__ void ways(int *to, int n)
{
    __shared__ int sums[THREADS];
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n)
        return;
    sums[threadIdx.x] = i;
    __syncthreads();
    if (blockIdx.x > 17)
        for (int k = 0; k < blockIdx.x % 4; k++)
            sums[threadIdx.x] += k;
    if (threadIdx.x % 32 < 16) {
        __syncwarp(0xffff);
        sums[threadIdx.x] ^= 1;
    }
    to[i] = sums[threadIdx.x];
}

/* The process that runs each block. A GPU has no such function. */
__global__ void processes(int *to)
{
    if (threadIdx.x == 0)
        to[blockIdx.x] = getpid();
}

__global__ void traps(int *to)
{
    to[blockIdx.x * THREADS + threadIdx.x] = 1;
    if (blockIdx.x == 18)
        __trap();
}

template <class T>
static T *new_array(size_t count, int byte)
{
    T *array;
    cudaMalloc(&array, count * sizeof(T));
    if (byte >= 0)
        cudaMemset(array, byte, count * sizeof(T));
    return array;
}

/* Prints the contents of the array as one hash. */
template <class T>
static void show(const char *name, const T *array, size_t count)
{
    const size_t bytes = count * sizeof(T);
    unsigned char *copy = (unsigned char *)malloc(bytes);
    unsigned long long hash = 1469598103934665603ull;
    cudaMemcpy(copy, array, bytes, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ copy[i]) * 1099511628211ull;
    printf("%s %016llx\n", name, hash);
    free(copy);
}

#define CASE(kernel, ...)                                                                          \
    if (!strcmp(name, #kernel)) {                                                                  \
        known = true;                                                                              \
        kernel<<<BLOCKS, THREADS>>>(__VA_ARGS__);                                                  \
    }

int main(int argc, char **argv)
{
    bool known = false;
    const char *name = argc > 1 ? argv[1] : "";
    const size_t n = BLOCKS * THREADS;
    float *floats, *from = new_array<float>(n, -1), *sums = new_array<float>(n, 0);
    int *words = new_array<int>(n + 200, 0), *more = new_array<int>(n, 0);
    double2 *pairs = new_array<double2>(n, 0);
    unsigned char *bytes = new_array<unsigned char>(n, 0);
    unsigned long long *most = new_array<unsigned long long>(1, 0);
    int **lists = new_array<int *>(BLOCKS, 0);
    cudaMallocManaged(&floats, n * sizeof *floats);
    for (size_t i = 0; i < n; i++)
        floats[i] = 1.0f / (float)(i + 1);
    cudaMemcpy(from, floats, n * sizeof *floats, cudaMemcpyDefault);

    for (int turn = 0; turn < 2; turn++) {
        CASE(apart, from, floats, pairs, bytes)
        CASE(reduced, from, sums, words, most)
        CASE(own, words)
        CASE(mixed, words)
        CASE(tickets, &more[turn], words)
        CASE(last_block, from, sums, sums + BLOCKS)
        CASE(neighbours, words)
        CASE(same_word, words)
        CASE(read_after, words, more)
        CASE(atomic_and_plain, words)
        CASE(unwritten, new_array<int>(THREADS, -1), words)
        CASE(beyond, words)
        CASE(cached, words, more)
        CASE(prints, words)
        CASE(launches, words)
        CASE(ways, words, (int)n - 50)
        CASE(traps, words)
        CASE(processes, more)
        CASE(allocates, lists)
        if (!strcmp(name, "allocates"))
            frees<<<BLOCKS, THREADS>>>(lists, words);
        if (!known)
            return 2;
        printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    }
    if (!strcmp(name, "processes")) {
        int found[BLOCKS], others = 0;
        cudaMemcpy(found, more, sizeof found, cudaMemcpyDeviceToHost);
        for (int i = 0; i < BLOCKS; i++)
            others += found[i] != getpid();
        printf("%s\n", others > BLOCKS / 4 ? "several processes" : "one process");
        return 0;
    }
    show("floats", floats, n);
    show("sums", sums, n);
    show("words", words, n + 200);
    show("more", more, n);
    show("pairs", pairs, n);
    show("bytes", bytes, n);
    show("most", most, 1);
    return 0;
}
