// cuRAND: device generators with known first numbers, and host generators.
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
    for (int i = 0; i < 3; i++)
        out[i] = curand(&xorwow);
    out[3] = curand(&philox);
    const uint4 four = curand4(&philox);
    out[4] = four.x;
    out[5] = four.w;
}

__global__ void ofMrg(unsigned int *out, unsigned long long seed)
{
    curandStateMRG32k3a state;
    curandState xorwow;
    curand_init(seed, 5, 7, &state);
    out[0] = curand(&state);
    out[1] = curand(&state);
    out[2] = (unsigned int)(curand_uniform(&state) * 0x1p32f);
    skipahead(1000000007ull, &state);
    skipahead_subsequence(12345678901ull, &state);
    out[3] = curand(&state);
    curand_init(0, 0, 0, &state);
    out[4] = curand(&state);
    curand_init(seed, 0, 0, &xorwow);
    for (int i = 5; i < 11; i++)
        out[i] = curand_poisson(&xorwow, i < 8 ? 4 : 1e5);
}

// Numbers i, j, ... from a generator with seed 1234 and an offset.
template <class T, class Generate>
static std::vector<T> some(curandRngType_t type, Generate generate, size_t count,
                           const std::vector<size_t> &which, unsigned long long offset = 5,
                           unsigned int dimensions = 0)
{
    curandGenerator_t generator;
    std::vector<T> all(count), found;
    RANDOM(curandCreateGeneratorHost(&generator, type));
    if (dimensions > 0)
        RANDOM(curandSetQuasiRandomGeneratorDimensions(generator, dimensions));
    else
        RANDOM(curandSetPseudoRandomGeneratorSeed(generator, 1234));
    RANDOM(curandSetGeneratorOffset(generator, offset));
    RANDOM(generate(generator, all.data(), count));
    RANDOM(curandDestroyGenerator(generator));
    for (size_t i : which)
        found.push_back(all[i]);
    return found;
}

// The numbers of the real library, for each order of its sequences.
static void expectOrders()
{
    const std::vector<size_t> which = {0, 1, 4999, 89999};
    using Bits = std::vector<unsigned int>;
    using Doubles = std::vector<double>;
    EXPECT(some<unsigned int>(CURAND_RNG_PSEUDO_MRG32K3A, curandGenerate, 100000, which) ==
           Bits({0x4df33f46, 0xed30be53, 0xc7901964, 0xd83b04c2}));
    EXPECT(some<unsigned int>(CURAND_RNG_PSEUDO_PHILOX4_32_10, curandGenerate, 100000, which) ==
           Bits({0x52fc7c75, 0xc7f33f17, 0xe3b97196, 0x7b95311c}));
    EXPECT(some<double>(CURAND_RNG_PSEUDO_XORWOW, curandGenerateUniformDouble, 100000, which) ==
           Doubles({0x1.00a345c95664p-1, 0x1.a748851a593cep-3, 0x1.8a6c8eff1850cp-4,
                    0x1.493236068852cp-4}));
    EXPECT(some<double>(CURAND_RNG_PSEUDO_MRG32K3A, curandGenerateUniformDouble, 100000, which) ==
           Doubles({0x1.37ccfd1a8e5abp-2, 0x1.da617ca74996dp-1, 0x1.8f2032c9d9498p-1,
                    0x1.b0760985105ddp-1}));
    EXPECT(some<unsigned int>(CURAND_RNG_QUASI_SOBOL32, curandGenerate, 90, {0, 1, 89}, 7, 30) ==
           Bits({0x20000000, 0x30000000, 0x70000000}));
    EXPECT(some<unsigned long long>(CURAND_RNG_QUASI_SOBOL64, curandGenerateLongLong, 192,
                                    {0, 1, 191}, 7, 64) ==
           std::vector<unsigned long long>(
               {0x2000000000000000, 0x3000000000000000, 0x3000000000000000}));
    EXPECT(some<double>(CURAND_RNG_QUASI_SOBOL32, curandGenerateUniformDouble, 4, {0, 3}, 7, 2) ==
           Doubles({0x1.00000008p-3, 0x1.40000004p-2}));
}

// Settings and calls that do not suit the generator.
static void expectRefusals(unsigned int *device)
{
    curandGenerator_t generator;
    RANDOM(curandCreateGenerator(&generator, CURAND_RNG_QUASI_DEFAULT));
    RANDOM(curandSetQuasiRandomGeneratorDimensions(generator, 3));
    EXPECT(curandGenerate(generator, device, 7) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    EXPECT(curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_BEST) ==
           CURAND_STATUS_OUT_OF_RANGE);
    EXPECT(curandSetQuasiRandomGeneratorDimensions(generator, 0) == CURAND_STATUS_OUT_OF_RANGE);
    EXPECT(curandSetPseudoRandomGeneratorSeed(generator, 1) == CURAND_STATUS_TYPE_ERROR);
    EXPECT(curandGenerateLongLong(generator, (unsigned long long *)device, 3) ==
           CURAND_STATUS_TYPE_ERROR);
    RANDOM(curandGenerateNormal(generator, (float *)device, 3, 0, 1));
    RANDOM(curandDestroyGenerator(generator));
    RANDOM(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_MT19937));
    EXPECT(curandSetGeneratorOffset(generator, 1) == CURAND_STATUS_TYPE_ERROR);
    EXPECT(curandSetQuasiRandomGeneratorDimensions(generator, 2) == CURAND_STATUS_TYPE_ERROR);
    RANDOM(curandGenerateNormal(generator, (float *)device, 3, 0, 1));
    RANDOM(curandDestroyGenerator(generator));
    RANDOM(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_XORWOW));
    EXPECT(curandGenerateNormal(generator, (float *)device, 3, 0, 1) ==
           CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    RANDOM(curandDestroyGenerator(generator));
}

static void expectPoisson(unsigned int *device, int n)
{
    for (curandRngType_t type : {CURAND_RNG_PSEUDO_MTGP32, CURAND_RNG_QUASI_SOBOL32}) {
        for (double mean : {0.5, 30.0, 5000.0}) {
            curandGenerator_t generator;
            std::vector<unsigned int> numbers(n);
            double sum = 0, squares = 0;
            RANDOM(curandCreateGenerator(&generator, type));
            RANDOM(curandGeneratePoisson(generator, device, n, mean));
            RANDOM(curandDestroyGenerator(generator));
            CHECK(cudaMemcpy(numbers.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost));
            for (unsigned int number : numbers) {
                sum += number;
                squares += (number - mean) * (number - mean);
            }
            EXPECT(fabs(sum / n - mean) < 5 * sqrt(mean / n));
            EXPECT(fabs(squares / n / mean - 1) < 0.1);
        }
    }
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

// Counts random points of the unit square that lie in a quarter of the circle.
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
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = curand_normal(&state);
}

// Checks the mean and the variance of normally distributed numbers.
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
    // The numbers that the library's own header computes.
    expectBits(0ull, 0, 0,
               {3179217846u, 1883133293u, 2220552389u, 1713891541u, 3781805453u, 4175744164u});
    expectBits(1234ull, 5, 7,
               {3351265907u, 3629609298u, 415430802u, 1925342002u, 648658203u, 3521664514u});
    expectBits(0x123456789abcdefull, 123456789, 1000000007,
               {2789572809u, 1682381890u, 3514268188u, 3652871312u, 1186041607u, 2127650738u});

    unsigned int *words;
    std::vector<unsigned int> found(11);
    CHECK(cudaMalloc(&words, 8192 * sizeof(unsigned int)));
    ofMrg<<<1, 1>>>(words, 1234);
    CHECK(cudaMemcpy(found.data(), words, 11 * sizeof(unsigned int), cudaMemcpyDeviceToHost));
    EXPECT(found[0] == 2068833513u && found[1] == 469510173u);
    EXPECT(found[3] == 3814073874u && found[4] == 545508615u);
    EXPECT(found[2] == (unsigned int)(0x1.452b7p-3f * 0x1p32f));
    EXPECT(found[5] == 5 && found[6] == 3 && found[7] == 6);
    EXPECT(found[8] > 98000 && found[8] < 102000);
    expectOrders();
    expectRefusals(words);
    expectPoisson(words, 8192);
    CHECK(cudaFree(words));

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
    CHECK(cudaFree(hits));
    CHECK(cudaFree(states));
    CHECK(cudaFree(numbers));
    return passed();
}
