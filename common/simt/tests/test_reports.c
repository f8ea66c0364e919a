/* The reports that beginners read after a mistake: runs simt_mistakes and checks its output. */
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
    int status; /* as from waitpid */
    char text[65536];
};

static struct outcome run(const char *name)
{
    struct outcome outcome;
    char command[4096];
    size_t length;
    FILE *pipe;
    /* With exec, a signal is reported as a signal and not as the shell's status. */
    snprintf(command, sizeof command, "exec '%s' %s 2>&1", mistakes, name);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    length = fread(outcome.text, 1, sizeof outcome.text - 1, pipe);
    outcome.text[length] = '\0';
    outcome.status = pclose(pipe);
    return outcome;
}

/* "mistakes.cu:LINE" for the line that ends in "// MARK mark". */
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

/* For each mistake: texts that its report contains, and marks of lines that the report names. */
static const struct {
    const char *name, *says[7], *marks[3];
} reports[] = {
    {"barrier_in_branch",
     {"kernel barrier_in_branch", "block (0,0,0): divergent barrier",
      "100 threads in __syncthreads()", ": 0-99\n", ": 100-255\n",
      "hint: every thread of a block must reach the same __syncthreads()"},
     {"launch", "barrier_in_branch 1", "barrier_in_branch 2"}},
    {"shuffle_in_branch",
     {"kernel shuffle_in_branch", "deadlock", "__shfl_down_sync(), mask 0xffffffff", ": 0-15\n",
      ": 16-63\n", "hint: every lane that a mask names"},
     {"shuffle_in_branch 1", "shuffle_in_branch 2"}},
    {"exited_lanes",
     {"kernel exited_lanes", "have returned from the kernel: 20-31"},
     {"exited_lanes"}},
    {"not_in_mask",
     {"kernel not_in_mask", "lacks the calling lane: 16", "thread (16,0,0)"},
     {"not_in_mask"}},
    {"bad_width", {"kernel bad_width", "width"}, {"bad_width"}},
    {"lock_across_barrier",
     {"kernel lock_across_barrier", "livelock", "63 threads waiting in a loop at",
      "it reads byte 0 of a 256-byte allocation", ", which stays 1",
      "thread (0,0,0) changed it last", "and is now in __syncthreads()"},
     {"lock_across_barrier 1", "lock_across_barrier 2"}},
    {"never_unlocked", {"kernel never_unlocked", "livelock"}, {"never_unlocked"}},
    {"past_the_end", {"kernel past_the_end", "0 bytes past the end of a 256-byte"}, {NULL}},
    {"use_after_free", {"kernel null_pointer", "which has been freed"}, {NULL}},
    {"no_shared", {"kernel no_shared", "dynamic shared memory"}, {NULL}},
    {"null_pointer", {"kernel null_pointer", "not device memory"}, {NULL}},
    {"endless", {"kernel endless", "stack overflow"}, {NULL}},
#ifndef SANITIZED /* their stack contents always change */
    {"endless_barriers",
     {"kernel endless_barriers", "endless loop", "64 threads in a loop at"},
     {"endless_barriers"}},
    {"endless_votes",
     {"kernel endless_votes", "endless loop", "32 threads in a loop at"},
     {"endless_votes"}},
#endif
    {"trap", {"kernel trap", "__trap()"}, {"trap"}},
    {"misaligned", {"kernel misaligned", "misaligned address"}, {"misaligned"}},
    {"host_touch", {"host code touched device memory at", "byte 12 of a 256-byte"}, {NULL}},
    {"host_touch_after_many",
     {"host code touched device memory at", "byte 12 of a 256-byte"},
     {NULL}},
};

static void test_reports(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        const struct outcome outcome = run(reports[i].name);
        for (size_t j = 0; j < 7 && reports[i].says[j]; j++) {
            assert_says(&outcome, reports[i].says[j]);
        }
        for (size_t j = 0; j < 3 && reports[i].marks[j]; j++) {
            assert_says(&outcome, place(reports[i].marks[j]));
        }
        assert_says(&outcome, "printed before");
        assert_true(WIFEXITED(outcome.status));
        assert_int_equal(WEXITSTATUS(outcome.status), 1);
    }
}

static void test_other_faults_are_left_alone(void **state)
{
    struct outcome outcome = run("host_crash");
    (void)state;
    assert_null(strstr(outcome.text, "simt:"));
#ifndef SANITIZED /* sanitizers report it and exit */
    assert_true(WIFSIGNALED(outcome.status));
#endif
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reports),
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
