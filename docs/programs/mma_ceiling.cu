/* What mma.sync itself reaches: MMAs of bfloat16 on all SMs, with nothing to copy and no barrier.
 * Per k-step, a warp multiplies ROWS tiles of A by COLUMNS tiles of B, into independent sums. The
 * fragments stay in registers, or ldmatrix loads those of the next k-step from shared memory.
 * The elements are random and change from MMA to MMA, as in a matrix product: a GPU whose operands
 * stay the same needs less power and keeps a higher clock. It takes some seconds until a GPU at its
 * power limit has lowered its clock. mma_ceiling [MMAs per warp [runs]]. Needs sm_80. On the CPU
 * back end times mean nothing. */
#include "check.h"

#define WARPS 8 /* per block; one block per SM */
#define M 16    /* an MMA: 16 x 16 elements of A, 16 x 8 of B */
#define N 8
#define K 16
#define TENSOR_CORES 4 /* per SM */

/* What a warp multiplies in a k-step. */
template <int ROWS, int COLUMNS>
struct fragments {
    unsigned a[ROWS][4], b[COLUMNS][2];
};

/* Two bfloat16 between 1 and 2, or -2 and -1, from a number. */
__device__ unsigned two_elements(unsigned number)
{
    number = (number ^ number >> 16) * 0x7feb352dU;
    number = (number ^ number >> 15) * 0x846ca68bU;
    return ((number ^ number >> 16) & 0x807f807fU) | 0x3f803f80U;
}

/* Each lane gives the address of 16 bytes. The 512 bytes of a warp lie together, so there are no
 * bank conflicts. */
__device__ void load_four(unsigned &w, unsigned &x, unsigned &y, unsigned &z, unsigned address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(w), "=r"(x), "=r"(y), "=r"(z)
                 : "r"(address));
}

template <int ROWS, int COLUMNS>
__device__ void load_fragments(struct fragments<ROWS, COLUMNS> &to, unsigned address)
{
#pragma unroll
    for (int i = 0; i < ROWS; i++)
        load_four(to.a[i][0], to.a[i][1], to.a[i][2], to.a[i][3], address + i * 512);
#pragma unroll
    for (int j = 0; j < COLUMNS; j += 2)
        load_four(to.b[j][0], to.b[j][1], to.b[j + 1][0], to.b[j + 1][1],
                  address + (ROWS + j / 2) * 512);
}

/* Stores each thread's sum, so that the compiler leaves no MMA out, and the cycles of the loop. */
template <int ROWS, int COLUMNS, bool LOADS>
__global__ void __launch_bounds__(WARPS * 32) multiply(float *sums, long long *cycles, int rounds)
{
    const unsigned of_warp = (ROWS + COLUMNS / 2) * 512; /* bytes in a k-step */
    __shared__ uint4 tiles[LOADS ? WARPS * of_warp / sizeof(uint4) : 1];
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const unsigned address = (unsigned)__cvta_generic_to_shared(tiles) + lane * sizeof(uint4);
    struct fragments<ROWS, COLUMNS> of[2];
    float sum[ROWS][COLUMNS][4] = {}, all = 0;

    for (unsigned i = threadIdx.x; i < sizeof tiles / 4; i += WARPS * 32)
        ((unsigned *)tiles)[i] = two_elements(blockIdx.x * 16384 + i);
    for (unsigned i = 0; i < 2 * ROWS * 4; i++)
        of[i / 4 / ROWS].a[i / 4 % ROWS][i % 4] = two_elements(thread * 128 + i);
    for (unsigned i = 0; i < 2 * COLUMNS * 2; i++)
        of[i / 2 / COLUMNS].b[i / 2 % COLUMNS][i % 2] = two_elements(thread * 128 + 64 + i);
    __syncthreads();
    const long long begin = clock64();
    for (int round = 0; round < rounds; round += 2)
#pragma unroll
        for (int step = 0; step < 2; step++) {
            if (LOADS) /* another warp's, which changes from step to step */
                load_fragments(of[1 - step],
                               address + (threadIdx.x / 32 + round + step) % WARPS * of_warp);
#pragma unroll
            for (int i = 0; i < ROWS * COLUMNS; i++) {
                float *const to = sum[i / COLUMNS][i % COLUMNS];
                const unsigned *const left = of[step].a[i / COLUMNS];
                const unsigned *const right = of[step].b[i % COLUMNS];
                asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                    "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                    : "+f"(to[0]), "+f"(to[1]), "+f"(to[2]), "+f"(to[3])
                    : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]),
                      "r"(right[1]));
            }
        }
    for (int i = 0; i < ROWS * COLUMNS * 4; i++)
        all += sum[i / 4 / COLUMNS][i / 4 % COLUMNS][i % 4];
    sums[thread] = all;
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - begin;
}

/* Prints the rates of the best and of the last run, after one to warm up. The cycles are those of
 * block 0 in the last run. */
template <int ROWS, int COLUMNS, bool LOADS>
static void measure(float *sums, long long *cycles, int blocks, int mmas, int runs)
{
    const int rounds = (mmas / (ROWS * COLUMNS) + 2) / 2 * 2;
    const double of_warp = (double)ROWS * COLUMNS * rounds;
    const double flops = 2.0 * M * N * K * of_warp * WARPS * blocks;
    cudaEvent_t begin, end;
    float best = 0, ms = 0;
    long long of_block;

    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int run = 0; run <= runs; run++) {
        CHECK(cudaEventRecord(begin));
        multiply<ROWS, COLUMNS, LOADS><<<blocks, WARPS * 32>>>(sums, cycles, rounds);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (run == 1 || (run > 1 && ms < best))
            best = ms;
    }
    CHECK(cudaMemcpy(&of_block, cycles, sizeof of_block, cudaMemcpyDeviceToHost));
    printf("%d x %d sums per warp%s: %6.1f TFLOP/s at best, %6.1f in the last of %d runs, %.2f "
           "cycles per MMA at %.0f MHz\n",
           ROWS, COLUMNS, LOADS ? ", loads" : "", flops / best * 1e-9, flops / ms * 1e-9, runs,
           (double)of_block / (of_warp * WARPS / TENSOR_CORES), (double)of_block / ms * 1e-3);
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
}

int main(int argc, char **argv)
{
    const int mmas = argc > 1 ? atoi(argv[1]) : 100000;
    const int runs = argc > 2 ? atoi(argv[2]) : 10;
    long long *cycles;
    int device, blocks;
    float *sums;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaMalloc((void **)&sums, sizeof(float) * blocks * WARPS * 32));
    CHECK(cudaMalloc((void **)&cycles, sizeof(long long) * blocks));
    measure<1, 1, false>(sums, cycles, blocks, mmas, runs);
    measure<1, 4, false>(sums, cycles, blocks, mmas, runs);
    measure<2, 4, false>(sums, cycles, blocks, mmas, runs);
    measure<4, 4, false>(sums, cycles, blocks, mmas, runs);
    measure<4, 8, false>(sums, cycles, blocks, mmas, runs);
    measure<4, 4, true>(sums, cycles, blocks, mmas, runs);
    measure<4, 8, true>(sums, cycles, blocks, mmas, runs);
    CHECK(cudaFree(sums));
    CHECK(cudaFree(cycles));
    return 0;
}
/* SPDX-License-Identifier: MIT */
