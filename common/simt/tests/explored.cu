/* Kernels to display on a page: test_explore.sh and test_explorer.py run this with SIMT_EXPLORE.
 * Usage: simt_explored banks | blocks | race | long | crowd | stuck | fault | early | assertion |
 * ring | cluster | none */
#include <cassert>
#include <cstring>

#include "cluster_helpers.cuh"

static __device__ unsigned int mix(unsigned int x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* Loads and stores of a T by one warp, at places that look random; some lanes are idle. Several
 * lanes may load the same word, but each lane stores to its own word. `count` is a power of two and
 * at least 256. */
template <typename T>
static __device__ void touch(T *words, unsigned int count, unsigned int seed)
{
    unsigned int lane = threadIdx.x % 32;
    T sum = words[lane];
    for (unsigned int round = 0; round < 24; round++) {
        unsigned int key = round % 4 == 1 ? lane / 2 : round % 4 == 2 ? lane % 5 : lane;
        unsigned int stride = mix(seed + round) % 8, twist = mix(seed * 32 + round);
        bool joins = round % 6 < 4 || mix(lane + round) % 3;
        if (joins && round % 3 == 0)
            sum = words[key * stride % count];
        else if (joins)
            sum = words[mix(twist + key) % count];
        __syncwarp();
        if (joins)
            words[(lane * (stride + 1) ^ twist) % count] = sum;
        __syncwarp();
    }
}

__global__ void banks(int *out)
{
    __shared__ float4 quads[256];
    unsigned int tid = threadIdx.x;
    for (unsigned int i = tid; i < 256; i += blockDim.x)
        quads[i] = make_float4(i, 1, 2, 3);
    __syncthreads();
    if (tid < 32)
        touch((float *)quads, 1024, 1);
    __syncthreads();
    if (tid < 32)
        touch((double *)quads, 512, 2);
    __syncthreads();
    if (tid < 32)
        touch(quads, 256, 3);
    __syncthreads();
    if (tid < 32) {
        touch((unsigned char *)quads, 4096, 4);
        touch((short *)quads, 2048, 5);
        touch(out, 1024, 6);
        touch((char *)out + 1, 1024, 7);
        __syncwarp();
        atomicAdd(&out[mix(tid) % 40], 1);
        if (tid % 3)
            atomicAdd((int *)quads + tid % 2, 1);
        __syncwarp();
        out[tid] = __shfl_xor_sync(0xffffffff, (int)tid, 5) + __popc(__ballot_sync(~0u, tid % 2));
    }
}

__global__ void several(float *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x;
}

__global__ void race(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = out[threadIdx.x];
    out[threadIdx.x] = s[63 - threadIdx.x]; /* a barrier is missing */
}

__global__ void lengthy(float *out, int rounds)
{
    __shared__ float s[256];
    for (int round = 0; round < rounds; round++) {
        s[threadIdx.x] = out[(threadIdx.x * 17 + round * 5) % 256] * 1.1f + round;
        __syncthreads();
        out[threadIdx.x] = s[threadIdx.x * 33 % 256];
        __syncthreads();
    }
}

__global__ void stuck(int *out)
{
    out[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __shfl_sync(0xffffffff, threadIdx.x, 0);
    while (threadIdx.x == 40 && atomicAdd(&out[64], 0) == 0)
        ;
    __syncthreads();
}

__global__ void fault(int *out)
{
    out[threadIdx.x] = threadIdx.x;
    __syncthreads();
    *(volatile int *)8 = 1;
}

__global__ void assertion(int *out)
{
    out[threadIdx.x] = threadIdx.x;
    assert(threadIdx.x != 35);
}

/* In block 1, lane 0 faults at its first access, so later lanes do nothing at all. */
__global__ void early(const int *in, int *out)
{
    if (blockIdx.x == 1)
        out[threadIdx.x] = in[threadIdx.x];
}

/* Bulk copies load tiles of 64 floats. An mbarrier signals when each tile is complete. */
__global__ void ring(float *out, const float *in)
{
    __shared__ __align__(16) float tile[2][64];
    __shared__ barrier_t full[2];
    if (threadIdx.x == 0) {
        init(&full[0], 1);
        init(&full[1], 1);
        fence_init();
    }
    __syncthreads();
    for (unsigned int i = 0; i < 2 && threadIdx.x == 0; i++) {
        expect(&full[i], sizeof tile[0]);
        load(tile[i], in + i * 64, sizeof tile[0], &full[i]);
    }
    for (unsigned int i = 0; i < 2; i++) {
        wait(&full[i], 0);
        out[i * 64 + threadIdx.x] = tile[i][threadIdx.x] + 1;
    }
}

/* Block 0 copies a tile into both blocks. Block 1 arrives at an mbarrier when it has read its tile.
 * Warp 1 of block 0 waits for that arrival. */
__global__ void __cluster_dims__(2, 1, 1) cluster(float *out, const float *in)
{
    __shared__ __align__(16) float tile[64];
    __shared__ barrier_t full, freed;
    const unsigned rank = cluster_rank(), tid = threadIdx.x;
    if (tid == 0) {
        init(&full, 1);
        init(&freed, 32);
        fence_init();
    }
    cluster_sync();
    if (tid == 0)
        expect(&full, sizeof tile);
    if (rank == 0 && tid == 0)
        load_to(tile, in, sizeof tile, &full, 3);
    wait(&full, 0);
    out[rank * 64 + tid] = tile[tid];
    fence_proxy();
    if (rank == 1 && tid < 32)
        arrive_at(mapped(&freed, 0));
    if (rank == 0 && tid >= 32)
        wait(&freed, 0);
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    cluster_sync();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "none";
    void *memory;
    if (strcmp(what, "none") == 0)
        return 0;
    cudaMalloc(&memory, 1 << 23);
    cudaMemset(memory, 0, 1 << 16);
    if (strcmp(what, "banks") == 0)
        banks<<<1, 64>>>((int *)memory);
    else if (strcmp(what, "blocks") == 0)
        several<<<6, 64>>>((float *)memory);
    else if (strcmp(what, "crowd") == 0)
        several<<<20000, 64>>>((float *)memory);
    else if (strcmp(what, "race") == 0)
        race<<<1, 64>>>((int *)memory);
    else if (strcmp(what, "ring") == 0)
        ring<<<1, 64>>>((float *)memory, (float *)memory + 1024);
    else if (strcmp(what, "stuck") == 0)
        stuck<<<1, 64>>>((int *)memory);
    else if (strcmp(what, "fault") == 0)
        fault<<<1, 64>>>((int *)memory);
    else if (strcmp(what, "assertion") == 0)
        assertion<<<1, 64>>>((int *)memory);
    else if (strcmp(what, "early") == 0)
        early<<<3, 64>>>(NULL, (int *)memory);
    else if (strcmp(what, "cluster") == 0)
        cluster<<<2, 64>>>((float *)memory, (float *)memory + 1024);
    else
        lengthy<<<1, 256>>>((float *)memory, 500);
    return cudaDeviceSynchronize();
}
