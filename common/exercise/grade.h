/* The grader of the exercises: the functions that an exercise's check.c uses.
 *
 * A check is a table of tests, grade_tests[]. Each test is worth the same share of 100 points. A
 * test is passed or failed; only a test of speed may earn half of its share. A test makes inputs,
 * runs the answer in a separate process (grade_run) and judges the outputs. If the answer crashes,
 * loops forever or calls exit(), the test fails with a reason. The answer cannot reach the
 * references or the points.
 *
 * Tests of kind GRADE_RESULT come first. Tests of kind GRADE_QUALITY check counts and rules. They
 * need right results, because a kernel that does nothing has no bank conflicts. A GPU counts
 * nothing, so they are left out there. Tests of kind GRADE_SPEED time the answer. They run on a GPU
 * only, and they also need right results. A test that is left out is worth no points; the other
 * tests share the 100.
 *
 * Sizes and data come from a seed, so an answer cannot know them. The seed is new in every run
 * unless it is given. */
#ifndef RUNGS_GRADE_H
#define RUNGS_GRADE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct grade; /* the test that runs */

enum grade_kind { GRADE_RESULT, GRADE_QUALITY, GRADE_SPEED };

struct grade_test {
    const char *name;
    enum grade_kind kind;
    void (*test)(struct grade *grade);
};

/* Defined by the exercise's check.c. */
extern const char grade_title[];
extern const struct grade_test grade_tests[];
extern const size_t grade_test_count;

/* ---- random sizes and data ------------------------------------------------------------------- */

/* A random size from `least` to `most`, both included. */
size_t grade_size(struct grade *grade, size_t least, size_t most);

/* Random arrays that live until the end of the test. An inaccessible page follows each. Floats are
 * multiples of 2^-8 in [-1, 1), which makes some sums exact. Integers lie in [least, most]. */
float *grade_floats(struct grade *grade, size_t count);
int *grade_ints(struct grade *grade, size_t count, int least, int most);

/* Memory that the grader reads back from the answer's process. Each byte is 0xFF at first, so all
 * floats are NaN. */
void *grade_output(struct grade *grade, size_t bytes);

/* ---- running the answer ---------------------------------------------------------------------- */

/* Calls run(arguments), a function of check.c, in a process of the answer's program. The process
 * has limits of time, memory, files and processes. If the call does not return, the test fails with
 * a reason and the result is false. The process has a copy of *arguments, and copies of the arrays
 * above at the same addresses. It has no other data of the test, so *arguments may contain pointers
 * to these arrays only. */
#define grade_run(grade, run, arguments) grade_run_on(grade, run, arguments, sizeof *(arguments))
bool grade_run_on(struct grade *grade, void (*run)(void *), const void *arguments, size_t bytes);

/* Within run() only. The first returns device memory with a copy of `from`, or with each byte 0xFF
 * if `from` is NULL. The second waits for the kernels and copies back to the host. An error ends
 * the process and becomes the reason why the test failed. */
void *grade_to_device(const void *from, size_t bytes);
void grade_from_device(void *to, const void *from, size_t bytes);

/* Within run() only: sets device memory to 0, in stream order with the kernels. */
void grade_clear(void *memory, size_t bytes);

/* Within run() only, in tests of speed: times answer(data) and reference(data), which start the
 * same work on the device (speed.h describes the method). grade_speed() judges the times. */
void grade_time(void (*answer)(void *data), void (*reference)(void *data), void *data);

/* For the declaration of a function in a step's exercise/rungs.cu. That file is compiled and linked
 * for a GPU only. */
#define GRADE_ON_GPU_ONLY __attribute__((weak))

/* Within run() only: calls work(t, data) for t = 0 ... threads - 1, each on its own thread, and
 * waits for all of them. */
void grade_threads(int threads, void (*work)(int thread, void *data), void *data);

/* ---- what the last run did ------------------------------------------------------------------- */

/* The counts of one line of the answer, or of all lines. simt_analysis.h defines the terms. */
struct grade_line {
    int line;
    uint64_t load_requests, load_sectors, load_bytes; /* global memory */
    uint64_t store_requests, store_sectors, store_bytes;
    uint64_t atomics, atomic_lanes; /* requests to global memory; lanes in all of them */
    uint64_t shared_atomics;
    uint64_t crowd; /* sum over all atomics: the most lanes on one address in each request */
    uint64_t shared_requests, shared_lanes, conflicts; /* loads and stores */
    uint64_t splits, barriers, shuffles, votes;
    uint64_t shared_writes; /* CPU: writes to a cache line that another thread also writes */
};

enum { GRADE_MOST_LINES = 96 };

struct grade_line grade_total(const struct grade *grade);
size_t grade_lines(const struct grade *grade, const struct grade_line **lines);
/* How much work was done one after the other. Each memory request counts 1. An atomic counts the
 * largest number of its lanes on one address. A request is an instruction of a whole warp, even if
 * few of its lanes take part. Work that is spread over all lanes needs few requests; the same work
 * by one thread needs one request per element. */
uint64_t grade_steps(const struct grade *grade);

/* Fails the test if the last run took more than `most` steps. `ideal` names a way to take fewer. */
bool grade_few_steps(struct grade *grade, uint64_t most, const char *ideal);

/* CPU threads: the number of 4-byte words that the least busy thread has read. */
uint64_t grade_least_reads(const struct grade *grade);

uint64_t grade_launches(const struct grade *grade);
uint64_t grade_threads_run(const struct grade *grade);

/* The line with the highest cost(). */
struct grade_line grade_worst(const struct grade *grade,
                              uint64_t (*cost)(const struct grade_line *line));

/* ---- judging --------------------------------------------------------------------------------- */

/* Fails the test. Only the first reason is kept. `line` is the line of the answer that costs the
 * points, or 0 if there is none. on_a_gpu says what a GPU does at that line; it may be
 * NULL. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void grade_fail(struct grade *grade, int line, const char *on_a_gpu, const char *format, ...);

bool grade_failed(const struct grade *grade);

/* Fails the test unless |got - want| <= bound, so a NaN also fails it. `what` names the case, such
 * as "n = 1000". `index` is the element's index, or -1 for a single result. */
bool grade_close(struct grade *grade, const char *what, long index, double got, double want,
                 double bound);
bool grade_equal(struct grade *grade, const char *what, long index, long got, long want);

/* Formats a text. The text lives until the next call. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
const char *
grade_text(struct grade *grade, const char *format, ...);

/* A test for any table: fails if a run so far broke a rule of CUDA (a data race, an access out of
 * bounds, a read of memory never written) or, for threads on a CPU, had a data race. */
void grade_rules(struct grade *grade);

/* Fails the test if the last run had more than most_in_100 bank conflicts per 100 accesses to
 * shared memory. The reason names the line with the most conflicts. */
void grade_conflicts(struct grade *grade, uint64_t most_in_100);

/* For a test that means nothing if a rule is broken. In that case fails the test; returns false. */
bool grade_needs_rules(struct grade *grade);

/* Gives the points for what grade_time() measured in the last run. All points are for at least
 * `full` times the reference's speed, half of them for at least `half` times. `reference` names it,
 * such as "the rung sequential". */
void grade_speed(struct grade *grade, const char *reference, double full, double half);

#endif
/* SPDX-License-Identifier: MIT */
