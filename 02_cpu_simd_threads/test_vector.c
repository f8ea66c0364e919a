/* Compares the SIMD loops of every instruction set of this machine with the plain loop. The inputs
 * are integers, so the results must be equal. The program does not use the test framework, so it
 * can be compiled for another processor and run there or in an emulator. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/half.h"
#include "compiled_for.h"
#include "vector.h"

enum { MOST = 700, OFFSETS = 3 };

static float a32[MOST + OFFSETS], b32[MOST + OFFSETS];
static double a64[MOST + OFFSETS], b64[MOST + OFFSETS];
static uint16_t a16[MOST + OFFSETS], b16[MOST + OFFSETS];
static unsigned char mask[MOST + OFFSETS];

static double element(enum element_type type, const void *elements, size_t i)
{
    return type == TYPE_F64   ? ((const double *)elements)[i]
           : type == TYPE_F16 ? (double)float_of_half(((const uint16_t *)elements)[i])
                              : (double)((const float *)elements)[i];
}

static double expected(const struct reduction *call)
{
    double result = call->op == OP_MAX ? -INFINITY : call->op == OP_MIN ? INFINITY : 0;

    for (size_t i = 0; i < call->n; i++) {
        const double a = element(call->type, call->a, i);
        const double b =
            call->op != OP_DOT ? 1
            : call->type == TYPE_MIXED
                ? ((const unsigned char *)call->b)[i]
                : element(call->type == TYPE_F32_F64 ? TYPE_F64 : call->type, call->b, i);
        if (isnan(a))
            return a;
        if (call->op == OP_MAX)
            result = a > result ? a : result;
        else if (call->op == OP_MIN)
            result = a < result ? a : result;
        else
            result += a * b;
    }
    return result;
}

/* Runs one call. True if the result equals that of the plain loop. */
static int is_right(const char *name, vector_function *reduce, struct reduction *call)
{
    union {
        float f32;
        double f64;
    } result;

    memset(&result, 0xFF, sizeof result);
    call->result = &result;
    reduce(call);
    const double got = is_f64_result(call->type) ? result.f64 : (double)result.f32;
    const double want = expected(call);
    if (got == want || (isnan(got) && isnan(want)))
        return 1;
    fprintf(stderr, "%s: op %d, type %d, n %zu: got %g, expected %g\n", name, call->op, call->type,
            call->n, got, want);
    return 0;
}

/* All sizes, alignments, operators and types. */
static int check_set(const char *name, vector_function *reduce)
{
    int right = 1;

    for (size_t n = 0; n <= MOST; n++)
        for (size_t offset = 0; offset < OFFSETS; offset++)
            for (int op = OP_DOT; op <= OP_MIN; op++)
                for (int type = TYPE_F32; type < (op == OP_DOT ? ELEMENT_TYPES : TYPE_MIXED);
                     type++) {
                    struct reduction call = {.op = (enum reduce_op)op,
                                             .type = (enum element_type)type,
                                             .n = n,
                                             .threads = 1};
                    call.a = type == TYPE_F64   ? (const void *)(a64 + offset)
                             : type == TYPE_F16 ? (const void *)(a16 + offset)
                                                : (const void *)(a32 + offset);
                    call.b = op != OP_DOT ? NULL
                             : type == TYPE_F64 || type == TYPE_F32_F64
                                 ? (const void *)(b64 + offset)
                             : type == TYPE_F32 ? (const void *)(b32 + offset)
                             : type == TYPE_F16 ? (const void *)(b16 + offset)
                                                : (const void *)(mask + offset);
                    right = is_right(name, reduce, &call) && right;
                }
    return right;
}

/* A NaN at every place of an input that fills registers and has a tail. */
static int check_nan(const char *name, vector_function *reduce)
{
    const size_t n = 150;
    int right = 1;

    for (size_t place = 0; place < n; place++) {
        const float kept32 = a32[place];
        const double kept64 = a64[place];
        const uint16_t kept16 = a16[place];
        a32[place] = NAN;
        a64[place] = NAN;
        a16[place] = half_of_float(NAN);
        for (int op = OP_SUM; op <= OP_MIN; op++) {
            struct reduction call = {.op = (enum reduce_op)op, .n = n, .a = a32, .threads = 1};
            right = is_right(name, reduce, &call) && right;
            call.type = TYPE_F64;
            call.a = a64;
            right = is_right(name, reduce, &call) && right;
            call.type = TYPE_F16;
            call.a = a16;
            right = is_right(name, reduce, &call) && right;
        }
        a32[place] = kept32;
        a64[place] = kept64;
        a16[place] = kept16;
    }
    return right;
}

/* The first term is so large that its lane loses every 1. Other lanes keep their ones. This detects
 * a loop that leaves all terms to the scalar loop at the end. */
static int check_lanes(const char *name, vector_function *reduce)
{
    enum { N = 64 };
    float a[N], b[N], sum = 0;
    double a_f64[N], b_f64[N], sum_f64 = 0;

    for (int i = 0; i < N; i++)
        a_f64[i] = b_f64[i] = a[i] = b[i] = 1;
    a[0] = 0x1p24F;
    a_f64[0] = 0x1p53;
    for (int op = OP_DOT; op <= OP_SUM; op++) {
        struct reduction call = {.op = (enum reduce_op)op, .n = N, .threads = 1};
        call.a = a;
        call.b = op == OP_DOT ? b : NULL;
        call.result = &sum;
        reduce(&call);
        call.type = TYPE_F64;
        call.a = a_f64;
        call.b = op == OP_DOT ? b_f64 : NULL;
        call.result = &sum_f64;
        reduce(&call);
        if (sum == a[0] || sum_f64 == a_f64[0]) {
            fprintf(stderr, "%s: op %d: a single lane adds up all terms\n", name, op);
            return 0;
        }
    }
    return 1;
}

/* This machine has the instructions that the compiler may use by itself. */
static int check_compiled_for(void)
{
    const char *const name = compiled_for();
#if defined(__x86_64__)
    const int has = strcmp(name, "avx512") == 0 ? __builtin_cpu_supports("avx512f")
                    : strcmp(name, "avx2") == 0 ? __builtin_cpu_supports("avx2")
                    : strcmp(name, "avx") == 0  ? __builtin_cpu_supports("avx")
                                                : strcmp(name, "sse2") == 0;
#elif defined(__aarch64__)
    const int has = strcmp(name, "neon") == 0 || strcmp(name, "sve") == 0;
#else
    const int has = 1;
#endif
    printf("compiled for %s: %s\n", name, has ? "passed" : "FAILED");
    return has;
}

int main(void)
{
    int right = check_compiled_for();

    for (int i = 0; i < MOST + OFFSETS; i++) {
        a64[i] = a32[i] = (float)(i * 37 % 101 - 50);
        b64[i] = b32[i] = (float)(i * 29 % 17 - 8);
        a16[i] = half_of_float(a32[i]);
        b16[i] = half_of_float(b32[i]);
        mask[i] = i * 7 % 5 < 2;
    }
    for (const struct instruction_set *set = vector_sets; set->name != NULL; set++) {
        if (!set->is_here()) {
            printf("%s: not on this machine\n", set->name);
            continue;
        }
        const int passed = check_set(set->name, set->one_register) &&
                           check_nan(set->name, set->one_register) &&
                           check_set(set->name, set->vector) && check_nan(set->name, set->vector) &&
                           check_lanes(set->name, set->vector) &&
                           (strcmp(set->name, "scalar") == 0 || /* its one register is one lane */
                            check_lanes(set->name, set->one_register));
        printf("%s: %s\n", set->name, passed ? "passed" : "FAILED");
        right = right && passed;
    }
    return right ? 0 : 1;
}
/* SPDX-License-Identifier: MIT */
