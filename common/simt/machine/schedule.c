/* The order in which threads, warps and blocks run: SIMT_SCHEDULE.
 *
 * SIMT_SCHEDULE=7 uses a random number generator with seed 7. It chooses among the lanes and warps
 * that can run, lets other threads run before some atomics, and shuffles blocks that a GPU would
 * run at the same time. SIMT_SCHEDULE=0..99 runs the program once per seed, and reports the runs
 * that ended differently from the first. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/schedule.h"

#include "base/setting.h"
#include "machine/machine.h"

enum { BLOCKS_TOGETHER = 32, MOST_RUNS = 100000, SHOWN_BYTES = 4000 };

bool simt_shuffled;
static uint64_t seed, state;
static unsigned int launches;

/* ---- random choices ---- */

static uint64_t mixed(uint64_t x) /* splitmix64 */
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

void simt_schedule_start_launch(void)
{
    state = mixed(seed) ^ mixed(launches++);
}

unsigned int simt_schedule_below(unsigned int count)
{
    state++;
    return (unsigned int)(mixed(state) % count);
}

unsigned int simt_schedule_lane(unsigned int set)
{
    for (unsigned int skip = simt_schedule_below((unsigned int)__builtin_popcount(set)); skip > 0;
         skip--) {
        set &= set - 1;
    }
    return simt_lowest(set);
}

static size_t divisor(size_t a, size_t b)
{
    return b == 0 ? a : divisor(b, a % b);
}

size_t simt_schedule_block(size_t turn, size_t count)
{
    size_t first = turn / BLOCKS_TOGETHER * BLOCKS_TOGETHER;
    size_t together = count - first < BLOCKS_TOGETHER ? count - first : BLOCKS_TOGETHER;
    uint64_t random = mixed(mixed(seed) ^ first);
    size_t factor = 1 + (size_t)(random >> 32) % together;
    while (divisor(factor, together) != 1) {
        factor++;
    }
    return first + (factor * (turn - first) + (size_t)(random & 0xffffffff)) % together;
}

/* ---- a range of seeds ---- */

struct run {
    uint64_t seed;
    int status;
    FILE *output; /* its output on both streams */
};

__attribute__((noreturn)) static void refuse(const char *text)
{
    fprintf(stderr, "simt: SIMT_SCHEDULE=%s: want a number, or a range such as 0..99\n", text);
    exit(2);
}

__attribute__((noreturn)) static void fail(const char *what)
{
    fprintf(stderr, "simt: SIMT_SCHEDULE: %s: %s\n", what, strerror(errno));
    exit(3);
}

static int exit_code(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* In the child it returns true, and the program starts. */
static bool start_run(struct run *run)
{
    pid_t child;
    run->output = tmpfile();
    if (!run->output) {
        fail("no file for the output");
    }
    child = fork();
    if (child < 0) {
        fail("no process");
    }
    if (child == 0) {
        char text[32];
        snprintf(text, sizeof text, "%llu", (unsigned long long)run->seed);
        setenv("SIMT_SCHEDULE", text, 1);
        seed = run->seed;
        dup2(fileno(run->output), STDOUT_FILENO);
        dup2(fileno(run->output), STDERR_FILENO);
        return true;
    }
    while (waitpid(child, &run->status, 0) < 0) {
        if (errno != EINTR) {
            fail("lost a process");
        }
    }
    return false;
}

/* The line of the first byte that differs; -1: no difference. */
static long first_difference(FILE *a, FILE *b)
{
    long line = 0, at = 0;
    int one, other;
    rewind(a);
    rewind(b);
    do {
        one = getc(a);
        other = getc(b);
        if (one != other) {
            return line;
        }
        at++;
        line = one == '\n' ? at : line;
    } while (one != EOF);
    return -1;
}

static void show(FILE *file, long from, size_t most)
{
    char buffer[SHOWN_BYTES];
    size_t bytes;
    fseek(file, from, SEEK_SET);
    while (most > 0 &&
           (bytes = fread(buffer, 1, most < sizeof buffer ? most : sizeof buffer, file)) > 0) {
        fwrite(buffer, 1, bytes, stdout);
        most -= bytes;
    }
    fflush(stdout);
}

/* Prints one line of it. */
static void show_line(FILE *file, long from)
{
    int byte;
    fseek(file, from, SEEK_SET);
    fputs("  ", stderr);
    while ((byte = getc(file)) != EOF && byte != '\n') {
        putc(byte, stderr);
    }
    fputs(byte == EOF ? "(the end)\n" : "\n", stderr);
}

static void print_seeds(uint64_t first, const unsigned char *which, uint64_t count,
                        unsigned char kind)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t start = i;
        if (which[i] != kind) {
            continue;
        }
        while (i + 1 < count && which[i + 1] == kind) {
            i++;
        }
        fprintf(stderr, start == i ? " %llu" : " %llu-%llu", (unsigned long long)(first + start),
                (unsigned long long)(first + i));
    }
    fputc('\n', stderr);
}

enum { AS_FIRST, OTHER_OUTPUT, OTHER_STATUS };

/* True in a child, which then runs the program. In the parent, it never returns. */
static bool run_all(uint64_t first, uint64_t last)
{
    uint64_t count = last - first + 1, failed = 0, differ = 0;
    unsigned char *which = calloc(count, 1);
    struct run shown = {.seed = first}, run;
    int code;
    if (!which) {
        fail("no memory");
    }
    if (start_run(&shown)) {
        return true;
    }
    show(shown.output, 0, SIZE_MAX);
    code = exit_code(shown.status);
    failed = code != 0;
    for (uint64_t i = 1; i < count; i++) {
        long difference;
        run = (struct run){.seed = first + i};
        if (start_run(&run)) {
            return true;
        }
        difference = first_difference(shown.output, run.output);
        failed += exit_code(run.status) != 0;
        if (exit_code(run.status) != exit_code(shown.status)) {
            which[i] = OTHER_STATUS;
            if (code == exit_code(shown.status)) { /* the first such run */
                code = code ? code : exit_code(run.status);
                fprintf(stderr, "simt: SIMT_SCHEDULE=%llu ends with status %d:\n",
                        (unsigned long long)run.seed, exit_code(run.status));
                show(run.output, difference > 0 ? difference : 0, SHOWN_BYTES);
            }
        } else if (difference >= 0) {
            which[i] = OTHER_OUTPUT;
            if (differ++ == 0) {
                fprintf(stderr, "simt: SIMT_SCHEDULE=%llu prints something else than %llu:\n",
                        (unsigned long long)run.seed, (unsigned long long)first);
                show_line(shown.output, difference);
                show_line(run.output, difference);
            }
        }
        fclose(run.output);
    }
    fprintf(stderr, "simt: %llu schedules, %llu to %llu: ", (unsigned long long)count,
            (unsigned long long)first, (unsigned long long)last);
    if (failed > 0) {
        fprintf(stderr, "%llu failed%s", (unsigned long long)failed,
                exit_code(shown.status) != 0 && failed < count ? "; these did not:"
                : failed < count                               ? ":"
                                                               : "\n");
        if (failed < count) {
            print_seeds(first, which, count, OTHER_STATUS);
        }
    } else {
        fputs("none failed\n", stderr);
    }
    if (differ > 0) {
        fprintf(stderr, "simt: another output with:");
        print_seeds(first, which, count, OTHER_OUTPUT);
    }
    fflush(NULL);
    _exit(code);
}

static uint64_t number(const char *text, const char **end, const char *whole)
{
    char *after;
    unsigned long long value;
    errno = 0;
    value = strtoull(text, &after, 10);
    if (after == text || text[0] < '0' || text[0] > '9' || errno != 0) {
        refuse(whole);
    }
    *end = after;
    return value;
}

/* Before main, so that each run is a run of the whole program. */
__attribute__((constructor)) static void read_schedule(void)
{
    const char *text = simt_asked("SIMT_SCHEDULE"), *end;
    uint64_t first, last;
    if (!text) {
        return;
    }
    simt_shuffled = true;
    seed = first = last = number(text, &end, text);
    if (strncmp(end, "..", 2) == 0) {
        last = number(end + 2, &end, text);
        if (last < first || last - first >= MOST_RUNS) {
            refuse(text);
        }
    }
    if (*end != '\0') {
        refuse(text);
    }
    if (last > first) {
        run_all(first, last);
    }
}
/* SPDX-License-Identifier: MIT */
