// Arrays, textures and surfaces: 1-D to 3-D, layers, filters and address modes, linear and pitched
// memory, and 3-D copies.
#include <cmath>

#include "check.cuh"

const int WIDTH = 16, HEIGHT = 8, DEPTH = 4;

static cudaTextureObject_t makeTexture(const cudaResourceDesc &resource,
                                       cudaTextureAddressMode address, cudaTextureFilterMode filter,
                                       cudaTextureReadMode read, bool normalized)
{
    cudaTextureDesc description = {};
    for (int i = 0; i < 3; i++)
        description.addressMode[i] = address;
    description.filterMode = filter;
    description.readMode = read;
    description.normalizedCoords = normalized;
    cudaTextureObject_t texture = 0;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    return texture;
}

static cudaResourceDesc ofArray(cudaArray_t array)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

__global__ void sample2D(float *out, cudaTextureObject_t texture, float dx, float dy, float scale_x,
                         float scale_y)
{
    const int x = threadIdx.x, y = threadIdx.y;
    out[y * blockDim.x + x] = tex2D<float>(texture, (x + dx) * scale_x, (y + dy) * scale_y);
}

static float element(int x, int y)
{
    return 10.0f * y + x;
}

static int wrapped(int i, int n)
{
    return (i % n + n) % n;
}

static int clampedTo(int i, int n)
{
    return i < 0 ? 0 : i < n ? i : n - 1;
}

static int mirrored(int i, int n)
{
    i = wrapped(i, 2 * n);
    return i < n ? i : 2 * n - 1 - i;
}

static void testPlane()
{
    float host[HEIGHT * WIDTH], *out, result[HEIGHT * WIDTH];
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        host[i] = element(i % WIDTH, i / WIDTH);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    EXPECT(format.x == 32 && format.y == 0 && format.f == cudaChannelFormatKindFloat);
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, WIDTH, HEIGHT));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, host, WIDTH * sizeof(float), WIDTH * sizeof(float),
                              HEIGHT, cudaMemcpyHostToDevice));
    CHECK(cudaMalloc(&out, sizeof(result)));
    const cudaTextureAddressMode modes[] = {cudaAddressModeClamp, cudaAddressModeWrap,
                                            cudaAddressModeMirror, cudaAddressModeBorder};
    for (cudaTextureAddressMode mode : modes) {
        cudaTextureObject_t texture =
            makeTexture(ofArray(array), mode, cudaFilterModePoint, cudaReadModeElementType, true);
        sample2D<<<1, dim3(WIDTH, HEIGHT)>>>(out, texture, -2.5f, 3.5f, 1.0f / WIDTH,
                                             1.0f / HEIGHT);
        CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
        for (int i = 0; i < HEIGHT * WIDTH; i++) {
            const int x = i % WIDTH - 3, y = i / WIDTH + 3;
            float expected;
            if (mode == cudaAddressModeClamp)
                expected = element(clampedTo(x, WIDTH), clampedTo(y, HEIGHT));
            else if (mode == cudaAddressModeWrap)
                expected = element(wrapped(x, WIDTH), wrapped(y, HEIGHT));
            else if (mode == cudaAddressModeMirror)
                expected = element(mirrored(x, WIDTH), mirrored(y, HEIGHT));
            else
                expected = x < 0 || y >= HEIGHT ? 0 : element(x, y);
            EXPECT(result[i] == expected);
        }
        CHECK(cudaDestroyTextureObject(texture));
    }
    // Interpolates four elements at a quarter. 8 bits of fraction represent that exactly.
    cudaTextureObject_t linear = makeTexture(ofArray(array), cudaAddressModeClamp,
                                             cudaFilterModeLinear, cudaReadModeElementType, false);
    sample2D<<<1, dim3(WIDTH, HEIGHT)>>>(out, linear, 0.75f, 1.0f, 1, 1);
    CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            const float column = x + 1 < WIDTH ? x + 0.25f : WIDTH - 1;
            const float row = y + 1 < HEIGHT ? y + 0.5f : HEIGHT - 1;
            EXPECT(fabsf(result[y * WIDTH + x] - (10.0f * row + column)) < 1e-4f);
        }
    }
    CHECK(cudaDestroyTextureObject(linear));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(out));
}

__global__ void fetchBytes(float *normalized, int *plain, cudaTextureObject_t asFloats,
                           cudaTextureObject_t asBytes)
{
    const uchar4 bytes = tex1Dfetch<uchar4>(asBytes, threadIdx.x);
    const float4 floats = tex1Dfetch<float4>(asFloats, threadIdx.x);
    normalized[threadIdx.x] = floats.x + floats.w;
    plain[threadIdx.x] = bytes.x + 256 * bytes.y + 65536 * bytes.z;
}

static void testLinear()
{
    const int N = 32;
    uchar4 host[N], *memory;
    float *normalized, sums[N];
    int *plain, codes[N];
    for (int i = 0; i < N; i++)
        host[i] = make_uchar4(i, 2 * i, 3 * i, 255);
    CHECK(cudaMalloc(&memory, sizeof(host)));
    CHECK(cudaMalloc(&normalized, sizeof(sums)));
    CHECK(cudaMalloc(&plain, sizeof(codes)));
    CHECK(cudaMemcpy(memory, host, sizeof(host), cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<uchar4>();
    resource.res.linear.sizeInBytes = sizeof(host);
    cudaTextureObject_t asBytes = makeTexture(resource, cudaAddressModeClamp, cudaFilterModePoint,
                                              cudaReadModeElementType, false);
    cudaTextureObject_t asFloats = makeTexture(resource, cudaAddressModeClamp, cudaFilterModePoint,
                                               cudaReadModeNormalizedFloat, false);
    fetchBytes<<<1, N>>>(normalized, plain, asFloats, asBytes);
    CHECK(cudaMemcpy(sums, normalized, sizeof(sums), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(codes, plain, sizeof(codes), cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        EXPECT(fabsf(sums[i] - (i / 255.0f + 1.0f)) < 1e-6f);
        EXPECT(codes[i] == i + 256 * 2 * i + 65536 * 3 * i);
    }
    CHECK(cudaDestroyTextureObject(asBytes));
    CHECK(cudaDestroyTextureObject(asFloats));
    CHECK(cudaFree(memory));
    CHECK(cudaFree(normalized));
    CHECK(cudaFree(plain));
}

// Copies each element of a volume, shifted by one in z, from a texture to a surface.
__global__ void shiftVolume(cudaTextureObject_t from, cudaSurfaceObject_t to)
{
    const int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    surf3Dwrite(tex3D<float>(from, x + 0.5f, y + 0.5f, z + 1.5f), to, x * (int)sizeof(float), y, z);
}

static void testVolume()
{
    float host[DEPTH * HEIGHT * WIDTH], result[DEPTH * HEIGHT * WIDTH];
    for (int i = 0; i < DEPTH * HEIGHT * WIDTH; i++)
        host[i] = i;
    const cudaExtent extent = make_cudaExtent(WIDTH, HEIGHT, DEPTH);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t source, target;
    CHECK(cudaMalloc3DArray(&source, &format, extent));
    CHECK(cudaMalloc3DArray(&target, &format, extent, cudaArraySurfaceLoadStore));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(host, WIDTH * sizeof(float), WIDTH, HEIGHT);
    copy.dstArray = source;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    cudaTextureObject_t texture = makeTexture(ofArray(source), cudaAddressModeClamp,
                                              cudaFilterModePoint, cudaReadModeElementType, false);
    const cudaResourceDesc resource = ofArray(target);
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    shiftVolume<<<DEPTH, dim3(WIDTH, HEIGHT)>>>(texture, surface);
    cudaMemcpy3DParms back = {};
    back.srcArray = target;
    back.dstPtr = make_cudaPitchedPtr(result, WIDTH * sizeof(float), WIDTH, HEIGHT);
    back.extent = extent;
    back.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&back));
    for (int i = 0; i < DEPTH * HEIGHT * WIDTH; i++) {
        const int next = i + HEIGHT * WIDTH;
        EXPECT(result[i] == host[next < DEPTH * HEIGHT * WIDTH ? next : i]);
    }
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaFreeArray(source));
    CHECK(cudaFreeArray(target));
}

__global__ void addLayers(float *out, cudaTextureObject_t texture, int layers)
{
    float sum = 0;
    for (int layer = 0; layer < layers; layer++)
        sum += tex2DLayered<float>(texture, threadIdx.x + 0.5f, threadIdx.y + 0.5f, layer);
    out[threadIdx.y * blockDim.x + threadIdx.x] = sum;
}

__global__ void fillPitched(cudaPitchedPtr volume, int height)
{
    char *row = (char *)volume.ptr + (blockIdx.x * height + threadIdx.y) * volume.pitch;
    ((float *)row)[threadIdx.x] = blockIdx.x;
}

// Copies a pitched volume to the layers of an array.
static void testLayers()
{
    float *out, result[HEIGHT * WIDTH];
    cudaPitchedPtr volume;
    CHECK(cudaMalloc3D(&volume, make_cudaExtent(WIDTH * sizeof(float), HEIGHT, DEPTH)));
    CHECK(cudaMemset3D(volume, 0, make_cudaExtent(WIDTH * sizeof(float), HEIGHT, DEPTH)));
    fillPitched<<<DEPTH, dim3(WIDTH, HEIGHT)>>>(volume, HEIGHT);
    cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaArray_t layers;
    CHECK(cudaMalloc3DArray(&layers, &format, make_cudaExtent(WIDTH, HEIGHT, DEPTH),
                            cudaArrayLayered));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = volume;
    copy.dstArray = layers;
    copy.extent = make_cudaExtent(WIDTH, HEIGHT, DEPTH);
    copy.kind = cudaMemcpyDeviceToDevice;
    CHECK(cudaMemcpy3D(&copy));
    cudaTextureObject_t texture = makeTexture(ofArray(layers), cudaAddressModeClamp,
                                              cudaFilterModePoint, cudaReadModeElementType, false);
    CHECK(cudaMalloc(&out, sizeof(result)));
    addLayers<<<1, dim3(WIDTH, HEIGHT)>>>(out, texture, DEPTH);
    CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
    for (float sum : result)
        EXPECT(sum == DEPTH * (DEPTH - 1) / 2);
    cudaExtent extent;
    unsigned int flags;
    CHECK(cudaArrayGetInfo(&format, &extent, &flags, layers));
    EXPECT(extent.depth == DEPTH && flags == cudaArrayLayered);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(layers));
    CHECK(cudaFree(volume.ptr));
    CHECK(cudaFree(out));
}

int main()
{
    testPlane();
    testLinear();
    testVolume();
    testLayers();
    return passed();
}
