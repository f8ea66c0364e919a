// Tensor cores with nvcuda::wmma. Each warp computes a tile of a matrix product, for each type and
// shape, with row-major and column-major matrices.
#include <mma.h>

#include "check.cuh"

using namespace nvcuda;

const int M = 32, N = 32, K = 48;

// Each warp computes a tile of C = A B + C; c is row-major if `rows`.
template <int m, int n, int k, class T, class Number, class LA, class LB, class Sum>
__global__ void multiply(const Number *a, const Number *b, Sum *c, bool rows)
{
    const int row = blockIdx.y * m, column = blockIdx.x * n;
    wmma::fragment<wmma::matrix_a, m, n, k, T, LA> x;
    wmma::fragment<wmma::matrix_b, m, n, k, T, LB> y;
    wmma::fragment<wmma::accumulator, m, n, k, Sum> sum;
    const bool a_rows = std::is_same<LA, wmma::row_major>::value,
               b_rows = std::is_same<LB, wmma::row_major>::value;
    Sum *to = c + (rows ? row * N + column : column * M + row);
    const wmma::layout_t layout = rows ? wmma::mem_row_major : wmma::mem_col_major;
    wmma::load_matrix_sync(sum, to, rows ? N : M, layout);
    for (int i = 0; i < K; i += k) {
        wmma::load_matrix_sync(x, a_rows ? a + row * K + i : a + i * M + row, a_rows ? K : M);
        wmma::load_matrix_sync(y, b_rows ? b + i * N + column : b + column * K + i, b_rows ? N : K);
        wmma::mma_sync(sum, x, y, sum);
    }
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] = sum.x[i] + sum.x[i];
    wmma::store_matrix_sync(to, sum, rows ? N : M, layout);
}

template <int m, int n, int k, class T, class Number, class LA, class LB, class Sum>
static void check(const char *name, bool rows)
{
    const bool a_rows = std::is_same<LA, wmma::row_major>::value,
               b_rows = std::is_same<LB, wmma::row_major>::value;
    static Number a[M * K], b[K * N];
    static Sum c[M * N];
    Number *device_a, *device_b;
    Sum *device_c;
    int wrong = 0;
    const auto of_a = [](int i, int j) { return (i * 3 + j * 5) % 7 - 3; };
    const auto of_b = [](int i, int j) { return (i * 2 + j * 3) % 5 - 2; };
    for (int i = 0; i < M; i++)
        for (int j = 0; j < K; j++)
            a[a_rows ? i * K + j : j * M + i] = Number(float(of_a(i, j)));
    for (int i = 0; i < K; i++)
        for (int j = 0; j < N; j++)
            b[b_rows ? i * N + j : j * K + i] = Number(float(of_b(i, j)));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            c[rows ? i * N + j : j * M + i] = Sum(float(i - j));
    CHECK(cudaMalloc(&device_a, sizeof a));
    CHECK(cudaMalloc(&device_b, sizeof b));
    CHECK(cudaMalloc(&device_c, sizeof c));
    CHECK(cudaMemcpy(device_a, a, sizeof a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b, sizeof b, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_c, c, sizeof c, cudaMemcpyHostToDevice));
    multiply<m, n, k, T, Number, LA, LB, Sum>
        <<<dim3(N / n, M / m), 32>>>(device_a, device_b, device_c, rows);
    CHECK(cudaMemcpy(c, device_c, sizeof c, cudaMemcpyDeviceToHost));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int sum = i - j;
            for (int l = 0; l < K; l++)
                sum += of_a(i, l) * of_b(l, j);
            wrong += float(c[rows ? i * N + j : j * M + i]) != float(2 * sum);
        }
    if (wrong > 0)
        printf("%s: %d of %d are wrong\n", name, wrong, M * N);
    EXPECT(wrong == 0);
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));
}

typedef wmma::row_major R;
typedef wmma::col_major C;

int main()
{
    check<16, 16, 16, half, half, R, C, float>("half", true);
    check<16, 16, 16, half, half, C, R, half>("half, sums too", false);
    check<32, 8, 16, half, half, R, R, float>("half, 32 x 8", true);
    check<8, 32, 16, half, half, C, C, half>("half, 8 x 32", true);
    check<16, 16, 16, __nv_bfloat16, __nv_bfloat16, R, C, float>("bfloat16", false);
    check<8, 32, 16, __nv_bfloat16, __nv_bfloat16, R, R, float>("bfloat16, 8 x 32", false);
    check<16, 16, 8, wmma::precision::tf32, float, R, C, float>("tf32", true);
    check<16, 16, 8, wmma::precision::tf32, float, C, R, float>("tf32, the other way", true);
    check<16, 16, 16, signed char, signed char, R, C, int>("integers", true);
    check<32, 8, 16, signed char, signed char, C, C, int>("integers, 32 x 8", false);
    return passed();
}
