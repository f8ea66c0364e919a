/* What blocks do to one another, a case for each: the same output, counts and findings on one core
 * and on several (simtcc/cores.sh). */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#define BLOCKS 24
#define THREADS 96

__device__ unsigned int finished;
__device__ int table[64];

/* A word, two and a byte a thread, sums in shared memory. */
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

/* A place that all blocks change; nobody wants to know what was there. */
__global__ void reduced(const float *from, float *sum, int *counts, unsigned long long *most)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    atomicAdd(sum, from[i] * 1.1f); /* whose order tells */
    atomicAdd(&counts[i % 17], 1);
    atomicMax(most, (unsigned long long)(i * 7919 % 5003));
    atomicExch(&table[i % 64], i);
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(&counts[17]), "r"(2));
}

/* Of its own words, some are written before and some after. */
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

/* The block before writes what this one reads. */
__global__ void neighbours(int *words)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    words[i] = i;
    if (blockIdx.x == 13 && threadIdx.x == 5)
        words[i + 1] = words[i - THREADS];
}

/* Two blocks, far from one another, write a word. */
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

/* A way that only a late block takes, a barrier that some threads have left before. */
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

/* Which process a block runs in; no GPU knows. */
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

/* All that is there, as one number. */
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

int main(int argc, char **argv)
{
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
        if (!strcmp(name, "apart"))
            apart<<<BLOCKS, THREADS>>>(from, floats, pairs, bytes);
        else if (!strcmp(name, "reduced"))
            reduced<<<BLOCKS, THREADS>>>(from, sums, words, most);
        else if (!strcmp(name, "mixed"))
            mixed<<<BLOCKS, THREADS>>>(words);
        else if (!strcmp(name, "tickets"))
            tickets<<<BLOCKS, THREADS / 2>>>(&more[turn], words);
        else if (!strcmp(name, "last_block"))
            last_block<<<BLOCKS, THREADS>>>(from, sums, sums + BLOCKS);
        else if (!strcmp(name, "neighbours"))
            neighbours<<<BLOCKS, THREADS>>>(words);
        else if (!strcmp(name, "same_word"))
            same_word<<<BLOCKS, THREADS>>>(words);
        else if (!strcmp(name, "read_after"))
            read_after<<<BLOCKS, THREADS>>>(words, more);
        else if (!strcmp(name, "atomic_and_plain"))
            atomic_and_plain<<<BLOCKS, THREADS>>>(words);
        else if (!strcmp(name, "unwritten"))
            unwritten<<<BLOCKS, THREADS>>>(new_array<int>(THREADS, -1), words);
        else if (!strcmp(name, "beyond"))
            beyond<<<BLOCKS, THREADS>>>(words);
        else if (!strcmp(name, "cached"))
            cached<<<BLOCKS, THREADS>>>(words, more);
        else if (!strcmp(name, "prints"))
            prints<<<BLOCKS, THREADS>>>(words);
        else if (!strcmp(name, "ways"))
            ways<<<BLOCKS, THREADS>>>(words, (int)n - 50);
        else if (!strcmp(name, "traps"))
            traps<<<BLOCKS, THREADS>>>(words);
        else if (!strcmp(name, "processes"))
            processes<<<BLOCKS, THREADS>>>(more);
        else if (!strcmp(name, "allocates")) {
            allocates<<<BLOCKS, THREADS>>>(lists);
            frees<<<BLOCKS, THREADS>>>(lists, words);
        } else
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
