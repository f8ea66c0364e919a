// Rows that start at aligned addresses: cudaMallocPitch, cudaMemcpy2D, cudaMemset2D.
#include <vector>

#include "check.cuh"

__global__ void addRow(float *devPtr, size_t pitch, int width, int height)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < height && c < width) {
        float *row = (float *)((char *)devPtr + r * pitch);
        row[c] += float(100 * r);
    }
}

int main()
{
    const int width = 37, height = 21;
    std::vector<float> host(width * height), back(width * height);
    for (int i = 0; i < width * height; i++)
        host[i] = float(i);
    float *devPtr;
    size_t pitch;
    CHECK(cudaMallocPitch(&devPtr, &pitch, width * sizeof(float), height));
    EXPECT(pitch >= width * sizeof(float) && pitch % 32 == 0);
    CHECK(cudaMemcpy2D(devPtr, pitch, host.data(), width * sizeof(float), width * sizeof(float),
                       height, cudaMemcpyHostToDevice));
    dim3 threads(16, 16), blocks((width + 15) / 16, (height + 15) / 16);
    addRow<<<blocks, threads>>>(devPtr, pitch, width, height);
    CHECK(cudaMemcpy2D(back.data(), width * sizeof(float), devPtr, pitch, width * sizeof(float),
                       height, cudaMemcpyDeviceToHost));
    for (int r = 0; r < height; r++)
        for (int c = 0; c < width; c++)
            EXPECT(back[r * width + c] == host[r * width + c] + float(100 * r));
    CHECK(cudaMemset2D(devPtr, pitch, 0, 5 * sizeof(float), height));
    CHECK(cudaMemcpy2DAsync(back.data(), width * sizeof(float), devPtr, pitch,
                            width * sizeof(float), height, cudaMemcpyDeviceToHost, 0));
    CHECK(cudaDeviceSynchronize());
    EXPECT(back[4] == 0.0f && back[5] == 5.0f && back[20 * width + 4] == 0.0f);
    CHECK(cudaFree(devPtr));
    return passed();
}
