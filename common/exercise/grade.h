/* The grader of the exercises: what an exercise's check.c is written with.
 *
 * A check is a table of tests, grade_tests[]. Each is worth the same share of 100 points and is
 * passed or not; a test of speed may earn half of its share. A test makes inputs, lets the answer
 * compute in a process of its own (grade_run), and judges what it left: a crash, an endless loop or
 * an exit() in the answer is a failed test with a reason, and the references and the points are out
 * of its reach.
 *
 * Tests of kind GRADE_RESULT come first. Those of kind GRADE_QUALITY look at counts and rules; they
 * are graded only where all results are right, since a kernel that does nothing has no bank
 * conflicts. On a GPU, where nothing is counted, they are left out. Those of kind GRADE_SPEED time
 * the answer; they are graded on a GPU only, and likewise. What is left out is worth no points, and
 * the others share the 100.
 *
 * Sizes and data come from a seed, which is another one in every run unless it is given: an answer
 * cannot know them. */
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

/* Between the two, both included. */
size_t grade_size(struct grade *grade, size_t least, size_t most);

/* Arrays behind which lies a page that may not be touched; they live until the test's end. Floats
 * are multiples of 2^-8 in [-1, 1), so that some sums are exact; integers lie in [least, most]. */
float *grade_floats(struct grade *grade, size_t count);
int *grade_ints(struct grade *grade, size_t count, int least, int most);

/* Memory whose contents come back from the answer's process, each byte 0xFF before: floats are
 * NaN. */
void *grade_output(struct grade *grade, size_t bytes);

/* ---- running the answer ---------------------------------------------------------------------- */

/* Calls run(arguments) in a process of the answer's program, with limits of time, memory, files and
 * processes. False if it did not come back; the test has then failed and says why. The process has
 * copies of the arrays above, at the same addresses, and of *arguments. It has nothing else of the
 * test: what run() needs is there, and no pointer but those to the arrays. `run` is a function of
 * check.c. */
#define grade_run(grade, run, arguments) grade_run_on(grade, run, arguments, sizeof *(arguments))
bool grade_run_on(struct grade *grade, void (*run)(void *), const void *arguments, size_t bytes);

/* Within run() only: memory of the device, with a copy of `from` (or each byte 0xFF where that is
 * NULL), and back again, which waits for the kernels. Errors end the process and become the test's
 * reason. */
void *grade_to_device(const void *from, size_t bytes);
void grade_from_device(void *to, const void *from, size_t bytes);

/* Likewise: memory of the device becomes 0, in turn with kernels. */
void grade_clear(void *memory, size_t bytes);

/* Likewise, in tests of speed: times answer(data) and reference(data), which start the same work on
 * the device (speed.h tells how). grade_speed() judges what was measured. */
void grade_time(void (*answer)(void *data), void (*reference)(void *data), void *data);

/* On the declaration of a function in a step's exercise/rungs.cu, which is compiled and linked for
 * a GPU only. */
#define GRADE_ON_GPU_ONLY __attribute__((weak))

/* Within run() only: work(t, data) for t = 0 ... threads - 1, each on a thread of its own; waits
 * for all. */
void grade_threads(int threads, void (*work)(int thread, void *data), void *data);

/* ---- what the last run did ------------------------------------------------------------------- */

/* One line of the answer, or all of it. See simt_analysis.h for the words. */
struct grade_line {
    int line;
    uint64_t load_requests, load_sectors, load_bytes; /* global memory */
    uint64_t store_requests, store_sectors, store_bytes;
    uint64_t atomics, atomic_lanes; /* requests to global memory; lanes, added up */
    uint64_t shared_atomics;
    uint64_t crowd; /* of all atomics: the most lanes on one address in each request, added up */
    uint64_t shared_requests, shared_lanes, conflicts; /* loads and stores */
    uint64_t splits, barriers, shuffles, votes;
    uint64_t shared_writes; /* CPU: writes to a cache line that another thread writes, too */
};

enum { GRADE_MOST_LINES = 96 };

struct grade_line grade_total(const struct grade *grade);
size_t grade_lines(const struct grade *grade, const struct grade_line **lines);
/* How much was done one after the other: each request to memory counts 1, an atomic as many as it
 * has lanes on one address. A request is an instruction of a whole warp, however few of its lanes
 * take part: work that is spread over all lanes takes few, one thread's a request for each
 * element. */
uint64_t grade_steps(const struct grade *grade);

/* The test fails if the last run took more than `most` steps; `ideal` says what takes fewer. */
bool grade_few_steps(struct grade *grade, uint64_t most, const char *ideal);

/* CPU threads: the words of 4 bytes that the least busy one has read. */
uint64_t grade_least_reads(const struct grade *grade);

uint64_t grade_launches(const struct grade *grade);
uint64_t grade_threads_run(const struct grade *grade);

/* The line that has most of what cost() returns. */
struct grade_line grade_worst(const struct grade *grade,
                              uint64_t (*cost)(const struct grade_line *line));

/* ---- judging --------------------------------------------------------------------------------- */

/* The test has failed; the first reason given is the one that is kept. `line` is the line of the
 * answer that costs the points, 0 if there is none. on_a_gpu says what a GPU does there; it may be
 * NULL. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void grade_fail(struct grade *grade, int line, const char *on_a_gpu, const char *format, ...);

bool grade_failed(const struct grade *grade);

/* |got - want| <= bound, which a NaN is not; otherwise the test fails. `what` names the case, such
 * as "n = 1000", and index is the element's place, or -1 for a single result. */
bool grade_close(struct grade *grade, const char *what, long index, double got, double want,
                 double bound);
bool grade_equal(struct grade *grade, const char *what, long index, long got, long want);

/* A text that lives until the next one. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
const char *
grade_text(struct grade *grade, const char *format, ...);

/* A test for any table: no run so far broke a rule of CUDA (data races, bounds, memory that was
 * never written) or, for threads on a CPU, raced. */
void grade_rules(struct grade *grade);

/* The last run may have had most_in_100 bank conflicts for 100 accesses to shared memory; if it had
 * more, the test fails, with the line that has most. */
void grade_conflicts(struct grade *grade, uint64_t most_in_100);

/* For a test that means nothing as long as a rule is broken: false, and the test has failed. */
bool grade_needs_rules(struct grade *grade);

/* What the last run's grade_time measured, and the points for it: all for `full` of the reference's
 * speed or more, half of them for `half` or more. `reference` names it, such as "the rung
 * sequential". */
void grade_speed(struct grade *grade, const char *reference, double full, double half);

#endif
/* SPDX-License-Identifier: MIT */
