// cuRAND: generators in kernels, whose first numbers are known, and the host's.
#include <cmath>
#include <curand.h>
#include <curand_kernel.h>
#include <vector>

#include "check.cuh"

#define RANDOM(call) EXPECT((call) == CURAND_STATUS_SUCCESS)

__global__ void bits(unsigned int *out, unsigned long long seed, unsigned long long sequence,
                     unsigned long long offset)
{
    curandState xorwow;
    curandStatePhilox4_32_10_t philox;
    curand_init(seed, sequence, offset, &xorwow);
    curand_init(seed, sequence, offset, &philox);
    for (int i = 0; i < 3; i++) {
        out[i] = curand(&xorwow);
    }
    out[3] = curand(&philox);
    const uint4 four = curand4(&philox);
    out[4] = four.x;
    out[5] = four.w;
}

static void expectBits(unsigned long long seed, unsigned long long sequence,
                       unsigned long long offset, const std::vector<unsigned int> &expected)
{
    unsigned int *out;
    std::vector<unsigned int> found(6);
    CHECK(cudaMalloc(&out, 6 * sizeof(unsigned int)));
    bits<<<1, 1>>>(out, seed, sequence, offset);
    CHECK(cudaMemcpy(found.data(), out, 6 * sizeof(unsigned int), cudaMemcpyDeviceToHost));
    EXPECT(found == expected);
    CHECK(cudaFree(out));
}

// Points in a square: a quarter of a circle.
__global__ void throwDarts(unsigned long long *hits, curandState *states, int darts)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandState state;
    unsigned int inside = 0;
    curand_init(1234, i, 0, &states[i]);
    state = states[i];
    for (int dart = 0; dart < darts; dart++) {
        const float x = curand_uniform(&state), y = curand_uniform(&state);
        inside += x * x + y * y <= 1;
    }
    states[i] = state;
    atomicAdd(hits, (unsigned long long)inside);
}

__global__ void normals(float *out, int n)
{
    curandStatePhilox4_32_10_t state;
    curand_init(5, threadIdx.x, 0, &state);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        out[i] = curand_normal(&state);
    }
}

// Mean and variance of normal numbers.
static void expectNormal(const float *device, int n, double mean, double deviation)
{
    std::vector<float> numbers(n);
    double sum = 0, squares = 0;
    CHECK(cudaMemcpy(numbers.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (float number : numbers) {
        sum += number;
        squares += (double)number * number;
    }
    const double found = sum / n, variance = squares / n - found * found;
    EXPECT(fabs(found - mean) < 5 * deviation / sqrt(n));
    EXPECT(fabs(variance / (deviation * deviation) - 1) < 0.1);
}

int main()
{
    // What the library's own header gives.
    expectBits(0ull, 0, 0,
               {3179217846u, 1883133293u, 2220552389u, 1713891541u, 3781805453u, 4175744164u});
    expectBits(1234ull, 5, 7,
               {3351265907u, 3629609298u, 415430802u, 1925342002u, 648658203u, 3521664514u});
    expectBits(0x123456789abcdefull, 123456789, 1000000007,
               {2789572809u, 1682381890u, 3514268188u, 3652871312u, 1186041607u, 2127650738u});

    const int THREADS = 256, DARTS = 100, N = 8192;
    unsigned long long *hits, inside = 0;
    curandState *states;
    CHECK(cudaMalloc(&hits, sizeof(*hits)));
    CHECK(cudaMalloc(&states, THREADS * sizeof(curandState)));
    CHECK(cudaMemset(hits, 0, sizeof(*hits)));
    throwDarts<<<THREADS / 64, 64>>>(hits, states, DARTS);
    CHECK(cudaMemcpy(&inside, hits, sizeof(inside), cudaMemcpyDeviceToHost));
    EXPECT(fabs(4.0 * inside / (THREADS * DARTS) - 3.14159) < 0.05);

    float *numbers;
    CHECK(cudaMalloc(&numbers, N * sizeof(float)));
    normals<<<1, 64>>>(numbers, N);
    expectNormal(numbers, N, 0, 1);
    curandGenerator_t generator;
    RANDOM(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT));
    RANDOM(curandSetPseudoRandomGeneratorSeed(generator, 42));
    RANDOM(curandGenerateNormal(generator, numbers, N, 3, 2));
    expectNormal(numbers, N, 3, 2);
    RANDOM(curandGenerateUniform(generator, numbers, N));
    std::vector<float> uniform(N);
    CHECK(cudaMemcpy(uniform.data(), numbers, N * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float number : uniform) {
        EXPECT(number > 0 && number <= 1);
        sum += number;
    }
    EXPECT(fabs(sum / N - 0.5) < 0.02);
    RANDOM(curandDestroyGenerator(generator));
    // Handles of nothing: destroyed, never made.
    curandGenerator_t made = (curandGenerator_t)numbers;
    for (curandGenerator_t none : {generator, made, curandGenerator_t(nullptr)}) {
        EXPECT(curandGenerateUniform(none, numbers, N) == CURAND_STATUS_NOT_INITIALIZED);
        EXPECT(curandGenerateNormal(none, numbers, N, 0, 1) == CURAND_STATUS_NOT_INITIALIZED);
        EXPECT(curandSetPseudoRandomGeneratorSeed(none, 1) == CURAND_STATUS_NOT_INITIALIZED);
        EXPECT(curandGenerateSeeds(none) == CURAND_STATUS_NOT_INITIALIZED);
        EXPECT(curandSetStream(none, nullptr) == CURAND_STATUS_NOT_INITIALIZED);
        EXPECT(curandDestroyGenerator(none) == CURAND_STATUS_NOT_INITIALIZED);
    }
    CHECK(cudaFree(hits));
    CHECK(cudaFree(states));
    CHECK(cudaFree(numbers));
    return passed();
}
