// Every atomic on each type that supports it, a float maximum with compare-and-swap, and a lock.
#include <climits>
#include <cmath>

#include "check.cuh"

struct Results {
    int add, sub, exch, min, max, land, lor, lxor, cas;
    unsigned int uadd, umin, umax, inc, dec, ucas;
    unsigned long long ladd, lmin, lmax, lcas, lexch;
    long long smin, smax;
    float fadd, fmaxcas;
    double dadd, dcas;
    int block_add[8], system_add;
    int locked_sum;
};

__device__ float atomicMaxFloat(float *address, float value)
{
    int *address_as_int = (int *)address;
    int old = *address_as_int, assumed;
    do {
        assumed = old;
        old = atomicCAS(address_as_int, assumed,
                        __float_as_int(fmaxf(value, __int_as_float(assumed))));
    } while (assumed != old);
    return __int_as_float(old);
}

__device__ double atomicAddDouble(double *address, double val)
{
    unsigned long long int *address_as_ull = (unsigned long long int *)address;
    unsigned long long int old = *address_as_ull, assumed;
    do {
        assumed = old;
        old = atomicCAS(address_as_ull, assumed,
                        __double_as_longlong(val + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}

__device__ int mutex = 0;

__global__ void test(Results *r, int *olds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    olds[i] = atomicAdd(&r->add, 1);
    atomicSub(&r->sub, 2);
    atomicExch(&r->exch, i);
    atomicMin(&r->min, i - 10);
    atomicMax(&r->max, i - 10);
    atomicAnd(&r->land, ~(1 << i % 32));
    atomicOr(&r->lor, 1 << i % 32);
    atomicXor(&r->lxor, i);
    atomicCAS(&r->cas, i, i + 1);
    atomicAdd(&r->uadd, 3u);
    atomicMin(&r->umin, (unsigned int)i);
    atomicMax(&r->umax, INT_MAX + (unsigned int)i);
    atomicInc(&r->inc, 9);
    atomicDec(&r->dec, 9);
    atomicCAS(&r->ucas, 7u, 8u);
    atomicAdd(&r->ladd, 1ull << 33);
    atomicMin(&r->lmin, (1ull << 40) + i);
    atomicMax(&r->lmax, (1ull << 40) + i);
    atomicCAS(&r->lcas, (unsigned long long)i, i + 1ull);
    atomicExch(&r->lexch, 5ull);
    atomicMin(&r->smin, -(1ll << 40) - i);
    atomicMax(&r->smax, -(1ll << 40) - i);
    atomicAdd(&r->fadd, 0.5f);
    atomicMaxFloat(&r->fmaxcas, i % 100 * 0.25f);
    atomicAdd(&r->dadd, 0.25);
    atomicAddDouble(&r->dcas, 0.125);
    atomicAdd_block(&r->block_add[blockIdx.x], 1);
    atomicAdd_system(&r->system_add, 1);

    // A spin lock, taken by one thread of each block.
    if (threadIdx.x == 0) {
        while (atomicCAS(&mutex, 0, 1) != 0) {
        }
        __threadfence();
        r->locked_sum += blockIdx.x;
        __threadfence();
        atomicExch(&mutex, 0);
    }
}

// Threads draw numbers until none are left. An atomic gives each number to one thread only.
__global__ void take_all(int *times, int n, int *next)
{
    while (true) {
        int i = atomicAdd(next, 1);
        if (i >= n)
            return;
        atomicAdd(&times[i], 1);
    }
}

int main()
{
    const int threads = 128, blocks = 8, n = threads * blocks;
    Results *r;
    int *olds;
    CHECK(cudaMallocManaged(&r, sizeof(*r)));
    CHECK(cudaMallocManaged(&olds, n * sizeof(int)));
    *r = Results();
    r->min = INT_MAX;
    r->max = INT_MIN;
    r->land = -1;
    r->umin = r->ucas = 7;
    r->lmin = ULLONG_MAX;
    r->smin = LLONG_MAX;
    r->smax = LLONG_MIN;
    test<<<blocks, threads>>>(r, olds);
    CHECK(cudaDeviceSynchronize());
    EXPECT(r->add == n && r->sub == -2 * n && r->exch >= 0 && r->exch < n);
    EXPECT(r->min == -10 && r->max == n - 11 && r->land == 0 && r->lor == -1 && r->lxor == 0);
    EXPECT(r->cas >= 1 && r->cas <= n && r->uadd == 3u * n && r->umin == 0 &&
           r->umax == INT_MAX + (n - 1u));
    EXPECT(r->inc == n % 10 && r->dec == (10 - n % 10) % 10 && r->ucas == 8);
    EXPECT(r->ladd == (unsigned long long)n << 33 && r->lmin == 1ull << 40);
    EXPECT(r->lmax == (1ull << 40) + n - 1 && r->lcas >= 1 && r->lexch == 5);
    EXPECT(r->smin == -(1ll << 40) - (n - 1) && r->smax == -(1ll << 40));
    EXPECT(r->fadd == 0.5f * n && r->fmaxcas == 24.75f && r->dadd == 0.25 * n);
    EXPECT(r->dcas == 0.125 * n && r->block_add[7] == threads && r->system_add == n);
    EXPECT(r->locked_sum == blocks * (blocks - 1) / 2);
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += olds[i];
    EXPECT(sum == (long)n * (n - 1) / 2); // each old value exactly once

    int *taken;
    const int numbers = 1024;
    CHECK(cudaMallocManaged(&taken, (numbers + 1) * sizeof(int)));
    CHECK(cudaMemset(taken, 0, (numbers + 1) * sizeof(int)));
    take_all<<<4, 256>>>(taken, numbers, taken + numbers);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < numbers; i++)
        EXPECT(taken[i] == 1);
    EXPECT(taken[numbers] == 2 * numbers);
    cudaFree(taken);
    cudaFree(r);
    cudaFree(olds);
    return passed();
}
