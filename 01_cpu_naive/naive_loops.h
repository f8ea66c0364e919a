/* The loops of step 01 in ladder order, compiled by naive.c for every operator and type
 * (common/problem/reduction/reduce_each.h). The rung before these, `dynamic`, has a file of its
 * own. */

/* One accumulator, one element after the other.
 *
 * Better than `dynamic`: the types are known when the loop is compiled, so that nothing is left of
 * them when it runs. Still bad: every addition waits for the one before it, two to four cycles on
 * current CPUs, although the CPU could start two additions a cycle, of several numbers each. The
 * compiler may not reorder them: floating-point addition rounds, so another order is another
 * result, and C promises this one. */
static VALUE NAME(naive)(const A *a, const B *b, size_t n, int threads)
{
    VALUE result = IDENTITY;
    (void)threads;

    for (size_t i = 0; i < n; i++)
        result = COMBINE(result, TERM(a, b, i));
    return result;
}

static void NAME(map)(const void *a, const void *b, size_t i, void *term)
{
    *(VALUE *)term = TERM((const A *)a, (const B *)b, i);
}

static void NAME(combine)(void *result, const void *term)
{
    *(VALUE *)result = COMBINE(*(VALUE *)result, *(const VALUE *)term);
}

/* `naive` as a library would offer it: the loop written once for all types and operators, which are
 * given as functions.
 *
 * Better than `naive`: only in that the loop is written once. Bad: two calls through pointers for
 * each element, and the result goes through memory between them, since that is where the functions
 * look for it. */
static VALUE NAME(map_reduce_pointers)(const A *a, const B *b, size_t n, int threads)
{
    VALUE result = IDENTITY, term;
    (void)threads;

    map_reduce(a, b, n, NAME(map), NAME(combine), &term, &result);
    return result;
}

/* Better than `map_reduce_pointers`: the compiler sees the loop and the functions together, puts
 * the one into the other, and what is left is `naive`, instruction for instruction or nearly so.
 * Still bad: as `naive`. */
static VALUE NAME(map_reduce_inline)(const A *a, const B *b, size_t n, int threads)
{
    VALUE result = IDENTITY, term;
    (void)threads;

    map_reduce_inline(a, b, n, NAME(map), NAME(combine), &term, &result);
    return result;
}

#define WIDER REDUCE_NAME(WIDE, TYPE)

/* `naive` with an accumulator of the next wider type.
 *
 * Better than `naive`: for float, the additions round at 2^-53 where they rounded at 2^-24; the
 * products still round to float, since only the accumulator is wider. For double, long double is
 * wider on x86 (64 bits of significand in place of 53). Still bad: the chain is as long. What a
 * conversion or x87's registers cost comes on top, and there is no next wider type for ever. */
static VALUE NAME(wide)(const A *a, const B *b, size_t n, int threads)
{
    WIDER result = IDENTITY;
    (void)threads;

    for (size_t i = 0; i < n; i++)
        result = COMBINE(result, TERM(a, b, i));
    return (VALUE)result;
}

/* The two halves' results, combined; a short input is left to `naive`.
 *
 * Better than `wide`: needs no wider type, and a term meets PAIRWISE_BLOCK + log2(n /
 * PAIRWISE_BLOCK) roundings where it met n. Still bad: within a block, the chain of `naive`.
 * (Blocks do not wait for each other, though: the CPU starts the next one while the chain of this
 * one is still busy.) */
static VALUE NAME(pairwise)(const A *a, const B *b, size_t n, int threads)
{
    if (n <= PAIRWISE_BLOCK)
        return NAME(naive)(a, b, n, threads);

    const size_t half = n / 2;
    const VALUE left = NAME(pairwise)(a, b, half, threads);
    const VALUE right = NAME(pairwise)(a + half, SKIP(b, half), n - half, threads);
    return COMBINE(left, right);
}

/* Kahan's summation: `correction` is what rounding took from the last addition, given back at the
 * next.
 *
 * Better than `pairwise`: an error that hardly grows with n. Bad: four additions in the chain where
 * there was one. Algebra says that the correction is always 0, so a compiler that may calculate as
 * in algebra (-ffast-math) removes it. Max and min never round. */
static VALUE NAME(compensated)(const A *a, const B *b, size_t n, int threads)
{
#if IS_SUM
    VALUE result = IDENTITY, correction = 0;

    for (size_t i = 0; i < n; i++) {
        const VALUE term = TERM(a, b, i) - correction;
        const VALUE next = result + term;
        correction = (next - result) - term;
        result = next;
    }
    /* An infinity leaves inf - inf, a NaN, as the correction. The plain sum is what it should
     * be. */
    if (isfinite(result))
        return result;
#endif
    return NAME(naive)(a, b, n, threads);
}

/* `naive` with eight accumulators that take turns.
 *
 * Better than `naive`: eight chains. While one addition waits for its chain, others proceed. Still
 * bad: the source says how many chains there are, not how to put them into SIMD registers; whether
 * the compiler does is its own affair (step 02). */
static VALUE NAME(unrolled)(const A *a, const B *b, size_t n, int threads)
{
    VALUE s0 = IDENTITY, s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
    size_t i = 0;
    (void)threads;

    for (; i + 8 <= n; i += 8) {
        s0 = COMBINE(s0, TERM(a, b, i));
        s1 = COMBINE(s1, TERM(a, b, i + 1));
        s2 = COMBINE(s2, TERM(a, b, i + 2));
        s3 = COMBINE(s3, TERM(a, b, i + 3));
        s4 = COMBINE(s4, TERM(a, b, i + 4));
        s5 = COMBINE(s5, TERM(a, b, i + 5));
        s6 = COMBINE(s6, TERM(a, b, i + 6));
        s7 = COMBINE(s7, TERM(a, b, i + 7));
    }
    for (; i < n; i++)
        s0 = COMBINE(s0, TERM(a, b, i));
    s0 = COMBINE(s0, s4);
    s1 = COMBINE(s1, s5);
    s2 = COMBINE(s2, s6);
    s3 = COMBINE(s3, s7);
    s0 = COMBINE(s0, s2);
    s1 = COMBINE(s1, s3);
    return COMBINE(s0, s1);
}
