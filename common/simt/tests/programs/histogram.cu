// Letters are counted with atomics in shared memory. Each block has a private histogram.
#include <string>

#include "check.cuh"

#define NUM_BINS 26

__global__ void histogram(const char *text, unsigned int length, unsigned int *bins)
{
    __shared__ unsigned int privateBins[NUM_BINS];
    for (unsigned int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x)
        privateBins[bin] = 0u;
    __syncthreads();

    unsigned int stride = blockDim.x * gridDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += stride) {
        int letter = text[i] - 'a';
        if (letter >= 0 && letter < NUM_BINS)
            atomicAdd(&privateBins[letter], 1);
    }
    __syncthreads();

    for (unsigned int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x)
        if (privateBins[bin] > 0)
            atomicAdd(bins + bin, privateBins[bin]);
}

int main()
{
    std::string text;
    while (text.size() < 20000)
        text += "the quick brown fox jumps over the lazy dog, again and again. ";
    unsigned int expected[NUM_BINS] = {}, counted[NUM_BINS];
    for (char c : text)
        if (c >= 'a' && c <= 'z')
            expected[c - 'a']++;
    char *d_text;
    unsigned int *d_bins;
    CHECK(cudaMalloc((void **)&d_text, text.size()));
    CHECK(cudaMalloc((void **)&d_bins, sizeof(counted)));
    CHECK(cudaMemcpy(d_text, text.c_str(), text.size(), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_bins, 0, sizeof(counted)));
    histogram<<<12, 128>>>(d_text, (unsigned int)text.size(), d_bins);
    CHECK(cudaMemcpy(counted, d_bins, sizeof(counted), cudaMemcpyDeviceToHost));
    for (int i = 0; i < NUM_BINS; i++)
        EXPECT(counted[i] == expected[i]);
    cudaFree(d_text);
    cudaFree(d_bins);
    return passed();
}
