#include "api/curand_draws.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/simt_random.h"

enum { WEYL = 362437, TWISTED = 624, PHILOX_WORDS = 4 };

/* A kind takes `group` outputs from one sequence, then `group` outputs from the next sequence. */
struct kind {
    unsigned int sequences, group;
    size_t bytes; /* bytes per state of a sequence */
    void (*start)(const struct simt_draws *draws, void *state, unsigned long long sequence,
                  unsigned long long drawn);
    uint32_t (*draw)(const struct simt_draws *draws, void *state, unsigned long long sequence);
};

/* ---- XORWOW ---- */

struct xorwow {
    uint32_t v[5], d;
};

static void start_xorwow(const struct simt_draws *draws, void *state, unsigned long long sequence,
                         unsigned long long drawn)
{
    struct xorwow *const x = state;
    x->d = simt_xorwow_seed(x->v, draws->seed) + WEYL * (uint32_t)drawn;
    simt_xorwow_jump(x->v, sequence, drawn);
}

static uint32_t draw_xorwow(const struct simt_draws *draws, void *state,
                            unsigned long long sequence)
{
    struct xorwow *const x = state;
    const uint32_t first = x->v[0] ^ x->v[0] >> 2, last = x->v[4];
    (void)draws;
    (void)sequence;
    for (int i = 0; i < 4; i++) {
        x->v[i] = x->v[i + 1];
    }
    x->v[4] = last ^ last << 4 ^ first ^ first << 1;
    x->d += WEYL;
    return x->v[4] + x->d;
}

/* ---- MRG32k3a ---- */

static const uint64_t MODULUS = 4294967087, OTHER_MODULUS = 4294944443;

static void start_mrg(const struct simt_draws *draws, void *state, unsigned long long sequence,
                      unsigned long long drawn)
{
    simt_mrg32k3a_seed(state, draws->seed);
    simt_mrg32k3a_jump(state, sequence, drawn);
}

/* The result is between 1 and MODULUS. */
static uint32_t draw_mrg(const struct simt_draws *draws, void *state, unsigned long long sequence)
{
    unsigned int *const w = state;
    const uint64_t a = (1403580ull * w[1] + 810728ull * (MODULUS - w[0])) % MODULUS;
    const uint64_t b = (527612ull * w[5] + 1370589ull * (OTHER_MODULUS - w[3])) % OTHER_MODULUS;
    (void)draws;
    (void)sequence;
    w[0] = w[1];
    w[1] = w[2];
    w[2] = (uint32_t)a;
    w[3] = w[4];
    w[4] = w[5];
    w[5] = (uint32_t)b;
    return (uint32_t)(a > b ? a - b : a + MODULUS - b);
}

/* ---- Philox ---- */

struct philox {
    unsigned long long drawn;
    uint32_t words[PHILOX_WORDS]; /* the current four outputs */
};

static void fill_philox(const struct simt_draws *draws, struct philox *state,
                        unsigned long long sequence)
{
    const unsigned long long number = state->drawn / PHILOX_WORDS;
    uint32_t c[] = {(uint32_t)number, (uint32_t)(number >> 32), (uint32_t)sequence, 0};
    uint32_t key[] = {(uint32_t)draws->seed, (uint32_t)(draws->seed >> 32)};
    for (int round = 0; round < 10; round++) {
        const uint64_t a = 0xd2511f53ull * c[0], b = 0xcd9e8d57ull * c[2];
        c[0] = (uint32_t)(b >> 32) ^ c[1] ^ key[0];
        c[1] = (uint32_t)b;
        c[2] = (uint32_t)(a >> 32) ^ c[3] ^ key[1];
        c[3] = (uint32_t)a;
        key[0] += 0x9e3779b9u;
        key[1] += 0xbb67ae85u;
    }
    memcpy(state->words, c, sizeof c);
}

static void start_philox(const struct simt_draws *draws, void *state, unsigned long long sequence,
                         unsigned long long drawn)
{
    struct philox *const philox = state;
    philox->drawn = drawn;
    fill_philox(draws, philox, sequence);
}

static uint32_t draw_philox(const struct simt_draws *draws, void *state,
                            unsigned long long sequence)
{
    struct philox *const philox = state;
    if (philox->drawn % PHILOX_WORDS == 0) {
        fill_philox(draws, philox, sequence);
    }
    return philox->words[philox->drawn++ % PHILOX_WORDS];
}

/* ---- the Mersenne twister ---- */

struct twister {
    uint32_t words[TWISTED];
    unsigned int taken;
};

static void start_twister(const struct simt_draws *draws, void *state, unsigned long long sequence,
                          unsigned long long drawn)
{
    struct twister *const twister = state;
    uint32_t *const w = twister->words;
    (void)sequence;
    (void)drawn;
    w[0] = (uint32_t)draws->seed;
    for (uint32_t i = 1; i < TWISTED; i++) {
        w[i] = 1812433253u * (w[i - 1] ^ w[i - 1] >> 30) + i;
    }
    twister->taken = TWISTED;
}

static uint32_t draw_twister(const struct simt_draws *draws, void *state,
                             unsigned long long sequence)
{
    struct twister *const twister = state;
    uint32_t *const w = twister->words, y;
    (void)draws;
    (void)sequence;
    for (unsigned int i = 0; twister->taken == TWISTED && i < TWISTED; i++) {
        const uint32_t mixed = (w[i] & 0x80000000u) | (w[(i + 1) % TWISTED] & 0x7fffffffu);
        w[i] = w[(i + 397) % TWISTED] ^ mixed >> 1 ^ (mixed & 1 ? 0x9908b0dfu : 0);
    }
    twister->taken %= TWISTED;
    y = w[twister->taken++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

/* ---- sequences ---- */

static const struct kind *kind_of(const struct simt_draws *draws)
{
    static const struct kind xorwow = {4096, 1, sizeof(struct xorwow), start_xorwow, draw_xorwow},
                             mrg = {81920, 1, 6 * sizeof(unsigned int), start_mrg, draw_mrg},
                             mrg_legacy = {4096, 1, 6 * sizeof(unsigned int), start_mrg, draw_mrg},
                             philox = {65536, PHILOX_WORDS, sizeof(struct philox), start_philox,
                                       draw_philox},
                             twister = {1, 1, sizeof(struct twister), start_twister, draw_twister};
    switch (draws->type) {
    case CURAND_RNG_PSEUDO_XORWOW:
        return &xorwow;
    case CURAND_RNG_PSEUDO_MRG32K3A:
        return draws->legacy ? &mrg_legacy : &mrg;
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
        return &philox;
    default:
        return &twister;
    }
}

bool simt_draws_know(curandRngType_t type)
{
    return type == CURAND_RNG_PSEUDO_XORWOW || type == CURAND_RNG_PSEUDO_MRG32K3A ||
           type == CURAND_RNG_PSEUDO_PHILOX4_32_10 || !simt_draws_can_skip(type);
}

bool simt_draws_can_skip(curandRngType_t type)
{
    return type != CURAND_RNG_PSEUDO_MT19937 && type != CURAND_RNG_PSEUDO_MTGP32;
}

void simt_draws_start_over(struct simt_draws *draws)
{
    free(draws->states);
    draws->states = NULL;
    draws->turn = draws->offset;
}

bool simt_draws_prepare(struct simt_draws *draws)
{
    const struct kind *const kind = kind_of(draws);
    const unsigned long long row = (unsigned long long)kind->sequences * kind->group;
    if (draws->states) {
        return true;
    }
    draws->states = calloc(kind->sequences, kind->bytes);
    for (unsigned long long i = 0; draws->states && i < kind->sequences; i++) {
        const unsigned long long before = draws->offset % row, first = i * kind->group;
        const unsigned long long more = before <= first                 ? 0
                                        : before - first >= kind->group ? kind->group
                                                                        : before - first;
        kind->start(draws, (char *)draws->states + i * kind->bytes, i,
                    draws->offset / row * kind->group + more);
    }
    return draws->states;
}

static uint32_t draw(const struct simt_draws *draws)
{
    const struct kind *const kind = kind_of(draws);
    const unsigned long long sequence = draws->turn / kind->group % kind->sequences;
    return kind->draw(draws, (char *)draws->states + sequence * kind->bytes, sequence);
}

/* ---- numbers ---- */

static bool is_mrg(const struct simt_draws *draws)
{
    return draws->type == CURAND_RNG_PSEUDO_MRG32K3A;
}

static const double OF_MRG = 2.3283065498378288e-10;

static float float_of(const struct simt_draws *draws)
{
    return is_mrg(draws) ? (float)(draw(draws) * OF_MRG) : (float)draw(draws) * 0x1p-32f + 0x1p-33f;
}

static double double_of(const struct simt_draws *draws)
{
    uint64_t low;
    if (is_mrg(draws)) {
        return draw(draws) * OF_MRG;
    }
    low = draw(draws);
    return (double)(low ^ (uint64_t)draw(draws) << 21) * 0x1p-53 + 0x1p-54;
}

uint32_t simt_draw_bits(struct simt_draws *draws)
{
    const uint32_t bits = draw(draws);
    draws->turn++;
    return is_mrg(draws) ? (uint32_t)(bits * 1.000000048662) : bits;
}

float simt_draw_float(struct simt_draws *draws)
{
    const float number = float_of(draws);
    draws->turn++;
    return number;
}

double simt_draw_double(struct simt_draws *draws)
{
    const double number = double_of(draws);
    draws->turn++;
    return number;
}

/* A pair comes from one sequence. It counts as two outputs if group > 1, else as one. */
static void pass_pair(struct simt_draws *draws)
{
    draws->turn += kind_of(draws)->group > 1 ? 2 : 1;
}

void simt_draw_floats(struct simt_draws *draws, float pair[2])
{
    pair[0] = float_of(draws);
    pair[1] = float_of(draws);
    pass_pair(draws);
}

void simt_draw_doubles(struct simt_draws *draws, double pair[2])
{
    pair[0] = double_of(draws);
    pair[1] = double_of(draws);
    pass_pair(draws);
}
/* SPDX-License-Identifier: MIT */
