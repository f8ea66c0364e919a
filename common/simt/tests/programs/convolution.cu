// A separable filter over an image. The filter is in constant memory, tiles with halos are in
// shared memory.
#include <memory>

#include "check.cuh"

#define KERNEL_RADIUS 2
#define KERNEL_LENGTH (2 * KERNEL_RADIUS + 1)
#define TILE_W 16
#define TILE_H 8

__constant__ float c_Kernel[KERNEL_LENGTH];

template <bool ROWS>
__global__ void convolution(float *dst, const float *src, int width, int height)
{
    __shared__ float tile[TILE_H + 2 * KERNEL_RADIUS][TILE_W + 2 * KERNEL_RADIUS];
    const int left = blockIdx.x * TILE_W - KERNEL_RADIUS, top = blockIdx.y * TILE_H - KERNEL_RADIUS;
    const int tid = threadIdx.y * blockDim.x + threadIdx.x;
    for (int i = tid; i < (TILE_H + 2 * KERNEL_RADIUS) * (TILE_W + 2 * KERNEL_RADIUS);
         i += TILE_W * TILE_H) {
        int ty = i / (TILE_W + 2 * KERNEL_RADIUS), tx = i % (TILE_W + 2 * KERNEL_RADIUS);
        int x = left + tx, y = top + ty;
        bool inside = x >= 0 && x < width && y >= 0 && y < height;
        tile[ty][tx] = inside ? src[y * width + x] : 0.f;
    }
    __syncthreads();
    int x = blockIdx.x * TILE_W + threadIdx.x, y = blockIdx.y * TILE_H + threadIdx.y;
    if (x < width && y < height) {
        float sum = 0;
#pragma unroll
        for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++) {
            sum += c_Kernel[KERNEL_RADIUS - j] * tile[threadIdx.y + KERNEL_RADIUS + (ROWS ? 0 : j)]
                                                     [threadIdx.x + KERNEL_RADIUS + (ROWS ? j : 0)];
        }
        dst[y * width + x] = sum;
    }
}

struct DeviceFree {
    void operator()(float *p) const
    {
        cudaFree(p);
    }
};
typedef std::unique_ptr<float[], DeviceFree> DeviceArray;

static DeviceArray allocate(size_t count)
{
    float *p;
    CHECK(cudaMalloc(&p, count * sizeof(float)));
    return DeviceArray(p);
}

int main()
{
    const int width = 53, height = 29, size = width * height;
    const float weights[KERNEL_LENGTH] = {1, 4, 6, 4, 2};
    static float image[size], result[size], rows[size];
    for (int i = 0; i < size; i++)
        image[i] = float(i * 7 % 10);
    CHECK(cudaMemcpyToSymbol(c_Kernel, weights, sizeof(weights)));
    DeviceArray in = allocate(size), middle = allocate(size), out = allocate(size);
    CHECK(cudaMemcpy(in.get(), image, sizeof(image), cudaMemcpyHostToDevice));
    dim3 threads(TILE_W, TILE_H);
    dim3 blocks((width + TILE_W - 1) / TILE_W, (height + TILE_H - 1) / TILE_H);
    convolution<true><<<blocks, threads>>>(middle.get(), in.get(), width, height);
    convolution<false><<<blocks, threads>>>(out.get(), middle.get(), width, height);
    CHECK(cudaMemcpy(result, out.get(), sizeof(result), cudaMemcpyDeviceToHost));
    for (int pass = 0; pass < 2; pass++) {
        const float *from = pass == 0 ? image : rows;
        static float to[size];
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                float sum = 0;
                for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++) {
                    int sx = pass == 0 ? x + j : x, sy = pass == 0 ? y : y + j;
                    if (sx >= 0 && sx < width && sy >= 0 && sy < height)
                        sum += weights[KERNEL_RADIUS - j] * from[sy * width + sx];
                }
                to[y * width + x] = sum;
            }
        }
        for (int i = 0; i < size; i++)
            rows[i] = to[i];
    }
    for (int i = 0; i < size; i++)
        EXPECT(result[i] == rows[i]);
    return passed();
}
