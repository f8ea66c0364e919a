/* Conversions of floating-point numbers within the range and beyond it, in any order, between
 * barriers and other work. Each must give the result of PTX's cvt. */
#include <cmath>
#include <cstdio>
#include <cstdlib>

enum { N = 2000, BLOCK = 256 };

/* Converts to 32 or 64 bits with saturation, then truncates to the width of I. */
template <class I, class F>
static I expected(F x)
{
    const int bits = sizeof(I) == 8 ? 64 : 32;
    const bool is_signed = I(-1) < I(0);
    const double limit = ldexp(1, bits - is_signed);
    const unsigned long long lowest = 1ull << (bits - 1);
    if (x != x)
        return bits == 64 || sizeof(F) == 8 ? I(lowest) : I(0);
    if (x >= limit)
        return I(is_signed ? lowest - 1 : ~0ull);
    if (is_signed)
        return x < -limit ? I(lowest) : I((long long)x);
    return x <= -1 ? I(0) : I((unsigned long long)x);
}

template <class I, class F>
__global__ void convert(I *out, const F *in, int *work)
{
    __shared__ I before[BLOCK];
    const int t = threadIdx.x;
    before[t] = 0;
    for (int i = t; i < N; i += BLOCK) {
        F value = in[i];
        const I one = (I)value;
        const I sum = (I)(value + in[(i + 1) % N]);
        out[3 * i] = one;
        out[3 * i + 1] = sum;
        for (int k = 0; k < i % 3 * 20; k++)
            work[t] += k;
        out[3 * i + 2] = before[t];
        before[t] = (I)(value * F(2));
    }
    __syncthreads();
}

template <class I, class F>
static int wrong()
{
    static F in[N];
    static I out[3 * N], before[BLOCK];
    F *values;
    I *results;
    int *work, count = 0;
    srand(5);
    for (int i = 0; i < N; i++) {
        const double any = pow(2, rand() % 70) * ((rand() % 2000 - 1000) / 1000.0);
        in[i] = F(rand() % 97 == 0   ? NAN
                  : rand() % 89 == 0 ? INFINITY
                  : rand() % 3       ? any
                                     : rand() % 300 - 20);
    }
    for (I &last : before)
        last = 0;
    cudaMalloc(&values, sizeof in);
    cudaMalloc(&results, sizeof out);
    cudaMalloc(&work, BLOCK * sizeof *work);
    cudaMemset(work, 0, BLOCK * sizeof *work);
    cudaMemcpy(values, in, sizeof in, cudaMemcpyHostToDevice);
    convert<I, F><<<1, BLOCK>>>(results, values, work);
    cudaMemcpy(out, results, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        const volatile F sum = in[i] + in[(i + 1) % N], twice = in[i] * F(2);
        count += out[3 * i] != expected<I>(in[i]) || out[3 * i + 1] != expected<I>(F(sum)) ||
                 out[3 * i + 2] != before[i % BLOCK];
        before[i % BLOCK] = expected<I>(F(twice));
    }
    cudaFree(values);
    cudaFree(results);
    cudaFree(work);
    return count;
}

int main()
{
    printf("%d %d %d %d\n", wrong<signed char, float>(), wrong<signed char, double>(),
           wrong<unsigned char, float>(), wrong<unsigned char, double>());
    printf("%d %d %d %d\n", wrong<short, float>(), wrong<short, double>(),
           wrong<unsigned short, float>(), wrong<unsigned short, double>());
    printf("%d %d %d %d\n", wrong<int, float>(), wrong<int, double>(), wrong<unsigned, float>(),
           wrong<unsigned, double>());
    printf("%d %d %d %d\n", wrong<long long, float>(), wrong<long long, double>(),
           wrong<unsigned long long, float>(), wrong<unsigned long long, double>());
}
