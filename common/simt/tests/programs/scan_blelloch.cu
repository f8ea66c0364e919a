// The work-efficient exclusive scan: up a tree and down again. Its dynamic shared memory is
// declared outside of the kernels. The same kernel scans the block sums, which are then added.
#include <algorithm>
#include <vector>

#include "check.cuh"

#define LOG_BANKS 5
#define CONFLICT_FREE(n) ((n) >> LOG_BANKS)

extern __shared__ int temp[];

__global__ void prescan(int *g_odata, const int *g_idata, int *sums, int n)
{
    int thid = threadIdx.x, size = 2 * blockDim.x, first = blockIdx.x * size;
    int ai = thid, bi = thid + size / 2, offset = 1;
    temp[ai + CONFLICT_FREE(ai)] = first + ai < n ? g_idata[first + ai] : 0;
    temp[bi + CONFLICT_FREE(bi)] = first + bi < n ? g_idata[first + bi] : 0;
    for (int d = size >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d) {
            int a = offset * (2 * thid + 1) - 1, b = offset * (2 * thid + 2) - 1;
            temp[b + CONFLICT_FREE(b)] += temp[a + CONFLICT_FREE(a)];
        }
        offset *= 2;
    }
    if (thid == 0) {
        int last = size - 1 + CONFLICT_FREE(size - 1);
        if (sums)
            sums[blockIdx.x] = temp[last];
        temp[last] = 0;
    }
    for (int d = 1; d < size; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int a = offset * (2 * thid + 1) - 1, b = offset * (2 * thid + 2) - 1;
            int t = temp[a + CONFLICT_FREE(a)];
            temp[a + CONFLICT_FREE(a)] = temp[b + CONFLICT_FREE(b)];
            temp[b + CONFLICT_FREE(b)] += t;
        }
    }
    __syncthreads();
    if (first + ai < n)
        g_odata[first + ai] = temp[ai + CONFLICT_FREE(ai)];
    if (first + bi < n)
        g_odata[first + bi] = temp[bi + CONFLICT_FREE(bi)];
}

__global__ void addSums(int *data, const int *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] += sums[blockIdx.x];
}

int main()
{
    const int threads = 128, size = 2 * threads;
    const size_t shared = (size + CONFLICT_FREE(size)) * sizeof(int);
    for (int n : {1, 255, 256, 257, 5000}) {
        int blocks = (n + size - 1) / size;
        std::vector<int> in(n), out(n);
        for (int i = 0; i < n; i++)
            in[i] = i % 7 - 2;
        int *d_in, *d_out, *d_sums;
        CHECK(cudaMalloc(&d_in, n * sizeof(int)));
        CHECK(cudaMalloc(&d_out, n * sizeof(int)));
        CHECK(cudaMalloc(&d_sums, blocks * sizeof(int)));
        CHECK(cudaMemcpy(d_in, &in[0], n * sizeof(int), cudaMemcpyHostToDevice));
        prescan<<<blocks, threads, shared>>>(d_out, d_in, d_sums, n);
        prescan<<<1, threads, shared>>>(d_sums, d_sums, NULL, blocks);
        addSums<<<blocks, size>>>(d_out, d_sums, n);
        CHECK(cudaMemcpy(&out[0], d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
        int sum = 0;
        for (int i = 0; i < n; i++) {
            EXPECT(out[i] == sum);
            sum += in[i];
        }
        cudaFree(d_in);
        cudaFree(d_out);
        cudaFree(d_sums);
    }
    return passed();
}
