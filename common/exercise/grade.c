/* The grader's main program: runs an exercise's tests, reports on them and writes the points. */
#include "grade.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../base/random.h"
#include "grade_internal.h"

enum { FULL_SCORE = 100, BAD_USAGE = 2 };

/* ---- what outlives a test -------------------------------------------------------------------- */

static const char *source_path;
static bool was_counted;   /* the CPU back end has also run this answer for a GPU */
static char counted[1500]; /* what it counted against the answer, "" if nothing */
static int gpu_lock = -1;
static size_t finding_test;          /* the test whose run broke a rule */
static const char *page_path;        /* the file for a page of the explorer, or NULL */
static const char *order_path;       /* if set: test results only, write the first failure here */
static char wrong_in_order[1500];    /* the failure of a run with another order of threads */
static size_t wrong_test = SIZE_MAX; /* the test that failed in that run */

/* ---- random sizes and data ------------------------------------------------------------------- */

static uint64_t draw(struct grade *grade)
{
    return random_bits(grade->seed, grade->drawn++);
}

size_t grade_size(struct grade *grade, size_t least, size_t most)
{
    return least + (size_t)(draw(grade) % (most - least + 1));
}

/* Memory that is followed by an inaccessible page. Its address is one that no program, library or
 * heap uses, because the answer's process maps a copy at the same address. */
static void *guarded(struct grade *grade, size_t bytes, bool is_output)
{
    const uintptr_t region = (uintptr_t)1 << 46;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), rounded = (bytes + 15) / 16 * 16,
                 pages = (rounded + page - 1) / page * page;
    const struct grade_buffer *const next = &grade->buffers[grade->buffer_count];
    char *const wanted =
        grade->buffer_count == 0 ? (char *)region : (char *)next[-1].map + next[-1].bytes + page;
    char *const map =
        mmap(wanted, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (map == MAP_FAILED || grade->buffer_count == GRADE_MOST_BUFFERS)
        grade_stop("no memory for the tests");
    mprotect(map + pages, page, PROT_NONE);
    grade->buffers[grade->buffer_count++] = (struct grade_buffer){map, pages, is_output};
    return map + pages - (bytes + 3) / 4 * 4; /* whole words, right before the page */
}

float *grade_floats(struct grade *grade, size_t count)
{
    float *const values = guarded(grade, count * sizeof *values, false);

    for (size_t i = 0; i < count; i++)
        values[i] = (float)((int)(draw(grade) % 512) - 256) / 256;
    return values;
}

int *grade_ints(struct grade *grade, size_t count, int least, int most)
{
    int *const values = guarded(grade, count * sizeof *values, false);

    for (size_t i = 0; i < count; i++)
        values[i] = least + (int)(draw(grade) % (uint64_t)(most - least + 1));
    return values;
}

void *grade_output(struct grade *grade, size_t bytes)
{
    void *const memory = guarded(grade, bytes, true);
    memset(memory, 0xFF, bytes);
    return memory;
}

const char *grade_text(struct grade *grade, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(grade->text, sizeof grade->text, format, arguments);
    va_end(arguments);
    return grade->text;
}

/* ---- judging --------------------------------------------------------------------------------- */

void grade_fail(struct grade *grade, int line, const char *on_a_gpu, const char *format, ...)
{
    va_list arguments;

    if (grade->verdict == GRADE_FAILED)
        return;
    grade->verdict = GRADE_FAILED;
    grade->line = line;
    snprintf(grade->on_a_gpu, sizeof grade->on_a_gpu, "%s", on_a_gpu != NULL ? on_a_gpu : "");
    va_start(arguments, format);
    vsnprintf(grade->message, sizeof grade->message, format, arguments);
    va_end(arguments);
}

bool grade_failed(const struct grade *grade)
{
    return grade->verdict == GRADE_FAILED;
}

bool grade_close(struct grade *grade, const char *what, long index, double got, double want,
                 double bound)
{
    char place[48] = "the result";

    if (fabs(got - want) <= bound)
        return true;
    if (index >= 0)
        snprintf(place, sizeof place, "element %ld", index);
    if (isnan(got))
        grade_fail(grade, 0, NULL, "%s: %s is NaN or was never written; it should be %.7g", what,
                   place, want);
    else
        grade_fail(grade, 0, NULL,
                   "%s: %s is %.7g and should be %.7g (rounding explains %.1e at most)", what,
                   place, got, want, bound);
    return false;
}

bool grade_equal(struct grade *grade, const char *what, long index, long got, long want)
{
    if (got == want)
        return true;
    if (index >= 0)
        grade_fail(grade, 0, NULL, "%s: element %ld is %ld and should be %ld", what, index, got,
                   want);
    else
        grade_fail(grade, 0, NULL, "%s: the result is %ld and should be %ld", what, got, want);
    return false;
}

int grade_first_report(const char *reports)
{
    const char *const second = strstr(reports, "\nsimt: ");
    return (int)(second != NULL ? (size_t)(second - reports) : strlen(reports));
}

/* What a GPU would do, since it does not detect the broken rule. */
static const char *consequence(const char *finding)
{
    if (strstr(finding, "data race") != NULL)
        return "threads run in a different order in each run, so the result is right or wrong by "
               "chance.";
    if (strstr(finding, "out of bounds") != NULL)
        return "another array's memory is read or overwritten, or the launch fails with an illegal "
               "address.";
    if (strstr(finding, "before it is written") != NULL)
        return "what an earlier program left in that memory goes into the result.";
    return NULL;
}

void grade_rules(struct grade *grade)
{
    if (grade_session.findings[0] != '\0')
        grade_fail(grade, 0, grade_counts_gpu ? consequence(grade_session.findings) : NULL, "%.*s",
                   grade_first_report(grade_session.findings), grade_session.findings);
}

static uint64_t conflicts_of(const struct grade_line *line)
{
    return line->conflicts;
}

void grade_conflicts(struct grade *grade, uint64_t most_in_100)
{
    const struct grade_line total = grade_total(grade), worst = grade_worst(grade, conflicts_of);
    if (100 * total.conflicts > most_in_100 * total.shared_requests)
        grade_fail(
            grade, worst.line,
            "a bank serves one word per turn; the warp waits until it has served each different "
            "word that the lanes read or write.",
            "%lu bank conflicts in %lu accesses to shared memory", (unsigned long)worst.conflicts,
            (unsigned long)worst.shared_requests);
}

bool grade_needs_rules(struct grade *grade)
{
    if (grade_session.findings[0] == '\0')
        return true;
    grade_fail(grade, 0, NULL, "graded once no rule is broken");
    return false;
}

void grade_speed(struct grade *grade, const char *reference, double full, double half)
{
    const struct speed *const speed = &grade->record.speed;
    char told[400];

    grade->speed = *speed;
    grade->part = speed_percent(speed->ratio, full, half);
    snprintf(grade->reference, sizeof grade->reference, "%s", reference);
    snprintf(told, sizeof told,
             "%.2f of the speed of %s: it takes %.1f us, the answer %.1f us (%s, median of %u)",
             floor(speed->ratio * 100) / 100, reference, speed->reference_us, speed->answer_us,
             grade->record.device, speed->pairs);
    if (grade->part == FULL_SCORE)
        snprintf(grade->message, sizeof grade->message, "%s", told);
    else
        grade_fail(grade, 0, NULL, "%s\nall points from %.2f on, half of them from %.2f on%s%s",
                   told, full, half,
                   !was_counted         ? ""
                   : counted[0] == '\0' ? "\nthe CPU back end counts nothing against it"
                                        : "\ncounted on the CPU back end:\n",
                   counted);
}

/* ---- what the last run did ------------------------------------------------------------------- */

struct grade_line grade_total(const struct grade *grade)
{
    struct grade_line total = {0};
    uint64_t *const sum = &total.load_requests;
    const size_t count = (sizeof total - offsetof(struct grade_line, load_requests)) / sizeof *sum;

    for (size_t i = 0; i < grade->record.line_count; i++)
        for (size_t j = 0; j < count; j++)
            sum[j] += (&grade->record.lines[i].load_requests)[j];
    return total;
}

size_t grade_lines(const struct grade *grade, const struct grade_line **lines)
{
    *lines = grade->record.lines;
    return grade->record.line_count;
}

static uint64_t steps_of(const struct grade_line *line)
{
    return line->load_requests + line->store_requests + line->shared_requests + line->crowd;
}

uint64_t grade_steps(const struct grade *grade)
{
    const struct grade_line total = grade_total(grade);
    return steps_of(&total);
}

bool grade_few_steps(struct grade *grade, uint64_t most, const char *ideal)
{
    static const char on_a_gpu[] = "a warp takes as long for one lane as for 32, and atomics on "
                                   "one address come one after the other.";
    const unsigned long steps = (unsigned long)grade_steps(grade);
    const struct grade_line worst = grade_worst(grade, steps_of);
    const double lanes =
        worst.shared_requests > 0 ? (double)worst.shared_lanes / (double)worst.shared_requests : 0;

    if (steps <= most)
        return true;
    if (lanes >= 1.5) /* several threads work at a time on that line */
        grade_fail(grade, worst.line, on_a_gpu,
                   "too many warps take part: %lu accesses to memory, each an instruction of a "
                   "whole warp, and on average %.1f of 32 lanes work at this line; %s takes %lu "
                   "accesses at most",
                   steps, lanes, ideal, (unsigned long)most);
    else
        grade_fail(grade, worst.line, on_a_gpu,
                   "the work is not spread over the threads: %lu accesses to memory, each an "
                   "instruction of a whole warp or an atomic in turn; %s takes %lu at most",
                   steps, ideal, (unsigned long)most);
    return false;
}

uint64_t grade_least_reads(const struct grade *grade)
{
    return grade->record.least_reads;
}

uint64_t grade_launches(const struct grade *grade)
{
    return grade->record.launches;
}

uint64_t grade_threads_run(const struct grade *grade)
{
    return grade->record.threads;
}

struct grade_line grade_worst(const struct grade *grade,
                              uint64_t (*cost)(const struct grade_line *line))
{
    struct grade_line worst = {0};

    for (size_t i = 0; i < grade->record.line_count; i++)
        if (cost(&grade->record.lines[i]) > cost(&worst))
            worst = grade->record.lines[i];
    return worst;
}

/* ---- telling --------------------------------------------------------------------------------- */

struct outcome {
    enum grade_verdict verdict;
    int line, points, most;
    struct speed speed;
    char reference[64];
    char message[2048], on_a_gpu[512];
};

static bool source_line(int wanted, char *text, size_t size)
{
    FILE *const file = fopen(source_path, "r");
    bool found = false;

    for (int line = 1; file != NULL && fgets(text, (int)size, file) != NULL; line++)
        if (line == wanted) {
            found = true;
            break;
        }
    if (file != NULL)
        fclose(file);
    text[found ? strcspn(text, "\n") : 0] = '\0';
    return found;
}

/* Prints each line of a text with an indent. */
static void tell_indented(const char *text)
{
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        printf("           %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

/* The line that a message names, as in "task.cu:12: ...". A launch's line is the second choice. */
static int line_in(const char *message)
{
    static const char launched[] = "launched at ";
    const size_t length = sizeof launched - 1;
    int of_launch = 0;

    for (const char *at = strstr(message, "task.c"); at != NULL; at = strstr(at, "task.c")) {
        const char *word = at; /* the path */
        while (word > message && word[-1] != ' ' && word[-1] != '\n')
            word--;
        const bool is_launch =
            (size_t)(word - message) >= length && strncmp(word - length, launched, length) == 0;
        at += strcspn(at, ": \n");
        const int line = *at == ':' ? atoi(at + 1) : 0;
        if (line > 0 && !is_launch)
            return line;
        of_launch = of_launch > 0 ? of_launch : line;
    }
    return of_launch;
}

/* Some tests first check what another test has already checked. */
static bool same_reason(const struct outcome *one, const struct outcome *other)
{
    return one->verdict == GRADE_FAILED && other->verdict == GRADE_FAILED &&
           strcmp(one->message, other->message) == 0;
}

/* `before` is the outcome of the test before, NULL for the first test. */
static void tell(const char *name, const struct outcome *outcome, const struct outcome *before)
{
    static const char *const lines[] = {"  passed   %3d/%-3d %s\n", "  FAILED   %3d/%-3d %s\n",
                                        "  -        %3d/%-3d %s\n"};
    char text[256];

    printf(lines[outcome->verdict], outcome->points, outcome->most, name);
    if (before != NULL && same_reason(outcome, before)) {
        printf("           for the same reason\n");
        return;
    }
    tell_indented(outcome->message);
    if (outcome->line > 0 && line_in(outcome->message) == 0 &&
        source_line(outcome->line, text, sizeof text))
        printf("           task line %d: %s\n", outcome->line, text + strspn(text, " \t"));
    if (outcome->on_a_gpu[0] != '\0')
        printf("           On a GPU: %s\n", outcome->on_a_gpu);
}

static void json_text(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text != '\0'; text++)
        if (*text == '\n')
            fputs("\\n", file);
        else
            fprintf(file, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
    putc('"', file);
}

/* One line per test. docs/teaching.md describes the format. */
static bool write_json(const char *path, const char *exercise, const struct outcome *outcomes,
                       int points, int most)
{
    FILE *const file = fopen(path, "w");

    if (file == NULL)
        return false;
    fprintf(file, "{\"version\": 1, \"exercise\": ");
    json_text(file, exercise);
    fprintf(file, ", \"status\": \"%s\", \"score\": %d, \"max_score\": %d",
            points == most ? "pass" : "fail", points, most);
    if (grade_session.printed_result)
        fprintf(file, ", \"look\": \"it printed what looks like a result of the grader\"");
    fprintf(file, ", \"tests\": [");
    for (size_t i = 0, shown = 0; i < grade_test_count; i++) {
        const struct outcome *const outcome = &outcomes[i];
        if (outcome->verdict == GRADE_LEFT_OUT)
            continue;
        fprintf(file, "%s\n  {\"name\": ", shown++ > 0 ? "," : "");
        json_text(file, grade_tests[i].name);
        fprintf(file,
                ", \"status\": \"%s\", \"score\": %d, \"max_score\": %d, \"line_no\": %d, "
                "\"message\": ",
                outcome->verdict == GRADE_PASSED ? "pass" : "fail", outcome->points, outcome->most,
                outcome->line > 0 ? outcome->line : line_in(outcome->message));
        json_text(file, outcome->message);
        if (outcome->speed.pairs > 0) {
            fprintf(file, ", \"speed\": {\"ratio\": %.4f, \"answer_us\": %.3f, ",
                    outcome->speed.ratio, outcome->speed.answer_us);
            fprintf(file, "\"reference_us\": %.3f, \"reference\": ", outcome->speed.reference_us);
            json_text(file, outcome->reference);
            fputc('}', file);
        }
        fputc('}', file);
    }
    fprintf(file, "\n]}\n");
    return fclose(file) == 0;
}

/* ---- grading --------------------------------------------------------------------------------- */

/* Turns any text into a seed, with the hash FNV-1a. */
static uint64_t seed_of(const char *text)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001B3u;
    return hash;
}

/* Only the CPU back end counts, and only a GPU is timed. */
static bool is_left_out(const struct grade_test *test)
{
    return test->kind == (grade_on_gpu ? GRADE_QUALITY : GRADE_SPEED);
}

/* The points of each test. They add up to 100. */
static int share_of(size_t index)
{
    int before = 0, all = 0;

    for (size_t i = 0; i < grade_test_count; i++) {
        all += !is_left_out(&grade_tests[i]);
        before += i < index && !is_left_out(&grade_tests[i]);
    }
    return FULL_SCORE * (before + 1) / all - FULL_SCORE * before / all;
}

/* Several gradings share one GPU. Only a test of speed has the GPU to itself. */
static void lock_gpu(bool alone)
{
    if (gpu_lock >= 0 && flock(gpu_lock, alone ? LOCK_EX : LOCK_SH) != 0)
        grade_stop("the GPU's lock");
}

static struct outcome run_test(size_t index, uint64_t seed, bool results_right)
{
    static struct grade grade;
    const struct grade_test *const test = &grade_tests[index];
    struct outcome outcome;

    memset(&grade, 0, sizeof grade);
    grade.seed = random_bits(seed, index);
    lock_gpu(test->kind == GRADE_SPEED);
    if (is_left_out(test)) {
        grade.verdict = GRADE_LEFT_OUT;
    } else if (grade_session.out_of_time) {
        grade.verdict = GRADE_NOT_GRADED;
        snprintf(grade.message, sizeof grade.message, "not run: a test before it ran out of time");
    } else if (test->kind != GRADE_RESULT && !results_right) {
        grade.verdict = GRADE_NOT_GRADED;
        snprintf(grade.message, sizeof grade.message, "graded once all results are right");
    } else {
        test->test(&grade);
        if (index == wrong_test)
            grade_fail(&grade, 0, NULL,
                       "right in one order of threads and blocks, wrong in another, and a GPU's "
                       "order is not known:\n%s",
                       wrong_in_order);
    }
    for (size_t i = 0; i < grade.buffer_count; i++)
        munmap(grade.buffers[i].map, grade.buffers[i].bytes + (size_t)sysconf(_SC_PAGESIZE));
    memset(&outcome, 0, sizeof outcome);
    outcome.verdict = grade.verdict;
    outcome.line = grade.line;
    memcpy(outcome.message, grade.message, sizeof outcome.message);
    memcpy(outcome.on_a_gpu, grade.on_a_gpu, sizeof outcome.on_a_gpu);
    outcome.speed = grade.speed;
    memcpy(outcome.reference, grade.reference, sizeof outcome.reference);
    outcome.most = outcome.verdict == GRADE_LEFT_OUT ? 0 : share_of(index);
    outcome.points =
        outcome.most * (outcome.verdict == GRADE_PASSED ? FULL_SCORE : grade.part) / FULL_SCORE;
    return outcome;
}

/* Writes a page of the run that made a test fail, or of the first test's run if none failed. */
static void explore(const struct outcome *outcomes, const size_t *watched, uint64_t seed)
{
    size_t failed = 0;
    int line = 0;

    while (failed < grade_test_count && outcomes[failed].verdict != GRADE_FAILED)
        failed++;
    if (failed < grade_test_count) {
        const struct outcome *const outcome = &outcomes[failed];
        line = outcome->line > 0 ? outcome->line : line_in(outcome->message);
    }
    grade_session.page = open(page_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (grade_session.page < 0)
        grade_stop(page_path);
    grade_session.out_of_time = false;
    run_test(failed < grade_test_count ? watched[failed] : 0, seed, true);
    printf("#line=%d\n", line);
}

/* Writes which test fails in this order of threads, and why. A later run of the grader reads it. */
static void tell_order(size_t index, const struct outcome *outcome)
{
    FILE *const file = fopen(order_path, "w");

    if (file == NULL || fprintf(file, "%zu %s", index, outcome->message) < 0 || fclose(file) != 0)
        grade_stop(order_path);
}

static void read_order(const char *path)
{
    FILE *const file = fopen(path, "r");

    if (file == NULL)
        grade_stop(path);
    if (fscanf(file, "%zu ", &wrong_test) == 1)
        wrong_in_order[fread(wrong_in_order, 1, sizeof wrong_in_order - 1, file)] = '\0';
    fclose(file);
}

static void read_counted(const char *path)
{
    FILE *const file = fopen(path, "r");
    const size_t count = file != NULL ? fread(counted, 1, sizeof counted - 1, file) : 0;

    counted[count] = '\0';
    was_counted = file != NULL;
    if (file != NULL)
        fclose(file);
}

static int grade_all(int argc, char **argv)
{
    const char *json_path = NULL, *exercise = "", *seed_text = NULL;
    int points = 0, most = 0, option;
    bool results_right = true;

    while ((option = getopt(argc, argv, "a:e:s:t:j:o:c:w:l:r:x:p:")) != -1) {
        switch (option) {
        case 'a':
            grade_session.answer_program = open(optarg, O_RDONLY | O_CLOEXEC);
            if (grade_session.answer_program < 0)
                grade_stop(optarg);
            break; /* the answer's program */
        case 'e':
            exercise = optarg;
            break; /* the exercise's name */
        case 's':
            seed_text = optarg;
            break; /* any text */
        case 't':
            grade_session.seconds = atoi(optarg);
            break; /* the time limit of a run */
        case 'j':
            json_path = optarg;
            break;
        case 'o':
            grade_session.output_path = optarg;
            break; /* a file for what the answer prints */
        case 'c':
            source_path = optarg;
            break; /* the answer's source */
        case 'w':
            read_counted(optarg);
            break; /* a file with the counts of the CPU back end */
        case 'l':
            gpu_lock = open(optarg, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
            break; /* the file to lock for the GPU */
        case 'p':
            page_path = optarg;
            break; /* a file for a page of the explorer */
        case 'r':
            order_path = optarg;
            break; /* test results only; write the first wrong one to this file */
        case 'x':
            read_order(optarg);
            break; /* a file that a run with -r and another SIMT_SCHEDULE wrote */
        default:
            return BAD_USAGE;
        }
    }
    if (grade_session.output_path == NULL || source_path == NULL || grade_session.seconds < 1 ||
        grade_session.answer_program < 0) {
        fprintf(stderr,
                "usage: %s -a PROGRAM -c SOURCE -o FILE [-e NAME] [-s SEED] [-t SECONDS] [-j FILE] "
                "[-w FILE] [-l FILE] [-p FILE]\n",
                argv[0]);
        return BAD_USAGE;
    }
    grade_confine_grader();
    const uint64_t seed = seed_text != NULL ? seed_of(seed_text) : grade_fresh_number();
    struct outcome *const outcomes = calloc(grade_test_count, sizeof *outcomes);
    size_t *const watched = calloc(grade_test_count, sizeof *watched); /* the test to run again */
    if (outcomes == NULL || watched == NULL)
        grade_stop("no memory");

    if (order_path != NULL) {
        for (size_t i = 0; i < grade_test_count && results_right; i++) {
            if (grade_tests[i].kind != GRADE_RESULT)
                continue;
            outcomes[i] = run_test(i, seed, true);
            results_right = outcomes[i].verdict == GRADE_PASSED;
            if (!results_right)
                tell_order(i, &outcomes[i]);
        }
        free(outcomes);
        free(watched);
        return results_right ? 0 : 1;
    }

    printf("%s: %s\n", exercise, grade_title);
    for (size_t i = 0; i < grade_test_count; i++) {
        const unsigned runs_before = grade_session.runs;
        const bool had_findings = grade_session.findings[0] != '\0';
        outcomes[i] = run_test(i, seed, results_right);
        finding_test = !had_findings && grade_session.findings[0] != '\0' ? i : finding_test;
        watched[i] = grade_session.runs > runs_before ? i : finding_test;
        if (grade_tests[i].kind == GRADE_RESULT && outcomes[i].verdict != GRADE_PASSED)
            results_right = false;
        points += outcomes[i].points;
        most += outcomes[i].most;
        if (outcomes[i].verdict != GRADE_LEFT_OUT)
            tell(grade_tests[i].name, &outcomes[i], i > 0 ? &outcomes[i - 1] : NULL);
    }
    if (!results_right && grade_session.findings[0] != '\0') {
        printf("  The checks found something that may be why:\n");
        grade_session.findings[grade_first_report(grade_session.findings)] = '\0';
        tell_indented(grade_session.findings);
    }
    if (grade_session.printed[0] != '\0' && !grade_session.out_of_time) {
        printf("  It printed (the end of it, in the first test where it did):\n");
        grade_session.printed[GRADE_SHOWN_OUTPUT] = '\0';
        tell_indented(grade_session.printed);
    }
    printf("  %d of %d points\n", points, most);
    if (json_path != NULL && !write_json(json_path, exercise, outcomes, points, most))
        grade_stop(json_path);
    if (page_path != NULL)
        explore(outcomes, watched, seed);
    free(outcomes);
    free(watched);
    return points == most ? 0 : 1;
}

const char *grade_anchor(void)
{
    size_t i = 0;

    while (grade_tests[i].test == grade_rules) /* it is here, not in check.o */
        i++;
    return (const char *)(uintptr_t)grade_tests[i].test;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], GRADE_ANSWER_ARGUMENT) == 0)
        grade_answer();
    const int status = grade_all(argc, argv);
    return fflush(stdout) == 0 ? status : GRADE_MACHINE_ERROR;
}
/* SPDX-License-Identifier: MIT */
