/* Sums of products as tensor cores make them: shared by mma.sync and wgmma. */
#ifndef SIMT_SUMS_H
#define SIMT_SUMS_H

#include "cuda/simt_ptx_runtime.h"

enum { SIMT_MOST_FACTORS = 32 };

/* A row of A or a column of B, taken apart: value * 2^exponent. */
struct simt_factors {
    int16_t value[SIMT_MOST_FACTORS], exponent[SIMT_MOST_FACTORS];
    uint8_t special[SIMT_MOST_FACTORS];
    bool has_special, has_other_than_zero;
};

enum { SIMT_FINITE, SIMT_INFINITE, SIMT_NAN }; /* `special` */

/* What is added up: simt_ptx_type of the result and of the factors, which of the two machines. */
struct simt_sum_kind {
    unsigned int d, type_a, type_b;
    bool finite; /* integers: no wrapping round */
    bool group;  /* wgmma */
};

/* Of an element of a matrix. */
unsigned int simt_element_bits(unsigned int type);
/* Number k of the factors; the element's bits are the lowest. */
void simt_set_factor(struct simt_factors *factors, unsigned int k, unsigned int type,
                     uint32_t bits);
void simt_negate_factors(struct simt_factors *factors, unsigned int count);
/* The products of so many factors, and c; c and the result have d's format. */
uint32_t simt_sum(const struct simt_sum_kind *kind, const struct simt_factors *a,
                  const struct simt_factors *b, unsigned int count, uint32_t c);

#endif
