/* Step 01: what naive_loops.h compiles to. */
#include <float.h>
#include <stdio.h>

#include "library/openblas.h"
#include "map_reduce.h"
#include "naive.h"

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
#error "step 01 is about the order of additions: build it without -ffast-math"
#endif

/* The next wider type of f32 and of f64. */
#define WIDE_f32 double
#define WIDE_f64 long double

/* From element `first` on; sum, max and min have no b. */
#define SKIP(b, first) ((b) == NULL ? NULL : (b) + (first))

#define REDUCE_LOOPS "naive_loops.h"
#include "problem/reduction/reduce_each.h"

void run_naive(const struct reduction *call)
{
    REDUCE_CALL(naive, call);
}

void run_map_reduce_pointers(const struct reduction *call)
{
    REDUCE_CALL(map_reduce_pointers, call);
}

void run_map_reduce_inline(const struct reduction *call)
{
    REDUCE_CALL(map_reduce_inline, call);
}

void run_wide(const struct reduction *call)
{
    REDUCE_CALL(wide, call);
}

void run_pairwise(const struct reduction *call)
{
    REDUCE_CALL(pairwise, call);
}

void run_compensated(const struct reduction *call)
{
    REDUCE_CALL(compensated, call);
}

void run_unrolled(const struct reduction *call)
{
    REDUCE_CALL(unrolled, call);
}

/* This step is about one thread, whatever --threads says. */
static struct reduction on_one_thread(const struct reduction *call)
{
    struct reduction single = *call;
    single.threads = 1;
    return single;
}

void run_openblas(const struct reduction *call)
{
    const struct reduction single = on_one_thread(call);
    openblas_reduce(&single);
}

void how_openblas(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    const struct reduction single = on_one_thread(call);
    openblas_how(&single, text);
}

/* ---- roundings on the way of a term, in units of the type's own (compare.h)
 * -------------------- */

/* n at the wider type's precision, and one when the result becomes a VALUE. */
double depth_wide(const struct reduction *call)
{
    const double n = (double)call->n;
    return call->type == TYPE_F64 ? 1 + n * (double)(LDBL_EPSILON / DBL_EPSILON)
                                  : 1 + n * (DBL_EPSILON / FLT_EPSILON);
}

/* The larger half's way down to a block, and the block. */
double depth_pairwise(const struct reduction *call)
{
    size_t n = call->n;
    double levels = 0;

    for (; n > PAIRWISE_BLOCK; n -= n / 2)
        levels++;
    return (double)n + levels;
}

/* Each turn computes result' - correction' = result - correction + term, but for the rounding of
 * (term - correction), and of (next - result) when the term is the larger: twice u * |term -
 * correction|. Corrections are at most u * sum |terms|. With the last correction, which is not
 * given back: 3 u + 2 n u^2, as a share of sum |terms|. */
double depth_compensated(const struct reduction *call)
{
    const double u = call->type == TYPE_F64 ? DBL_EPSILON / 2 : FLT_EPSILON / 2;
    return 3 + 2 * (double)call->n * u;
}

/* One of the eight chains, the rest that s0 takes, and the three levels at the end. */
double depth_unrolled(const struct reduction *call)
{
    return (double)(call->n / 8 + call->n % 8) + 3;
}

/* ---- what the rungs use
 * ----------------------------------------------------------------------- */

/* No compiler makes SIMD additions of a chain: one number at a time, on any instruction set. */
void how_chain(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    (void)call;
    snprintf(text, RUNG_HOW_SIZE, "scalar, 1 thread");
}

void how_wide(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    snprintf(text, RUNG_HOW_SIZE, "scalar %s, 1 thread",
             call->type == TYPE_F64 ? "long double" : "double");
}

void how_pairwise(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    (void)call;
    snprintf(text, RUNG_HOW_SIZE, "scalar, blocks of %d, 1 thread", PAIRWISE_BLOCK);
}

void how_compensated(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    const bool sums = call->op == OP_DOT || call->op == OP_SUM;
    snprintf(text, RUNG_HOW_SIZE, "scalar, %s, 1 thread", sums ? "Kahan" : "nothing rounds");
}

/* Whether the compiler packs the accumulators into SIMD registers differs by compiler and
 * operator. */
void how_unrolled(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    (void)call;
    snprintf(text, RUNG_HOW_SIZE, "8 accumulators, 1 thread");
}
