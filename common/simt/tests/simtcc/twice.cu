/* Both translations of a source (cc/simt_twice.c) share one set of variables. twice_other.cu has
 * its own variables of the same names. With an argument, threads wait for one another through a
 * volatile variable. */
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "twice.h"

static __device__ int counter;
__device__ float scale = 2;
__constant__ float table[4] = {1, 2, 3, 4};
__device__ const int powers[5] = {1, 3, 9, 27, 81};
static int launches;

template <class T>
__device__ T &kept(int i)
{
    static __shared__ T keep[32];
    return keep[i];
}

static __device__ __noinline__ float helper(float x)
{
    return x * scale + table[1];
}

struct Base {
    __device__ virtual float f(float x)
    {
        return x;
    }
};
struct Derived : Base {
    __device__ float f(float x) override
    {
        return x + 1;
    }
};

/* A local table that contains addresses. It is copied from an unnamed constant. */
static __host__ __device__ __noinline__ int initial_of(int key)
{
    const struct {
        int key;
        const char *name;
    } table[] = {
        {7, "seven"},    {1, "one"},       {2, "two"},       {8, "eight"},    {3, "three"},
        {4, "four"},     {5, "five"},      {6, "six"},       {9, "nine"},     {10, "ten"},
        {11, "eleven"},  {12, "twelve"},   {13, "dozen"},    {14, "fifth"},   {15, "fifteen"},
        {16, "sixteen"}, {17, "seventh"},  {18, "eighth"},   {19, "ninth"},   {20, "twenty"},
        {21, "more"},    {22, "and more"}, {23, "the last"}, {24, "another"}, {-1, "?"}};
    int i = 0;
    while (table[i].key != -1 && table[i].key != key)
        i++;
    return table[i].name[0];
}

extern "C" __global__ void add(int *data, int round)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    Derived derived;
    Base *base = &derived;
    s[t] = data[t];
    kept<int>(t % 32) = 1;
    __syncthreads();
    data[t] = s[63 - t] + powers[round % 5] + (int)helper(1) + kept<int>(t % 32) + (int)base->f(2);
    if (t == 0) {
        data[0] += initial_of(round) + round;
        counter++;
    }
}

template <class T, int N>
__global__ void add_n(T *data, T other)
{
    data[threadIdx.x] += other * N;
}

#ifdef POLLS_ATOMIC
__global__ void wait_for_atomic(int *flag)
{
    if (threadIdx.x == 1) {
        __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    } else if (threadIdx.x == 0) {
        while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != 1) {
        }
    }
}
#endif
#ifdef POLLS
__global__ void wait_for(volatile int *flag)
{
    if (threadIdx.x == 1) {
        *flag = 1;
    } else if (threadIdx.x == 0) {
        while (!*flag) {
        }
    }
}
#endif
#ifdef POLLS_LDCV
__global__ void wait_by_ldcv(int *flag)
{
    if (threadIdx.x == 33) {
        *(volatile int *)flag = -7;
    } else if (threadIdx.x == 0) {
        while (__ldcv(flag) != -7) {
        }
    }
}
#endif

/* One kernel stores addresses for the next: those of functions and of constants. */
typedef float (*function)(float);
static __device__ float same(float x)
{
    return x;
}
static __device__ float twice(float x)
{
    return 2 * x;
}
struct node {
    int value;
    const node *next;
};
static __device__ const node last = {0, nullptr};
static __device__ function functions[2] = {same, twice};
static __device__ function chosen[2];
static __device__ node nodes[3];
static __device__ const int *power;

static __global__ void choose()
{
    chosen[0] = twice;
    chosen[1] = functions[0];
    power = powers + 2;
    for (int i = 0; i < 3; i++) {
        nodes[i].value = i + 1;
        nodes[i].next = i < 2 ? &nodes[i + 1] : &last;
    }
}

static __global__ void compare(int *data)
{
    int sum = 0;
    for (const node *at = nodes; at != &last && sum < 100; at = at->next)
        sum += at->value;
    data[0] += (chosen[0] == twice) + 2 * (chosen[1] == same) + 4 * (functions[1] == chosen[0]);
    data[0] += 8 * (int)(power - powers) + 100 * sum + (int)chosen[0](1000);
}

static void launch(int *data, int round)
{
    static std::vector<std::string> names;
    names.push_back("round");
    launches++;
    add<<<1, 64>>>(data, round);
    add_n<int, 3><<<1, 64>>>(data, (int)names.size());
    if (round == 0)
        choose<<<1, 1>>>();
    compare<<<1, 1>>>(data);
    if (round == 3)
        throw std::runtime_error("three");
}

int main()
{
    int *data, host[64], count;
    cudaMalloc(&data, sizeof host);
    cudaMemset(data, 0, sizeof host);
    for (int round = 0; round < 6; round++) {
        const float factor = 2.0f + round;
        cudaMemcpyToSymbol(scale, &factor, sizeof factor);
        try {
            launch(data, round);
        } catch (const std::runtime_error &) {
            launches += 10;
        }
        other(data);
    }
#ifdef POLLS_ATOMIC
    wait_for_atomic<<<1, 64>>>(data);
#endif
#ifdef POLLS
    wait_for<<<1, 64>>>(data);
#endif
#ifdef POLLS_LDCV
    wait_by_ldcv<<<1, 64>>>(data);
#endif
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&count, counter, sizeof count);
    printf("%d %d %d %d %s\n", host[0], host[63], count, launches,
           cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
