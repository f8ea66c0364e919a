/* What a learner reads after a mistake: runs simt_mistakes and looks for what must be there. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cmocka_all.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

static const char *mistakes;

struct outcome {
    int status; /* as waitpid has it */
    char text[65536];
};

static struct outcome run(const char *name)
{
    struct outcome outcome;
    char command[4096];
    size_t length;
    FILE *pipe;
    /* exec, so that a signal is seen as one. */
    snprintf(command, sizeof command, "exec '%s' %s 2>&1", mistakes, name);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    length = fread(outcome.text, 1, sizeof outcome.text - 1, pipe);
    outcome.text[length] = '\0';
    outcome.status = pclose(pipe);
    return outcome;
}

/* "mistakes.cu:LINE" of the line that ends in "// MARK mark". */
static const char *place(const char *mark)
{
    static char text[64];
    char line[512], end[128];
    int number = 0;
    FILE *file = fopen(MISTAKES_SOURCE, "r");
    assert_non_null(file);
    snprintf(end, sizeof end, "// MARK %s\n", mark);
    text[0] = '\0';
    while (fgets(line, sizeof line, file)) {
        number++;
        if (strstr(line, end)) {
            snprintf(text, sizeof text, "mistakes.cu:%d", number);
        }
    }
    fclose(file);
    assert_string_not_equal(text, "");
    return text;
}

static void assert_says(const struct outcome *outcome, const char *what)
{
    if (!strstr(outcome->text, what)) {
        fail_msg("\"%s\" is not in:\n%s", what, outcome->text);
    }
}

/* The report names the kernel, and says each of the texts; the program ended with status 1. */
static struct outcome assert_report(const char *name, const char *first, const char *second)
{
    struct outcome outcome = run(name);
    assert_says(&outcome, first);
    assert_says(&outcome, second);
    assert_says(&outcome, "printed before");
    assert_true(WIFEXITED(outcome.status));
    assert_int_equal(WEXITSTATUS(outcome.status), 1);
    return outcome;
}

static void test_divergent_barrier(void **state)
{
    struct outcome outcome = assert_report("barrier_in_branch", "kernel barrier_in_branch",
                                           "block (0,0,0): divergent barrier");
    (void)state;
    assert_says(&outcome, place("launch"));
    assert_says(&outcome, place("barrier_in_branch 1"));
    assert_says(&outcome, place("barrier_in_branch 2"));
    assert_says(&outcome, "100 threads in __syncthreads()");
    assert_says(&outcome, ": 0-99\n");
    assert_says(&outcome, ": 100-255\n");
    assert_says(&outcome, "hint: every thread of a block must reach the same __syncthreads()");
}

static void test_deadlock(void **state)
{
    struct outcome outcome =
        assert_report("shuffle_in_branch", "kernel shuffle_in_branch", "deadlock");
    (void)state;
    assert_says(&outcome, "__shfl_down_sync(), mask 0xffffffff");
    assert_says(&outcome, place("shuffle_in_branch 1"));
    assert_says(&outcome, place("shuffle_in_branch 2"));
    assert_says(&outcome, ": 0-15\n");
    assert_says(&outcome, ": 16-63\n");
    assert_says(&outcome, "hint: every lane that a mask names");
}

static void test_bad_masks(void **state)
{
    struct outcome outcome = assert_report("exited_lanes", "kernel exited_lanes",
                                           "have returned from the kernel: 20-31");
    (void)state;
    assert_says(&outcome, place("exited_lanes"));
    outcome = assert_report("not_in_mask", "kernel not_in_mask", "lacks the calling lane: 16");
    assert_says(&outcome, "thread (16,0,0)");
    assert_says(&outcome, place("not_in_mask"));
    outcome = assert_report("bad_width", "kernel bad_width", "width");
    assert_says(&outcome, place("bad_width"));
}

static void test_locks(void **state)
{
    struct outcome outcome =
        assert_report("lock_across_barrier", "kernel lock_across_barrier", "livelock");
    (void)state;
    assert_says(&outcome, place("lock_across_barrier 1"));
    assert_says(&outcome, place("lock_across_barrier 2"));
    assert_says(&outcome, "63 threads waiting in a loop at");
    assert_says(&outcome, "it reads byte 0 of a 256-byte allocation, which stays 1");
    assert_says(&outcome, "thread (0,0,0) changed it last");
    assert_says(&outcome, "and is now in __syncthreads()");
    outcome = assert_report("never_unlocked", "kernel never_unlocked", "livelock");
    assert_says(&outcome, place("never_unlocked"));
}

static void test_illegal_addresses(void **state)
{
    (void)state;
    assert_report("past_the_end", "kernel past_the_end", "0 bytes past the end of a 256-byte");
    assert_report("use_after_free", "kernel null_pointer", "which has been freed");
    assert_report("no_shared", "kernel no_shared", "dynamic shared memory");
    assert_report("null_pointer", "kernel null_pointer", "not device memory");
    assert_report("endless", "kernel endless", "stack overflow");
}

static void test_trap_and_misalignment(void **state)
{
    struct outcome outcome = assert_report("trap", "kernel trap", "__trap()");
    (void)state;
    assert_says(&outcome, place("trap"));
    outcome = assert_report("misaligned", "kernel misaligned", "misaligned address");
    assert_says(&outcome, place("misaligned"));
}

static void test_host_access(void **state)
{
    (void)state;
    assert_report("host_touch", "host code touched device memory at",
                  "byte 12 of a 256-byte allocation");
    assert_report("host_touch_after_many", "host code touched device memory at",
                  "byte 12 of a 256-byte allocation");
}

static void test_other_faults_are_left_alone(void **state)
{
    struct outcome outcome = run("host_crash");
    (void)state;
    assert_null(strstr(outcome.text, "simt:"));
#ifndef SANITIZED /* which reports it and exits */
    assert_true(WIFSIGNALED(outcome.status));
#endif
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_divergent_barrier),
        cmocka_unit_test(test_deadlock),
        cmocka_unit_test(test_bad_masks),
        cmocka_unit_test(test_locks),
        cmocka_unit_test(test_illegal_addresses),
        cmocka_unit_test(test_trap_and_misalignment),
        cmocka_unit_test(test_host_access),
        cmocka_unit_test(test_other_faults_are_left_alone),
    };
    if (count != 2) {
        fputs("usage: test_simt_reports path/to/simt_mistakes\n", stderr);
        return 2;
    }
    mistakes = arguments[1];
    setenv("SIMT_WATCHDOG", "0.3", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
