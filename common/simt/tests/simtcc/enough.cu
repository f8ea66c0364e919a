/* A kernel that is launched many times and is correct for a while. enough.sh runs it. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { THREADS = 64, BLOCKS = 400, LAUNCHES = 40 };

/* Its values change with each launch, so no launch repeats another. `wrong`: a barrier is
 * missing. */
__global__ void step(int *data, int n, int wrong)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int copy[THREADS];
    copy[threadIdx.x] = i < n ? data[i] : 0;
    if (!wrong)
        __syncthreads();
    if (i < n)
        data[i] = copy[threadIdx.x] + copy[threadIdx.x ^ 1] + 1;
}

/* The blocks of the second half of the grid race. */
__global__ void last_blocks(int *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[blockIdx.x < gridDim.x / 2 ? i : 0] = i;
}

/* The second warp of each block waits for the first. */
__global__ void waits(int *flag, int *out)
{
    const int mine = (int)blockIdx.x + 1;
    if (threadIdx.x == 0) {
        __nanosleep(100);
        atomicExch(flag, mine);
    } else if (threadIdx.x >= 32) {
        while (atomicAdd(flag, 0) != mine) {
        }
        out[blockIdx.x * 32 + threadIdx.x - 32] = mine;
    }
}

/* Each block adds to the result of the block before it. */
__global__ void looks_back(int *flag, int *out)
{
    if (threadIdx.x == 0) {
        while (atomicAdd(flag, 0) != (int)blockIdx.x) {
        }
        __threadfence();
        out[blockIdx.x] = blockIdx.x > 0 ? out[blockIdx.x - 1] + 1 : 1;
        __threadfence();
        atomicAdd(flag, 1);
    }
}

__global__ void reads(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + 1;
}

static void tell(const int *data, int n)
{
    unsigned int hash = 0;
    int *copy = (int *)malloc(n * sizeof *copy);
    cudaMemcpy(copy, data, n * sizeof *copy, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        hash = hash * 31 + (unsigned int)copy[i];
    printf("%08x %s\n", hash, cudaGetErrorString(cudaGetLastError()));
    free(copy);
}

int main(int count, char **arguments)
{
    const char *name = count > 1 ? arguments[1] : "";
    const int n = BLOCKS * THREADS - 5;
    int *data, *other;
    cudaMalloc(&data, BLOCKS * THREADS * sizeof *data);
    cudaMalloc(&other, BLOCKS * THREADS * sizeof *other);
    cudaMemset(data, 0, BLOCKS * THREADS * sizeof *data);
    if (strcmp(name, "last_blocks") == 0) {
        last_blocks<<<BLOCKS, THREADS>>>(data);
    } else if (strcmp(name, "waits") == 0) {
        waits<<<BLOCKS, THREADS>>>(data, other);
        cudaMemset(data, 0, sizeof *data); /* written by the last block */
    } else if (strcmp(name, "looks_back") == 0) {
        looks_back<<<BLOCKS, THREADS>>>(data, other);
        cudaMemcpy(data, other, BLOCKS * sizeof *data, cudaMemcpyDeviceToDevice);
    } else if (strcmp(name, "other_shape") == 0) {
        for (int i = 0; i < LAUNCHES; i++)
            step<<<BLOCKS, THREADS>>>(data, n, 0);
        step<<<BLOCKS - 1, THREADS>>>(data, n, 1);
    } else if (strcmp(name, "filled_before") == 0) { /* reads what unchecked launches wrote */
        for (int i = 0; i < LAUNCHES; i++)
            step<<<BLOCKS, THREADS>>>(data, n, 0);
        reads<<<BLOCKS, THREADS>>>(other, data);
    } else {
        bool wrong = strcmp(name, "wrong_first") == 0, late = strcmp(name, "wrong_late") == 0;
        for (int i = 0; i < LAUNCHES; i++)
            step<<<BLOCKS, THREADS>>>(data, n, wrong || (late && i == LAUNCHES - 1));
    }
    tell(data, n);
    return 0;
}
