# shellcheck shell=sh disable=SC2154
# CUB and Thrust with their own headers, if a CUDA toolkit has them. Sourced by test_simtcc.sh.

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
cccl=$(dirname -- "$(dirname -- "$(readlink -f -- "$nvcc")")")/include
[ ! -d "$cccl/cccl" ] || cccl=$cccl/cccl

cat >cccl.cu <<'END'
#include <thrust/device_vector.h>
#include <thrust/scan.h>
#include <thrust/reduce.h>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cstdio>

__global__ void sort_and_sum(const int *in, int *sorted, int *sums, bool forgets)
{
    using sort = cub::BlockRadixSort<int, 64, 2>;
    using reduce = cub::BlockReduce<int, 64>;
    using scan = cub::WarpScan<int>;
    __shared__ union {
        typename sort::TempStorage sorting;
        typename reduce::TempStorage reducing;
        typename scan::TempStorage scanning[2];
    } storage;
    int own[2] = {in[2 * threadIdx.x], in[2 * threadIdx.x + 1]}, sum, before;
    sort(storage.sorting).Sort(own);
    sorted[2 * threadIdx.x] = own[0];
    sorted[2 * threadIdx.x + 1] = own[1];
    if (!forgets) {
        __syncthreads();
    }
    sum = reduce(storage.reducing).Sum(own);
    __syncthreads();
    scan(storage.scanning[threadIdx.x / 32]).ExclusiveSum(1, before);
    if (threadIdx.x < 1 + forgets) { /* only thread 0 has it */
        sums[threadIdx.x] = sum;
    }
    if (threadIdx.x == 63) {
        sums[1] = before;
    }
}

int main(int count, char **)
{
    thrust::device_vector<int> in(128), out(128), sums(2);
    int wrong = 0;
    for (int i = 0; i < 128; i++) {
        in[i] = i * 37 % 128;
    }
    sort_and_sum<<<1, 64>>>(in.data().get(), out.data().get(), sums.data().get(), count > 1);
    cudaDeviceSynchronize();
    for (int i = 0; i < 128; i++) {
        wrong += out[i] != i;
    }
    thrust::inclusive_scan(out.begin(), out.end(), in.begin());
    printf("%d %d %d %d %d\n", wrong, int(sums[0]), int(sums[1]), int(in[127]),
           thrust::reduce(out.begin(), out.end()));
}
END
cat >scan.cu <<'END'
#include <cub/cub.cuh>
#include <cstdio>
template <class T>
struct pair {
    T a, b;
    __host__ __device__ pair(int number = 0) : a(number), b(2 * number) {}
    __host__ __device__ bool operator!=(const pair &other) const { return a != other.a || b != other.b; }
    __host__ __device__ pair operator+(const pair &other) const
    {
        pair sum;
        sum.a = a + other.a;
        sum.b = b + other.b;
        return sum;
    }
};
struct plus {
    template <class T>
    __host__ __device__ T operator()(const T &x, const T &y) const { return x + y; }
};
int main()
{
    const int COUNT = 20000;
    TYPE *numbers, *sums, expected = 0;
    void *memory = nullptr;
    size_t bytes = 0;
    int wrong = 0;
    cudaMallocManaged(&numbers, COUNT * sizeof *numbers);
    cudaMallocManaged(&sums, COUNT * sizeof *sums);
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = TYPE(i % 7);
    }
    for (int turn = 0; turn < 2; turn++) {
        cub::DeviceScan::InclusiveScan(memory, bytes, numbers, sums, plus(), COUNT);
        if (turn == 0) {
            cudaMalloc(&memory, bytes);
        }
    }
    cudaDeviceSynchronize();
    for (int i = 0; i < COUNT; i++) {
        expected = expected + numbers[i];
        wrong += sums[i] != expected;
    }
    puts(wrong ? "wrong" : "right");
}
END
cat >references.cu <<'END'
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/swap.h>
#include <thrust/transform_reduce.h>
#include <cstdio>
struct named {
    int name;
    float value;
};
struct totals {
    int count;
    float sum;
};
struct value_of {
    __host__ __device__ totals operator()(const named &one) const { return totals{1, one.value}; }
};
struct add {
    __host__ __device__ totals operator()(const totals &x, const totals &y) const
    {
        return totals{x.count + y.count, x.sum + y.sum};
    }
};
// What device_ptr leads to is read, written and swapped by the kernel itself.
__global__ void change(thrust::device_ptr<int> numbers)
{
    const int i = 2 * threadIdx.x;
    numbers[i] = numbers[i] + 1;
    auto first = numbers[i], second = numbers[i + 1];
    first.swap(second);
}
int main()
{
    thrust::device_vector<named> all(1000);
    thrust::device_vector<int> numbers(4);
    for (int i = 0; i < 1000; i++) {
        all[i] = named{i, float(i % 3)};
    }
    const totals sum = thrust::transform_reduce(all.data(), all.data() + 1000, value_of(), totals{0, 0}, add());
    for (int i = 0; i < 4; i++) {
        numbers[i] = 10 * i;
    }
    change<<<1, 2>>>(numbers.data());
    auto first = numbers[0], last = numbers[3];
    first.swap(last);
    printf("%d %g, %d %d %d %d\n", sum.count, sum.sum, int(numbers[0]), int(numbers[1]), int(numbers[2]),
           int(numbers[3]));
}
END
cat >algorithms.cu <<'END'
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/merge.h>
#include <thrust/reduce.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/unique.h>
#include <cstdio>
struct point {
    int x, y;
};
struct by_x {
    __host__ __device__ bool operator()(const point &a, const point &b) const { return a.x < b.x; }
};
struct is_odd {
    __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
int main()
{
    const int COUNT = 3000;
    thrust::device_vector<int> keys(COUNT), thirds(COUNT), out(2 * COUNT), sums(COUNT);
    thrust::device_vector<long> values(COUNT);
    thrust::device_vector<point> points(COUNT);
    int wrong = 0;
    for (int i = 0; i < COUNT; i++) {
        keys[i] = i * 37 % COUNT - 1000;
        values[i] = keys[i];
        points[i] = point{i * 41 % COUNT / 2, i};
        thirds[i] = i / 3;
    }
    thrust::sort_by_key(keys.begin(), keys.end(), values.begin(), thrust::greater<int>());
    thrust::stable_sort(points.begin(), points.end(), by_x());
    for (int i = 0; i < COUNT; i++) {
        const point own = points[i];
        wrong += keys[i] != COUNT - 1001 - i || values[i] != keys[i] || own.x != i / 2;
    }
    printf("%d", wrong);
    thrust::sort(keys.begin(), keys.end());
    printf(" %d %d", int(keys[0]), int(keys[COUNT - 1]));
    printf(" %d", int(thrust::copy_if(keys.begin(), keys.end(), out.begin(), is_odd()) - out.begin()));
    auto ends = thrust::reduce_by_key(thirds.begin(), thirds.end(), keys.begin(), out.begin(), sums.begin());
    printf(" %d %d", int(ends.first - out.begin()), int(sums[1]));
    printf(" %d", int(thrust::max_element(keys.begin(), keys.end()) - keys.begin()));
    thrust::merge(keys.begin(), keys.end(), thirds.begin(), thirds.end(), out.begin());
    printf(" %d", int(out[1003]));
    printf(" %d", int(thrust::set_intersection(keys.begin(), keys.end(), thirds.begin(), thirds.end(),
                                               out.begin()) - out.begin()));
    printf(" %d\n", int(thrust::unique(thirds.begin(), thirds.end()) - thirds.begin()));
}
END
if [ -f "$cccl/cub/cub.cuh" ] && case $compiler in *clang*) false ;; esac; then
    compile cccl.cu -o cccl || fail 'CUB and Thrust do not compile'
    [ "$(./cccl 2>&1)" = '0 8128 31 8128 8128' ] || fail "CUB and Thrust: $(./cccl)"
    # A missing barrier between two uses of the same memory, and a read by thread 1 of a result that only thread 0 has.
    ./cccl forget >output 2>&1
    [ $? -eq 1 ] && grep -q 'data race in shared memory' output || fail 'a race between two of CUB'
    grep -q 'the result of cub::BlockReduce is that of thread 0 only' output || fail 'a result that only thread 0 has'
    compile references.cu -o references || fail 'device_ptr in kernels does not compile'
    [ "$(./references 2>&1)" = '1000 999, 21 1 30 10' ] || fail "device_ptr in kernels: $(./references 2>&1)"
    # Kernels with a body for the device only, kernels whose threads exit in a function, kernels that sort in place.
    compile algorithms.cu -o algorithms || fail "Thrust's algorithms do not compile"
    [ "$(./algorithms 2>&1)" = '0 -1000 1999 1500 1000 -2988 2999 0 1000 1000' ] ||
        fail "Thrust's algorithms: $(./algorithms 2>&1)"
    # Decoupled look-back with values and flags in 8 bytes, and with larger values.
    for type in float double 'pair<double>'; do
        compile "-DTYPE=$type" scan.cu -o scan || fail "CUB's scan does not compile: $type"
        [ "$(./scan 2>&1)" = right ] || fail "CUB's scan of $type: $(./scan 2>&1)"
    done
fi
