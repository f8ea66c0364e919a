/* MRG32k3a jump-ahead: two recurrences of three terms, each modulo a prime below 2^32. A step is a
 * matrix, and a jump is a power of it. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "cuda/simt_random.h"

enum { TERMS = 3, HALVES = 2, SUBSEQUENCE = 76 /* 2^76 numbers */, POWERS = SUBSEQUENCE + 64 };

static const uint64_t moduli[HALVES] = {4294967087, 4294944443};

struct matrix {
    uint64_t rows[TERMS][TERMS];
};
static struct matrix powers[HALVES][POWERS] =
    {/* the step to the power of 2^index */
     {{{{0, 1, 0}, {0, 0, 1}, {4294967087 - 810728, 1403580, 0}}}},
     {{{{0, 1, 0}, {0, 0, 1}, {4294944443 - 1370589, 0, 527612}}}}};
static int known = 1;

void simt_mrg32k3a_seed(unsigned int words[HALVES * TERMS], unsigned long long seed)
{
    const uint64_t low = (uint32_t)seed ^ 0x55555555u;
    const uint64_t high = (uint32_t)(seed >> 32) ^ 0xaaaaaaaau;
    for (int i = 0; i < TERMS; i++) {
        const uint64_t one = seed == 0 ? 1 : i == 1 ? high : low;
        const uint64_t other = seed == 0 ? 1 : i == 1 ? low : high;
        words[i] = (unsigned int)(12345 * one % moduli[0]);
        words[TERMS + i] = (unsigned int)(12345 * other % moduli[1]);
    }
}

static uint64_t entry(const struct matrix *a, const struct matrix *b, int row, int column,
                      uint64_t modulus)
{
    uint64_t sum = 0;
    for (int i = 0; i < TERMS; i++) {
        sum += a->rows[row][i] * b->rows[i][column] % modulus;
    }
    return sum % modulus;
}

static const struct matrix *power(int half, int number)
{
    for (; known <= number; known++) {
        for (int i = 0; i < HALVES * TERMS * TERMS; i++) {
            const struct matrix *const last = &powers[i / (TERMS * TERMS)][known - 1];
            const int row = i / TERMS % TERMS, column = i % TERMS;
            powers[i / (TERMS * TERMS)][known].rows[row][column] =
                entry(last, last, row, column, moduli[i / (TERMS * TERMS)]);
        }
    }
    return &powers[half][number];
}

static void apply(const struct matrix *matrix, unsigned int words[TERMS], uint64_t modulus)
{
    uint64_t sums[TERMS] = {0};
    for (int i = 0; i < TERMS * TERMS; i++) {
        sums[i / TERMS] += matrix->rows[i / TERMS][i % TERMS] * words[i % TERMS] % modulus;
    }
    for (int i = 0; i < TERMS; i++) {
        words[i] = (unsigned int)(sums[i] % modulus);
    }
}

static void jump(unsigned int *words, unsigned long long times, int first)
{
    for (int i = 0; times; i++, times >>= 1) {
        for (int half = 0; times & 1 && half < HALVES; half++) {
            apply(power(half, first + i), words + half * TERMS, moduli[half]);
        }
    }
}

void simt_mrg32k3a_jump(unsigned int words[HALVES * TERMS], unsigned long long subsequence,
                        unsigned long long offset)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    jump(words, subsequence, SUBSEQUENCE);
    jump(words, offset, 0);
    pthread_mutex_unlock(&lock);
}
/* SPDX-License-Identifier: MIT */
