/* Sums of products as tensor cores make them.
 *
 * Products are exact. So many of them, and the sum so far, are aligned to the largest of their
 * exponents, what lies below a few extra bits is cut off, and the sum is cut off to a float. */
#include "machine/sums.h"

#include <string.h>

#include "machine/ptx_numbers.h"

enum {
    FRACTION_BITS = 23,
    NO_EXPONENT = -30000, /* of a zero */
    HALF_LEAST = 1 << 10, /* with the leading one of half precision */
    HALF_EXPONENT = -24,  /* no less than this has its last bit */
    FLOAT_BIAS = 127,
    FLOAT_INFINITE = 0x7f800000,
    TF32_FRACTION = 10
};

unsigned int simt_element_bits(unsigned int type)
{
    return type == SIMT_PTX_TF32                                                   ? 32
           : type <= SIMT_PTX_S8 || type == SIMT_PTX_E4M3 || type == SIMT_PTX_E5M2 ? 8
                                                                                   : 16;
}

/* A TF32 number that is no zero, subnormal, infinity or NaN: most are. */
static void set_usual(struct simt_factors *factors, unsigned int k, uint32_t bits)
{
    const unsigned int low = FRACTION_BITS - TF32_FRACTION, one = 1u << TF32_FRACTION;
    const int magnitude = (int)((bits >> low & (one - 1)) | one);
    factors->value[k] = (int16_t)(bits >> 31 ? -magnitude : magnitude);
    factors->exponent[k] =
        (int16_t)((int)(bits >> FRACTION_BITS & 0xff) - FLOAT_BIAS - TF32_FRACTION);
    factors->special[k] = SIMT_FINITE;
    factors->has_other_than_zero = true;
}

void simt_set_factor(struct simt_factors *factors, unsigned int k, unsigned int type, uint32_t bits)
{
    const uint32_t exponent = bits & FLOAT_INFINITE;
    struct simt_number number;
    if (type == SIMT_PTX_TF32 && bits << 1 == 0) {
        factors->value[k] = 0;
        factors->exponent[k] = NO_EXPONENT;
        factors->special[k] = SIMT_FINITE;
        return;
    }
    if (type == SIMT_PTX_TF32 && exponent != 0 && exponent != FLOAT_INFINITE) {
        set_usual(factors, k, bits);
        return;
    }
    if (type <= SIMT_PTX_S8) {
        factors->value[k] = type == SIMT_PTX_S8 ? (int8_t)bits : (uint8_t)bits;
        return;
    }
    number = simt_number_decode(type, bits);
    factors->value[k] =
        (int16_t)(number.negative ? -(int32_t)number.magnitude : (int32_t)number.magnitude);
    factors->exponent[k] = (int16_t)(number.magnitude ? number.exponent : NO_EXPONENT);
    factors->special[k] = number.is_nan        ? SIMT_NAN
                          : number.is_infinite ? SIMT_INFINITE
                                               : SIMT_FINITE;
    factors->has_special = factors->has_special || factors->special[k] != SIMT_FINITE;
    factors->has_other_than_zero = factors->has_other_than_zero || number.magnitude != 0;
}

void simt_negate_factors(struct simt_factors *factors, unsigned int count)
{
    for (unsigned int k = 0; k < count; k++) {
        factors->value[k] = (int16_t)-factors->value[k];
    }
}

/* ---- what is not finite ---- */

struct specials {
    bool nan, plus, minus;
};

static void note_infinity(struct specials *specials, bool negative)
{
    specials->plus |= !negative;
    specials->minus |= negative;
}

static struct specials specials_of(const struct simt_factors *a, const struct simt_factors *b,
                                   unsigned int count, const struct simt_number *c)
{
    struct specials specials = {c->is_nan, false, false};
    if (c->is_infinite) {
        note_infinity(&specials, c->negative);
    }
    for (unsigned int k = 0; k < count; k++) {
        if (a->special[k] == SIMT_NAN || b->special[k] == SIMT_NAN) {
            specials.nan = true;
        } else if (a->special[k] || b->special[k]) {
            specials.nan |= a->value[k] == 0 || b->value[k] == 0;
            note_infinity(&specials, (a->value[k] < 0) != (b->value[k] < 0));
        }
    }
    return specials;
}

/* ---- finite numbers ---- */

/* How a machine adds: so many products at a time, cut off so many bits below the leading one's; the
 * sum is cut off to so many bits of fraction. */
struct adder {
    unsigned int at_once;
    int bits, kept;
};

static struct adder adder_of(const struct simt_sum_kind *kind)
{
    switch (kind->type_a) {
    case SIMT_PTX_TF32:
        return (struct adder){8, 25, 23};
    case SIMT_PTX_E4M3:
    case SIMT_PTX_E5M2:
        return kind->group ? (struct adder){32, 13, kind->d == SIMT_PTX_F16 ? 23 : 13}
                           : (struct adder){16, 25, 23};
    default:
        return (struct adder){16, 25, 23};
    }
}

static int fraction_of(unsigned int type)
{
    return type == SIMT_PTX_BF16 ? 7 : type == SIMT_PTX_E4M3 ? 3 : type == SIMT_PTX_E5M2 ? 2 : 10;
}

/* Of a sum of terms whose largest exponent is `largest`, this one: in units of 2^(largest - bits).
 * `excess`: how many bits its number has below its leading one. */
static int64_t aligned(int64_t value, int exponent, int excess, int largest, int bits)
{
    int shift = largest - exponent + excess - bits;
    uint64_t magnitude = (uint64_t)(value < 0 ? -value : value);
    magnitude = shift >= 63 ? 0 : shift >= 0 ? magnitude >> shift : magnitude << -shift;
    return value < 0 ? -(int64_t)magnitude : (int64_t)magnitude;
}

/* The float nearer to zero, with so many bits of fraction; what is too large is infinite. */
static uint32_t cut_off_any(struct simt_number number, int kept)
{
    const uint32_t bits = (uint32_t)simt_number_encode(SIMT_PTX_F32, number, TO_ZERO);
    const bool too_large =
        number.magnitude && 63 - __builtin_clzll(number.magnitude) + number.exponent > FLOAT_BIAS;
    return too_large ? (bits & 0x80000000) | FLOAT_INFINITE
                     : bits & ~((1u << (FRACTION_BITS - kept)) - 1);
}

/* The same; most sums are neither zero nor subnormal nor too large. */
static uint32_t cut_off(int64_t sum, int exponent, int kept)
{
    const uint64_t magnitude = (uint64_t)(sum < 0 ? -sum : sum);
    const int top = 63 - __builtin_clzll(magnitude | 1), biased = top + exponent + FLOAT_BIAS;
    const uint32_t fraction = (uint32_t)(top > FRACTION_BITS ? magnitude >> (top - FRACTION_BITS)
                                                             : magnitude << (FRACTION_BITS - top));
    if (magnitude == 0 || biased <= 0 || biased > 2 * FLOAT_BIAS || kept != FRACTION_BITS) {
        return cut_off_any(
            (struct simt_number){.negative = sum < 0, .magnitude = magnitude, .exponent = exponent},
            kept);
    }
    return (uint32_t)(sum < 0) << 31 | (uint32_t)biased << FRACTION_BITS |
           (fraction & ((1u << FRACTION_BITS) - 1));
}

/* Products of factors from `first` on, and c, a float. */
static uint32_t add(const struct adder *adder, const struct simt_factors *a,
                    const struct simt_factors *b, unsigned int first, int excess, uint32_t c)
{
    const int biased = (int)(c >> FRACTION_BITS & 0xff);
    const int64_t start = (c & ((1u << FRACTION_BITS) - 1)) | (biased ? 1u << FRACTION_BITS : 0);
    const int start_exponent = start ? (biased ? biased : 1) - FLOAT_BIAS : NO_EXPONENT;
    int32_t exponents[SIMT_MOST_FACTORS];
    int largest = start_exponent;
    int64_t sum;
    for (unsigned int i = 0; i < adder->at_once; i++) {
        exponents[i] = a->exponent[first + i] + b->exponent[first + i] + excess;
        largest = exponents[i] > largest ? exponents[i] : largest;
    }
    if (largest <= NO_EXPONENT / 2) {
        return 0;
    }
    sum = aligned(c >> 31 ? -start : start, start_exponent, FRACTION_BITS, largest, adder->bits);
    for (unsigned int i = 0; i < adder->at_once; i++) {
        int shift = largest - exponents[i] + excess - adder->bits;
        int32_t value = a->value[first + i] * b->value[first + i];
        int64_t magnitude = value < 0 ? -(int64_t)value : value;
        magnitude = shift < 0 ? magnitude << -shift : magnitude >> (shift < 31 ? shift : 31);
        sum += value < 0 ? -magnitude : magnitude;
    }
    return cut_off(sum, largest - adder->bits, adder->kept);
}

/* The factor as half precision has it, to which it is exact. */
static void widen(struct simt_factors *to, unsigned int at, const struct simt_factors *from,
                  unsigned int k)
{
    to->value[at] = from->value[k];
    to->exponent[at] = from->exponent[k];
    while (to->value[at] > -HALF_LEAST && to->value[at] < HALF_LEAST &&
           to->exponent[at] > HALF_EXPONENT) {
        to->value[at] = (int16_t)(to->value[at] * 2);
        to->exponent[at]--;
    }
}

/* mma.sync of 8-bit floats: nvcc makes two products in half precision of it, each of two of four
 * neighbours, and adds c by itself. */
static uint32_t sum_by_halves(const struct adder *adder, const struct simt_factors *a,
                              const struct simt_factors *b, uint32_t c)
{
    struct simt_factors x, y;
    uint32_t bits = 0;
    float sum, start;
    for (unsigned int k = 0; k < SIMT_MOST_FACTORS; k++) {
        const unsigned int at = k / 2 % 2 * 16 + k / 4 * 2 + k % 2;
        widen(&x, at, a, k);
        widen(&y, at, b, k);
    }
    for (unsigned int first = 0; first < SIMT_MOST_FACTORS; first += adder->at_once) {
        bits = add(adder, &x, &y, first, 2 * fraction_of(SIMT_PTX_F16), bits);
    }
    memcpy(&sum, &bits, sizeof sum);
    memcpy(&start, &c, sizeof start);
    sum += start;
    memcpy(&bits, &sum, sizeof bits);
    return sum == sum ? bits : 0x7fffffff;
}

static uint32_t real_sum(const struct simt_sum_kind *kind, const struct simt_factors *a,
                         const struct simt_factors *b, unsigned int count, uint32_t c)
{
    const bool finite =
        !a->has_special && !b->has_special && (c & FLOAT_INFINITE) != FLOAT_INFINITE;
    const int excess = fraction_of(kind->type_a) + fraction_of(kind->type_b);
    struct adder adder = adder_of(kind);
    /* Beyond the edges of matrices tiles are zeros; c is exact. */
    if (finite && (!a->has_other_than_zero || !b->has_other_than_zero) &&
        adder.kept == FRACTION_BITS) {
        return c << 1 ? c : 0;
    }
    if (!finite) {
        const struct simt_number start = simt_number_decode(SIMT_PTX_F32, c);
        const struct specials specials = specials_of(a, b, count, &start);
        if (specials.nan || (specials.plus && specials.minus)) {
            return 0x7fffffff;
        }
        if (specials.plus || specials.minus) {
            return specials.plus ? FLOAT_INFINITE : 0x80000000 | FLOAT_INFINITE;
        }
    }
    if (!kind->group && simt_element_bits(kind->type_a) == 8) {
        return sum_by_halves(&adder, a, b, c);
    }
    adder.at_once = count < adder.at_once ? count : adder.at_once;
    for (unsigned int first = 0; first < count; first += adder.at_once) {
        c = add(&adder, a, b, first, excess, c);
    }
    return c;
}

uint32_t simt_sum(const struct simt_sum_kind *kind, const struct simt_factors *a,
                  const struct simt_factors *b, unsigned int count, uint32_t c)
{
    if (kind->type_a <= SIMT_PTX_S8) {
        int64_t sum = (int32_t)c;
        for (unsigned int k = 0; k < count; k++) {
            sum += (int64_t)a->value[k] * b->value[k];
        }
        return kind->finite ? simt_ptx_saturated((long)sum) : (uint32_t)sum;
    }
    if (kind->d == SIMT_PTX_F16) {
        c = (uint32_t)simt_number_encode(SIMT_PTX_F32, simt_number_decode(SIMT_PTX_F16, c),
                                         NEAREST);
        c = real_sum(kind, a, b, count, c);
        return (uint32_t)simt_number_encode(SIMT_PTX_F16, simt_number_decode(SIMT_PTX_F32, c),
                                            NEAREST);
    }
    return real_sum(kind, a, b, count, c);
}
