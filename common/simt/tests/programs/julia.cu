// A Julia set with cuComplex, one block per pixel, as in the first picture of a CUDA book.
#include <cuComplex.h>
#include <cuda.h>

#include "check.cuh"

#define DIM 40

__host__ __device__ int julia(int x, int y)
{
    float jx = 1.5f * (DIM / 2 - x) / (DIM / 2), jy = 1.5f * (DIM / 2 - y) / (DIM / 2);
    cuComplex c = make_cuComplex(-0.8f, 0.156f), a = make_cuFloatComplex(jx, jy);
    for (int i = 0; i < 200; i++) {
        a = cuCaddf(cuCmulf(a, a), c);
        if (cuCrealf(a) * cuCrealf(a) + cuCimagf(a) * cuCimagf(a) > 1000)
            return 0;
    }
    return 1;
}

__global__ void kernel(unsigned char *ptr)
{
    int x = blockIdx.x, y = blockIdx.y, offset = x + y * gridDim.x;
    ptr[offset * 4 + 0] = 255 * julia(x, y);
    ptr[offset * 4 + 1] = 0;
    ptr[offset * 4 + 2] = 0;
    ptr[offset * 4 + 3] = 255;
}

__global__ void arithmetic(cuDoubleComplex *z)
{
    z[2] = cuCdiv(z[0], z[1]);
    z[3] = cuConj(cuCsub(z[0], z[1]));
    z[4] = make_cuDoubleComplex(cuCabs(z[1]), cuCreal(cuCfma(z[0], z[1], z[1])));
}

int main()
{
    static unsigned char image[DIM * DIM * 4];
    unsigned char *dev_bitmap;
    CHECK(cudaMalloc((void **)&dev_bitmap, sizeof(image)));
    dim3 grid(DIM, DIM);
    kernel<<<grid, 1>>>(dev_bitmap);
    CHECK(cudaMemcpy(image, dev_bitmap, sizeof(image), cudaMemcpyDeviceToHost));
    int inside = 0;
    for (int i = 0; i < DIM * DIM; i++) {
        EXPECT(image[4 * i + 1] == 0 && image[4 * i + 3] == 255);
        inside += image[4 * i] == 255;
    }
    EXPECT(inside > 0 && inside < DIM * DIM / 2 && image[0] == 0);
    CHECK(cudaFree(dev_bitmap));

    cuDoubleComplex *z;
    CHECK(cudaMallocManaged(&z, 5 * sizeof(*z)));
    z[0] = make_cuDoubleComplex(-5, 10);
    z[1] = make_cuDoubleComplex(3, 4);
    arithmetic<<<1, 1>>>(z);
    CHECK(cudaDeviceSynchronize());
    EXPECT(fabs(z[2].x - 1) < 1e-12 && fabs(z[2].y - 2) < 1e-12);
    EXPECT(z[3].x == -8 && z[3].y == -6 && z[4].x == 5 && z[4].y == -55 + 3);
    CHECK(cudaFree(z));
    return passed();
}
