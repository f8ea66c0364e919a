// A buffer that is filled repeatedly, with other writes in between.
#include "check.cuh"

static const int size = 100000;
static unsigned char host[size];

__global__ void write_one(unsigned char *at)
{
    *at = 7;
}

static bool holds(const unsigned char *data, int value)
{
    CHECK(cudaMemcpy(host, data, size, cudaMemcpyDeviceToHost));
    for (int i = 0; i < size; i++)
        if (host[i] != value)
            return false;
    return true;
}

int main()
{
    unsigned char *data, *other;
    CHECK(cudaMalloc(&data, size));
    CHECK(cudaMalloc(&other, size));
    CHECK(cudaMemset(other, 9, size));
    for (int round = 0; round < 6; round++) { // as in benchmarks
        CHECK(cudaMemset(data, 1, size));
        EXPECT(holds(data, 1));
        CHECK(cudaMemset(data, 1, size));
        EXPECT(holds(data, 1));
        write_one<<<1, 1>>>(data + size / 2);
        EXPECT(!holds(data, 1) && host[size / 2] == 7);
    }
    CHECK(cudaMemset(data, 1, size));
    CHECK(cudaMemcpy(data + 1000, other, 10, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemset(data, 1, size));
    EXPECT(holds(data, 1));
    CHECK(cudaMemset(data + 4, 2, 1)); // a part, in between
    CHECK(cudaMemset(data, 1, size));
    EXPECT(holds(data, 1));
    CHECK(cudaMemset(data, 3, size)); // with another value
    EXPECT(holds(data, 3));
    CHECK(cudaMemset2D(data, 500, 3, 200, 3)); // with another shape
    CHECK(cudaMemset2D(data, 200, 4, 200, size / 200));
    EXPECT(holds(data, 4));
    CHECK(cudaFree(data)); // in other memory at the same place
    CHECK(cudaMalloc(&data, size));
    CHECK(cudaMemset2D(data, 200, 4, 200, size / 200));
    EXPECT(holds(data, 4));
    CHECK(cudaFree(data));
    CHECK(cudaMallocManaged(&data, size)); // the runtime cannot see host writes here
    CHECK(cudaMemset(data, 5, size));
    CHECK(cudaDeviceSynchronize());
    data[3] = 0;
    CHECK(cudaMemset(data, 5, size));
    EXPECT(holds(data, 5));
    return passed();
}
