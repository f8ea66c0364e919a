/* XORWOW jump-ahead: its five words are 160 bits, a step is a matrix of bits, and a jump is a power
 * of it. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "cuda/simt_random.h"

enum { WORDS = 5, BITS = 32 * WORDS, SEQUENCE = 67 /* 2^67 numbers */, POWERS = SEQUENCE + 64 };

/* For each bit of the words: the words to add (modulo 2). */
struct matrix {
    uint32_t rows[BITS][WORDS];
};
static struct matrix powers[POWERS]; /* the step to the power of 2^index */
static int known;

unsigned int simt_xorwow_seed(unsigned int words[WORDS], unsigned long long seed)
{
    const uint32_t low = 1099087573u * ((uint32_t)seed ^ 0xaad26b49u);
    const uint32_t high = 2591861531u * ((uint32_t)(seed >> 32) ^ 0xf7dcefddu);
    words[0] = 123456789u + low;
    words[1] = 362436069u ^ low;
    words[2] = 521288629u + high;
    words[3] = 88675123u ^ high;
    words[4] = 5783321u + low;
    return 6615241u + high + low;
}

static void apply(const struct matrix *matrix, const uint32_t from[WORDS], uint32_t to[WORDS])
{
    uint32_t sum[WORDS] = {0};
    for (int bit = 0; bit < BITS; bit++) {
        const uint32_t mask = 0u - (from[bit / 32] >> bit % 32 & 1);
        for (int i = 0; i < WORDS; i++) {
            sum[i] ^= matrix->rows[bit][i] & mask;
        }
    }
    memcpy(to, sum, sizeof sum);
}

static void step(uint32_t v[WORDS])
{
    const uint32_t first = v[0] ^ v[0] >> 2, last = v[4];
    memmove(v, v + 1, (WORDS - 1) * sizeof *v);
    v[4] = last ^ last << 4 ^ first ^ first << 1;
}

static const struct matrix *power(int number)
{
    for (; known <= number; known++) {
        for (int bit = 0; bit < BITS; bit++) {
            uint32_t *row = powers[known].rows[bit];
            if (known == 0) {
                memset(row, 0, WORDS * sizeof *row);
                row[bit / 32] = 1u << bit % 32;
                step(row);
            } else {
                apply(&powers[known - 1], powers[known - 1].rows[bit], row);
            }
        }
    }
    return &powers[number];
}

static void jump(uint32_t v[WORDS], unsigned long long times, int first)
{
    for (int i = 0; times; i++, times >>= 1) {
        if (times & 1) {
            apply(power(first + i), v, v);
        }
    }
}

void simt_xorwow_jump(unsigned int words[WORDS], unsigned long long sequence,
                      unsigned long long offset)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    jump(words, sequence, SEQUENCE);
    jump(words, offset, 0);
    pthread_mutex_unlock(&lock);
}
/* SPDX-License-Identifier: MIT */
