// Typical mistakes with host memory and with copies, and correct programs of each kind. A note_...
// is reported and ends with status 0.
#include <cases.cuh>
#include <cooperative_groups/memcpy_async.h>
#include <mma.h>

#include <atomic>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

using namespace nvcuda;

static const int N = 1000, BYTES = N * sizeof(int);

__global__ void set(int *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = i; // FAULT managed_end pinned_end registered_end managed_start freed
}

__global__ void add(int *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += 1; // FAULT early_write other_stream unset_used unset_beyond note_timing
}

__global__ void count(int *x)
{
    atomicAdd_system(x, 1); // FAULT early_count
}

__global__ void copy(int *to, const int *from)
{
    to[threadIdx.x] = from[threadIdx.x]; // FAULT short_copy
}

__global__ void raise_flag(volatile int *flag)
{
    *flag = 1;
}

__global__ void send(int *data, int *flag, bool to_host)
{
    *data = 42; // FAULT polled_data
    to_host ? __threadfence_system() : __threadfence();
    atomicExch_system(flag, 1); // FAULT polled_flag
    *(volatile int *)(flag + 1) = 1;
}

static int receive(const int *data, volatile int *flag)
{
    while (*flag == 0) { // FAULT polled_flag
    }
    return *data; // FAULT polled_data
}

__device__ int counters[4];
__device__ __managed__ int managed_counters[4];

struct Slice {
    int size, *begin;
};

__global__ void count_slice(Slice slice)
{
    atomicAdd(slice.begin, slice.size);
}

__global__ void wait_for_counters()
{
    while (atomicAdd(counters, 0) == 0) { // FAULT never_counted
    }
}

__global__ void find_counters(int **where)
{
    *where = counters;
}

__global__ void wait_for_flag(volatile int *flag)
{
    while (*flag == 0) { // FAULT wait_for_host
    }
    *flag = 2;
}

template <class T>
static T *managed(size_t bytes)
{
    T *memory;
    (void)cudaMallocManaged(&memory, bytes);
    return memory;
}

template <class T>
static T *pinned(size_t bytes)
{
    T *memory;
    (void)cudaMallocHost(&memory, bytes);
    return memory;
}

static int *filled(int *x)
{
    for (int i = 0; i < N; i++)
        x[i] = i;
    return x;
}

static int *zeroed()
{
    return (int *)memset(managed<int>(BYTES), 0, BYTES);
}

static volatile int seen;

static int open_null()
{
    return open("/dev/null", O_WRONLY);
}

// ---- shuffles, wmma, memcpy ---------------------------------------------------------------------

__global__ void outside_all(int *out)
{
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_sync(0xffffu, threadIdx.x, 20); // FAULT outside_all
}

template <class T>
__global__ void outside_some(T *out)
{
    T sum = 1;
    for (int distance = 8; threadIdx.x < 16 && distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffu, sum, distance);
    out[threadIdx.x] = sum; // FAULT note_outside note_sum
}

__global__ void outside_unused(float *out)
{
    float sum = 1;
    if (threadIdx.x < 8)
        for (int distance = 4; distance > 0; distance /= 2)
            sum += __shfl_down_sync(0xffu, sum, distance);
    const unsigned int lanes = __ballot_sync(~0u, threadIdx.x < 5);
    float five = 1;
    if (threadIdx.x < 5)
        for (int distance = 16; distance > 0; distance /= 2) {
            const float other = __shfl_down_sync(lanes, five, distance);
            five += threadIdx.x + distance < 5 ? other : 0;
        }
    if (threadIdx.x == 0)
        *out = sum + five;
}

__global__ void tensors(const half *in, float *out, int which)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    const bool here = threadIdx.x % 2;
    wmma::fill_fragment(c, 0.f);
    wmma::load_matrix_sync(b, in, 16);
    if (which != 1 || here)
        wmma::load_matrix_sync(a, in, 16); // FAULT part_loads
    if (which != 2 || here)
        wmma::mma_sync(c, a, b, c); // FAULT part_multiplies
    if (which != 3 || here)
        wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major); // FAULT part_stores
}

__global__ void ok_one_warp(const half *in, float *out)
{
    if (threadIdx.x / 32 == 1) {
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
        wmma::load_matrix_sync(c, out, 16, wmma::mem_row_major);
        wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
    }
}

__global__ void local(int *out, const int *in, int size)
{
    int four[4];
    memset(four, 0, size); // FAULT memset_local
    memcpy(four, in, 16);
    out[threadIdx.x] = four[threadIdx.x % 4];
}

__global__ void local_to(int *out, const int *in, int size)
{
    int four[4];
    memcpy(four, in, size); // FAULT memcpy_to_local
    out[threadIdx.x] = four[threadIdx.x % 4];
}

__global__ void local_from(int *out, int size)
{
    int four[4] = {1, 2, 3, 4};
    memcpy(out, four + 1, size); // FAULT memcpy_from_local
}

struct Padded {
    double d;
    char c;
};

__global__ void pad(Padded *out)
{
    out[threadIdx.x].d = 1;
    out[threadIdx.x].c = 2;
}

// ---- functions of the host ----------------------------------------------------------------------

using Function = float (*)(float);

__host__ __device__ float twice(float x)
{
    return 2 * x;
}

__host__ __device__ float thrice(float x)
{
    return 3 * x;
}

struct Shape {
    float side;
    __host__ __device__ Shape(float s) : side(s)
    {
    }
    __host__ __device__ virtual float area() const
    {
        return side * side;
    }
};

__device__ Function device_function = twice;
__device__ Function table[2];

__global__ void apply(Function function, float *x)
{
    x[threadIdx.x] = function(x[threadIdx.x]);
}

__global__ void apply_table(float *x)
{
    x[threadIdx.x] = table[threadIdx.x % 2](x[threadIdx.x]); // FAULT host_table
}

__global__ void make(Shape *shapes)
{
    new (shapes + threadIdx.x) Shape(threadIdx.x);
}

__global__ void measure(const Shape *shapes, float *out)
{
    out[threadIdx.x] = shapes[threadIdx.x].area(); // FAULT host_object managed_object
}

__global__ void make_and_launch(float *out)
{
    Function function = twice;
    apply<<<1, 32>>>(function, out);
}

__global__ void wait_missing(int *out, const int *in)
{
    __shared__ int s[64];
    cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    cooperative_groups::memcpy_async(block, s, in, sizeof s); // FAULT wait_missing
    block.sync();
    out[threadIdx.x] = s[63 - threadIdx.x]; // FAULT wait_missing
}

__global__ void parent(int *out)
{
    __shared__ int s[32];
    s[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        copy<<<1, 32>>>(out, s); // FAULT shared_to_child
}

__global__ void local_parent(int *out)
{
    int four[4] = {1, 2, 3, 4};
    copy<<<1, 4>>>(out, four); // FAULT local_to_child
}

__global__ void sum_all(int *x)
{
    x[0] += x[threadIdx.x + 1] + x[threadIdx.x + 2]; // FAULT once_update
}

static cudaStream_t stream, other;
static cudaEvent_t event;

static std::atomic<bool> has_seen;

static void CUDART_CB see(void *data)
{
    seen = *(int *)data;
    has_seen = true;
}

static const Case cases[] = {
    {"managed_end", "0 bytes past the end of a 4000-byte allocation (cudaMallocManaged() at",
     [] {
         int *x;
         (void)cudaMallocManaged(&x, BYTES); // FAULT managed_end
         set<<<8, 128>>>(x, N + 1);
     }},
    {"managed_start", "4 bytes before the start of a 4096-byte allocation (cudaMallocManaged() at",
     [] { set<<<8, 128>>>(managed<int>(4096) - 1, 1); }},
    {"pinned_end", "0 bytes past the end of a 4000-byte allocation (cudaMallocHost() at",
     [] {
         int *x;
         (void)cudaMallocHost(&x, BYTES); // FAULT pinned_end
         set<<<8, 128>>>(x, N + 1);
     }},
    {"registered_end", "0 bytes past the end of a 4000-byte allocation (cudaHostRegister() at",
     [] {
         int *x = (int *)malloc(2 * BYTES);
         (void)cudaHostRegister(x, BYTES, 0); // FAULT registered_end
         set<<<8, 128>>>(x, N + 1);
     }},
    {"freed", ", which has been freed (cudaFree() at",
     [] {
         int *x = managed<int>(BYTES);
         (void)cudaFree(x); // FAULT freed
         set<<<8, 128>>>(x, N);
     }},
    {"host_end", "host code touched address",
     [] {
         int *x = managed<int>(1024);
         fflush(stdout);
         for (int i = 0; i <= 256; i++)
             x[i] = i; // FAULT host_end
     }},
    {"copy_behind",
     "the source is 0 bytes past the end of a 1024-byte allocation (cudaMallocHost()",
     [] {
         int *x = pinned<int>(1024);
         cudaMemcpy(zeros<int>(1024), x + 256, 4, cudaMemcpyHostToDevice); // FAULT copy_behind
     }},
    {"ok_bounds", "",
     [] {
         int *x = (int *)malloc(BYTES);
         (void)cudaHostRegister(x, BYTES, 0);
         set<<<8, 128>>>(x, N);
         set<<<8, 128>>>(pinned<int>(BYTES), N);
         set<<<8, 128>>>(managed<int>(BYTES), N);
         (void)cudaDeviceSynchronize();
     }},
    // Host accesses before the device has finished.
    {"early_read", "the host reads memory too early: byte 20",
     [] {
         int *x = managed<int>(BYTES);
         set<<<8, 128>>>(x, N);
         seen = x[5]; // FAULT early_read
     }},
    {"early_write", "the host writes memory too early: byte 20",
     [] {
         int *x = filled(managed<int>(BYTES));
         add<<<8, 128>>>(x, N);
         x[5] = 0; // FAULT early_write
     }},
    {"early_count", "the host reads memory too early",
     [] {
         int *x = managed<int>(sizeof(int));
         *x = 0;
         count<<<8, 128>>>(x);
         seen = *x; // FAULT early_count
     }},
    {"polled_flag", "needs __threadfence_system() before it is set",
     [] {
         int *data = zeroed(), *flag = zeroed();
         send<<<1, 1>>>(data, flag, false);
         seen = receive(data, flag);
     }},
    {"polled_data", "the host reads memory too early",
     [] {
         int *data = zeroed(), *flag = zeroed();
         send<<<1, 1>>>(data, flag, false);
         seen = receive(data, flag + 1);
     }},
    {"ok_polled", "",
     [] {
         int *data = zeroed(), *flag = zeroed();
         send<<<1, 1>>>(data, flag, true);
         seen = receive(data, flag) + receive(data, flag + 1);
     }},
    {"early_fwrite", "the host reads memory too early",
     [] {
         int *x = managed<int>(BYTES), three[3];
         set<<<8, 128>>>(x, N);
         memcpy(three, x + seen, sizeof three + seen); // FAULT early_fwrite
         seen = three[2];
     }},
    {"early_result", "may not have written it yet",
     [] {
         int *x = pinned<int>(4096), *zero = zeros<int>(4096);
         cudaMemcpyAsync(x, zero, 4096, cudaMemcpyDeviceToHost, stream); // FAULT early_result
         seen = x[5];                                                    // FAULT early_result
     }},
    {"reused_source", "may not have read it yet",
     [] {
         int *x = pinned<int>(8192), *to = zeros<int>(8192);
         memset(x, 0, 8192);
         cudaMemcpyAsync(to, x, 8192, cudaMemcpyHostToDevice, stream); // FAULT reused_source
         x[1500] = 1;                                                  // FAULT reused_source
     }},
    {"wait_for_host", "a kernel cannot wait for the host here",
     [] {
         volatile int *flag = pinned<int>(4);
         *flag = 0;
         setenv("SIMT_WATCHDOG", "0.1", 1);
         wait_for_flag<<<1, 1>>>(flag);
         *flag = 1;
     }},
    {"ok_flag_before", "",
     [] {
         volatile int *flag = pinned<int>(4);
         *flag = 1;
         wait_for_flag<<<1, 1>>>(flag);
     }},
    {"other_stream", "the host reads memory too early",
     [] {
         int *x = filled(managed<int>(BYTES)), *y = filled(managed<int>(BYTES));
         add<<<8, 128, 0, stream>>>(x, N);
         add<<<8, 128, 0, other>>>(y, N);
         (void)cudaStreamSynchronize(stream);
         seen = x[0] + y[0]; // FAULT other_stream
     }},
    {"ok_waited", "",
     [] {
         int *x = filled(managed<int>(BYTES)), word;
         add<<<8, 128, 0, stream>>>(x, N);
         (void)cudaEventRecord(event, stream);
         while (cudaEventQuery(event) != cudaSuccess) {
         }
         seen = x[0];
         add<<<8, 128, 0, stream>>>(x, N);
         (void)cudaStreamSynchronize(stream);
         x[1] = 2;
         add<<<8, 128>>>(x, N);
         (void)cudaMemcpy(&word, x, sizeof word, cudaMemcpyDefault);
         x[2] = word;
         add<<<8, 128, 0, stream>>>(x, N);
         (void)cudaLaunchHostFunc(stream, see, x);
         std::thread reader([x] { // after the host function
             while (!has_seen)
                 std::this_thread::yield();
             seen = x[0];
         });
         reader.join();
         (void)cudaDeviceSynchronize();
     }},
    {"ok_read_too", "",
     [] { // the kernel reads what the host reads, and writes elsewhere
         int *x = filled(managed<int>(BYTES)), *y = managed<int>(BYTES), *z = managed<int>(BYTES);
         copy<<<1, 128>>>(y, x);
         for (int i = 0; i < N; i++)
             z[i] = x[i];
         if (write(open_null(), x, BYTES) != BYTES)
             puts("write");
         (void)cudaDeviceSynchronize();
         if (write(open_null(), y, 512) != 512)
             puts("write");
     }},
    {"ok_chunks", "",
     [] { // the host fills one chunk while another is copied
         int *x = pinned<int>(4 * 65536), *device = zeros<int>(4 * 65536);
         for (int i = 0; i < 4; i++) {
             memset(x + i * 16384, i, 65536);
             (void)cudaMemcpyAsync(device + i * 16384, x + i * 16384, 65536, cudaMemcpyHostToDevice,
                                   stream);
         }
         (void)cudaStreamSynchronize(stream);
         memset(x, 0, 65536);
     }},
    {"ok_both_count", "",
     [] {
         int *x = filled(managed<int>(BYTES));
         count<<<8, 128>>>(x);
         __sync_fetch_and_add(x, 1);
         (void)cudaDeviceSynchronize();
     }},
    {"ok_flag", "",
     [] {
         volatile int *flag = pinned<int>(sizeof(int));
         *flag = 0;
         raise_flag<<<1, 1>>>((int *)flag);
         while (*flag == 0) {
         }
     }},
    // Copies.
    {"note_tail", "copies what no kernel and no copy has written: 416 of 4000 bytes",
     [] {
         int *x = unwritten<int>(BYTES), host[N];
         set<<<N / 128, 128>>>(x, N);
         (void)cudaMemcpy(host, x, BYTES, cudaMemcpyDeviceToHost); // FAULT note_tail
     }},
    {"note_nothing", "copies what no kernel and no copy has written: 4 of 4 bytes",
     [] {
         int *x = unwritten<int>(4), host;
         (void)cudaMemcpy(&host, x, 4, cudaMemcpyDeviceToHost); // FAULT note_nothing
     }},
    {"short_copy", "of which 256 bytes came last (cudaMemcpy() at",
     [] {
         int *x = unwritten<int>(512), host[128] = {1};
         (void)cudaMemcpy(x, host, 256, cudaMemcpyHostToDevice); // FAULT short_copy
         copy<<<1, 128>>>(zeros<int>(512), x);
     }},
    {"ok_padding", "",
     [] {
         Padded *x = unwritten<Padded>(64 * sizeof(Padded)), host[64];
         pad<<<1, 64>>>(x);
         (void)cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
         int *y = unwritten<int>(2 * BYTES), part[N];
         set<<<8, 128>>>(y, N);
         (void)cudaMemcpy(part, y, BYTES, cudaMemcpyDeviceToHost);
     }},
    {"direction", "wrong direction: cudaMemcpyHostToDevice, but the source is memory of the device",
     [] {
         int *x = zeros<int>(64), *y = zeros<int>(64);
         (void)cudaMemcpy(x, y, 64, cudaMemcpyHostToDevice); // FAULT direction
     }},
    {"note_backwards",
     "failed (invalid argument: cudaMemcpyHostToDevice: the destination is memory of "
     "the host, where memory of the device must be; this way is "
     "cudaMemcpyDeviceToHost), and the program did not check",
     [] {
         int *x = zeros<int>(64), host[16];
         cudaMemcpy(host, x, 64, cudaMemcpyHostToDevice); // FAULT note_backwards
     }},
    {"note_dropped", "failed (out of memory), and the program did not check",
     [] {
         int *x;
         cudaMalloc(&x, (size_t)1 << 50); // FAULT note_dropped
     }},
    {"ok_checked", "",
     [] {
         int *x = zeros<int>(64), host[16];
         if (cudaMemcpy(host, x, 64, cudaMemcpyHostToDevice) != cudaErrorInvalidValue)
             puts("if");
         const cudaError_t error = cudaMalloc(&x, (size_t)1 << 50);
         (void)cudaFree(host);
         cudaFree(host);
         if (cudaGetLastError() == cudaSuccess || error == cudaSuccess)
             puts("last");
         if (seen)
             cudaFree(x);
         else
             cudaDeviceSynchronize();
     }},
    {"ok_directions", "",
     [] {
         int *x = zeros<int>(64), *y = managed<int>(64), *z = pinned<int>(64), host[16] = {0};
         (void)cudaMemcpy(x, host, 64, cudaMemcpyHostToDevice);
         (void)cudaMemcpy(y, x, 64, cudaMemcpyDeviceToHost);
         (void)cudaMemcpy(x, y, 64, cudaMemcpyHostToDevice);
         (void)cudaMemcpy(y, x, 64, cudaMemcpyDeviceToDevice);
         (void)cudaMemcpy(z, y, 64, cudaMemcpyDefault);
     }},
    {"note_timing", "reads memory before it is written",
     [] {
         int *x = unwritten<int>(BYTES);
         for (int i = 0; i < 3; i++)
             add<<<8, 128>>>(x, N);
         exit(cudaDeviceSynchronize());
     }},
    {"unset_beyond", "global memory is read before it is written: byte",
     [] { // first all of it, then only what follows the initialized part
         int *x = unwritten<int>(BYTES);
         add<<<8, 128>>>(x, N);
         (void)cudaMemset(x, 0, 512);
         add<<<8, 128>>>(x, N);
     }},
    {"unset_used", "global memory is read before it is written: byte",
     [] {
         int *x = unwritten<int>(BYTES), host[N];
         add<<<8, 128>>>(x, N);
         (void)cudaMemcpy(host, x, BYTES, cudaMemcpyDeviceToHost);
     }},
    // Faults in kernels.
    {"outside_all", "leaves out the lane that all callers read: 20",
     [] { outside_all<<<1, 32>>>(zeros<int>(64)); }},
    {"note_outside", "read lane 16, which its mask 0x0000ffff leaves out",
     [] { outside_some<<<1, 32>>>(zeros<float>(128)); }},
    {"note_sum", "read lane 16, which its mask 0x0000ffff leaves out",
     [] { outside_some<<<1, 32>>>(zeros<int>(128)); }},
    {"ok_outside", "", [] { outside_unused<<<1, 32>>>(zeros<float>(64)); }},
    {"part_loads", "needs all 32 lanes|deadlock",
     [] { tensors<<<1, 32>>>(zeros<half>(512), zeros<float>(1024), 1); }},
    {"part_multiplies", "deadlock",
     [] { tensors<<<1, 32>>>(zeros<half>(512), zeros<float>(1024), 2); }},
    {"part_stores", "needs all 32 lanes",
     [] { tensors<<<1, 32>>>(zeros<half>(512), zeros<float>(1024), 3); }},
    {"ok_tensors", "",
     [] {
         tensors<<<1, 32>>>(zeros<half>(512), zeros<float>(1024), 0);
         ok_one_warp<<<1, 64>>>(zeros<half>(512), zeros<float>(1024));
     }},
    {"memset_local", "memset() writes 20 bytes, and 16 are left of the variable",
     [] { local<<<1, 32>>>(zeros<int>(128), zeros<int>(128), 20); }},
    {"memcpy_to_local", "memcpy() writes 32 bytes, and 16 are left of the variable",
     [] { local_to<<<1, 32>>>(zeros<int>(128), zeros<int>(128), 32); }},
    {"memcpy_from_local", "memcpy() reads 16 bytes, and 12 are left of the variable",
     [] { local_from<<<1, 1>>>(zeros<int>(128), 16); }},
    {"host_function", "an argument is the address that thrice() has on the host",
     [] { apply<<<1, 32>>>(thrice, zeros<float>(128)); }}, // FAULT host_function
    {"host_table", "the kernel reads the address that thrice() has on the host",
     [] {
         const Function functions[2] = {thrice, thrice};
         (void)cudaMemcpyToSymbol(table, functions, sizeof functions);
         apply_table<<<1, 32>>>(zeros<float>(128));
     }},
    {"host_object", "an object that the host has made, with its own virtual functions (area())",
     [] {
         Shape one(1), *shape = unwritten<Shape>(sizeof *shape);
         (void)cudaMemcpy(shape, &one, sizeof one, cudaMemcpyHostToDevice);
         measure<<<1, 1>>>(shape, zeros<float>(128));
     }},
    {"managed_object", "an object that the host has made, with its own virtual functions (area())",
     [] { measure<<<1, 1>>>(new (managed<Shape>(64)) Shape(1), zeros<float>(128)); }},
    {"ok_functions", "",
     [] {
         Shape *shapes = unwritten<Shape>(32 * sizeof *shapes);
         float *x = zeros<float>(128);
         Function function, functions[2];
         (void)cudaMemcpyFromSymbol(&function, device_function, sizeof function);
         functions[0] = functions[1] = function;
         apply<<<1, 32>>>(function, x);
         (void)cudaMemcpyToSymbol(table, functions, sizeof functions);
         apply_table<<<1, 32>>>(x);
         make<<<1, 32>>>(shapes);
         measure<<<1, 32>>>(shapes, x);
         make_and_launch<<<1, 1>>>(x);
     }},
    {"host_variable", "an argument is the address on the host of counters",
     [] {
         set<<<1, 4>>>(counters, 4); // FAULT host_variable
     }},
    {"host_variable_inside", "an argument is the address on the host of counters",
     [] {
         count_slice<<<1, 4>>>(Slice{1, counters + 1}); // FAULT host_variable_inside
     }},
    {"note_host_variable", "is a variable of the device by its address on the host",
     [] {
         cudaMemset(counters, 0, sizeof counters); // FAULT note_host_variable
     }},
    {"note_symbol", "16 bytes from byte 8 on, of a variable of 16 bytes",
     [] {
         int four[4] = {0};
         cudaMemcpyToSymbol(counters, four, sizeof four, 8); // FAULT note_symbol
     }},
    {"never_counted", "it reads counters, which stays 0", [] { wait_for_counters<<<1, 1>>>(); }},
    // Calls that fail, with the reason.
    {"note_freed_twice", "byte 0 of a 64-byte allocation",
     [] {
         int *x = zeros<int>(64);
         cudaFree(x); // FAULT note_freed_twice
         cudaFree(x); // FAULT note_freed_twice
     }},
    {"note_freed_inside", "the pointer is byte 16 of a 64-byte allocation",
     [] {
         cudaFreeAsync(zeros<int>(64) + 4, 0); // FAULT note_freed_inside
     }},
    {"note_freed_otherwise", ": use cudaFreeHost()",
     [] {
         cudaFree(pinned<int>(64)); // FAULT note_freed_otherwise
     }},
    {"note_too_large", "265 blocks, and 264 fit on the device at the same time",
     [] {
         const dim3 grid(265), block(1024);
         cudaLaunchCooperativeKernel(wait_for_counters, grid, block, NULL); // FAULT note_too_large
     }},
    {"argument_itself", "the address of argument 0 is in device memory",
     [] {
         int n = 4;
         void *arguments[] = {zeros<int>(64), &n};
         (void)cudaLaunchKernel((void *)set, 1, 4, arguments, 0, 0); // FAULT argument_itself
     }},
    {"ok_variables", "",
     [] {
         int *x, **y = zeros<int *>(sizeof *y);
         set<<<1, 4>>>(managed_counters, 4);
         (void)cudaDeviceSynchronize();
         (void)cudaMemcpy(managed_counters, filled(managed<int>(BYTES)), 4, cudaMemcpyHostToDevice);
         find_counters<<<1, 1>>>(y);
         (void)cudaMemcpy(&x, y, sizeof x, cudaMemcpyDeviceToHost);
         set<<<1, 4>>>(x, 4);
         (void)cudaGetSymbolAddress((void **)&x, counters);
         count_slice<<<1, 4>>>(Slice{1, x + 1});
         (void)cudaMemset(x, 0, sizeof counters);
     }},
    {"wait_missing", "(cg::wait(group) does both",
     [] { wait_missing<<<1, 64>>>(zeros<int>(256), zeros<int>(256)); }},
    {"shared_to_child", "such as a parent's", [] { parent<<<1, 32>>>(zeros<int>(128)); }},
    {"local_to_child", "gets the address of a local variable",
     [] { local_parent<<<1, 1>>>(zeros<int>(128)); }},
    {"once_update", "this line reads and writes the place",
     [] { sum_all<<<2, 64>>>(zeros<int>(1024)); }},
    {"ok_local", "",
     [] {
         local<<<1, 32>>>(zeros<int>(128), zeros<int>(128), 16);
         local_to<<<1, 32>>>(zeros<int>(128), zeros<int>(128), 12 + 4);
         local_from<<<1, 1>>>(zeros<int>(128), 12);
     }},
};

int main(int count, char **arguments)
{
    (void)cudaStreamCreate(&stream);
    (void)cudaStreamCreate(&other);
    (void)cudaEventCreate(&event);
    return run_case(cases, count, arguments);
}
// SPDX-License-Identifier: MIT
