/* Compiled by lanes.c for every operator and type (common/problem/reduction/reduce_each.h). */

/* Step 01's loop and the permission to reorder it. `reduction` tells the compiler that result may
 * be kept in several partial results, so it puts one into each lane of a SIMD register; `restrict`,
 * that nothing written here is read here. The operator is declared because OpenMP's own max and min
 * have no rule for NaN.
 *
 * Better than step 01: as many additions an instruction as the register has lanes. Still bad: the
 * compiler uses the instruction set that every machine has (SSE2 on x86-64: 4 floats, where this
 * CPU may have 16), and one register of partial results, in which each addition waits for the one
 * before. */
static VALUE NAME(lanes)(const A *restrict a, const B *restrict b, size_t n, int threads)
{
#pragma omp declare reduction(combine:VALUE                                                        \
                              : omp_out = COMBINE(omp_out, omp_in))                                \
    initializer(omp_priv = IDENTITY)
    VALUE result = IDENTITY;
    (void)threads;

#pragma omp simd reduction(combine : result)
    for (size_t i = 0; i < n; i++)
        result = COMBINE(result, TERM(a, b, i));
    return result;
}
