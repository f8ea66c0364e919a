/* Sums of products, as tensor cores compute them: shared by mma.sync and wgmma. */
#ifndef SIMT_SUMS_H
#define SIMT_SUMS_H

#include "cuda/simt_ptx_runtime.h"

enum { SIMT_MOST_FACTORS = 32, SIMT_COLUMNS = 8 /* summed at once */ };

enum simt_special { SIMT_FINITE, SIMT_INFINITE, SIMT_NAN };

/* A row of A or a column of B, unpacked: value * 2^exponent, which equals `real`. */
struct simt_factors {
    int16_t value[SIMT_MOST_FACTORS], exponent[SIMT_MOST_FACTORS];
    uint8_t special[SIMT_MOST_FACTORS]; /* enum simt_special */
    float real[SIMT_MOST_FACTORS];
    bool has_special, has_other_than_zero;
};

/* Columns side by side. */
struct simt_columns {
    const struct simt_factors *each; /* SIMT_COLUMNS of them */
    double real[SIMT_MOST_FACTORS][SIMT_COLUMNS];
    int16_t exponent[SIMT_MOST_FACTORS][SIMT_COLUMNS];
    bool has_special, has_other_than_zero;
};

/* The kind of sum: simt_ptx_type of the result and of the factors, and the kind of MMA. */
struct simt_sum_kind {
    unsigned int d, type_a, type_b;
    bool finite; /* integers: saturate */
    bool group;  /* wgmma */
};

/* The bits per element of a matrix. */
unsigned int simt_element_bits(unsigned int type);
/* Sets factor k; the element is in the lowest bits. */
void simt_set_factor(struct simt_factors *factors, unsigned int k, unsigned int type,
                     uint32_t bits);
void simt_negate_factors(struct simt_factors *factors, unsigned int count);
void simt_set_columns(struct simt_columns *columns, const struct simt_factors *each,
                      unsigned int count);
/* For each column: adds `count` products with row a to its c. All c and the results have d's
 * format. */
void simt_sum(const struct simt_sum_kind *kind, const struct simt_factors *a,
              const struct simt_columns *b, unsigned int count, uint32_t c[SIMT_COLUMNS]);

/* ---- whole_sums.c ---- */

/* Integers of 8 and 4 bits, and single bits. */
bool simt_is_whole(unsigned int type);
uint32_t simt_whole_sum(const struct simt_sum_kind *kind, const struct simt_factors *a,
                        const struct simt_factors *b, unsigned int count, uint32_t c);

#endif
/* SPDX-License-Identifier: MIT */
