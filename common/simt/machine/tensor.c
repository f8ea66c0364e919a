/* What tensor cores do, and the loads and stores that serve them: by all lanes of a warp at once.
 *
 * Products are exact. Sums are made as measurements of other GPUs than Hopper's suggest (M. Fasi et
 * al., Numerical behavior of NVIDIA tensor cores, PeerJ Computer Science 7, 2021): so many products
 * and the sum so far are aligned to the largest of their exponents, what lies below a few extra
 * bits is cut off, and the sum is cut off to a float. Not yet compared with hardware. */
#include <stdio.h>
#include <string.h>

#include "base/exit.h"
#include "machine/hooks.h"
#include "machine/ptx.h"
#include "machine/ptx_numbers.h"
#include "machine/reports.h"

enum { ROWS = 16, COLUMNS = 8, MOST_DEPTH = 32, EXTRA_BITS = 2, FRACTION_BITS = 23 };

/* What a lane brings, on its stack. */
struct lane_matrix {
    enum { PRODUCT, LOAD, STORE } what;
    unsigned int d, type_a, type_b, registers; /* a product's; `registers`: of A, or matrices */
    bool finite, transposed;
    char *row;
    simt_four a, b, c, result;
};

static struct lane_matrix *of_lane(struct simt_thread *lanes, unsigned int lane)
{
    return (struct lane_matrix *)(uintptr_t)lanes[lane].value;
}

/* ---- products ---- */

/* A number of a matrix: an integer, or a floating-point one. */
struct element {
    int64_t value; /* value * 2^exponent */
    int exponent;
    bool is_nan, is_infinite;
};

static unsigned int bits_of(unsigned int type)
{
    return type <= SIMT_PTX_S8 ? 8 : type == SIMT_PTX_TF32 ? 32 : 16;
}

static struct element element_of(unsigned int type, uint32_t bits)
{
    struct simt_number number;
    if (type == SIMT_PTX_S8 || type == SIMT_PTX_U8) {
        return (struct element){.value = type == SIMT_PTX_S8 ? (int8_t)bits : (int64_t)bits};
    }
    number = simt_number_decode(type, bits);
    return (struct element){number.negative ? -(int64_t)number.magnitude
                                            : (int64_t)number.magnitude,
                            number.exponent, number.is_nan, number.is_infinite};
}

/* Element j of the register. */
static uint32_t part_of(unsigned int type, uint32_t word, unsigned int j)
{
    unsigned int bits = bits_of(type);
    return bits == 32 ? word : word >> bits * j & ((1u << bits) - 1);
}

/* Some number of A or B is not finite. */
static bool has_specials;

static struct element noted(struct element element)
{
    has_specials = has_specials || element.is_nan || element.is_infinite;
    return element;
}

/* Which elements a lane holds: the PTX ISA's figures for mma.m16n8k4 to k32, which follow one
 * rule. */
static void gather(struct simt_thread *lanes, struct element a[ROWS][MOST_DEPTH],
                   struct element b[MOST_DEPTH][COLUMNS])
{
    for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
        const struct lane_matrix *mine = of_lane(lanes, lane);
        unsigned int parts = 32 / bits_of(mine->type_a), group = lane / 4, first = lane % 4 * parts;
        for (unsigned int j = 0; j < parts; j++) {
            for (unsigned int i = 0; i < mine->registers; i++) {
                a[group + i % 2 * 8][first + i / 2 * 4 * parts + j] =
                    noted(element_of(mine->type_a, part_of(mine->type_a, mine->a[i], j)));
            }
            for (unsigned int i = 0; i < mine->registers / 2; i++) {
                b[first + i * 4 * parts + j][group] =
                    noted(element_of(mine->type_b, part_of(mine->type_b, mine->b[i], j)));
            }
        }
    }
}

/* A term of a sum: value * 2^(exponent - its fraction's bits). */
struct term {
    int64_t value;
    int exponent, fraction;
};

static int64_t aligned(const struct term *term, int largest)
{
    int shift = largest - term->exponent + term->fraction - FRACTION_BITS - EXTRA_BITS;
    int64_t magnitude = term->value < 0 ? -term->value : term->value;
    magnitude = shift >= 63 ? 0 : shift >= 0 ? magnitude >> shift : magnitude << -shift;
    return term->value < 0 ? -magnitude : magnitude;
}

/* The sum of the terms, as a float. */
static uint32_t add(const struct term *terms, unsigned int count)
{
    int largest = -100000;
    int64_t sum = 0;
    struct simt_number number;
    for (unsigned int i = 0; i < count; i++) {
        if (terms[i].value != 0 && terms[i].exponent > largest) {
            largest = terms[i].exponent;
        }
    }
    for (unsigned int i = 0; i < count; i++) {
        sum += terms[i].value ? aligned(&terms[i], largest) : 0;
    }
    number = (struct simt_number){.negative = sum < 0,
                                  .magnitude = (uint64_t)(sum < 0 ? -sum : sum),
                                  .exponent = largest - FRACTION_BITS - EXTRA_BITS};
    return (uint32_t)simt_number_encode(SIMT_PTX_F32, number, TO_ZERO);
}

/* What is not a finite number, in a sum. */
struct specials {
    bool nan, plus, minus;
};

static void note_special(struct specials *specials, const struct element *x,
                         const struct element *y)
{
    bool infinite = x->is_infinite || y->is_infinite;
    specials->nan |= x->is_nan || y->is_nan;
    if (infinite && ((x->value == 0 && !x->is_infinite) || (y->value == 0 && !y->is_infinite))) {
        specials->nan = true;
    } else if (infinite) {
        bool negative = (x->value < 0) != (y->value < 0);
        specials->plus |= !negative;
        specials->minus |= negative;
    }
}

static uint32_t special_sum(const struct specials *specials)
{
    return specials->nan || (specials->plus && specials->minus) ? 0x7fffffff
           : specials->plus                                     ? 0x7f800000
                                                                : 0xff800000;
}

static int fraction_of(unsigned int type)
{
    return type == SIMT_PTX_BF16 ? 7 : 10;
}

static uint32_t real_sum(const struct lane_matrix *like, const struct element *row,
                         struct element column[][COLUMNS], unsigned int n, unsigned int depth,
                         uint32_t c)
{
    static const struct element one = {.value = 1};
    unsigned int at_once = like->type_a == SIMT_PTX_TF32 ? 4 : 8;
    int fraction = fraction_of(like->type_a);
    struct specials specials = {false, false, false};
    struct element start = element_of(SIMT_PTX_F32, c);
    note_special(&specials, &start, &one);
    for (unsigned int k = 0; has_specials && k < depth; k++) {
        note_special(&specials, &row[k], &column[k][n]);
    }
    if (specials.nan || specials.plus || specials.minus) {
        return special_sum(&specials);
    }
    for (unsigned int first = 0; first < depth; first += at_once) {
        struct term terms[9];
        struct element sum = element_of(SIMT_PTX_F32, c);
        terms[0] = (struct term){sum.value, sum.exponent + FRACTION_BITS, FRACTION_BITS};
        for (unsigned int i = 0; i < at_once; i++) {
            const struct element *x = &row[first + i], *y = &column[first + i][n];
            terms[i + 1] = (struct term){x->value * y->value,
                                         x->exponent + y->exponent + 2 * fraction, 2 * fraction};
        }
        c = add(terms, at_once + 1);
    }
    return c;
}

static uint32_t integer_sum(const struct lane_matrix *like, const struct element *row,
                            struct element column[][COLUMNS], unsigned int n, unsigned int depth,
                            uint32_t c)
{
    int64_t sum = (int32_t)c;
    for (unsigned int k = 0; k < depth; k++) {
        sum += row[k].value * column[k][n].value;
    }
    return like->finite ? simt_ptx_saturated((long)sum) : (uint32_t)sum;
}

/* One number of the result. */
static uint32_t entry(const struct lane_matrix *like, struct element a[ROWS][MOST_DEPTH],
                      struct element b[MOST_DEPTH][COLUMNS], unsigned int m, unsigned int n,
                      uint32_t c)
{
    unsigned int depth = 32 / bits_of(like->type_a) * 4 * (like->registers / 2);
    if (like->type_a <= SIMT_PTX_S8) {
        return integer_sum(like, a[m], b, n, depth, c);
    }
    if (like->d == SIMT_PTX_F16) {
        c = (uint32_t)simt_number_encode(SIMT_PTX_F32, simt_number_decode(SIMT_PTX_F16, c),
                                         NEAREST);
        c = real_sum(like, a[m], b, n, depth, c);
        return (uint32_t)simt_number_encode(SIMT_PTX_F16, simt_number_decode(SIMT_PTX_F32, c),
                                            NEAREST);
    }
    return real_sum(like, a[m], b, n, depth, c);
}

static void multiply(struct simt_thread *lanes)
{
    static struct element a[ROWS][MOST_DEPTH], b[MOST_DEPTH][COLUMNS];
    has_specials = false;
    gather(lanes, a, b);
    for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
        struct lane_matrix *mine = of_lane(lanes, lane);
        bool pairs = mine->d == SIMT_PTX_F16;
        for (unsigned int i = 0; i < 4; i++) {
            unsigned int m = lane / 4 + i / 2 * 8, n = lane % 4 * 2 + i % 2;
            if (pairs) {
                uint32_t c = mine->c[i / 2] >> i % 2 * 16 & 0xffff;
                mine->result[i / 2] |= entry(mine, a, b, m, n, c) << i % 2 * 16;
            } else {
                mine->result[i] = entry(mine, a, b, m, n, mine->c[i]);
            }
        }
    }
}

/* ---- matrices of 8 x 8 ---- */

/* Where in its matrix a lane's element j lies. */
static void place(const struct lane_matrix *mine, unsigned int lane, unsigned int j,
                  unsigned int *row, unsigned int *column)
{
    *row = mine->transposed ? lane % 4 * 2 + j : lane / 4;
    *column = mine->transposed ? lane / 4 : lane % 4 * 2 + j;
}

static void move(struct simt_thread *lanes)
{
    for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
        struct lane_matrix *mine = of_lane(lanes, lane);
        for (unsigned int i = 0; i < mine->registers; i++) {
            for (unsigned int j = 0; j < 2; j++) {
                unsigned int row, column;
                uint16_t half;
                char *at;
                place(mine, lane, j, &row, &column);
                at = of_lane(lanes, i * 8 + row)->row + column * sizeof half;
                if (mine->what == LOAD) {
                    memcpy(&half, at, sizeof half);
                    mine->result[i] |= (uint32_t)half << 16 * j;
                } else {
                    half = (uint16_t)(mine->a[i] >> 16 * j);
                    memcpy(at, &half, sizeof half);
                }
            }
        }
    }
}

/* ---- all lanes ---- */

void simt_matrix_do(struct simt_thread *lanes, unsigned int together)
{
    const struct lane_matrix *first = of_lane(lanes, simt_lowest(together));
    if (together != ~0u) {
        simt_report_collective(&lanes[simt_lowest(together)],
                               "needs all 32 lanes of a warp; there are only", together,
                               "launch blocks of whole warps, of which no lane has returned.");
    }
    for (unsigned int i = 1; i < SIMT_WARP_SIZE; i++) {
        const struct lane_matrix *other = of_lane(lanes, i);
        if (lanes[i].line != lanes[0].line || other->what != first->what) {
            simt_report_collective(&lanes[i], "is met by other lanes at another line:", 1,
                                   "all lanes of a warp must do the same one together.");
        }
    }
    if (first->what == PRODUCT) {
        multiply(lanes);
    } else {
        move(lanes);
    }
}

static simt_four meet(struct lane_matrix *mine, const void *caller, const char *file, int line)
{
    mine->result = (simt_four){0, 0, 0, 0};
    simt_matrix_collective((uintptr_t)mine, caller, file, line);
    return mine->result;
}

simt_four simt_product(unsigned int d, unsigned int type_a, unsigned int type_b,
                       unsigned int registers, bool finite, simt_four a, simt_four b, simt_four c,
                       const char *file, int line)
{
    struct lane_matrix mine = {.what = PRODUCT,
                               .d = d,
                               .type_a = type_a,
                               .type_b = type_b,
                               .registers = registers,
                               .finite = finite,
                               .a = a,
                               .b = b,
                               .c = c};
    return meet(&mine, __builtin_return_address(0), file, line);
}

/* The rows of a matrix are those that 8 lanes name. */
static void record(enum simt_event_kind kind, const void *caller, const void *row,
                   unsigned int count, const char *file, int line)
{
    unsigned int lane = simt_linear(simt_current) % SIMT_WARP_SIZE;
    if (lane < 8 * count && (uintptr_t)row % 16 != 0) {
        simt_report_place();
        fprintf(stderr, ": %s at %s:%d: the address of a row must be a multiple of 16\n",
                kind == EVENT_LOAD ? "ldmatrix" : "stmatrix", file, line);
        simt_exit();
    }
    if (lane < 8 * count && !simt_in_shared(row)) {
        simt_report_place();
        fprintf(stderr, ": %s at %s:%d: a row that does not lie in shared memory\n",
                kind == EVENT_LOAD ? "ldmatrix" : "stmatrix", file, line);
        simt_exit();
    }
    if (simt_tracing && lane < 8 * count) {
        simt_trace_event(kind, caller, (uintptr_t)row, 16);
    }
}

simt_four simt_matrix_load(const void *row, unsigned int count, bool transposed, const char *file,
                           int line)
{
    struct lane_matrix mine = {
        .what = LOAD, .registers = count, .transposed = transposed, .row = (char *)(uintptr_t)row};
    record(EVENT_LOAD, __builtin_return_address(0), row, count, file, line);
    return meet(&mine, __builtin_return_address(0), file, line);
}

void simt_matrix_store(void *row, unsigned int count, bool transposed, simt_four values,
                       const char *file, int line)
{
    struct lane_matrix mine = {
        .what = STORE, .registers = count, .transposed = transposed, .row = row, .a = values};
    record(EVENT_STORE, __builtin_return_address(0), row, count, file, line);
    meet(&mine, __builtin_return_address(0), file, line);
}
