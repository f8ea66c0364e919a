/* Sums of products, as tensor cores compute them.
 *
 * Products are exact. Some of them and the sum so far are aligned to the largest exponent. Bits
 * below a few extra bits are truncated, and the sum is truncated to a float. */
#include "machine/sums.h"

#include <string.h>

#include "machine/ptx_numbers.h"

enum {
    FRACTION_BITS = 23,
    NO_EXPONENT = -10000,  /* of a zero */
    NO_LARGEST = -300,     /* less than any sum's */
    INFINITE = 0x7f800000, /* as a float's bits */
    HALF_LEAST = 1 << 10,  /* with the leading bit of half precision */
    HALF_EXPONENT = -24    /* the smallest exponent of a last bit */
};

unsigned int simt_element_bits(unsigned int type)
{
    return type == SIMT_PTX_TF32                                                   ? 32
           : simt_is_whole(type) || type == SIMT_PTX_E4M3 || type == SIMT_PTX_E5M2 ? 8
                                                                                   : 16;
}

static double power_of_two(int exponent)
{
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

void simt_set_factor(struct simt_factors *factors, unsigned int k, unsigned int type, uint32_t bits)
{
    struct simt_number number;
    if (simt_is_whole(type)) {
        factors->value[k] = type == SIMT_PTX_S8 ? (int8_t)bits : (uint8_t)bits;
        return;
    }
    number = simt_number_decode(type, bits);
    factors->value[k] = (int16_t)(number.negative ? -(int)number.magnitude : (int)number.magnitude);
    factors->exponent[k] = (int16_t)(number.magnitude ? number.exponent : NO_EXPONENT);
    factors->special[k] = number.is_nan        ? SIMT_NAN
                          : number.is_infinite ? SIMT_INFINITE
                                               : SIMT_FINITE;
    factors->real[k] = (float)(factors->value[k] * power_of_two(number.exponent));
    factors->has_special = factors->has_special || factors->special[k] != SIMT_FINITE;
    factors->has_other_than_zero = factors->has_other_than_zero || number.magnitude != 0;
}

void simt_negate_factors(struct simt_factors *factors, unsigned int count)
{
    for (unsigned int k = 0; k < count; k++) {
        factors->value[k] = (int16_t)-factors->value[k];
        factors->real[k] = -factors->real[k];
    }
}

void simt_set_columns(struct simt_columns *columns, const struct simt_factors *each,
                      unsigned int count)
{
    columns->each = each;
    columns->has_special = columns->has_other_than_zero = false;
    for (unsigned int j = 0; j < SIMT_COLUMNS; j++) {
        columns->has_special |= each[j].has_special;
        columns->has_other_than_zero |= each[j].has_other_than_zero;
        for (unsigned int k = 0; k < count; k++) {
            columns->real[k][j] = each[j].real[k];
            columns->exponent[k][j] = each[j].exponent[k];
        }
    }
}

/* ---- infinities and NaNs ---- */

struct specials {
    bool nan, plus, minus;
};

static void note_infinity(struct specials *specials, bool negative)
{
    specials->plus |= !negative;
    specials->minus |= negative;
}

static struct specials specials_of(const struct simt_factors *a, const struct simt_factors *b,
                                   unsigned int first, unsigned int count,
                                   const struct simt_number *c)
{
    struct specials specials = {false, false, false};
    if (c->is_infinite) {
        note_infinity(&specials, c->negative);
    }
    for (unsigned int k = first; k < first + count; k++) {
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

/* How a machine adds: the number of products at a time, the bits kept below the leading one, and
 * the fraction bits kept in the sum. */
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

/* One term, in a sum whose largest exponent is `largest`, in units of 2^(largest - bits). `excess`:
 * the number of its bits below the leading one. */
static int64_t aligned(int64_t value, int exponent, int excess, int largest, int bits)
{
    int shift = largest - exponent + excess - bits;
    uint64_t magnitude = (uint64_t)(value < 0 ? -value : value);
    magnitude = shift >= 63 ? 0 : shift >= 0 ? magnitude >> shift : magnitude << -shift;
    return value < 0 ? -(int64_t)magnitude : (int64_t)magnitude;
}

/* Truncates towards zero to `kept` fraction bits; values that are too large become infinite. */
static uint32_t cut_off(int64_t sum, int exponent, int kept)
{
    const struct simt_number number = {
        .negative = sum < 0, .magnitude = (uint64_t)(sum < 0 ? -sum : sum), .exponent = exponent};
    const uint32_t bits = (uint32_t)simt_number_encode(SIMT_PTX_F32, number, TO_ZERO);
    const bool too_large = sum != 0 && 63 - __builtin_clzll(number.magnitude) + exponent > 127;
    return too_large ? (bits & 0x80000000) | 0x7f800000
                     : bits & ~((1u << (FRACTION_BITS - kept)) - 1);
}

/* Adds the products of factors from `first` on to c, a float. */
static uint32_t add(const struct adder *adder, const struct simt_factors *a,
                    const struct simt_factors *b, unsigned int first, int excess, uint32_t c)
{
    const struct simt_number start = simt_number_decode(SIMT_PTX_F32, c);
    const int64_t start_value =
        start.negative ? -(int64_t)start.magnitude : (int64_t)start.magnitude;
    const int start_exponent = start.magnitude ? start.exponent + FRACTION_BITS : NO_EXPONENT;
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
    sum = aligned(start_value, start_exponent, FRACTION_BITS, largest, adder->bits);
    for (unsigned int i = 0; i < adder->at_once; i++) {
        int shift = largest - exponents[i] + excess - adder->bits;
        int32_t value = a->value[first + i] * b->value[first + i];
        int64_t magnitude = value < 0 ? -(int64_t)value : value;
        magnitude = shift < 0 ? magnitude << -shift : magnitude >> (shift < 31 ? shift : 31);
        sum += value < 0 ? -magnitude : magnitude;
    }
    return cut_off(sum, largest - adder->bits, adder->kept);
}

/* The sum if it is not finite; false: it is finite. */
static bool special_sum(const struct simt_factors *a, const struct simt_factors *b,
                        unsigned int first, unsigned int count, uint32_t c, uint32_t *sum)
{
    const struct simt_number start = simt_number_decode(SIMT_PTX_F32, c);
    struct specials specials = {.nan = true};
    if (!start.is_nan) {
        specials = specials_of(a, b, first, count, &start);
    }
    *sum = specials.nan || (specials.plus && specials.minus) ? 0x7fffffff
           : specials.minus                                  ? INFINITE | 0x80000000
                                                             : INFINITE;
    return specials.nan || specials.plus || specials.minus;
}

static uint32_t to_half(uint32_t bits)
{
    return (uint32_t)simt_number_encode(SIMT_PTX_F16, simt_number_decode(SIMT_PTX_F32, bits),
                                        NEAREST);
}

static uint32_t from_half(uint32_t bits)
{
    return (uint32_t)simt_number_encode(SIMT_PTX_F32, simt_number_decode(SIMT_PTX_F16, bits),
                                        NEAREST);
}

/* Converts the factor to half precision, which is exact. */
static void widen(struct simt_factors *to, unsigned int at, const struct simt_factors *from,
                  unsigned int k)
{
    to->value[at] = from->value[k];
    to->exponent[at] = from->exponent[k];
    to->special[at] = from->special[k];
    while (to->value[at] > -HALF_LEAST && to->value[at] < HALF_LEAST &&
           to->exponent[at] > HALF_EXPONENT) {
        to->value[at] *= 2;
        to->exponent[at]--;
    }
}

/* mma.sync of 8-bit floats: nvcc makes two half-precision MMAs of it, each with two of every four
 * neighbours, and adds c separately. With half-precision results, each of these sums is rounded. */
static uint32_t sum_by_halves(struct adder adder, bool in_halves, const struct simt_factors *a,
                              const struct simt_factors *b, unsigned int count, uint32_t c)
{
    struct simt_factors x, y;
    uint32_t bits = 0;
    float sum, start;
    adder.at_once = count / 2;
    for (unsigned int k = 0; k < count; k++) {
        const unsigned int at = k / 2 % 2 * adder.at_once + k / 4 * 2 + k % 2;
        widen(&x, at, a, k);
        widen(&y, at, b, k);
    }
    for (unsigned int first = 0; first < count; first += adder.at_once) {
        uint32_t special;
        bits = special_sum(&x, &y, first, adder.at_once, bits, &special)
                   ? special
                   : add(&adder, &x, &y, first, 2 * fraction_of(SIMT_PTX_F16), bits);
        bits = in_halves ? from_half(to_half(bits)) : bits;
    }
    if (in_halves) { /* rounded once, not through a float */
        return from_half((uint32_t)simt_ptx_real(SIMT_PTX_ADD, SIMT_PTX_F16, m_rn, to_half(bits),
                                                 to_half(c), 0));
    }
    memcpy(&sum, &bits, sizeof sum);
    memcpy(&start, &c, sizeof start);
    sum += start;
    memcpy(&bits, &sum, sizeof bits);
    return sum == sum ? bits : 0x7fffffff;
}

static bool is_zero_and_plain(const struct simt_factors *factors)
{
    return !factors->has_other_than_zero && !factors->has_special;
}

static uint32_t real_sum(const struct simt_sum_kind *kind, const struct simt_factors *a,
                         const struct simt_factors *b, unsigned int count, uint32_t c)
{
    struct adder adder = adder_of(kind);
    const int excess = fraction_of(kind->type_a) + fraction_of(kind->type_b);
    uint32_t special;
    if (!kind->group && simt_element_bits(kind->type_a) == 8) {
        return sum_by_halves(adder, kind->d == SIMT_PTX_F16, a, b, count, c);
    }
    if (special_sum(a, b, 0, count, c, &special)) {
        return special;
    }
    adder.at_once = count; /* no instruction has more */
    return add(&adder, a, b, 0, excess, c);
}

/* ---- several columns at once: the same, in doubles, which are exact here ---- */

/* Like add(), for each column. */
static void add_to_columns(const struct adder *adder, const struct simt_factors *a,
                           const struct simt_columns *b, unsigned int count, int excess,
                           uint32_t c[SIMT_COLUMNS])
{
    int16_t largest[SIMT_COLUMNS];
    int32_t sums[SIMT_COLUMNS] = {0}; /* 16 times 2^22 << 5 is less than 2^31 */
    double scales[SIMT_COLUMNS], total[SIMT_COLUMNS], sum;
    int small = 0;
    for (unsigned int j = 0; j < SIMT_COLUMNS; j++) {
        largest[j] = 2 * NO_EXPONENT;
    }
    for (unsigned int k = 0; k < count; k++) {
        for (unsigned int j = 0; j < SIMT_COLUMNS; j++) {
            int16_t exponent = (int16_t)(a->exponent[k] + b->exponent[k][j]);
            largest[j] = exponent > largest[j] ? exponent : largest[j];
        }
    }
    for (unsigned int j = 0; j < SIMT_COLUMNS; j++) {
        const int field = c[j] >> FRACTION_BITS & 0xff;
        const int of_c = c[j] << 1 ? (field ? field : 1) - 127 : NO_LARGEST;
        const int of_products = largest[j] + excess;
        largest[j] = (int16_t)(of_c > of_products ? of_c : of_products);
        largest[j] = (int16_t)(largest[j] > NO_LARGEST ? largest[j] : NO_LARGEST);
        scales[j] = power_of_two(adder->bits - largest[j]);
    }
    for (unsigned int k = 0; k < count; k++) {
        const double factor = a->real[k];
        for (unsigned int j = 0; j < SIMT_COLUMNS; j++) {
            sums[j] += (int32_t)(factor * scales[j] * b->real[k][j]);
        }
    }
    for (unsigned int j = 0; j < SIMT_COLUMNS; j++) {
        uint64_t bits;
        float nearer;
        memcpy(&nearer, &c[j], sizeof nearer);
        total[j] = (double)sums[j] + (double)(int32_t)(nearer * scales[j]);
        sum = total[j] * power_of_two(largest[j] - adder->bits);
        small += (sum < 0x1p-126) & (sum > -0x1p-126) & (sum != 0);
        memcpy(&bits, &sum, sizeof bits);
        bits &= ~((UINT64_C(1) << (52 - adder->kept)) - 1);
        memcpy(&sum, &bits, sizeof bits);
        nearer = (float)sum;
        memcpy(&c[j], &nearer, sizeof nearer);
    }
    for (unsigned int j = 0; small && j < SIMT_COLUMNS; j++) { /* subnormal floats */
        c[j] = cut_off((int64_t)total[j], largest[j] - adder->bits, adder->kept);
    }
}

static bool are_finite(const uint32_t c[SIMT_COLUMNS])
{
    bool finite = true;
    for (unsigned int j = 0; j < SIMT_COLUMNS; j++) {
        finite &= (c[j] & INFINITE) != INFINITE;
    }
    return finite;
}

static void real_sums(const struct simt_sum_kind *kind, const struct simt_factors *a,
                      const struct simt_columns *b, unsigned int count, uint32_t c[SIMT_COLUMNS])
{
    struct adder adder = adder_of(kind);
    const int excess = fraction_of(kind->type_a) + fraction_of(kind->type_b);
    const bool zero = is_zero_and_plain(a) || (!b->has_other_than_zero && !b->has_special);
    if (a->has_special || b->has_special || !are_finite(c) ||
        (!kind->group && simt_element_bits(kind->type_a) == 8)) {
        for (unsigned int j = 0; j < SIMT_COLUMNS; j++) {
            c[j] = real_sum(kind, a, &b->each[j], count, c[j]);
        }
        return;
    }
    if (zero && adder.kept == FRACTION_BITS) { /* tiles past the edges of matrices; c is exact */
        for (unsigned int j = 0; j < SIMT_COLUMNS; j++) {
            c[j] = c[j] << 1 ? c[j] : 0;
        }
        return;
    }
    add_to_columns(&adder, a, b, count, excess, c);
}

void simt_sum(const struct simt_sum_kind *kind, const struct simt_factors *a,
              const struct simt_columns *b, unsigned int count, uint32_t c[SIMT_COLUMNS])
{
    const bool in_halves = kind->d == SIMT_PTX_F16;
    if (simt_is_whole(kind->type_a)) {
        for (unsigned int j = 0; j < SIMT_COLUMNS; j++) {
            c[j] = simt_whole_sum(kind, a, &b->each[j], count, c[j]);
        }
        return;
    }
    for (unsigned int j = 0; in_halves && j < SIMT_COLUMNS; j++) {
        c[j] = from_half(c[j]);
    }
    real_sums(kind, a, b, count, c);
    for (unsigned int j = 0; in_halves && j < SIMT_COLUMNS; j++) {
        c[j] = to_half(c[j]);
    }
}
/* SPDX-License-Identifier: MIT */
