/* C has no templates: this header compiles one file of loops once for every operator and type.
 *
 * A file of loops writes its function for the macros
 *   NAME(x)        the function's name, with the operator and type behind it: x_dot_f32
 *   VALUE          type of a term and of the result
 *   A, B           element types of a and b
 *   IDENTITY       the value that changes nothing: 0, or -inf for max, +inf for min
 *   TERM(a, b, i)  term number i: a[i] * b[i] for dot, a[i] otherwise
 *   COMBINE(x, y)  the operator; a macro that may evaluate x and y more than once
 *   IS_SUM         1 for dot and sum, 0 for max and min
 *   INPUTS         2 for dot, 1 otherwise
 *   SUFFIX, TYPE   dot_f32 and f32, and so on, to choose macros by: REDUCE_NAME(x, SUFFIX)
 * and the source that wants it compiled says
 *   #define REDUCE_LOOPS "the file"
 *   #include "problem/reduction/reduce_each.h"
 * whereupon REDUCE_CALL(x, call) calls the function that suits `call`, as
 *   VALUE x(const A *a, const B *b, size_t n, int threads).
 *
 * Rules for NaN and empty input: reduction.h. Included once per source file. */
#include <math.h>
#include <stddef.h>

#include "problem/reduction/reduction.h"

#define REDUCE_PASTE(x, suffix) x##_##suffix
#define REDUCE_NAME(x, suffix) REDUCE_PASTE(x, suffix)
#define NAME(x) REDUCE_NAME(x, SUFFIX)

#define REDUCE_PRODUCT(a, b, i) ((a)[i] * (VALUE)(b)[i])
#define REDUCE_ELEMENT(a, b, i) ((void)(b), (a)[i])
#define REDUCE_ADD(x, y) ((x) + (y))
/* A NaN compares false with everything: x != x keeps one in x, and the comparison one in y. */
#define REDUCE_LARGER(x, y) ((x) > (y) || (x) != (x) ? (x) : (y))
#define REDUCE_SMALLER(x, y) ((x) < (y) || (x) != (x) ? (x) : (y))

#define SUFFIX dot_f32
#define INPUTS 2
#define TYPE f32
#define VALUE float
#define A float
#define B float
#define IS_SUM 1
#define IDENTITY 0
#define TERM REDUCE_PRODUCT
#define COMBINE REDUCE_ADD
#include REDUCE_LOOPS
#include "problem/reduction/reduce_undef.h"

#define SUFFIX dot_mixed
#define INPUTS 2
#define TYPE f32
#define VALUE float
#define A float
#define B unsigned char
#define IS_SUM 1
#define IDENTITY 0
#define TERM REDUCE_PRODUCT
#define COMBINE REDUCE_ADD
#include REDUCE_LOOPS
#include "problem/reduction/reduce_undef.h"

#define SUFFIX dot_f64
#define INPUTS 2
#define TYPE f64
#define VALUE double
#define A double
#define B double
#define IS_SUM 1
#define IDENTITY 0
#define TERM REDUCE_PRODUCT
#define COMBINE REDUCE_ADD
#include REDUCE_LOOPS
#include "problem/reduction/reduce_undef.h"

#define SUFFIX sum_f32
#define INPUTS 1
#define TYPE f32
#define VALUE float
#define A float
#define B float
#define IS_SUM 1
#define IDENTITY 0
#define TERM REDUCE_ELEMENT
#define COMBINE REDUCE_ADD
#include REDUCE_LOOPS
#include "problem/reduction/reduce_undef.h"

#define SUFFIX sum_f64
#define INPUTS 1
#define TYPE f64
#define VALUE double
#define A double
#define B double
#define IS_SUM 1
#define IDENTITY 0
#define TERM REDUCE_ELEMENT
#define COMBINE REDUCE_ADD
#include REDUCE_LOOPS
#include "problem/reduction/reduce_undef.h"

#define SUFFIX max_f32
#define INPUTS 1
#define TYPE f32
#define VALUE float
#define A float
#define B float
#define IS_SUM 0
#define IDENTITY ((VALUE)-INFINITY)
#define TERM REDUCE_ELEMENT
#define COMBINE REDUCE_LARGER
#include REDUCE_LOOPS
#include "problem/reduction/reduce_undef.h"

#define SUFFIX max_f64
#define INPUTS 1
#define TYPE f64
#define VALUE double
#define A double
#define B double
#define IS_SUM 0
#define IDENTITY ((VALUE)-INFINITY)
#define TERM REDUCE_ELEMENT
#define COMBINE REDUCE_LARGER
#include REDUCE_LOOPS
#include "problem/reduction/reduce_undef.h"

#define SUFFIX min_f32
#define INPUTS 1
#define TYPE f32
#define VALUE float
#define A float
#define B float
#define IS_SUM 0
#define IDENTITY ((VALUE)INFINITY)
#define TERM REDUCE_ELEMENT
#define COMBINE REDUCE_SMALLER
#include REDUCE_LOOPS
#include "problem/reduction/reduce_undef.h"

#define SUFFIX min_f64
#define INPUTS 1
#define TYPE f64
#define VALUE double
#define A double
#define B double
#define IS_SUM 0
#define IDENTITY ((VALUE)INFINITY)
#define TERM REDUCE_ELEMENT
#define COMBINE REDUCE_SMALLER
#include REDUCE_LOOPS
#include "problem/reduction/reduce_undef.h"

#define REDUCE_ONE(x, suffix, value, a_type, b_type, call)                                         \
    *(value *)(call)->result = x##_##suffix((const a_type *)(call)->a, (const b_type *)(call)->b,  \
                                            (call)->n, (call)->threads)

#define REDUCE_CALL(x, call)                                                                       \
    do {                                                                                           \
        const int f64 = (call)->type == TYPE_F64;                                                  \
        if ((call)->op == OP_DOT && (call)->type == TYPE_MIXED)                                    \
            REDUCE_ONE(x, dot_mixed, float, float, unsigned char, call);                           \
        else if ((call)->op == OP_DOT && f64)                                                      \
            REDUCE_ONE(x, dot_f64, double, double, double, call);                                  \
        else if ((call)->op == OP_DOT)                                                             \
            REDUCE_ONE(x, dot_f32, float, float, float, call);                                     \
        else if ((call)->op == OP_SUM && f64)                                                      \
            REDUCE_ONE(x, sum_f64, double, double, double, call);                                  \
        else if ((call)->op == OP_SUM)                                                             \
            REDUCE_ONE(x, sum_f32, float, float, float, call);                                     \
        else if ((call)->op == OP_MAX && f64)                                                      \
            REDUCE_ONE(x, max_f64, double, double, double, call);                                  \
        else if ((call)->op == OP_MAX)                                                             \
            REDUCE_ONE(x, max_f32, float, float, float, call);                                     \
        else if (f64)                                                                              \
            REDUCE_ONE(x, min_f64, double, double, double, call);                                  \
        else                                                                                       \
            REDUCE_ONE(x, min_f32, float, float, float, call);                                     \
    } while (0)
