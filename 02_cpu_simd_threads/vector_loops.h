/* Compiled by vector_*.c for every operator and type (common/problem/reduction/reduce_each.h), with
 * that file's macros for one instruction set:
 *   TARGET              attribute that lets the compiler use the instruction set
 *   VECTOR, WIDTH       a SIMD register of VALUEs, and how many it holds
 *   FILL(x), STORE(p,v) all lanes x; the lanes to memory
 *   FOLD_SUM(v)         the sum of the lanes
 *   STEP(s, i)          s with WIDTH terms from number i on combined in, lane by lane
 *   JOIN(x, y)          two registers combined, lane by lane */

/* An addition takes about four cycles, but the next can start before it ends, if it does not wait
 * for it: so partial results go to several registers in turn. How many are needed follows from what
 * else bounds the loop. Two registers can be loaded in a cycle; a dot product loads two for one
 * addition, so four additions under way are enough, and with eight it measured slightly slower; the
 * others load one, and need eight. */
TARGET static VALUE NAME(vector)(const A *a, const B *b, size_t n, int threads)
{
    size_t i = 0;
    VALUE result = IDENTITY;
    (void)b;
    (void)threads;

    if (n < WIDTH) { /* no register full: not worth setting any up */
        for (; i < n; i++)
            result = COMBINE(result, TERM(a, b, i));
        return result;
    }
    VECTOR s0 = FILL(IDENTITY), s1 = s0, s2 = s0, s3 = s0;
#if INPUTS == 2
    for (; i + 4 * WIDTH <= n; i += 4 * WIDTH) {
        s0 = STEP(s0, i);
        s1 = STEP(s1, i + WIDTH);
        s2 = STEP(s2, i + 2 * WIDTH);
        s3 = STEP(s3, i + 3 * WIDTH);
    }
#else
    VECTOR s4 = s0, s5 = s0, s6 = s0, s7 = s0;
    for (; i + 8 * WIDTH <= n; i += 8 * WIDTH) {
        s0 = STEP(s0, i);
        s1 = STEP(s1, i + WIDTH);
        s2 = STEP(s2, i + 2 * WIDTH);
        s3 = STEP(s3, i + 3 * WIDTH);
        s4 = STEP(s4, i + 4 * WIDTH);
        s5 = STEP(s5, i + 5 * WIDTH);
        s6 = STEP(s6, i + 6 * WIDTH);
        s7 = STEP(s7, i + 7 * WIDTH);
    }
    s0 = JOIN(s0, s4);
    s1 = JOIN(s1, s5);
    s2 = JOIN(s2, s6);
    s3 = JOIN(s3, s7);
#endif
    for (; i + WIDTH <= n; i += WIDTH)
        s0 = STEP(s0, i);
    s0 = JOIN(s0, s2);
    s1 = JOIN(s1, s3);
    s0 = JOIN(s0, s1);

#if IS_SUM
    result = FOLD_SUM(s0);
#else
    VALUE lanes[WIDTH];
    STORE(lanes, s0);
    for (int l = 0; l < WIDTH; l++)
        result = COMBINE(result, lanes[l]);
#endif
    for (; i < n; i++)
        result = COMBINE(result, TERM(a, b, i));
    return result;
}
