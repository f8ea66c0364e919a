// Vector types: four elements per access, and arithmetic with the program's own operators.
#include <cstdint>

#include "check.cuh"

inline __host__ __device__ float4 operator+(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
inline __host__ __device__ float4 operator*(float s, float4 a)
{
    return make_float4(s * a.x, s * a.y, s * a.z, s * a.w);
}
inline __host__ __device__ void operator+=(float2 &a, float2 b)
{
    a.x += b.x;
    a.y += b.y;
}
inline __host__ __device__ float dot(float3 a, float3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

struct __align__(16) Particle
{
    float3 position;
    float mass;
};
static_assert(sizeof(Particle) == 16 && alignof(Particle) == 16, "layout");
static_assert(sizeof(float3) == 12 && sizeof(uchar4) == 4 && sizeof(double2) == 16, "sizes");

__global__ void copyVector4(const int *d_in, int *d_out, int n)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = idx; i < n / 4; i += blockDim.x * gridDim.x)
        reinterpret_cast<int4 *>(d_out)[i] = reinterpret_cast<const int4 *>(d_in)[i];
    int remainder = n % 4;
    if (idx < remainder)
        d_out[n - 1 - idx] = d_in[n - 1 - idx];
}

__global__ void arithmetic(float4 *a, Particle *particles, uint2 *u)
{
    __shared__ float2 pairs[32];
    int i = threadIdx.x;
    pairs[i] = make_float2(i, -i);
    __syncthreads();
    pairs[i] += pairs[i];
    a[i] = 2.0f * a[i] + make_float4(1, 2, 3, 4);
    a[i].x += pairs[i].x + pairs[i].y;
    Particle p = particles[i];
    p.mass = dot(p.position, make_float3(1, 2, 3));
    particles[i] = p;
    uint64_t wide = ((uint64_t)u[i].y << 32 | u[i].x) + 1;
    u[i] = make_uint2((unsigned int)wide, (unsigned int)(wide >> 32));
}

/* Accesses a vector as a whole and by its parts. */
__global__ void reverseParts(float4 *a)
{
    union {
        float4 whole;
        float parts[4];
    } in, out;
    in.whole = a[threadIdx.x];
    for (int i = 0; i < 4; i++)
        out.parts[i] = in.parts[3 - i];
    a[threadIdx.x] = out.whole;
}

// A 28-byte structure, copied as a whole. Each thread's starts at another offset within 16 bytes.
struct Ray {
    float3 origin, direction;
    int depth;
};

__device__ __noinline__ bool meets(const Ray &ray, float &where)
{
    where = ray.origin.x;
    return where > 50;
}

__global__ void copy_rays(const Ray *rays, float *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float where;
    if (i >= n)
        return;
    Ray ray = rays[i];
    if (ray.depth >= n)
        return;
    sums[i] = ray.origin.y + ray.direction.x + ray.depth;
    sums[i] += meets(ray, where) ? where : 0;
}

static void test_rays()
{
    const int n = 96;
    Ray *rays;
    float *sums;
    CHECK(cudaMallocManaged(&rays, n * sizeof *rays));
    CHECK(cudaMallocManaged(&sums, n * sizeof *sums));
    for (int i = 0; i < n; i++)
        rays[i] = {{(float)i, 1, 2}, {3, 0, 4}, 5};
    copy_rays<<<1, n>>>(rays, sums, n);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        EXPECT(sums[i] == 1 + 3 + 5 + (i > 50 ? i : 0));
    cudaFree(rays);
    cudaFree(sums);
}

// Uses structured bindings.
__global__ void bind(float4 *a)
{
    auto [x, y, z, w] = a[threadIdx.x];
    auto &[first, second, third, last] = a[threadIdx.x];
    const auto [one, six] = make_double2(1, 6);
    first = y + one;
    last = z - z + one + six + x - x + w - w;
}

int main()
{
    test_rays();
    EXPECT(make_uint3(1, 2, 3).z + dim3(4).x + dim3(4).y + dim3(4).z == 9);
    EXPECT(make_int2(3, 4).y == 4 && make_uchar4(1, 2, 3, 4).w == 4 && make_longlong2(5, 6).x == 5);
    for (int n : {1, 3, 4, 1001}) {
        int *in, *out;
        CHECK(cudaMallocManaged(&in, n * sizeof(int)));
        CHECK(cudaMallocManaged(&out, n * sizeof(int)));
        for (int i = 0; i < n; i++) {
            in[i] = i * 3;
            out[i] = -1;
        }
        copyVector4<<<2, 64>>>(in, out, n);
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < n; i++)
            EXPECT(out[i] == i * 3);
        cudaFree(in);
        cudaFree(out);
    }
    float4 *a;
    Particle *particles;
    uint2 *u;
    CHECK(cudaMallocManaged(&a, 32 * sizeof(float4)));
    CHECK(cudaMallocManaged(&particles, 32 * sizeof(Particle)));
    CHECK(cudaMallocManaged(&u, 32 * sizeof(uint2)));
    for (int i = 0; i < 32; i++) {
        a[i] = make_float4(i, i, i, i);
        particles[i].position = make_float3(i, 1, 1);
        u[i] = {0xffffffffu, (unsigned int)i};
    }
    arithmetic<<<1, 32>>>(a, particles, u);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++) {
        EXPECT(a[i].x == 2 * i + 1 && a[i].w == 2 * i + 4 && particles[i].mass == i + 5);
        EXPECT(u[i].x == 0 && u[i].y == i + 1u);
    }
    reverseParts<<<1, 32>>>(a);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++)
        EXPECT(a[i].x == 2 * i + 4 && a[i].w == 2 * i + 1);
    bind<<<1, 32>>>(a);
    CHECK(cudaDeviceSynchronize());
    EXPECT(a[5].x == a[5].y + 1 && a[5].w == 7);
    cudaFree(a);
    cudaFree(particles);
    cudaFree(u);
    return passed();
}
