// Integer operations that C++ leaves open but a GPU defines: conversions of numbers that are too
// large, shifts by the width, and more. A division by zero continues; its result is not checked.
#include <climits>
#include <cmath>

#include "check.cuh"

template <class To, class From>
__global__ void convert(To *to, const From *from, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        to[i] = (To)from[i];
        to[n + i] = static_cast<To>(from[i]);
        to[2 * n + i] = from[i];
    }
}

// As in PTX: converted to 32 or 64 bits with saturation. NaN becomes 0, or the lowest number if
// either side has 64 bits.
template <class To, class From>
static To expected(From x)
{
    using Wide = long double;
    bool is_signed = (To)-1 < 0, wide = sizeof(To) == 8;
    Wide high = is_signed ? (wide ? (Wide)LLONG_MAX : (Wide)INT_MAX)
                          : (wide ? (Wide)ULLONG_MAX : (Wide)UINT_MAX);
    Wide low = is_signed ? (wide ? (Wide)LLONG_MIN : (Wide)INT_MIN) : 0;
    if (std::isnan(x))
        return wide ? (To)(1ull << 63) : sizeof x == 8 ? (To)(1u << 31) : 0;
    if (x >= high || x <= low) {
        Wide limit = x >= high ? high : low;
        return is_signed ? (To)(long long)limit : (To)(unsigned long long)limit;
    }
    return is_signed ? (To)(long long)x : (To)(unsigned long long)x;
}

template <class To, class From>
static void test_conversions()
{
    const From values[] = {(From)3e9,  (From)-3e9, (From)1e20,     (From)-1e20, (From)NAN,
                           (From)5e9,  (From)-1.5, (From)300.7,    (From)40000, (From)70000,
                           (From)1e19, (From)-0.5, (From)INFINITY, (From)100,   (From)-INFINITY};
    const int n = sizeof values / sizeof *values;
    From *from;
    To *to;
    CHECK(cudaMallocManaged(&from, sizeof values));
    CHECK(cudaMallocManaged(&to, 3 * n * sizeof *to));
    for (int i = 0; i < n; i++)
        from[i] = values[i];
    convert<<<1, 32>>>(to, from, n);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 3 * n; i++)
        EXPECT(to[i] == (expected<To, From>(values[i % n])));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
}

__global__ void shift(const int *counts, int n, int *signed_left, int *signed_right,
                      unsigned int *left, unsigned int *right, long long *wide)
{
    int i = threadIdx.x;
    if (i < n) {
        int count = counts[i];
        signed_left[i] = 5 << count;
        signed_right[i] = -5 >> count;
        left[i] = 0x80000001u;
        left[i] <<= count;
        right[i] = 0x80000001u;
        right[i] >>= count + 0 * i;
        wide[i] = (1ll << count) + (-1ll >> count * 2) + (1 << 3);
    }
}

static void test_shifts()
{
    const int values[] = {0, 1, 31, 32, 33, 40, 63, 64, 100, 1 << 30};
    const int n = sizeof values / sizeof *values;
    int *memory;
    CHECK(cudaMallocManaged(&memory, 8 * n * sizeof *memory));
    int *counts = memory, *signed_left = memory + n, *signed_right = memory + 2 * n;
    unsigned int *left = (unsigned int *)memory + 3 * n, *right = (unsigned int *)memory + 4 * n;
    long long *wide = (long long *)(memory + 6 * n);
    for (int i = 0; i < n; i++)
        counts[i] = values[i];
    shift<<<1, 32>>>(counts, n, signed_left, signed_right, left, right, wide);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        int count = values[i], at_most = count < 31 ? count : 31;
        EXPECT(signed_left[i] == (count < 32 ? (int)(5u << count) : 0));
        EXPECT(signed_right[i] == (int)floor(-5.0 / (double)(1ll << at_most)));
        EXPECT(left[i] == (count < 32 ? 0x80000001u << count : 0));
        EXPECT(right[i] == (count < 32 ? 0x80000001u >> count : 0));
        EXPECT(wide[i] == (count < 64 ? (long long)(1ull << count) : 0) - 1 + 8);
    }
    CHECK(cudaFree(memory));
}

__global__ void divide(const int *by, int *out, long long *wide)
{
    int i = threadIdx.x;
    int quotient = 10 / by[i], rest = 10 % by[i];
    long long lowest = LLONG_MIN / (by[i] - 1), none = wide[i] / by[i] + wide[i] % by[i];
    out[i] = by[i] == 0 ? -1 : quotient * 100 + rest;
    wide[i] = by[i] == 0 ? lowest : none;
}

static void test_divisions()
{
    int *by, *out;
    long long *wide;
    CHECK(cudaMallocManaged(&by, 4 * sizeof *by));
    CHECK(cudaMallocManaged(&out, 4 * sizeof *out));
    CHECK(cudaMallocManaged(&wide, 4 * sizeof *wide));
    for (int i = 0; i < 4; i++) {
        by[i] = i == 1 ? 2 : i;
        wide[i] = 7;
    }
    divide<<<1, 4>>>(by, out, wide);
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[0] == -1 && out[1] == 500 && out[2] == 500 && out[3] == 301);
    EXPECT(wide[0] == LLONG_MIN && wide[3] == 3);
    CHECK(cudaFree(by));
    CHECK(cudaFree(out));
    CHECK(cudaFree(wide));
}

int main()
{
    test_conversions<int, float>();
    test_conversions<int, double>();
    test_conversions<unsigned int, float>();
    test_conversions<unsigned int, double>();
    test_conversions<short, float>();
    test_conversions<unsigned short, double>();
    test_conversions<signed char, float>();
    test_conversions<unsigned char, float>();
    test_conversions<unsigned char, double>();
    test_conversions<long long, float>();
    test_conversions<long long, double>();
    test_conversions<unsigned long long, float>();
    test_conversions<unsigned long long, double>();
    test_shifts();
    test_divisions();
    return passed();
}
