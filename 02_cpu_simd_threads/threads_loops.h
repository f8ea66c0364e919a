/* Compiled by threads.c for every operator and type (common/problem/reduction/reduce_each.h). */

struct NAME(share) {
    const A *a;
    const B *b;
    size_t n;
    void *target; /* where the thread leaves what it finds */
};

/* Starts a thread for each share, waits for all. Thread t is given targets + t * step. */
static void NAME(on_threads)(void *(*work)(void *), const A *a, const B *b, size_t n, int threads,
                             void *targets, size_t step)
{
    struct NAME(share) shares[MAX_THREADS];

    for (int t = 0; t < threads; t++) {
        const size_t first = share_start(n, threads, t), end = share_start(n, threads, t + 1);
        shares[t] = (struct NAME(share)){a + first, b != NULL ? b + first : NULL, end - first,
                                         (char *)targets + (size_t)t * step};
    }
    spawn(work, shares, sizeof shares[0], threads);
}

/* A LESSON, wrong on purpose: every thread adds to the one result.
 *
 * Wrong: an addition to memory is a load, an addition and a store. What another thread stored
 * between this thread's load and store is lost. (volatile keeps the compiler from adding in a
 * register and storing once at the end, which would hide the race, not mend it.) */
static void *NAME(race_work)(void *argument)
{
    const struct NAME(share) *const share = argument;
    volatile VALUE *const target = share->target;

    for (size_t i = 0; i < share->n; i++)
        *target = COMBINE(*target, TERM(share->a, share->b, i));
    return NULL;
}

static VALUE NAME(race)(const A *a, const B *b, size_t n, int threads)
{
    VALUE result = IDENTITY;
    NAME(on_threads)(NAME(race_work), a, b, n, threads, &result, 0);
    return result;
}

/* The same with a lock around each addition.
 *
 * Better: right. Still bad: one thread works, the others wait, and the lock costs more than the
 * addition; slower than one thread without a lock. */
struct NAME(locked) {
    pthread_mutex_t lock;
    VALUE value;
};

static void *NAME(lock_work)(void *argument)
{
    const struct NAME(share) *const share = argument;
    struct NAME(locked) *const target = share->target;

    for (size_t i = 0; i < share->n; i++) {
        pthread_mutex_lock(&target->lock);
        target->value = COMBINE(target->value, TERM(share->a, share->b, i));
        pthread_mutex_unlock(&target->lock);
    }
    return NULL;
}

static VALUE NAME(lock)(const A *a, const B *b, size_t n, int threads)
{
    struct NAME(locked) result = {PTHREAD_MUTEX_INITIALIZER, IDENTITY};
    NAME(on_threads)(NAME(lock_work), a, b, n, threads, &result, 0);
    return result.value;
}

/* The same with an atomic: compare-and-swap, and try again if somebody else was faster.
 *
 * Better: nobody sleeps. Still bad: the cache line with the result travels from processor to
 * processor for every addition. */
static void *NAME(atomic_work)(void *argument)
{
    const struct NAME(share) *const share = argument;
    _Atomic VALUE *const target = share->target;

    for (size_t i = 0; i < share->n; i++) {
        const VALUE term = TERM(share->a, share->b, i);
        VALUE seen = atomic_load_explicit(target, memory_order_relaxed);
        while (!atomic_compare_exchange_weak_explicit(target, &seen, COMBINE(seen, term),
                                                      memory_order_relaxed, memory_order_relaxed))
            ;
    }
    return NULL;
}

static VALUE NAME(atomic)(const A *a, const B *b, size_t n, int threads)
{
    _Atomic VALUE result = IDENTITY;
    NAME(on_threads)(NAME(atomic_work), a, b, n, threads, &result, 0);
    return result;
}

/* A number of its own for each thread, side by side; the loop stays as it is, although its atomics
 * now have nobody to contend with.
 *
 * Better: no addition is ever tried twice. Still bad: false sharing. The numbers lie in one cache
 * line, which one processor at a time can write to, so it travels as it did before. */
static VALUE NAME(adjacent)(const A *a, const B *b, size_t n, int threads)
{
    _Alignas(CACHE_LINE) _Atomic VALUE partial[MAX_THREADS];
    for (int t = 0; t < threads; t++)
        atomic_init(&partial[t], IDENTITY);
    NAME(on_threads)(NAME(atomic_work), a, b, n, threads, partial, sizeof partial[0]);

    VALUE result = partial[0];
    for (int t = 1; t < threads; t++)
        result = COMBINE(result, partial[t]);
    return result;
}

/* The same, the numbers two cache lines apart (CPUs like to fetch lines in pairs).
 *
 * Better: no line travels. Still bad: an atomic for every addition. */
static VALUE NAME(padded)(const A *a, const B *b, size_t n, int threads)
{
    struct {
        _Alignas(2 * CACHE_LINE) _Atomic VALUE value;
    } partial[MAX_THREADS];
    for (int t = 0; t < threads; t++)
        atomic_init(&partial[t].value, IDENTITY);
    NAME(on_threads)(NAME(atomic_work), a, b, n, threads, partial, sizeof partial[0]);

    VALUE result = partial[0].value;
    for (int t = 1; t < threads; t++)
        result = COMBINE(result, partial[t].value);
    return result;
}

/* The number in a register, and stored once at the end: then it hardly matters where.
 *
 * Better: step 01's loop on every processor. Still bad: it is step 01's loop, and the threads are
 * started anew for every call, which takes as long as a hundred thousand additions. */
static void *NAME(local_work)(void *argument)
{
    const struct NAME(share) *const share = argument;
    VALUE result = IDENTITY;

    for (size_t i = 0; i < share->n; i++)
        result = COMBINE(result, TERM(share->a, share->b, i));
    *(VALUE *)share->target = result;
    return NULL;
}

static VALUE NAME(local)(const A *a, const B *b, size_t n, int threads)
{
    VALUE partial[MAX_THREADS];
    NAME(on_threads)(NAME(local_work), a, b, n, threads, partial, sizeof partial[0]);

    VALUE result = partial[0];
    for (int t = 1; t < threads; t++)
        result = COMBINE(result, partial[t]);
    return result;
}

#ifdef _OPENMP
/* OpenMP starts its threads once and gives each a result of its own, in a register; the compiler
 * may use SIMD within. One line in place of all the above. */
static VALUE NAME(openmp)(const A *restrict a, const B *restrict b, size_t n, int threads)
{
#pragma omp declare reduction(combine:VALUE                                                        \
                              : omp_out = COMBINE(omp_out, omp_in))                                \
    initializer(omp_priv = IDENTITY)
    VALUE result = IDENTITY;

#pragma omp parallel for simd reduction(combine : result) num_threads(threads) schedule(static)
    for (size_t i = 0; i < n; i++)
        result = COMBINE(result, TERM(a, b, i));
    return result;
}
#endif
