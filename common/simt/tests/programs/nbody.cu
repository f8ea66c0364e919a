// Gravity between all pairs of bodies. Tiles of float4 in shared memory hold the bodies.
#include <cmath>
#include <vector>

#include "check.cuh"

#define SOFTENING 1e-3f

__device__ float3 bodyBodyInteraction(float4 bi, float4 bj, float3 ai)
{
    float3 r = make_float3(bj.x - bi.x, bj.y - bi.y, bj.z - bi.z);
    float distSqr = r.x * r.x + r.y * r.y + r.z * r.z + SOFTENING;
    float invDist = rsqrtf(distSqr);
    float s = bj.w * invDist * invDist * invDist;
    ai.x += r.x * s;
    ai.y += r.y * s;
    ai.z += r.z * s;
    return ai;
}

__global__ void calculateForces(const float4 *__restrict__ bodies, float4 *acceleration, int n)
{
    extern __shared__ float4 shPosition[];
    float3 acc = {0.0f, 0.0f, 0.0f};
    int gtid = blockIdx.x * blockDim.x + threadIdx.x;
    float4 myPosition = bodies[gtid];
    for (int tile = 0; tile < n / (int)blockDim.x; tile++) {
        shPosition[threadIdx.x] = bodies[tile * blockDim.x + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int i = 0; i < blockDim.x; i++)
            acc = bodyBodyInteraction(myPosition, shPosition[i], acc);
        __syncthreads();
    }
    acceleration[gtid] = {acc.x, acc.y, acc.z, 0.0f};
}

int main()
{
    const int n = 192, block = 64;
    std::vector<float4> bodies(n), acceleration(n);
    for (int i = 0; i < n; i++) {
        bodies[i] =
            make_float4(sinf(float(i)), cosf(float(2 * i)), sinf(float(3 * i)), 1.0f + i % 3);
    }
    float4 *d_bodies, *d_acceleration;
    CHECK(cudaMalloc(&d_bodies, n * sizeof(float4)));
    CHECK(cudaMalloc(&d_acceleration, n * sizeof(float4)));
    CHECK(cudaMemcpy(d_bodies, &bodies[0], n * sizeof(float4), cudaMemcpyHostToDevice));
    calculateForces<<<n / block, block, block * sizeof(float4)>>>(d_bodies, d_acceleration, n);
    CHECK(cudaMemcpy(&acceleration[0], d_acceleration, n * sizeof(float4), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        double x = 0, y = 0, z = 0;
        for (int j = 0; j < n; j++) {
            double dx = bodies[j].x - bodies[i].x, dy = bodies[j].y - bodies[i].y;
            double dz = bodies[j].z - bodies[i].z;
            double s = bodies[j].w / pow(dx * dx + dy * dy + dz * dz + SOFTENING, 1.5);
            x += dx * s;
            y += dy * s;
            z += dz * s;
        }
        double scale = 1 + fabs(x) + fabs(y) + fabs(z);
        EXPECT(fabs(acceleration[i].x - x) < 1e-3 * scale);
        EXPECT(fabs(acceleration[i].y - y) < 1e-3 * scale);
        EXPECT(fabs(acceleration[i].z - z) < 1e-3 * scale);
    }
    cudaFree(d_bodies);
    cudaFree(d_acceleration);
    return passed();
}
