// Votes, matches, reductions and shuffles of every width.
#include "check.cuh"

#define FULL 0xffffffffu

__global__ void votes(unsigned int *out)
{
    int lane = threadIdx.x % 32;
    unsigned int ok = 1;
    ok &= __ballot_sync(FULL, lane % 2) == 0xaaaaaaaau;
    ok &= __any_sync(FULL, lane == 31) && !__any_sync(FULL, lane == 32);
    ok &= __all_sync(FULL, lane < 32) && !__all_sync(FULL, lane < 31);
    ok &= __match_any_sync(FULL, lane / 8) == 0xffu << lane / 8 * 8;
    int same = -1;
    ok &= __match_all_sync(FULL, 5, &same) == FULL && same == 1;
    ok &= __match_all_sync(FULL, lane, &same) == 0 && same == 0;
    ok &= __match_any_sync(FULL, 1.5) == FULL;
    ok &= __reduce_add_sync(FULL, lane) == 496;
    ok &= __reduce_max_sync(FULL, lane - 5) == 26 && __reduce_min_sync(FULL, lane - 5) == -5;
    ok &= __reduce_add_sync(FULL, lane - 5u) == 336 && __reduce_max_sync(FULL, lane - 5u) == ~0u;
    ok &= __reduce_min_sync(FULL, lane - 5u) == 0;
    ok &= __reduce_or_sync(FULL, 1u << lane) == FULL &&
          __reduce_and_sync(FULL, ~0u << lane % 4) == ~7u;
    ok &= __reduce_xor_sync(FULL, (unsigned int)lane) == 0;
    if (lane < 12) {
        ok &= __popc(__activemask()) == 12;
        ok &= __ballot_sync(0xfffu, 1) == 0xfffu;
    }
    __syncwarp();
    out[threadIdx.x] = ok;
}

template <typename T>
__global__ void shuffles(unsigned int *out)
{
    int lane = threadIdx.x % 32;
    T value = T(lane) * T(3);
    unsigned int ok = 1;
    for (int width = 1; width <= 32; width *= 2) {
        int first = lane / width * width, in = lane % width;
        ok &= __shfl_sync(FULL, value, 1, width) == T(first + 1 % width) * T(3);
        ok &= __shfl_up_sync(FULL, value, 1, width) == T(in >= 1 ? lane - 1 : lane) * T(3);
        ok &= __shfl_down_sync(FULL, value, 2, width) == T(in + 2 < width ? lane + 2 : lane) * T(3);
        if (width > 1)
            ok &= __shfl_xor_sync(FULL, value, width / 2, width) == T(lane ^ width / 2) * T(3);
    }
    T sum = value;
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(FULL, sum, offset);
    ok &= sum == T(496 * 3);
    ok &= __shfl_sync(FULL, value, lane + 1) == T((lane + 1) % 32) * T(3);
    out[threadIdx.x] = ok;
}

// The leader of the active lanes adds for all of them.
__global__ void leader(int *counter)
{
    if (threadIdx.x % 3 == 0) {
        unsigned int active = __activemask();
        int lane = threadIdx.x % 32, first = __ffs(active) - 1;
        if (lane == first)
            atomicAdd(counter, __popc(active));
    }
}

int main()
{
    unsigned int *out;
    CHECK(cudaMallocManaged(&out, 64 * sizeof(int)));
#define TEST(...)                                                                                  \
    __VA_ARGS__<<<1, 64>>>(out);                                                                   \
    CHECK(cudaDeviceSynchronize());                                                                \
    for (int i = 0; i < 64; i++) {                                                                 \
        EXPECT(out[i] == 1);                                                                       \
        out[i] = 0;                                                                                \
    }
    TEST(votes)
    TEST(shuffles<int>)
    TEST(shuffles<unsigned int>)
    TEST(shuffles<long>)
    TEST(shuffles<long long>)
    TEST(shuffles<unsigned long long>)
    TEST(shuffles<float>)
    TEST(shuffles<double>)
    leader<<<1, 64>>>((int *)out);
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[0] == 22);
    cudaFree(out);
    return passed();
}
