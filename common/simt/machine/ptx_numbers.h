/* Floating-point numbers taken apart. */
#ifndef SIMT_PTX_NUMBERS_H
#define SIMT_PTX_NUMBERS_H

#include "cuda/simt_ptx_runtime.h"

/* (-1)^negative * magnitude * 2^exponent; `more`: and something that is less than its last bit. */
struct simt_number {
    bool negative, is_nan, is_infinite, more;
    uint64_t magnitude;
    int exponent;
};

enum simt_rounding { NEAREST, TO_ZERO, DOWN, UP, AWAY };

/* Of a simt_ptx_type. */
struct simt_number simt_number_decode(unsigned int type, uint64_t bits);
uint64_t simt_number_encode(unsigned int type, struct simt_number number,
                            enum simt_rounding rounding);

#endif
