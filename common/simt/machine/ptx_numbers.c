/* PTX floating-point operations and conversions, in every format and rounding mode.
 *
 * A result is computed exactly, or by rounding to odd. The latter then rounds like the exact result
 * to any format with at least two bits less. So it is rounded once. Operations that PTX calls
 * approximate are as exact as the C library's functions. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "machine/ptx_numbers.h"

/* ---- formats ---- */

static unsigned int bits_of(unsigned int type)
{
    static const unsigned char bits[] = {8,  8,  16, 16, 32, 32, 64, 64, 16, 16,
                                         32, 32, 64, 32, 32, 8,  8,  16, 16};
    return bits[type];
}

/* The number divided by 2^shift, rounded. */
static uint64_t shift_right(struct simt_number number, int shift, enum simt_rounding rounding)
{
    uint64_t kept, rest, half;
    bool more = number.more, up;
    if (shift <= 0) {
        kept = number.magnitude << -shift;
        rest = 0;
        half = 1;
    } else if (shift >= 64) {
        kept = 0;
        more = more || (shift > 64 && number.magnitude != 0);
        rest = shift > 64 ? 0 : number.magnitude >> 1;
        more = more || (shift == 64 && number.magnitude & 1);
        half = (uint64_t)1 << 62;
    } else {
        kept = number.magnitude >> shift;
        rest = number.magnitude & (((uint64_t)1 << shift) - 1);
        half = (uint64_t)1 << (shift - 1);
    }
    switch (rounding) {
    case NEAREST:
        up = rest > half || (rest == half && (more || kept & 1));
        break;
    case AWAY:
        up = rest >= half;
        break;
    case TO_ZERO:
        up = false;
        break;
    default:
        up = (rest || more) && number.negative == (rounding == DOWN);
        break;
    }
    return kept + (up && (rest || more || rounding == AWAY));
}

uint64_t simt_number_encode(unsigned int type, struct simt_number number,
                            enum simt_rounding rounding)
{
    struct simt_format format = simt_format_of(type);
    int fraction_bits = format.precision - 1, bias = (1 << (format.exponent_bits - 1)) - 1;
    uint64_t sign = (uint64_t)number.negative << (fraction_bits + format.exponent_bits);
    uint64_t infinity = (((uint64_t)1 << format.exponent_bits) - 1) << fraction_bits, bits;
    int top, last;
    infinity = format.finite ? format.nan : infinity; /* limit of the range */
    if (number.is_nan) {
        return format.nan;
    }
    if (number.is_infinite) {
        return (sign | infinity) << format.low;
    }
    if (number.magnitude == 0 && !number.more) {
        return sign << format.low;
    }
    top = number.exponent + (number.magnitude ? 63 - __builtin_clzll(number.magnitude) : -1);
    last = top - fraction_bits > 1 - bias - fraction_bits ? top - fraction_bits
                                                          : 1 - bias - fraction_bits;
    bits = shift_right(number, last - number.exponent, rounding);
    if (last > 1 - bias - fraction_bits || bits >> fraction_bits) {
        bits += (uint64_t)(last + fraction_bits + bias - 1) << fraction_bits;
    }
    if (bits >= infinity) { /* too large: infinity or the largest number */
        bool to_infinity = rounding == NEAREST || rounding == AWAY ||
                           (rounding != TO_ZERO && number.negative == (rounding == DOWN));
        bits = to_infinity ? infinity : infinity - 1;
    }
    return (sign | bits) << format.low;
}

static float float_of(uint64_t bits)
{
    const uint32_t same = (uint32_t)bits;
    float value;
    memcpy(&value, &same, sizeof value);
    return value;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double to_double(unsigned int type, uint64_t bits)
{
    switch (type) {
    case SIMT_PTX_F32:
        return (double)float_of(bits);
    case SIMT_PTX_F64:
        return double_of(bits);
    default:
        return double_of(simt_number_encode(SIMT_PTX_F64, simt_number_decode(type, bits), NEAREST));
    }
}

static struct simt_number from_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return simt_number_decode(SIMT_PTX_F64, bits);
}

/* ---- rounding modes, and modifiers of operands and results ---- */

static enum simt_rounding rounding_of(unsigned int flags)
{
    return flags & (m_rz | m_rzi)   ? TO_ZERO
           : flags & (m_rm | m_rmi) ? DOWN
           : flags & (m_rp | m_rpi) ? UP
           : flags & m_rna          ? AWAY
                                    : NEAREST;
}

static bool is_pair(unsigned int type)
{
    return type == SIMT_PTX_F16X2 || type == SIMT_PTX_BF16X2;
}

/* .ftz: a subnormal float becomes zero. */
static uint64_t flush(unsigned int type, unsigned int flags, uint64_t bits)
{
    return flags & m_ftz && type == SIMT_PTX_F32 && !(bits & 0x7f800000) ? bits & 0x80000000 : bits;
}

/* .sat: clamps to 0 ... 1; .relu: negative numbers become 0. */
static uint64_t clamp(unsigned int type, unsigned int flags, uint64_t bits)
{
    struct simt_number number = simt_number_decode(type, bits);
    if (flags & m_sat) {
        if (number.is_nan || number.negative) {
            return 0;
        }
        return to_double(type, bits) > 1 ? simt_number_encode(type, from_double(1), NEAREST) : bits;
    }
    if (flags & m_relu && number.negative && !number.is_nan) {
        return 0;
    }
    if (flags & m_satfinite && number.is_infinite) {
        return bits - ((uint64_t)1 << simt_format_of(type).low); /* the largest number */
    }
    return bits;
}

/* ---- operations ---- */

static const int directions[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};

/* volatile: the compiler does not know rounding modes. */
static double basic(unsigned int operation, double first, double second, double third)
{
    volatile double a = first, b = second, c = third, result;
    switch (operation) {
    case SIMT_PTX_ADD:
        result = a + b;
        break;
    case SIMT_PTX_SUB:
        result = a - b;
        break;
    case SIMT_PTX_MUL:
        result = a * b;
        break;
    case SIMT_PTX_FMA:
        result = fma(a, b, c);
        break;
    case SIMT_PTX_RCP:
        result = 1 / a;
        break;
    case SIMT_PTX_SQRT:
        result = sqrt(a);
        break;
    default:
        result = a / b;
        break;
    }
    return result;
}

/* Computes in doubles, rounded to odd, except if the result is a double. */
static struct simt_number exactly(unsigned int type, unsigned int flags, unsigned int operation,
                                  const double operands[3])
{
    int before = fegetround(), inexact;
    double result;
    struct simt_number number;
    feclearexcept(FE_INEXACT);
    fesetround(type == SIMT_PTX_F64 ? directions[rounding_of(flags)] : FE_TOWARDZERO);
    result = basic(operation, operands[0], operands[1], operands[2]);
    inexact = fetestexcept(FE_INEXACT);
    fesetround(before);
    number = from_double(result);
    number.more = type != SIMT_PTX_F64 && inexact;
    if (type != SIMT_PTX_F64 && result == 0 && !inexact && rounding_of(flags) != DOWN &&
        operation != SIMT_PTX_MUL && operation != SIMT_PTX_DIV) {
        /* x - x is -0 only when rounding down. */
        number.negative = signbit(result) != 0;
    } else if (result == 0 && !inexact && rounding_of(flags) == DOWN && type != SIMT_PTX_F64 &&
               (operation == SIMT_PTX_ADD || operation == SIMT_PTX_SUB ||
                operation == SIMT_PTX_FMA)) {
        feclearexcept(FE_INEXACT);
        fesetround(FE_DOWNWARD);
        number.negative = signbit(basic(operation, operands[0], operands[1], operands[2])) != 0;
        fesetround(before);
    }
    return number;
}

static double approximate(unsigned int operation, double a)
{
    switch (operation) {
    case SIMT_PTX_RSQRT:
        return 1 / sqrt(a);
    case SIMT_PTX_SIN:
        return sin(a);
    case SIMT_PTX_COS:
        return cos(a);
    case SIMT_PTX_LG2:
        return log2(a);
    case SIMT_PTX_EX2:
        return exp2(a);
    default:
        return tanh(a);
    }
}

/* A NaN loses against a number, unless .NaN; -0 is less than 0. */
static uint64_t extreme(unsigned int type, unsigned int flags, bool least, uint64_t a, uint64_t b)
{
    uint64_t sign = (uint64_t)1 << (bits_of(type) - 1),
             other = flags & m_xorsign ? (a ^ b) & sign : 0;
    struct simt_number x = simt_number_decode(type, a), y = simt_number_decode(type, b);
    uint64_t result;
    double left, right;
    if (flags & m_abs) {
        a &= ~sign;
        b &= ~sign;
    }
    if ((x.is_nan && y.is_nan) || (flags & m_NaN && (x.is_nan || y.is_nan))) {
        return simt_format_of(type).nan;
    }
    left = to_double(type, a);
    right = to_double(type, b);
    if (x.is_nan || y.is_nan) {
        result = x.is_nan ? b : a;
    } else if (left == right) {
        result = ((a & sign) != 0) == least ? a : b;
    } else {
        result = (left < right) == least ? a : b;
    }
    return flags & m_xorsign ? (result & ~sign) | other : result;
}

/* ---- operations on which the host agrees with a GPU ---- */

/* In the numbers' own format, rounded to nearest; false if that is not enough. */
#define SIMT_PLAIN(real, fused, root)                                                              \
    static bool plain_##real(unsigned int operation, real a, real b, real c, real *result)         \
    {                                                                                              \
        switch (operation) {                                                                       \
        case SIMT_PTX_ADD:                                                                         \
            *result = a + b;                                                                       \
            break;                                                                                 \
        case SIMT_PTX_SUB:                                                                         \
            *result = a - b;                                                                       \
            break;                                                                                 \
        case SIMT_PTX_MUL:                                                                         \
            *result = a * b;                                                                       \
            break;                                                                                 \
        case SIMT_PTX_FMA:                                                                         \
            *result = fused(a, b, c);                                                              \
            break;                                                                                 \
        case SIMT_PTX_DIV:                                                                         \
            *result = a / b;                                                                       \
            break;                                                                                 \
        case SIMT_PTX_RCP:                                                                         \
            *result = 1 / a;                                                                       \
            break;                                                                                 \
        case SIMT_PTX_SQRT:                                                                        \
            *result = root(a);                                                                     \
            break;                                                                                 \
        case SIMT_PTX_MIN:                                                                         \
        case SIMT_PTX_MAX:                                                                         \
            *result = (a < b) == (operation == SIMT_PTX_MIN) ? a : b;                              \
            return a < b || a > b;                                                                 \
        case SIMT_PTX_NEG:                                                                         \
        case SIMT_PTX_ABS:                                                                         \
            return false;                                                                          \
        default:                                                                                   \
            *result = (real)approximate(operation, (double)a);                                     \
            break;                                                                                 \
        }                                                                                          \
        return !isnan(*result); /* there are many NaNs, but the GPU returns only one */            \
    }
SIMT_PLAIN(float, fmaf, sqrtf)
SIMT_PLAIN(double, fma, sqrt)
#undef SIMT_PLAIN

static bool plain(unsigned int operation, unsigned int type, unsigned int flags, uint64_t a,
                  uint64_t b, uint64_t c, uint64_t *bits)
{
    uint32_t small;
    float single;
    double result;
    if (flags & ~(unsigned int)(m_rn | m_ftz | m_approx | m_full | m_NaN)) {
        return false;
    }
    if (type == SIMT_PTX_F32 &&
        plain_float(operation, float_of(a), float_of(b), float_of(c), &single)) {
        memcpy(&small, &single, sizeof small);
        *bits = flush(type, flags, small);
        return true;
    }
    if (type == SIMT_PTX_F64 &&
        plain_double(operation, double_of(a), double_of(b), double_of(c), &result)) {
        memcpy(bits, &result, sizeof *bits);
        return true;
    }
    return false;
}

static uint64_t one(unsigned int operation, unsigned int type, unsigned int flags, uint64_t a,
                    uint64_t b, uint64_t c)
{
    uint64_t sign = (uint64_t)1 << (bits_of(type) - 1), result;
    double operands[3];
    a = flush(type, flags, a);
    b = flush(type, flags, b);
    c = flush(type, flags, c);
    if (plain(operation, type, flags, a, b, c, &result)) {
        return result;
    }
    switch (operation) {
    case SIMT_PTX_NEG:
        return a ^ sign;
    case SIMT_PTX_ABS:
        return a & ~sign;
    case SIMT_PTX_MIN:
    case SIMT_PTX_MAX:
        return extreme(type, flags, operation == SIMT_PTX_MIN, a, b);
    default:
        break;
    }
    operands[0] = to_double(type, a);
    operands[1] = to_double(type, b);
    operands[2] = to_double(type, c);
    if (operation <= SIMT_PTX_DIV || operation == SIMT_PTX_RCP || operation == SIMT_PTX_SQRT) {
        result =
            simt_number_encode(type, exactly(type, flags, operation, operands), rounding_of(flags));
    } else {
        result =
            simt_number_encode(type, from_double(approximate(operation, operands[0])), NEAREST);
    }
    return clamp(type, flags, flush(type, flags, result));
}

uint64_t simt_ptx_real(unsigned int operation, unsigned int type, unsigned int flags, uint64_t a,
                       uint64_t b, uint64_t c)
{
    if (!is_pair(type)) {
        return one(operation, type, flags, a, b, c);
    }
    type = type == SIMT_PTX_F16X2 ? SIMT_PTX_F16 : SIMT_PTX_BF16;
    return one(operation, type, flags, a & 0xffff, b & 0xffff, c & 0xffff) |
           one(operation, type, flags, a >> 16, b >> 16, c >> 16) << 16;
}

/* ---- comparisons ---- */

bool simt_ptx_compare(unsigned int type, unsigned int flags, unsigned int comparison, uint64_t a,
                      uint64_t b)
{
    enum { EQ, NE, LT, LE, GT, GE, EQU = 10, NEU, LTU, LEU, GTU, GEU, NUM, NAN_ };
    double x = to_double(type, flush(type, flags, a)), y = to_double(type, flush(type, flags, b));
    bool unordered = isnan(x) || isnan(y);
    switch (comparison) {
    case EQ:
        return x == y;
    case NE:
        return !unordered && x != y;
    case LT:
        return x < y;
    case LE:
        return x <= y;
    case GT:
        return x > y;
    case GE:
        return x >= y;
    case EQU:
        return unordered || x == y;
    case NEU:
        return unordered || x != y;
    case LTU:
        return unordered || x < y;
    case LEU:
        return unordered || x <= y;
    case GTU:
        return unordered || x > y;
    case GEU:
        return unordered || x >= y;
    case NUM:
        return !unordered;
    default:
        return unordered;
    }
}

bool simt_ptx_test(unsigned int type, unsigned int flags, uint64_t a)
{
    double x = to_double(type, a);
    struct simt_number number = simt_number_decode(type, a);
    bool normal = number.magnitude >> (simt_format_of(type).precision - 1) & 1;
    bool finite = !number.is_nan && !number.is_infinite;
    return flags & m_finite       ? finite
           : flags & m_infinite   ? number.is_infinite
           : flags & m_number     ? !number.is_nan
           : flags & m_notanumber ? number.is_nan
           : flags & m_normal     ? finite && (normal || x == 0)
                                  : finite && !normal && x != 0;
}

/* ---- conversions ---- */

static bool is_real(unsigned int type)
{
    return type >= SIMT_PTX_F16;
}

static bool is_signed(unsigned int type)
{
    return type == SIMT_PTX_S8 || type == SIMT_PTX_S16 || type == SIMT_PTX_S32 ||
           type == SIMT_PTX_S64;
}

static struct simt_number integer(unsigned int type, uint64_t a)
{
    unsigned int shift = 64 - bits_of(type);
    bool negative;
    a <<= shift;
    a = is_signed(type) ? (uint64_t)((int64_t)a >> shift) : a >> shift;
    negative = is_signed(type) && a >> 63;
    return (struct simt_number){.negative = negative, .magnitude = negative ? 0 - a : a};
}

/* Values out of range become the nearest one in range; a NaN becomes 0. */
static uint64_t to_integer(unsigned int type, struct simt_number number,
                           enum simt_rounding rounding)
{
    unsigned int bits = bits_of(type);
    uint64_t all = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    uint64_t most = is_signed(type) ? (all >> 1) + number.negative : number.negative ? 0 : all;
    uint64_t magnitude;
    if (number.is_nan) {
        return 0;
    }
    if (number.is_infinite ||
        (number.magnitude && 64 - __builtin_clzll(number.magnitude) + number.exponent > 64)) {
        magnitude = most;
    } else {
        magnitude = shift_right(number, -number.exponent, rounding);
        magnitude = magnitude < most ? magnitude : most;
    }
    return (number.negative ? 0 - magnitude : magnitude) & all;
}

/* Rounds to a whole number, in the same format. */
static struct simt_number rounded(struct simt_number number, enum simt_rounding rounding)
{
    if (!number.is_nan && !number.is_infinite && number.exponent < 0) {
        number.magnitude = shift_right(number, -number.exponent, rounding);
        number.exponent = 0;
    }
    return number;
}

static uint64_t convert_one(unsigned int to, unsigned int from, unsigned int flags, uint64_t a)
{
    enum simt_rounding rounding = rounding_of(flags);
    struct simt_number number =
        is_real(from) ? simt_number_decode(from, flush(from, flags, a)) : integer(from, a);
    uint64_t bits;
    if (!is_real(to)) {
        if (is_real(from) || flags & m_sat) {
            return to_integer(to, number, rounding);
        }
        bits = number.negative ? 0 - number.magnitude : number.magnitude;
        return bits_of(to) == 64 ? bits : bits & (((uint64_t)1 << bits_of(to)) - 1);
    }
    if (flags & (m_rni | m_rzi | m_rmi | m_rpi)) {
        number = rounded(number, rounding);
    }
    bits = simt_number_encode(to, number, rounding);
    if (simt_format_of(to).finite && flags & m_satfinite && !number.is_nan &&
        (bits & simt_format_of(to).nan) == simt_format_of(to).nan) {
        return bits - 1; /* too large: the largest */
    }
    return clamp(to, flags, flush(to, flags, bits));
}

uint64_t simt_ptx_convert(unsigned int to, unsigned int from, unsigned int flags, uint64_t a,
                          uint64_t second)
{
    if (to == SIMT_PTX_E4M3X2 || to == SIMT_PTX_E5M2X2) {
        to = to == SIMT_PTX_E4M3X2 ? SIMT_PTX_E4M3 : SIMT_PTX_E5M2;
        return convert_one(to, from, flags, a) << 8 | convert_one(to, from, flags, second);
    }
    if (from == SIMT_PTX_E4M3X2 || from == SIMT_PTX_E5M2X2) {
        from = from == SIMT_PTX_E4M3X2 ? SIMT_PTX_E4M3 : SIMT_PTX_E5M2;
        return convert_one(SIMT_PTX_F16, from, flags, a >> 8) << 16 |
               convert_one(SIMT_PTX_F16, from, flags, a & 0xff);
    }
    if (!is_pair(to)) {
        return convert_one(to, from, flags, a);
    }
    to = to == SIMT_PTX_F16X2 ? SIMT_PTX_F16 : SIMT_PTX_BF16;
    return convert_one(to, from, flags, a) << 16 | convert_one(to, from, flags, second);
}
/* SPDX-License-Identifier: MIT */
