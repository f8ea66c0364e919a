/* The output at the end of a program that SIMT_COUNTERS and other variables request, and the files.
 * Runs simt_faults, mostly with cases that have no fault. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"

static const char *program, *step;

static char *run_program(const char *path, const char *environment, const char *arguments,
                         int *status)
{
    static char text[1 << 18];
    char command[4096];
    size_t length;
    FILE *pipe;
    snprintf(command, sizeof command, "%s '%s' %s 2>&1", environment, path, arguments);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    length = fread(text, 1, sizeof text - 1, pipe);
    text[length] = '\0';
    *status = pclose(pipe);
    *status = WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
    return text;
}

static char *run(const char *environment, const char *name, int *status)
{
    return run_program(program, environment, name, status);
}

static void assert_says(const char *text, const char *what)
{
    if (!strstr(text, what)) {
        fail_msg("\"%s\" is not in:\n%s", what, text);
    }
}

static void test_table(void **state)
{
    int status;
    const char *text = run("SIMT_COUNTERS=table", "ok_tree", &status);
    (void)state;
    assert_int_equal(status, 0);
    assert_says(text, "kernel ok_tree (faults.cu:");
    assert_says(text, "1 launch, 4 blocks, 1024 threads");
    assert_says(text, "global loads            32 requests, 32.0 lanes,        128 sectors");
    assert_says(text, "shared loads           100 requests");
    assert_says(text, "36 barriers");
    assert_null(strstr(text, "| "));
}

static void test_lines(void **state)
{
    int status;
    const char *text = run("SIMT_COUNTERS=lines", "ok_tree", &status);
    const char *line;
    (void)state;
    assert_int_equal(status, 0);
    line = strstr(text, "s[threadIdx.x] += s[threadIdx.x + half];");
    assert_non_null(line);
    while (line > text && line[-1] != '\n') {
        line--;
    }
    /* 4 blocks x (4 + 2 + 1 + 5) warps, two loads and one store each */
    assert_non_null(strstr(line, "144"));
    assert_true(strstr(line, "144") < strchr(line, '|'));
}

/* In a narrow terminal, the figures stand below their line, and no figure is left out. */
static void test_narrow(void **state)
{
    static char wide[1 << 16];
    int status;
    (void)state;
    snprintf(wide, sizeof wide, "%s", run("SIMT_COUNTERS=lines COLUMNS=1000", "ok_tree", &status));
    assert_int_equal(status, 0);
    for (int columns = 60; columns <= 100; columns += 20) {
        char environment[64];
        snprintf(environment, sizeof environment, "SIMT_COUNTERS=lines COLUMNS=%d", columns);
        const char *text = run(environment, "ok_tree", &status);
        assert_int_equal(status, 0);
        if (columns >= 80) {
            assert_says(text, "s[threadIdx.x] += s[threadIdx.x + half];\n      |             ^");
        }
        assert_says(text, "shared requests 144,");
        for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
            const size_t length = strcspn(line, "\n");
            if (length > (size_t)columns && line[0] != '/') {
                fail_msg("%zu of %d columns: %.*s", length, columns, (int)length, line);
            }
        }
    }
    assert_says(wide, "a request, 100% of the bytes needed\n");
    assert_says(wide, "      144 ");
}

/* Brackets and quotes must match. This is not a full JSON parser. */
static void assert_json(const char *text)
{
    char open[64];
    int depth = 0, quoted = 0;
    for (; *text; text++) {
        if (*text == '"' && text[-1] != '\\') {
            quoted = !quoted;
        } else if (!quoted && strchr("{[", *text)) {
            assert_true(depth < 63);
            open[depth++] = *text;
        } else if (!quoted && strchr("}]", *text)) {
            assert_true(depth > 0);
            assert_int_equal(open[--depth], *text == '}' ? '{' : '[');
        }
    }
    assert_int_equal(depth, 0);
    assert_int_equal(quoted, 0);
}

/* Returns the text of a file that the program has written, and removes the file. */
static const char *take(const char *path)
{
    static char text[1 << 17];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    unlink(path);
    return text;
}

/* The name of an existing file that contains "old". */
static const char *old_file(void)
{
    static char path[64];
    int descriptor;
    snprintf(path, sizeof path, "/tmp/simt_listing_XXXXXX");
    descriptor = mkstemp(path);
    assert_true(descriptor >= 0 && write(descriptor, "old", 3) == 3);
    close(descriptor);
    return path;
}

static void test_json_to_file(void **state)
{
    char environment[128];
    const char *path = old_file(), *text;
    int status;
    (void)state;
    snprintf(environment, sizeof environment, "SIMT_COUNTERS=json SIMT_OUT=%s", path);
    assert_string_equal(run(environment, "ok_tree", &status), "printed before\n");
    assert_int_equal(status, 0);
    text = take(path);
    assert_json(text);
    assert_says(text, "{\"instrumented\": true, \"kernels\": [");
    assert_says(text, "\"shared_loads\": {\"requests\": 100, ");
    assert_says(text, "\"lines\": [");
}

/* A bad value prints one line, before the program does anything else. */
static void test_bad_values(void **state)
{
    static const char *const values[][2] = {
        {"SIMT_CHECKS=yes", "stop, report or off"},
        {"SIMT_COUNTERS=yes", "table, lines or json"},
        {"SIMT_REPEATED=stop", "run, skip or tell"},
        {"SIMT_WATCHDOG=soon", "a number of seconds, 0 for never"},
        {"SIMT_WATCHDOG=-1", "a number of seconds, 0 for never"},
        {"SIMT_CHECK_SECONDS=1s", "a number of seconds, 0 for no limit"},
        {"SIMT_CHECK_SECONDS=nan", "a number of seconds, 0 for no limit"},
        {"SIMT_PROGRESS=1x", "a number of seconds, 0 for never"},
        {"SIMT_SHADOW_MB=much", "a number of megabytes"},
        {"SIMT_CORES=1e300", "a number of cores, 1 to 4096"},
        {"SIMT_CORES=inf", "a number of cores, 1 to 4096"},
        {"SIMT_CORES=0.5", "a number of cores, 1 to 4096"},
        {"SIMT_CORES=0", "a number of cores, 1 to 4096"},
        {"SIMT_DEVICES=17", "a number of devices, 1 to 16"},
        {"SIMT_MULTIPROCESSORS=0", "a number of multiprocessors, 1 to 132"},
    };
    char line[128];
    int status;
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        snprintf(line, sizeof line, "simt: %s: want %s\n", values[i][0], values[i][1]);
        assert_string_equal(run(values[i][0], "ok_tree", &status), line);
        assert_int_equal(status, 2);
        assert_string_equal(run_program(step, values[i][0], "--n 100", &status), line);
        assert_int_equal(status, 2);
    }
    assert_string_equal(run_program(step, "SIMT_FINDINGS=/dev/full", "--n 100", &status),
                        "simt: SIMT_FINDINGS: cannot write /dev/full: in programs of the steps it "
                        "must be a regular file\n");
    assert_int_equal(status, 4);
}

static void test_empty_is_not_set(void **state)
{
    int status;
    (void)state;
    assert_string_equal(
        run("SIMT_CHECKS= SIMT_COUNTERS= SIMT_REPEATED= SIMT_WATCHDOG= SIMT_CHECK_SECONDS= "
            "SIMT_PROGRESS= SIMT_CORES_AFTER= SIMT_SHADOW_MB= SIMT_CORES= SIMT_DEVICES= "
            "SIMT_MULTIPROCESSORS= SIMT_OUT= SIMT_REQUESTS= SIMT_FINDINGS= SIMT_EXPLORE= "
            "SIMT_SUPPRESSIONS= SIMT_SCHEDULE= SIMT_FAIL=",
            "ok_tree", &status),
        "printed before\n");
    assert_int_equal(status, 0);
}

/* Output that cannot be written gives one line and status 4. If that is known before the program
 * starts, it is reported then. An old file stays unchanged, with no file beside it. */
static void test_nowhere_to_write(void **state)
{
    static const char *const variables[] = {"SIMT_COUNTERS=table SIMT_OUT", "SIMT_REQUESTS",
                                            "SIMT_FINDINGS"};
    char environment[256], line[256], command[128];
    int status;
    (void)state;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *name = strstr(variables[i], "SIMT_OUT") ? "SIMT_OUT" : variables[i], *path,
                   *text;
        snprintf(environment, sizeof environment, "%s=/nonexistent/x", variables[i]);
        snprintf(line, sizeof line,
                 "simt: %s: cannot write /nonexistent/x: No such file or directory\n", name);
        assert_string_equal(run(environment, "ok_tree", &status), line);
        assert_int_equal(status, 4);
        snprintf(environment, sizeof environment, "%s=/dev/full", variables[i]);
        snprintf(line, sizeof line,
                 "printed before\nsimt: %s: cannot write /dev/full: No space left on device\n",
                 name);
        assert_string_equal(run(environment, "ok_tree", &status), line);
        assert_int_equal(status, 4);
        path = old_file();
        snprintf(environment, sizeof environment, "trap '' XFSZ; ulimit -f 0; %s=%s", variables[i],
                 path);
        snprintf(line, sizeof line, "simt: %s: cannot write %s: File too large\n", name, path);
        text = run(environment, "ok_tree", &status);
        assert_says(text, line); /* findings are written earlier */
        assert_int_equal(strlen(text), strlen(line) + strlen("printed before\n"));
        assert_int_equal(status, 4);
        snprintf(command, sizeof command, "test \"$(echo %s*)\" = %s", path, path);
        assert_int_equal(system(command), 0);
        assert_string_equal(take(path), "old");
    }
}

/* A program that goes on after a finding ends normally, so its page is written. */
static void test_report(void **state)
{
    char environment[128];
    const char *path = old_file(), *text;
    int status;
    (void)state;
    snprintf(environment, sizeof environment, "SIMT_CHECKS=report SIMT_EXPLORE=%s", path);
    text = run(environment, "no_barrier", &status);
    assert_int_equal(status, 1);
    assert_says(text, "simt: finding 1:\n");
    assert_says(text, " in all\n");
    assert_says(take(path), "<html");
}

/* The ends of the grid are always checked, even without time: all of four blocks except for one. */
static void test_unchecked_is_told(void **state)
{
    char environment[128];
    const char *path = old_file(), *text, *last;
    int status;
    (void)state;
    snprintf(environment, sizeof environment, "SIMT_CHECK_SECONDS=1e-9 SIMT_FINDINGS=%s", path);
    text = run(environment, "ok_tree", &status);
    assert_int_equal(status, 0);
    last = strstr(text, "simt: not checked: 1 block of kernel ok_tree (launched at ");
    assert_non_null(last);
    assert_int_equal(strcspn(last, "\n") + 1, strlen(last));
    text = take(path);
    assert_json(text);
    assert_says(text, "\"unchecked\": [\n  {\"kernel\": \"ok_tree\"");
    assert_says(text, "\"launches\": 1, \"blocks\": 1}");
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_json_to_file),
        cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_empty_is_not_set),
        cmocka_unit_test(test_nowhere_to_write),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_unchecked_is_told),
    };
    if (count != 3) {
        fputs("usage: test_simt_listing path/to/simt_faults path/to/a/step's/program\n", stderr);
        return 2;
    }
    program = arguments[1];
    step = arguments[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
