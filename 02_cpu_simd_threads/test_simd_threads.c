#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "compiled_for.h"
#include "device/back_end.h"
#include "device/pool.h"
#include "device/read_probe.h"
#include "problem/reduction/options.h"
#include "shares.h"
#include "step_test.h"
#include "vector.h"

/* Shares cover every element once and in order, for any size. */
static void shares_cover_all(void **state)
{
    static const size_t sizes[] = {0, 1, 63, 64, 65, 1000, 4096, 1000003, SIZE_MAX};
    (void)state;

    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int threads = 1; threads <= 17; threads++) {
            assert_int_equal(share_start(sizes[s], threads, 0), 0);
            assert_true(share_start(sizes[s], threads, threads) == sizes[s]);
            for (int t = 0; t < threads; t++) {
                const size_t first = share_start(sizes[s], threads, t);
                assert_true(first <= share_start(sizes[s], threads, t + 1));
                assert_int_equal(first % 64, 0);
            }
        }
}

/* ---- a system that refuses to start threads -------------------------------------------------- */

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { MAY_REFUSE = 0 }; /* a sanitizer has a pthread_create of its own */
static int refuses_after;
#else
enum { MAY_REFUSE = 1 };
static int refuses_after = INT_MAX;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    void *const found = dlsym(RTLD_NEXT, "pthread_create");

    memcpy(&real, &found, sizeof real);
    return refuses_after-- > 0 ? real(thread, attributes, start, argument) : EAGAIN;
}
#endif

struct visits {
    int count[2 * POOL_MOST];
};

static void visit(void *argument, int thread)
{
    struct visits *const visits = argument;
    visits->count[thread]++;
}

/* If a thread cannot be started, the calling thread does its share. This is so in the pool, which
 * has no threads yet, and in the rungs that start their own. */
static void shares_without_threads(void **state)
{
    static const char *const own[] = {"lock", "atomic", "adjacent", "padded", "local"};
    static struct visits visits;
    float a[1000];
    (void)state;

    if (!MAY_REFUSE)
        skip();
    for (int i = 0; i < 1000; i++)
        a[i] = 1;
    for (int started = 0; started <= 2; started++) {
        memset(&visits, 0, sizeof visits);
        refuses_after = started;
        pool_run(6 + started, visit, &visits);
        for (int t = 0; t < 2 * POOL_MOST; t++)
            assert_int_equal(visits.count[t], t < 6 + started);
        for (size_t r = 0; r < sizeof own / sizeof own[0]; r++) {
            refuses_after = started;
            assert_true(step_test_reduce(step_test_rung(own[r]), OP_SUM, TYPE_F32, a, NULL, 1000) ==
                        1000);
        }
    }
    refuses_after = INT_MAX;
}

/* Each run does every share once: with more threads than processors, with fewer than before, and
 * after the pool has gone to sleep. */
static void pool_does_every_share_once(void **state)
{
    static const int threads[] = {1, 2, 3, 8, 64, 2, 1, 5, POOL_MOST, POOL_MOST + 44};
    static struct visits visits;
    (void)state;

    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        const int runs = threads[i] > 64 ? 3 : 50;
        memset(&visits, 0, sizeof visits);
        for (int run = 0; run < runs; run++)
            pool_run(threads[i], visit, &visits);
        for (int t = 0; t < 2 * POOL_MOST; t++)
            assert_int_equal(visits.count[t], t < threads[i] ? runs : 0);
        const struct timespec pause = {.tv_nsec = 5000000};
        nanosleep(&pause, NULL);
    }
}

/* A run may move the caller to another processor, but must not restrict the processors that it may
 * use. Threads that the caller starts later inherit this. */
static void pool_leaves_the_caller_free(void **state)
{
    static struct visits visits;
    cpu_set_t before, after;
    (void)state;

    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &before)) { /* also on the processor of a pool's worker */
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
            assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
            pool_run(usable_processors(), visit, &visits);
            assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
            assert_true(CPU_EQUAL(&before, &after));
        }
}

static void probe(int threads, size_t size)
{
    struct error error;
    double gb_per_s = 0;

    assert_true(read_probe(threads, size, &gb_per_s, &error));
    assert_true(gb_per_s > 0 && gb_per_s < 1e6);
}

/* Any size and any number of threads works. The rate is not tested. (Each takes 0.1 s or 0.3 s.) */
static void probe_reads_any_size(void **state)
{
    static const size_t sizes[] = {0, 1, 4095, 4096, 4608, 100000};
    static const int threads[] = {1, 2, 300};
    (void)state;

    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        probe(3, sizes[s]);
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++)
        probe(threads[t], 100000);
    probe(300, 4096); /* more threads than blocks */
    probe(2, 3000001);
}

/* Any number of threads gives the right result, even more than there are elements or processors. */
static void any_thread_count_is_right(void **state)
{
    /* With a sanitizer, starting more threads than MAX_THREADS takes minutes. */
    static const int threads[] = {1, 3, 7, STEP_TEST_SANITIZED ? 40 : MAX_THREADS + 44};
    static const size_t sizes[] = {0, 1, 63, 64, 65, 200, 3000};
    struct reduction_options options;
    (void)state;

    step_test_defaults(&options);
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            if (threads[t] >= 40 && sizes[s] < 3000) /* starting many threads takes long */
                continue;
            options.base.threads = threads[t];
            options.n = sizes[s];
            step_test_rungs(&options.base);
        }
}

/* The threads run in any order, but the result has the same bits every time. */
static void top_rung_is_deterministic(void **state)
{
    enum { COUNT = 100003, RUNS = STEP_TEST_SANITIZED ? 20 : 200 };
    const struct reduction_rung *const top = step_test_rung("simd_threads");
    float *const a = malloc(COUNT * sizeof *a), *const b = malloc(COUNT * sizeof *b);
    (void)state;

    for (int i = 0; i < COUNT; i++) {
        a[i] = (float)(i % 1013) * 0.37F - 100;
        b[i] = 1.0F / (float)(i + 1);
    }
    const double first = step_test_reduce(top, OP_DOT, TYPE_F32, a, b, COUNT);
    for (int run = 0; run < RUNS; run++)
        assert_true(step_test_reduce(top, OP_DOT, TYPE_F32, a, b, COUNT) == first);
    free(a);
    free(b);
}

/* prepare() measures how many threads suit OpenBLAS. It must not write a result, and must not
 * choose more threads than allowed. */
static void library_is_prepared_without_an_answer(void **state)
{
    enum { COUNT = 20000, THREADS = 4 };
    const struct reduction_rung *const rung = step_test_rung("openblas");
    static double a[COUNT];
    double result = -7;
    const struct reduction call = {.op = OP_DOT,
                                   .type = TYPE_F64,
                                   .n = COUNT,
                                   .a = a,
                                   .b = a,
                                   .result = &result,
                                   .threads = THREADS};
    char text[RUNG_HOW_SIZE] = "";
    (void)state;

    if (rung->rung.unavailable() != NULL)
        skip();
    for (int i = 0; i < COUNT; i++)
        a[i] = i % 3;
    rung->prepare(&call);
    assert_true(result == -7);
    rung->how(&call, text);
    const char *const number = strstr(text, "kernels, ");
    assert_non_null(number);
    const int threads = atoi(number + strlen("kernels, "));
    assert_true(threads >= 1 && threads <= THREADS);
    rung->run(&call);
    assert_true(result == 6667 * 1 + 6666 * 4);
}

static void expect_how(const char *name, const char *wanted)
{
    const struct reduction call = {.op = OP_DOT, .type = TYPE_F32, .n = 10, .threads = 2};
    const struct reduction_rung *const rung = step_test_rung(name);
    char text[RUNG_HOW_SIZE] = "";

    if (rung->rung.unavailable != NULL && rung->rung.unavailable() != NULL)
        return;
    rung->how(&call, text);
    if (strcmp(text, wanted) != 0)
        fail_msg("%s: '%s' instead of '%s'", name, text, wanted);
}

/* Rungs with SIMD by the compiler name the instruction set that this program was compiled for.
 * Rungs with SIMD by hand name that of the machine. (test_vector.c checks the names.) */
static void rungs_name_their_instructions(void **state)
{
    char lanes[RUNG_HOW_SIZE], simd[RUNG_HOW_SIZE], vector[RUNG_HOW_SIZE];
    (void)state;

    snprintf(lanes, sizeof lanes, "compiled for %s", compiled_for());
    snprintf(simd, sizeof simd, "compiled for %s, 2 threads", compiled_for());
    snprintf(vector, sizeof vector, "%s, 2 threads", vector_name());
    expect_how("lanes", lanes);
    expect_how("one_register", vector_name());
    expect_how("vector", vector_name());
    expect_how("local", "scalar, 2 threads");
    expect_how("openmp", "scalar, 2 threads");
    expect_how("openmp_simd", simd);
    expect_how("openmp_vector", vector);
    expect_how("pool", vector);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_test_reached),
        cmocka_unit_test(shares_without_threads), /* before the pool starts any threads */
        cmocka_unit_test(shares_cover_all),
        cmocka_unit_test(pool_does_every_share_once),
        cmocka_unit_test(pool_leaves_the_caller_free),
        cmocka_unit_test(probe_reads_any_size),
        cmocka_unit_test(rungs_name_their_instructions),
        cmocka_unit_test(library_is_prepared_without_an_answer),
        cmocka_unit_test(any_thread_count_is_right),
        cmocka_unit_test(top_rung_is_deterministic),
        cmocka_unit_test(step_test_reductions),
        cmocka_unit_test(step_test_depths),
        cmocka_unit_test(step_test_known_answers),
    };
    return cmocka_run_group_tests_name("02_cpu_simd_threads", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */
