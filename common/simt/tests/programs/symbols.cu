// Device variables: constant memory and globals, accessed by name and by address.
#include <cstring>

#include "check.cuh"

struct Parameters {
    float scale;
    int shift[3];
};

__constant__ Parameters params;
__constant__ float table[16];
__constant__ const float pi = 3.14159265f;
__device__ int counter = 5;
__device__ float values[8] = {1, 2, 3};
__device__ double *pointer;
__device__ volatile int loud = 6;
__device__ struct Defined {
    int first, second;
} defined;
__constant__ struct {
    int (*unused)(int);
    int number;
} unnamed, several[2];
namespace nested
{
static __device__ unsigned long long total;
}

__global__ void use(float *out)
{
    int i = threadIdx.x;
    out[i] = params.scale * table[i] + params.shift[i % 3];
    if (i < 8)
        values[i] += 0.5f;
    atomicAdd(&counter, 1);
    atomicAdd(&nested::total, 1000000000000ull);
    if (i == 0) {
        *pointer = pi;
        defined.second = unnamed.number + several[1].number;
    }
}

// The host may pass on an array's address. Symbol functions tell what the device has there.
template <int N>
struct Manager {
    float *where()
    {
        return table;
    }
    bool update(const float *from)
    {
        return cudaMemcpyToSymbol(table, from, N * sizeof(float)) == cudaSuccess;
    }
};

static void updateByManager()
{
    float sent[2] = {3, 4}, got[2];
    Manager<2> manager;
    EXPECT(manager.update(sent) && manager.where() != NULL);
    CHECK(cudaMemcpyFromSymbol(got, table, sizeof(got)));
    EXPECT(got[0] == 3 && got[1] == 4);
}

int main()
{
    Parameters p = {2.0f, {10, 20, 30}};
    float half_table[8], out[16], read[8];
    for (int i = 0; i < 8; i++)
        half_table[i] = float(i);
    CHECK(cudaMemcpyToSymbol(params, &p, sizeof(p)));
    CHECK(cudaMemcpyToSymbol(table, half_table, sizeof(half_table)));
    CHECK(cudaMemcpyToSymbol(table, half_table, sizeof(half_table), 8 * sizeof(float),
                             cudaMemcpyHostToDevice));
    float *d_out;
    double *d_double, d = 0;
    CHECK(cudaMalloc(&d_out, sizeof(out)));
    CHECK(cudaMalloc(&d_double, sizeof(double)));
    CHECK(cudaMemcpyToSymbol(pointer, &d_double, sizeof(d_double)));
    const int numbers[] = {3, 4};
    CHECK(cudaMemcpyToSymbol(unnamed, numbers, sizeof(int), sizeof(void *)));
    CHECK(cudaMemcpyToSymbol(several, numbers + 1, sizeof(int), sizeof(unnamed) + sizeof(void *)));
    use<<<1, 16>>>(d_out);
    CHECK(cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++)
        EXPECT(out[i] == 2.0f * float(i % 8) + float(10 * (i % 3 + 1)));
    int count = 0;
    int seven = 0, six = 0;
    CHECK(cudaMemcpyFromSymbol(&seven, defined, sizeof(seven), sizeof(int)));
    CHECK(cudaMemcpyFromSymbol(&six, loud, sizeof(six)));
    EXPECT(seven == 7 && six == 6);
    unsigned long long total = 0;
    CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof(count)));
    CHECK(cudaMemcpyFromSymbol(&total, nested::total, sizeof(total), 0, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyFromSymbol(read, values, sizeof(read)));
    CHECK(cudaMemcpy(&d, d_double, sizeof(d), cudaMemcpyDeviceToHost));
    EXPECT(count == 21 && total == 16000000000000ull);
    EXPECT(read[0] == 1.5f && read[2] == 3.5f && read[7] == 0.5f);
    EXPECT(d == 3.14159265f);

    void *address = NULL;
    size_t size = 0;
    CHECK(cudaGetSymbolAddress(&address, values));
    CHECK(cudaGetSymbolSize(&size, values));
    EXPECT(size == sizeof(read));
    CHECK(cudaMemset(address, 0, size));
    CHECK(cudaMemcpyFromSymbol(read, values, sizeof(read)));
    EXPECT(read[0] == 0.0f && read[7] == 0.0f);
    // Too many bytes, and one byte past the end.
    EXPECT(cudaMemcpyToSymbol(counter, &total, sizeof(total)) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpyToSymbol(counter, &total, 1, sizeof(counter)) == cudaErrorInvalidValue);
    cudaGetLastError();
    cudaFree(d_out);
    cudaFree(d_double);
    updateByManager();
    return passed();
}
