/* The loops of step 02, compiled by simd_threads.c for every operator and type
 * (common/reduce_each.h). */

/* LANES independent accumulators: element i goes to accumulator i % LANES. Additions no longer wait
 * for each other, and since the loop over the lanes has no order to keep, the compiler turns it into
 * SIMD instructions, several lanes each. The sum is rounded in another order than the naive one: that
 * is what the programmer allows here, by writing it so, and the compiler may not by itself. */
static VALUE NAME(simd)(const A *restrict a, const B *restrict b, size_t n, int threads)
{
    VALUE lanes[LANES];
    size_t i = 0;
    (void)threads;

    for (int l = 0; l < LANES; l++)
        lanes[l] = IDENTITY;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++)
            lanes[l] = COMBINE(lanes[l], TERM(a, b, i + (size_t)l));
    for (int l = 0; i < n; i++, l++)
        lanes[l] = COMBINE(lanes[l], TERM(a, b, i));

    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            lanes[l] = COMBINE(lanes[l], lanes[l + half]);
    return lanes[0];
}

/* Every thread runs the loop above over a share of its own and leaves one number; whoever started
 * the threads combines those. No two threads touch the same cache line, so none waits for another. */
struct NAME(share) {
    const A *a;
    const B *b;
    size_t n;
    _Alignas(CACHE_LINE) VALUE result;
};

static void *NAME(run_share)(void *argument)
{
    struct NAME(share) *const share = argument;
    share->result = NAME(simd)(share->a, share->b, share->n, 1);
    return NULL;
}

static VALUE NAME(threads)(const A *a, const B *b, size_t n, int threads)
{
    struct NAME(share) shares[MAX_THREADS];
    pthread_t handles[MAX_THREADS];
    const int count = threads < 1 ? 1 : threads < MAX_THREADS ? threads : MAX_THREADS;
    int started = 1;

    for (int t = 0; t < count; t++) {
        const size_t first = n / (size_t)count * (size_t)t, rest = n - first;
        shares[t].a = a + first;
        shares[t].b = b != NULL ? b + first : NULL;
        shares[t].n = t + 1 < count ? n / (size_t)count : rest;
    }
    /* This thread takes share 0, and every share that no thread could be started for. */
    while (started < count &&
           pthread_create(&handles[started], NULL, NAME(run_share), &shares[started]) == 0)
        started++;
    NAME(run_share)(&shares[0]);
    for (int t = started; t < count; t++)
        NAME(run_share)(&shares[t]);

    VALUE result = shares[0].result;
    for (int t = 1; t < count; t++) {
        if (t < started)
            pthread_join(handles[t], NULL);
        result = COMBINE(result, shares[t].result);
    }
    return result;
}
