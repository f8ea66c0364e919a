/* grade: threads */
#include "grade.h"

#include <math.h>
#include <stdlib.h>

enum { SLOT_FLOATS = 16 };

struct sum {
    const float *x;
    int n, threads;
    float *slots;
};

void add_up(int thread, void *data);
float total(const struct sum *sum);

struct call {
    const float *x;
    int n, threads;
    float *result;
};

static void run(void *arguments)
{
    const struct call *const call = arguments;
    const size_t bytes = (size_t)call->threads * SLOT_FLOATS * sizeof(float);
    struct sum sum = {call->x, call->n, call->threads, aligned_alloc(64, bytes)};

    for (int i = 0; i < call->threads * SLOT_FLOATS; i++)
        sum.slots[i] = 0;
    grade_threads(call->threads, add_up, &sum);
    *call->result = total(&sum);
}

static bool try_sum(struct grade *grade, int n, int threads)
{
    struct call call = {grade_floats(grade, (size_t)n), n, threads,
                        grade_output(grade, sizeof(float))};
    double want = 0, size = 0;

    if (!grade_run(grade, run, &call))
        return false;
    for (int i = 0; i < n; i++) {
        want += call.x[i];
        size += fabs(call.x[i]);
    }
    return grade_close(grade, grade_text(grade, "n = %d, %d threads", n, threads), -1, *call.result,
                       want, n * 0x1p-24 * size);
}

static void test_sums(struct grade *grade)
{
    for (int threads = 1; threads <= 9; threads += 2)
        if (!try_sum(grade, (int)grade_size(grade, 0, 5), threads) ||
            !try_sum(grade, (int)grade_size(grade, 100, 700), threads))
            return;
}

static uint64_t writes(const struct grade_line *line)
{
    return line->shared_writes;
}

static void need_writes(struct grade *grade, unsigned long most)
{
    const int n = (int)grade_size(grade, 500, 900), threads = (int)grade_size(grade, 4, 8);

    if (!try_sum(grade, n, threads))
        return;
    const unsigned long found = (unsigned long)grade_total(grade).shared_writes;
    const unsigned long least = (unsigned long)grade_least_reads(grade);
    if (least < (unsigned long)(n / threads / 2))
        grade_fail(grade, 0, NULL,
                   "the work is not spread over the threads: of %d elements for %d threads one has "
                   "read %lu",
                   n, threads, least);
    else if (found > most * (unsigned long)threads)
        grade_fail(grade, grade_worst(grade, writes).line, NULL,
                   "%lu writes by %d threads to cache lines that other threads write, too: each "
                   "may find the "
                   "line gone to another core, some 100 cycles away",
                   found, threads);
}

static void test_few(struct grade *grade)
{
    need_writes(grade, 2);
}

static void test_none(struct grade *grade)
{
    need_writes(grade, 0);
}

const char grade_title[] = "a sum without false sharing";
const struct grade_test grade_tests[] = {
    {"sums", GRADE_RESULT, test_sums},
    {"little false sharing", GRADE_QUALITY, test_few},
    {"no false sharing", GRADE_QUALITY, test_none},
    {"no data races", GRADE_QUALITY, grade_rules},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];
