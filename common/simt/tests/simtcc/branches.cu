// The lanes of a warp diverge exactly at the lines that end in `// parts`, whatever the first
// instruction of the branch's basic block is. counters.sh compares.
__device__ __noinline__ int leaves(int *out, int lane)
{
    if (lane > 20) // parts
        return 1;
    for (int i = 0; i < 3; i++)
        out[lane] += i;
    return lane & 1;
}

__device__ void inlined(int *out, int x)
{
    if (x % 3 == 0) // parts
        out[x] += x * 7 + 1;
}

template <int N, class T>
__device__ void unrolled(T *out, T x)
{
    for (int i = 0; i < N; i++)
        if (x > i) // parts
            out[x] += x * i;
}

struct Halve {
    int from;
    __device__ void operator()(int *out, int x) const
    {
        if (x > from) // parts
            out[x] /= 2;
    }
};

template <class F>
__device__ void for_each(int *out, int n, F f)
{
    for (int i = threadIdx.x; i < n; i += 64) // parts
        f(out, i);
}

__global__ void branches(int *out, int n)
{
    __shared__ int sums[64];
    const int t = threadIdx.x;
    int sum = 0;
    sums[t] = t;
    out[t] = 0;
    if (t < 16) // parts
        out[t + 64] = 0;
    __syncthreads();
    for (int i = 0; i < n; i++) {
        sum += sums[i];
        if (t < i) // parts
            out[t] += sum;
    }
    __syncthreads();
    if (leaves(out, t)) // parts
        out[t] *= 2;
    inlined(out, t);
    unrolled<4>(out, t);
    for_each(out, 80, Halve{n});
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        if (t % 4 == i) // parts
            continue;
        out[t] += sums[(t + i) % 64];
    }
    __syncthreads();
    auto clear = [&](int from) {
        if (t > from) // parts
            out[t] = 0;
    };
    clear(33);
    __syncthreads();
    while (atomicAdd(&sums[t], 1) < 2 * t) // parts
        ;
    __syncthreads();
    if (t < 32) {
        sums[t] += sums[t + 32];
        __syncwarp();
    }
    __syncthreads();
    if (t == 0) // parts
        out[0] = sum + sums[1];
}

int main()
{
    int *out;
    cudaMalloc(&out, 80 * sizeof(int));
    branches<<<1, 64>>>(out, 20);
    return cudaDeviceSynchronize();
}
