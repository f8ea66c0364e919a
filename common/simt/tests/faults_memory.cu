// Seeded faults in launches and in memory that does not belong to a kernel.
#include <cases.cuh> // <>: it has no device variables, so the runtime knows all

#undef NDEBUG
#include <cassert>
#include <map>
#include <unistd.h>
#include <vector>

static const int BLOCK = 64;

// ---- the host's memory --------------------------------------------------------------------------

static float of_host[BLOCK] = {1};
__device__ float of_device[BLOCK];
__constant__ float constant[2] = {1, 2};
template <class T>
__device__ T of_template[4];
struct Holder {
    static __device__ int member;
};
__device__ int Holder::member;

__global__ void write_all(float *out)
{
    out[threadIdx.x] = 1; // FAULT stack static_local mapped_no_more
}

__global__ void read_global(float *out)
{
    const float *p = of_host;
    out[threadIdx.x] = p[threadIdx.x]; // FAULT global
}

__global__ void ok_data(float *out)
{
    static int calls;
    static const int table[4] = {1, 2, 3, 4};
    if (threadIdx.x == 0) {
        calls += table[blockIdx.x % 4];
        Holder::member = calls;
        of_template<int>[1] = Holder::member;
    }
    of_device[threadIdx.x] = constant[1];
    out[threadIdx.x] = of_device[threadIdx.x];
}

__global__ void past_device_array(float *out)
{
    float *p = of_device;
    out[threadIdx.x] = p[threadIdx.x + 100]; // FAULT device_array
}

__global__ void past_constant(float *out, int n)
{
    out[threadIdx.x] = constant[n]; // FAULT past_constant
}

// ---- shared memory ------------------------------------------------------------------------------

// Three rows of `in` are in shared memory and move up. No thread loads the elements at their ends.
// These move with the rows, but no thread uses them.
__global__ void ok_moved(float *out, const float *in, int rows)
{
    __shared__ float before[BLOCK], here[BLOCK], after[BLOCK];
    const int x = threadIdx.x;
    if (x >= 1 && x < BLOCK - 1) {
        before[x] = in[x];
        here[x] = in[BLOCK + x];
    }
    for (int y = 1; y < rows - 1; y++) {
        if (x >= 1 && x < BLOCK - 1)
            after[x] = in[(y + 1) * BLOCK + x];
        __syncthreads();
        if (x >= 1 && x < BLOCK - 1)
            out[y * BLOCK + x] = before[x] + here[x] + after[x];
        __syncthreads();
        before[x] = here[x];
        here[x] = after[x];
    }
}

__global__ void moved_unset(float *out, const float *in)
{
    __shared__ float a[BLOCK], b[BLOCK];
    const int x = threadIdx.x;
    if (x > 0)
        a[x] = in[x];
    b[x] = a[x];
    __syncthreads();
    out[x] = b[BLOCK - 1 - x]; // FAULT moved_unset
}

__global__ void added_unset(float *out, const float *in)
{
    __shared__ float s[2 * BLOCK];
    s[threadIdx.x] = in[threadIdx.x];
    s[threadIdx.x] += s[BLOCK + threadIdx.x]; // FAULT added_unset
    out[threadIdx.x] = s[threadIdx.x];
}

// Memory that is first overwritten with uninitialized data and then set counts as set.
__global__ void ok_moved_and_set(float *out)
{
    __shared__ float a[BLOCK], b[BLOCK];
    b[threadIdx.x] = a[threadIdx.x];
    b[threadIdx.x] = 1;
    out[threadIdx.x] = b[threadIdx.x];
}

__global__ void past_static(int *out)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = 1; // FAULT static_end static_far
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x % 64];
}

__device__ void put(int *at, int value)
{
    *at = value; // FAULT static_pointer
}

__global__ void past_static_by_pointer(int *out)
{
    __shared__ int tile[64];
    void (*function)(int *, int) = put;
    function(tile + threadIdx.x, 1);
    __syncthreads();
    out[threadIdx.x] = tile[0];
}

__global__ void much_static(char *out)
{
    __shared__ char tile[80 << 10];
    tile[threadIdx.x] = 1;
    *out = tile[threadIdx.x];
}

__global__ void ok_shared(int *out)
{
    alignas(16384) extern __shared__ unsigned char dynamic[];
    __shared__ __align__(256) short a[33];
    __shared__ char b[7];
    __shared__ struct {
        char c;
        double d;
    } s;
    if ((size_t)dynamic % 32768 != 16384 || (size_t)a % 256)
        __trap();
    for (int i = 0; i < 33; i++)
        a[i] = 1;
    for (int i = 0; i < 7; i++)
        b[i] = 2;
    s.d = a[32] + b[6];
    dynamic[99] = 3;
    *out = s.d + dynamic[99] != 6;
    if (*out != 0)
        printf("misplaced\n");
}

// ---- copies -------------------------------------------------------------------------------------

__global__ void sum(float *out, const float *in)
{
    atomicAdd(out, in[threadIdx.x]); // FAULT reversed
}

// ---- structures ---------------------------------------------------------------------------------

struct Padded {
    char c;
    int i;
    double d;
    short s;
};

__global__ void ok_padding(Padded *padded, Padded *copies)
{
    __shared__ Padded one;
    if (threadIdx.x == 0) {
        one.c = 1;
        one.i = 2;
        one.d = 3;
        one.s = 4;
    }
    __syncthreads();
    padded[threadIdx.x] = one;
    Padded mine = padded[threadIdx.x];
    mine.i++;
    copies[threadIdx.x] = mine;
}

__device__ __noinline__ double last(const float4 *four)
{
    return four->w; // FAULT half_set
}

__global__ void half_set(double *out, double *in)
{
    __shared__ float4 unset;
    if (threadIdx.x == 0)
        unset.x = 1;
    out[threadIdx.x] = last(&unset);
}

struct Big {
    float values[20];
    Big() = default;
    __host__ __device__ Big(const Big &other)
    {
        for (int i = 0; i < 20; i++)
            values[i] = other.values[i];
    }
};

template <class T>
__global__ void take(T value, float *out)
{
    out[threadIdx.x] = value.values[threadIdx.x % 20];
}

__global__ void defaults(float *out, float add = 2, Big *big = nullptr)
{
    out[threadIdx.x] = add + (big != nullptr);
}

// ---- launches -----------------------------------------------------------------------------------

__global__ void __launch_bounds__(64, 2) bounded(float *out)
{
    out[threadIdx.x] = 1;
}

__global__ void asserts(int *out)
{
    if (threadIdx.x == 5 && blockIdx.x == 1)
        assert(*out == 3); // FAULT assertion
    __syncthreads();
}

// ---- memory of the host that kernels use --------------------------------------------------------

__global__ void add_one(int *data)
{
    data[threadIdx.x] += 1; // FAULT managed_unset managed_half_set large_managed_unset
}

static void CUDART_CB set_all(void *data)
{
    for (int i = 0; i < BLOCK; i++)
        ((int *)data)[i] = -i;
}

static float *f;
static int *ints;

static void expect(bool good, const char *what)
{
    if (!good)
        printf("wrong: %s\n", what);
}

// ---- ways to copy a structure -------------------------------------------------------------------

template <class T, int N>
struct Array {
    T at[N];
};

template <class T>
__device__ __noinline__ T same(T value)
{
    return value;
}

// One struct per way to copy a structure: how to store it and how to load it.
#define WAY(name, T, put_it, get_it)                                                               \
    struct name {                                                                                  \
        using type = T;                                                                            \
        static __device__ void put(type *to, type value, size_t size)                              \
        {                                                                                          \
            put_it, (void)size;                                                                    \
        }                                                                                          \
        static __device__ type get(const type *from, size_t size, type value = {})                 \
        {                                                                                          \
            return get_it, (void)size, value;                                                      \
        }                                                                                          \
    };
#ifdef __clang__ // clang has no hooks for moves of 3, 5, 6 or 7 bytes
using Bytes = Array<unsigned char, 9>;
#else
using Bytes = Array<unsigned char, 3>;
#endif
using Ints2 = Array<int, 2>;
using Ints3 = Array<int, 3>;
using Ints5 = Array<int, 5>;
using Floats2 = Array<float, 2>;
#define SIZE sizeof value
// clang-format off
WAY(copied_bytes, Bytes, memcpy(to, &value, SIZE), memcpy(&value, from, SIZE)) // FAULT copied_bytes
WAY(copied8, Ints2, memcpy(to, &value, SIZE), std::memcpy(&value, from, SIZE)) // FAULT copied8
WAY(copied12, Ints3, __builtin_memcpy(to, &value, SIZE), value = *from) // FAULT copied12
WAY(copied_any, Ints5, memcpy(to, &value, size), memcpy(&value, from, size)) // FAULT copied_any
WAY(moved, Ints5, memmove(to, &value, SIZE), __builtin_memmove(&value, from, size)) // FAULT moved
WAY(filled, Bytes, memset(to, value.at[2], SIZE), value = *from) // FAULT filled
WAY(filled_any, Bytes, __builtin_memset(to, value.at[2], size), value = *from) // FAULT filled_any
WAY(by_value_bytes, Bytes, *to = same(value), value = same(*from)) // FAULT by_value_bytes
WAY(by_value8, Ints2, *to = same(value), value = same(*from)) // FAULT by_value8
WAY(by_value8f, Floats2, *to = same(value), value = same(*from)) // FAULT by_value8f
WAY(by_value12, Ints3, *to = same(value), value = same(*from)) // FAULT by_value12
WAY(by_value20, Ints5, *to = same(value), value = same(*from)) // FAULT by_value20
// clang-format on

template <class Way>
__global__ void handed_over(int *out, typename Way::type value, size_t size, bool waits)
{
    __shared__ typename Way::type all[BLOCK];
    const int t = threadIdx.x;
    Way::put(&all[t], value, size);
    __syncthreads();
    for (auto &one : value.at)
        one = t;
    Way::put(&all[t], value, size);
    if (waits)
        __syncthreads();
    value = Way::get(&all[BLOCK - 1 - t], size);
    for (auto one : value.at)
        out[t] = one;
}

template <class Way>
static void hand_over(bool waits)
{
    handed_over<Way><<<1, BLOCK>>>(ints, {}, sizeof(typename Way::type), waits);
    for (int t = 0; waits && t < BLOCK; t++) {
        int result;
        cudaMemcpy(&result, ints + t, sizeof result, cudaMemcpyDeviceToHost);
        expect(result == BLOCK - 1 - t, "handed over");
    }
}

#define CASE(way)                                                                                  \
    {                                                                                              \
#way, "data race in shared memory", [] { hand_over<way>(false); }                          \
    }

__global__ void copied_beyond(char *to, const char *from, size_t size)
{
    memcpy(to, from, size); // FAULT copied_beyond
}

static const Case cases[] = {
    {"stack", "memory of the host is used in a kernel",
     [] {
         float local[BLOCK];
         write_all<<<1, BLOCK>>>(local);
         expect(local[0] == 1, "local");
     }},
    {"static_local", "is used in a kernel",
     [] {
         static float local[BLOCK];
         write_all<<<1, BLOCK>>>(local);
     }},
    {"global", "of_host, a variable of the host, is used in a kernel",
     [] { read_global<<<1, BLOCK>>>(f); }},
    {"mapped_no_more", "memory of the host is used in a kernel",
     [] {
         std::vector<float> host(BLOCK);
         float *device;
         cudaHostRegister(host.data(), BLOCK * sizeof *device, cudaHostRegisterMapped);
         cudaHostGetDevicePointer(&device, host.data(), 0);
         cudaHostUnregister(host.data());
         write_all<<<1, BLOCK>>>(device);
     }},
    {"device_array", "kernel past_device_array",
     [] {
         ok_data<<<1, BLOCK>>>(f);
         past_device_array<<<1, BLOCK>>>(f);
     }},
    {"past_constant", "out of bounds of constant memory: 0 bytes past the end of constant",
     [] { past_constant<<<1, BLOCK>>>(f, 2); }},
    {"moved_unset", "shared memory is read before it is written",
     [] {
         cudaMemset(f, 0, BLOCK * sizeof *f);
         moved_unset<<<1, BLOCK>>>(f, f);
     }},
    {"added_unset", "shared memory is read before it is written",
     [] { added_unset<<<1, BLOCK>>>(f, f); }},
    {"static_end", "of 'int", [] { past_static<<<1, 72>>>(ints); }},
    {"static_far", "past the end of tile, which has 256 bytes",
     [] { past_static<<<1, 1024>>>(ints); }},
    {"static_pointer", "0 bytes past the end of tile, which has 256 bytes",
     [] { past_static_by_pointer<<<1, 72>>>(ints); }},
    {"static_much", "81920 bytes of __shared__ variables: nvcc takes 49152 at most",
     [] { much_static<<<1, 1>>>((char *)f); }},
    {"reversed", "cudaMemcpyHostToDevice: the destination is memory of the host",
     [] {
         float host[BLOCK] = {0}, *device;
         cudaMalloc(&device, sizeof host);
         cudaMemcpy(host, device, sizeof host, cudaMemcpyHostToDevice); // FAULT reversed
         sum<<<1, BLOCK>>>(f, device);
     }},
    {"half_set", "before it is written", [] { half_set<<<1, 32>>>((double *)f, nullptr); }},
    {"assertion", "thread (5,0,0)",
     [] {
         asserts<<<2, 64>>>(ints);
         exit(cudaDeviceSynchronize() == cudaErrorAssert && cudaGetLastError() == cudaErrorAssert &&
              cudaMemset(ints, 0, 4) == cudaErrorAssert);
     }},
    {"unasked", "failed (invalid argument: 2000 x 1 x 1 threads",
     [] {
         write_all<<<1, 2000>>>(f); // FAULT unasked
         write_all<<<1, 32>>>(f);
     }},
    {"managed_unset", "before it is written",
     [] {
         int *managed;
         cudaMallocManaged(&managed, BLOCK * sizeof *managed);
         add_one<<<1, BLOCK>>>(managed);
     }},
    {"managed_half_set", "thread (62,0,0)",
     [] {
         int *managed;
         cudaMallocManaged(&managed, BLOCK * sizeof *managed);
         for (int i = 0; i < BLOCK - 2; i++)
             managed[i] = 0;
         add_one<<<1, BLOCK>>>(managed);
     }},
    {"large_managed_unset", "before it is written",
     [] {
         int *managed;
         cudaMallocManaged(&managed, (size_t)1 << 28);
         set_all(managed + (1 << 25));
         add_one<<<1, BLOCK>>>(managed + (1 << 25));
         add_one<<<1, BLOCK>>>(managed + (1 << 25) + 1);
     }},
    {"pinned_unset", "before it is written",
     [] {
         float *pinned, *device;
         cudaMallocHost(&pinned, BLOCK * sizeof *pinned);
         cudaMalloc(&device, BLOCK * sizeof *device);
         for (int i = 1; i < BLOCK; i += 4)
             pinned[i] = 0;
         cudaMemcpy(device, pinned, BLOCK * sizeof *device, cudaMemcpyHostToDevice);
         sum<<<1, BLOCK>>>(f, device); // FAULT pinned_unset
     }},
    {"ok_managed", "",
     [] {
         int *managed, *pinned, *copy;
         cudaMallocManaged(&managed, 3 * BLOCK * sizeof *managed);
         cudaMallocHost(&pinned, BLOCK * sizeof *pinned);
         cudaMalloc(&copy, BLOCK * sizeof *copy);
         set_all(managed);
         add_one<<<1, BLOCK>>>(managed); // also writes what the host has not
         write_all<<<1, BLOCK>>>((float *)managed + BLOCK);
         cudaDeviceSynchronize();
         add_one<<<1, BLOCK>>>(managed + BLOCK);
         cudaMemcpy(managed + 2 * BLOCK, managed, BLOCK * sizeof *managed, cudaMemcpyDefault);
         add_one<<<1, BLOCK>>>(managed + 2 * BLOCK);
         cudaDeviceSynchronize();
         memset(pinned, 0xff, BLOCK * sizeof *pinned);
         cudaMemcpy(copy, pinned, BLOCK * sizeof *copy, cudaMemcpyHostToDevice);
         add_one<<<1, BLOCK>>>(copy);
         cudaMemcpy(pinned, copy, BLOCK * sizeof *copy, cudaMemcpyDeviceToHost);
         expect(pinned[5] == 0 && managed[5] == -4 && managed[2 * BLOCK + 5] == -3, "managed");
         cudaFree(managed);
         cudaFreeHost(pinned);
     }},
    {"ok_moved", "",
     [] {
         enum { ROWS = 6, BYTES = ROWS * BLOCK * sizeof(float) };
         float *in, *out;
         cudaMalloc(&in, BYTES);
         cudaMalloc(&out, BYTES);
         cudaMemset(in, 0, BYTES);
         ok_moved<<<1, BLOCK>>>(out, in, ROWS);
     }},
    {"ok_moved_and_set", "", [] { ok_moved_and_set<<<1, BLOCK>>>(f); }},
    {"ok_data", "", [] { ok_data<<<1, BLOCK>>>(f); }},
    {"ok_shared", "", [] { ok_shared<<<1, 1, 100>>>(ints); }},
    {"ok_padding", "",
     [] {
         Padded *padded, *copies;
         cudaMalloc(&padded, 32 * sizeof *padded);
         cudaMalloc(&copies, 32 * sizeof *padded);
         ok_padding<<<1, 32>>>(padded, copies);
         cudaMemcpy(padded, copies, 32 * sizeof *padded, cudaMemcpyDeviceToDevice);
         ok_padding<<<1, 32>>>(copies, padded);
     }},
    {"ok_arguments", "",
     [] {
         Big big;
         void (*pointer)(Big, float *) = take<Big>;
         std::map<int, void (*)(Big, float *)> kernels = {{1, take<Big>}};
         void *arguments[] = {&big, &f};
         for (float &value : big.values)
             value = 1;
         take<<<1, 32>>>(big, f);
         pointer<<<1, 32>>>(big, f);
         for (const auto &[number, kernel] : kernels)
             kernel<<<number, 32>>>(big, f);
         cudaLaunchKernel(pointer, 1, 32, arguments);
         defaults<<<1, 32>>>(f);
         defaults<<<1, 32>>>(f, 3);
         expect(cudaGetLastError() == cudaSuccess, "ok_arguments");
     }},
    {"ok_registered", "",
     [] {
         std::vector<float> host(BLOCK);
         float *device = nullptr;
         size_t bytes = BLOCK * sizeof *device;
         expect(cudaHostGetDevicePointer(&device, host.data(), 0) == cudaErrorInvalidValue, "get");
         expect(cudaHostRegister(host.data(), bytes, cudaHostRegisterMapped) == cudaSuccess, "map");
         expect(cudaHostRegister(host.data() + 1, 4, 0) == cudaErrorHostMemoryAlreadyRegistered,
                "twice");
         expect(cudaHostGetDevicePointer(&device, host.data(), 0) == cudaSuccess, "device");
         write_all<<<1, BLOCK>>>(device);
         expect(host[BLOCK - 1] == 1, "written");
         expect(cudaHostUnregister(host.data()) == cudaSuccess, "unmap");
         cudaGetLastError();
     }},
    {"ok_bounds", "",
     [] {
         cudaFuncAttributes attributes;
         bounded<<<1, 64>>>(f);
         expect(cudaGetLastError() == cudaSuccess, "64");
         cudaMemset(f, 0, 4096);
         bounded<<<1, 96>>>(f);
         expect(cudaGetLastError() == cudaErrorInvalidValue, "96");
         void *pointer = &f;
         expect(cudaLaunchKernel(bounded, 1, 96, &pointer) == cudaErrorInvalidValue, "by address");
         cudaGetLastError();
         past_static<<<1, 64, (48 << 10) - 256>>>(ints);
         expect(cudaGetLastError() == cudaSuccess, "48 KB");
         past_static<<<1, 64, (48 << 10) - 255>>>(ints);
         expect(cudaGetLastError() == cudaErrorInvalidValue, "48 KB and more");
         expect(cudaFuncSetAttribute(past_static, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (227 << 10) - 255) == cudaErrorInvalidValue,
                "227 KB and more");
         expect(cudaFuncSetAttribute(past_static, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (227 << 10) - 256) == cudaSuccess,
                "227 KB");
         cudaGetLastError();
         past_static<<<1, 64, (227 << 10) - 256>>>(ints);
         expect(cudaGetLastError() == cudaSuccess, "227 KB launched");
         expect(cudaFuncGetAttributes(&attributes, past_static) == cudaSuccess &&
                    attributes.sharedSizeBytes == 256,
                "attributes");
     }},
    {"ok_reset", "",
     [] {
         float *memory;
         past_static<<<1, 2000>>>(ints);
         expect(cudaDeviceReset() == cudaSuccess && cudaGetLastError() == cudaSuccess, "reset");
         cudaMalloc(&memory, 4096);
         write_all<<<1, 64>>>(memory);
         expect(cudaGetLastError() == cudaSuccess, "after the reset");
     }},
    {"ok_large", "",
     [] {
         // Memory that the program never touches must cost neither time nor memory.
         size_t bytes = (size_t)1 << 30;
         char *large = nullptr, *other = nullptr;
         if (cudaMalloc(&large, bytes) != cudaSuccess || cudaMalloc(&other, bytes) != cudaSuccess)
             return;
         cudaMemset(large + bytes - 8192, 0, 8192);
         cudaMemcpy(other + 5, large + bytes - 4096, 4096, cudaMemcpyDeviceToDevice);
         take<<<1, 32>>>(Big(), (float *)(large + bytes / 2));
         sum<<<1, 32>>>(f, (float *)(large + bytes - 128));
         sum<<<1, 32>>>(f, (float *)(other + 8));
         sum<<<1, 32>>>(f, (float *)(large + bytes / 2));
     }},
    CASE(copied_bytes),
    CASE(copied8),
    CASE(copied12),
    CASE(copied_any),
    CASE(moved),
    CASE(filled),
    CASE(filled_any),
    CASE(by_value_bytes),
    CASE(by_value8),
    CASE(by_value8f),
    CASE(by_value12),
    CASE(by_value20),
    {"ok_handed_over", "",
     [] {
         hand_over<copied_bytes>(true), hand_over<copied8>(true), hand_over<copied12>(true);
         hand_over<copied_any>(true), hand_over<moved>(true), hand_over<filled>(true);
         hand_over<filled_any>(true), hand_over<by_value_bytes>(true), hand_over<by_value8>(true);
         hand_over<by_value8f>(true), hand_over<by_value12>(true), hand_over<by_value20>(true);
         copied_beyond<<<1, 1>>>((char *)f, (char *)ints, 4095);
     }},
    {"copied_beyond", "access out of bounds of global memory",
     [] { copied_beyond<<<1, 1>>>((char *)f, (char *)ints, 4096 + 12); }},
    {"large_unset", "before it is written",
     [] {
         char *large = nullptr;
         cudaMalloc(&large, (size_t)1 << 30);
         cudaMemset(large, 0, 8192);
         sum<<<1, 32>>>(f, (float *)(large + 8192 - 64));
     }},
};

int main(int count, char **arguments)
{
    if (count > 1 && strcmp(arguments[1], "unasked") == 0)
        atexit([] { _exit(1); }); // handlers run in reverse order: this is the last
    of_host[count] = 1;
    f = zeros<float>(4096);
    ints = zeros<int>(4096);
    return run_case(cases, count, arguments);
}
