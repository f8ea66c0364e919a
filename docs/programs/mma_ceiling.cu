/* What mma.sync itself reaches: MMAs of bfloat16 from registers, with nothing to load, on all SMs.
 * A warp multiplies ROWS tiles of A by COLUMNS tiles of B, again and again, into independent sums.
 * The elements are random and change from MMA to MMA, as in a matrix product: a GPU whose operands
 * stay the same needs less power and keeps a higher clock. mma_ceiling [MMAs per warp]. Needs
 * sm_80. On the CPU back end times mean nothing. */
#include "check.h"

#define WARPS 8 /* per block; one block per SM */
#define M 16    /* an MMA: 16 x 16 elements of A, 16 x 8 of B */
#define N 8
#define K 16

/* Two bfloat16 between 1 and 2, or -2 and -1, from a number. */
__device__ unsigned two_elements(unsigned number)
{
    number = (number ^ number >> 16) * 0x7feb352dU;
    number = (number ^ number >> 15) * 0x846ca68bU;
    return ((number ^ number >> 16) & 0x807f807fU) | 0x3f803f80U;
}

template <int ROWS, int COLUMNS>
__global__ void __launch_bounds__(WARPS * 32) multiply(float *sums, int rounds)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    float sum[ROWS][COLUMNS][4] = {}, all = 0;
    unsigned a[ROWS][4], b[COLUMNS][2];

    for (int i = 0; i < ROWS * 4; i++)
        a[i / 4][i % 4] = two_elements(thread * 64 + i);
    for (int i = 0; i < COLUMNS * 2; i++)
        b[i / 2][i % 2] = two_elements(thread * 64 + 32 + i);
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            float *const to = sum[i / COLUMNS][i % COLUMNS];
            const unsigned *const left = a[i / COLUMNS], *const right = b[i % COLUMNS];
            asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                : "+f"(to[0]), "+f"(to[1]), "+f"(to[2]), "+f"(to[3])
                : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]),
                  "r"(right[1]));
        }
    for (int i = 0; i < ROWS * COLUMNS * 4; i++)
        all += sum[i / 4 / COLUMNS][i / 4 % COLUMNS][i % 4];
    sums[thread] = all; /* so that the compiler leaves no MMA out */
}

/* The best of ten runs, and their mean, after one to warm up. */
template <int ROWS, int COLUMNS>
static void measure(float *sums, int blocks, int mmas)
{
    const int rounds = (mmas + ROWS * COLUMNS - 1) / (ROWS * COLUMNS);
    const double flops = 2.0 * M * N * K * ROWS * COLUMNS * rounds * WARPS * blocks;
    cudaEvent_t begin, end;
    float best = 0, total = 0, ms;

    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int run = 0; run <= 10; run++) {
        CHECK(cudaEventRecord(begin));
        multiply<ROWS, COLUMNS><<<blocks, WARPS * 32>>>(sums, rounds);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (run == 1 || (run > 1 && ms < best))
            best = ms;
        total += run > 0 ? ms : 0;
    }
    printf("%d x %d sums per warp: %6.1f TFLOP/s at best, %6.1f on average\n", ROWS, COLUMNS,
           flops / best * 1e-9, flops / (total / 10) * 1e-9);
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
}

int main(int argc, char **argv)
{
    const int mmas = argc > 1 ? atoi(argv[1]) : 100000;
    int device, blocks;
    float *sums;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaMalloc((void **)&sums, sizeof(float) * blocks * WARPS * 32));
    measure<1, 1>(sums, blocks, mmas);
    measure<1, 4>(sums, blocks, mmas);
    measure<2, 4>(sums, blocks, mmas);
    measure<4, 4>(sums, blocks, mmas);
    measure<4, 8>(sums, blocks, mmas);
    CHECK(cudaFree(sums));
    return 0;
}
/* SPDX-License-Identifier: MIT */
