/* The loops of step 01, compiled by naive.c for every operator and type (common/reduce_each.h). */

/* One accumulator, one element after the other.
 *
 * Bad: every addition waits for the one before it, two to four cycles on current CPUs, although the
 * CPU could start several additions a cycle. The compiler may not reorder them: floating-point
 * addition rounds, so another order is another result, and C promises this one. */
static VALUE NAME(naive)(const A *a, const B *b, size_t n, int threads)
{
    VALUE result = IDENTITY;
    (void)threads;

    for (size_t i = 0; i < n; i++)
        result = COMBINE(result, TERM(a, b, i));
    return result;
}
