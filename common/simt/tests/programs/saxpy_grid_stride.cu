// y = a x + y with a grid-stride loop, so any grid covers any size. Timed with events.
#include <cmath>
#include <vector>

#include "check.cuh"

__global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        y[i] = a * x[i] + y[i];
}

int main()
{
    const int n = 1 << 16;
    std::vector<float> x(n, 1.0f), y(n, 2.0f);
    float *d_x, *d_y;
    CHECK(cudaMalloc(&d_x, n * sizeof(float)));
    CHECK(cudaMalloc(&d_y, n * sizeof(float)));
    CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));

    int numSMs;
    CHECK(cudaDeviceGetAttribute(&numSMs, cudaDevAttrMultiProcessorCount, 0));
    const dim3 grids[] = {dim3(1), dim3(7), dim3(2 * numSMs), dim3((n + 255) / 256)};
    for (dim3 grid : grids) {
        CHECK(cudaMemcpy(d_y, y.data(), n * sizeof(float), cudaMemcpyHostToDevice));
        cudaEvent_t start, stop;
        CHECK(cudaEventCreate(&start));
        CHECK(cudaEventCreate(&stop));
        CHECK(cudaEventRecord(start));
        saxpy<<<grid, 256>>>(n, 2.0f, d_x, d_y);
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        float milliseconds = -1;
        CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
        EXPECT(milliseconds >= 0);
        std::vector<float> result(n);
        CHECK(cudaMemcpy(result.data(), d_y, n * sizeof(float), cudaMemcpyDeviceToHost));
        float maxError = 0.0f;
        for (int i = 0; i < n; i++)
            maxError = fmaxf(maxError, fabsf(result[i] - 4.0f));
        EXPECT(maxError == 0.0f);
        CHECK(cudaEventDestroy(start));
        CHECK(cudaEventDestroy(stop));
    }
    cudaFree(d_x);
    cudaFree(d_y);
    return passed();
}
