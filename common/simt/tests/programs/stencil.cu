// A 1-D stencil. The block's elements and a halo are in dynamic shared memory, coefficients in
// constant memory.
#include <vector>

#include "check.cuh"

#define RADIUS 3
#define BLOCK_SIZE 128

__constant__ float c_weights[2 * RADIUS + 1];

__global__ void stencil_1d(const float *in, float *out, int n)
{
    extern __shared__ float temp[];
    int gindex = threadIdx.x + blockIdx.x * blockDim.x;
    int lindex = threadIdx.x + RADIUS;
    temp[lindex] = gindex < n ? in[gindex] : 0.0f;
    if (threadIdx.x < RADIUS) {
        int left = gindex - RADIUS, right = gindex + (int)blockDim.x;
        temp[lindex - RADIUS] = left >= 0 ? in[left] : 0.0f;
        temp[lindex + blockDim.x] = right < n ? in[right] : 0.0f;
    }
    __syncthreads();
    if (gindex < n) {
        float result = 0;
        for (int offset = -RADIUS; offset <= RADIUS; offset++)
            result += c_weights[offset + RADIUS] * temp[lindex + offset];
        out[gindex] = result;
    }
}

int main()
{
    const float weights[2 * RADIUS + 1] = {1, 2, 4, 8, 4, 2, 1};
    CHECK(cudaMemcpyToSymbol(c_weights, weights, sizeof(weights)));
    for (int n : {1, 2, 127, 128, 129, 1000}) {
        std::vector<float> in(n), out(n);
        for (int i = 0; i < n; i++)
            in[i] = float(i % 17);
        float *d_in, *d_out;
        CHECK(cudaMalloc(&d_in, n * sizeof(float)));
        CHECK(cudaMalloc(&d_out, n * sizeof(float)));
        CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
        stencil_1d<<<(n + BLOCK_SIZE - 1) / BLOCK_SIZE, BLOCK_SIZE,
                     (BLOCK_SIZE + 2 * RADIUS) * sizeof(float)>>>(d_in, d_out, n);
        CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; i++) {
            float expected = 0;
            for (int offset = -RADIUS; offset <= RADIUS; offset++) {
                int at = i + offset;
                expected += at >= 0 && at < n ? weights[offset + RADIUS] * in[at] : 0.0f;
            }
            EXPECT(out[i] == expected);
        }
        cudaFree(d_in);
        cudaFree(d_out);
    }
    return passed();
}
