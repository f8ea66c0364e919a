/* Drop-in for cuRAND's device header: the generators XORWOW (G. Marsaglia, Xorshift RNGs, 2003),
 * MRG32k3a (P. L'Ecuyer, Good parameters ... for combined multiple recursive random number
 * generators, 1999) and Philox4x32-10 (J. Salmon et al., Parallel random numbers: as easy as 1, 2,
 * 3, 2011). Seeds and subsequences work as in cuRAND, and the bits equal those of the library. */
#ifndef SIMT_CURAND_KERNEL_H
#define SIMT_CURAND_KERNEL_H

#include "cuda_runtime.h"
#include "curand.h"
#include "simt_random.h"

/* Discards the unused second number of a pair of normal numbers. */
template <class State>
SIMT_INLINE void simt_curand_forget_normals(State *state)
{
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
}

/* ---- XORWOW ---- */

struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW_t curandState_t;
typedef curandStateXORWOW_t curandState;

SIMT_INLINE void simt_curand_move(curandStateXORWOW_t *state, unsigned long long sequence,
                                  unsigned long long offset)
{
    unsigned int words[5];
    for (int i = 0; i < 5; i++) {
        words[i] = state->v[i];
    }
    simt_xorwow_jump(words, sequence, offset);
    for (int i = 0; i < 5; i++) {
        state->v[i] = words[i];
    }
    state->d += 362437u * static_cast<unsigned int>(offset);
}

SIMT_INLINE void curand_init(unsigned long long seed, unsigned long long sequence,
                             unsigned long long offset, curandStateXORWOW_t *state)
{
    unsigned int words[5];
    state->d = simt_xorwow_seed(words, seed);
    for (int i = 0; i < 5; i++) {
        state->v[i] = words[i];
    }
    simt_curand_move(state, sequence, offset);
    simt_curand_forget_normals(state);
}

SIMT_INLINE void skipahead(unsigned long long n, curandStateXORWOW_t *state)
{
    simt_curand_move(state, 0, n);
}

SIMT_INLINE void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state)
{
    simt_curand_move(state, n, 0);
}

SIMT_INLINE unsigned int curand(curandStateXORWOW_t *state)
{
    const unsigned int first = state->v[0] ^ state->v[0] >> 2, last = state->v[4];
    for (int i = 0; i < 4; i++) {
        state->v[i] = state->v[i + 1];
    }
    state->v[4] = last ^ last << 4 ^ first ^ first << 1;
    state->d += 362437u;
    return state->v[4] + state->d;
}

/* ---- MRG32k3a ---- */

struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

SIMT_INLINE void simt_curand_move(curandStateMRG32k3a_t *state, unsigned long long subsequence,
                                  unsigned long long offset)
{
    unsigned int words[6];
    for (int i = 0; i < 3; i++) {
        words[i] = state->s1[i];
        words[3 + i] = state->s2[i];
    }
    simt_mrg32k3a_jump(words, subsequence, offset);
    for (int i = 0; i < 3; i++) {
        state->s1[i] = words[i];
        state->s2[i] = words[3 + i];
    }
}

SIMT_INLINE void curand_init(unsigned long long seed, unsigned long long subsequence,
                             unsigned long long offset, curandStateMRG32k3a_t *state)
{
    unsigned int words[6];
    simt_mrg32k3a_seed(words, seed);
    for (int i = 0; i < 3; i++) {
        state->s1[i] = words[i];
        state->s2[i] = words[3 + i];
    }
    simt_curand_move(state, subsequence, offset);
    simt_curand_forget_normals(state);
}

SIMT_INLINE void skipahead(unsigned long long n, curandStateMRG32k3a_t *state)
{
    simt_curand_move(state, 0, n);
}

SIMT_INLINE void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *state)
{
    simt_curand_move(state, n, 0);
}

/* From 1 to 4294967087. */
SIMT_INLINE double curand_MRG32k3a(curandStateMRG32k3a_t *state)
{
    const unsigned long long one = 4294967087u, other = 4294944443u;
    const unsigned long long a =
        (1403580ull * state->s1[1] + 810728ull * (one - state->s1[0])) % one;
    const unsigned long long b =
        (527612ull * state->s2[2] + 1370589ull * (other - state->s2[0])) % other;
    for (int i = 0; i < 2; i++) {
        state->s1[i] = state->s1[i + 1];
        state->s2[i] = state->s2[i + 1];
    }
    state->s1[2] = static_cast<unsigned int>(a);
    state->s2[2] = static_cast<unsigned int>(b);
    return static_cast<double>(a > b ? a - b : a + one - b);
}

SIMT_INLINE unsigned int curand(curandStateMRG32k3a_t *state)
{
    return static_cast<unsigned int>(curand_MRG32k3a(state) * 1.000000048662);
}

/* ---- Philox ---- */

struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned int STATE; /* how many numbers of the output were used */
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

SIMT_INLINE uint4 curand_Philox4x32_10(uint4 counter, uint2 key)
{
    for (int round = 0; round < 10; round++) {
        const unsigned long long a = 0xd2511f53ull * counter.x, b = 0xcd9e8d57ull * counter.z;
        counter = make_uint4(
            static_cast<unsigned int>(b >> 32) ^ counter.y ^ key.x, static_cast<unsigned int>(b),
            static_cast<unsigned int>(a >> 32) ^ counter.w ^ key.y, static_cast<unsigned int>(a));
        key = make_uint2(key.x + 0x9e3779b9u, key.y + 0xbb67ae85u);
    }
    return counter;
}

/* Adds n to the lower half of the counter, and its carry to the upper half. */
SIMT_INLINE void simt_curand_count(curandStatePhilox4_32_10_t *state, unsigned long long n)
{
    const unsigned long long low =
        static_cast<unsigned long long>(state->ctr.y) << 32 | state->ctr.x;
    unsigned long long high = static_cast<unsigned long long>(state->ctr.w) << 32 | state->ctr.z;
    high += low + n < low;
    state->ctr =
        make_uint4(static_cast<unsigned int>(low + n), static_cast<unsigned int>((low + n) >> 32),
                   static_cast<unsigned int>(high), static_cast<unsigned int>(high >> 32));
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}

SIMT_INLINE void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    const unsigned int taken = state->STATE + static_cast<unsigned int>(n & 3);
    state->STATE = taken & 3;
    simt_curand_count(state, n / 4 + taken / 4);
}

SIMT_INLINE void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    const unsigned long long high =
        (static_cast<unsigned long long>(state->ctr.w) << 32 | state->ctr.z) + n;
    state->ctr.z = static_cast<unsigned int>(high);
    state->ctr.w = static_cast<unsigned int>(high >> 32);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}

SIMT_INLINE void curand_init(unsigned long long seed, unsigned long long sequence,
                             unsigned long long offset, curandStatePhilox4_32_10_t *state)
{
    state->ctr = make_uint4(0, 0, 0, 0);
    state->key = make_uint2(static_cast<unsigned int>(seed), static_cast<unsigned int>(seed >> 32));
    state->STATE = 0;
    simt_curand_forget_normals(state);
    skipahead_sequence(sequence, state);
    skipahead(offset, state);
}

SIMT_INLINE unsigned int curand(curandStatePhilox4_32_10_t *state)
{
    const uint4 output = state->output;
    const unsigned int taken = state->STATE++;
    if (taken == 3) {
        state->STATE = 0;
        simt_curand_count(state, 1);
    }
    return taken == 0 ? output.x : taken == 1 ? output.y : taken == 2 ? output.z : output.w;
}

/* The next four numbers. */
SIMT_INLINE uint4 curand4(curandStatePhilox4_32_10_t *state)
{
    const unsigned int taken = state->STATE;
    const uint4 a = state->output;
    simt_curand_count(state, 1);
    const uint4 b = state->output;
    return taken == 0   ? a
           : taken == 1 ? make_uint4(a.y, a.z, a.w, b.x)
           : taken == 2 ? make_uint4(a.z, a.w, b.x, b.y)
                        : make_uint4(a.w, b.x, b.y, b.z);
}

/* ---- distributions ---- */

namespace simt
{

/* In (0, 1]. */
SIMT_INLINE float uniform_of(unsigned int bits)
{
    return static_cast<float>(bits) * 0x1p-32f + 0x1p-33f;
}

SIMT_INLINE double uniform_of(unsigned int low, unsigned int high)
{
    return static_cast<double>(low ^ static_cast<unsigned long long>(high) << 21) * 0x1p-53 +
           0x1p-54;
}

SIMT_INLINE double uniform_of(curandStateMRG32k3a_t *state)
{
    return curand_MRG32k3a(state) * 2.3283065498378288e-10;
}

/* Two normal numbers, by the method of Box and Muller. */
SIMT_INLINE float2 normal_of(unsigned int x, unsigned int y)
{
    const float turn = 0x1p-32f * 6.2831855f;
    const float angle = static_cast<float>(y) * turn + turn / 2;
    const float radius = sqrtf(-2.0f * logf(uniform_of(x)));
    return make_float2(radius * sinf(angle), radius * cosf(angle));
}

SIMT_INLINE double2 normal_of(uint4 bits)
{
    const double radius = sqrt(-2.0 * log(uniform_of(bits.x, bits.y)));
    const double angle = 2 * uniform_of(bits.z, bits.w); /* in half turns */
    return make_double2(radius * simt_sinpi(angle), radius * simt_cospi(angle));
}

} // namespace simt

template <class State>
SIMT_INLINE float curand_uniform(State *state)
{
    return simt::uniform_of(curand(state));
}

SIMT_INLINE float curand_uniform(curandStateMRG32k3a_t *state)
{
    return static_cast<float>(simt::uniform_of(state));
}

SIMT_INLINE double curand_uniform_double(curandStateMRG32k3a_t *state)
{
    return simt::uniform_of(state);
}

SIMT_INLINE double curand_uniform_double(curandStateXORWOW_t *state)
{
    const unsigned int low = curand(state);
    return simt::uniform_of(low, curand(state));
}

SIMT_INLINE double curand_uniform_double(curandStatePhilox4_32_10_t *state)
{
    return static_cast<double>(curand(state)) * 0x1p-32 + 0x1p-32;
}

SIMT_INLINE float4 curand_uniform4(curandStatePhilox4_32_10_t *state)
{
    const uint4 bits = curand4(state);
    return make_float4(simt::uniform_of(bits.x), simt::uniform_of(bits.y), simt::uniform_of(bits.z),
                       simt::uniform_of(bits.w));
}

SIMT_INLINE double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state)
{
    const uint4 bits = curand4(state);
    return make_double2(simt::uniform_of(bits.x, bits.y), simt::uniform_of(bits.z, bits.w));
}

template <class State>
SIMT_INLINE float2 curand_normal2(State *state)
{
    const unsigned int x = curand(state);
    return simt::normal_of(x, curand(state));
}

SIMT_INLINE float2 curand_normal2(curandStateMRG32k3a_t *state)
{
    const float radius = sqrtf(-2.0f * logf(curand_uniform(state)));
    const float angle = 6.2831855f * curand_uniform(state);
    return make_float2(radius * sinf(angle), radius * cosf(angle));
}

SIMT_INLINE float4 curand_normal4(curandStatePhilox4_32_10_t *state)
{
    const uint4 bits = curand4(state);
    const float2 a = simt::normal_of(bits.x, bits.y), b = simt::normal_of(bits.z, bits.w);
    return make_float4(a.x, a.y, b.x, b.y);
}

SIMT_INLINE double2 curand_normal2_double(curandStateXORWOW_t *state)
{
    uint4 bits;
    bits.x = curand(state);
    bits.y = curand(state);
    bits.z = curand(state);
    bits.w = curand(state);
    return simt::normal_of(bits);
}

SIMT_INLINE double2 curand_normal2_double(curandStateMRG32k3a_t *state)
{
    const double radius = sqrt(-2.0 * log(simt::uniform_of(state)));
    const double angle = 2 * simt::uniform_of(state); /* in half turns */
    return make_double2(radius * simt_sinpi(angle), radius * simt_cospi(angle));
}

SIMT_INLINE double2 curand_normal2_double(curandStatePhilox4_32_10_t *state)
{
    return simt::normal_of(curand4(state));
}

/* Computes two numbers and keeps the second for the next call. */
template <class State>
SIMT_INLINE float curand_normal(State *state)
{
    if (state->boxmuller_flag) {
        state->boxmuller_flag = 0;
        return state->boxmuller_extra;
    }
    const float2 both = curand_normal2(state);
    state->boxmuller_extra = both.y;
    state->boxmuller_flag = 1;
    return both.x;
}

template <class State>
SIMT_INLINE double curand_normal_double(State *state)
{
    if (state->boxmuller_flag_double) {
        state->boxmuller_flag_double = 0;
        return state->boxmuller_extra_double;
    }
    const double2 both = curand_normal2_double(state);
    state->boxmuller_extra_double = both.y;
    state->boxmuller_flag_double = 1;
    return both.x;
}

template <class State>
SIMT_INLINE float curand_log_normal(State *state, float mean, float deviation)
{
    return expf(mean + deviation * curand_normal(state));
}

template <class State>
SIMT_INLINE double curand_log_normal_double(State *state, double mean, double deviation)
{
    return exp(mean + deviation * curand_normal_double(state));
}

template <class State>
SIMT_INLINE float2 curand_log_normal2(State *state, float mean, float deviation)
{
    const float2 both = curand_normal2(state);
    return make_float2(expf(mean + deviation * both.x), expf(mean + deviation * both.y));
}

SIMT_INLINE float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean,
                                      float deviation)
{
    const float4 all = curand_normal4(state);
    return make_float4(expf(mean + deviation * all.x), expf(mean + deviation * all.y),
                       expf(mean + deviation * all.z), expf(mean + deviation * all.w));
}

template <class State>
SIMT_INLINE double2 curand_log_normal2_double(State *state, double mean, double deviation)
{
    const double2 both = curand_normal2_double(state);
    return make_double2(exp(mean + deviation * both.x), exp(mean + deviation * both.y));
}

/* A Poisson number: adds exponential waiting times until their sum exceeds `mean`. If `mean` is
 * large, uses a normal number instead. */
template <class State>
SIMT_INLINE unsigned int curand_poisson(State *state, double mean)
{
    const double MANY = 4000;
    unsigned int events = 0;
    if (mean > MANY) {
        return static_cast<unsigned int>(mean + sqrt(mean) * curand_normal_double(state) + 0.5);
    }
    for (float left = static_cast<float>(mean) + logf(curand_uniform(state)); left > 0; events++) {
        left += logf(curand_uniform(state));
    }
    return events;
}

#endif
