/* What SIMT_COUNTERS makes a program print at its end: runs simt_faults, where nothing is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"

static const char *program;

static char *run(const char *environment, const char *name, int *status)
{
    static char text[1 << 18];
    char command[4096];
    size_t length;
    FILE *pipe;
    snprintf(command, sizeof command, "%s exec '%s' %s 2>&1", environment, program, name);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    length = fread(text, 1, sizeof text - 1, pipe);
    text[length] = '\0';
    *status = pclose(pipe);
    *status = WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
    return text;
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
    /* 4 blocks x 4 + 2 + 1 + 5 warps, two loads and a store each */
    assert_non_null(strstr(line, "144"));
    assert_true(strstr(line, "144") < strchr(line, '|'));
}

/* A narrow terminal: the figures stand below their line, and nothing is left out. */
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

/* Brackets and quotes match; a full reader of JSON is left to others. */
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

static void test_json_to_file(void **state)
{
    char environment[128], path[] = "/tmp/simt_listing_XXXXXX", text[1 << 16] = "";
    int status, descriptor = mkstemp(path);
    ssize_t length;
    (void)state;
    assert_true(descriptor >= 0);
    snprintf(environment, sizeof environment, "SIMT_COUNTERS=json SIMT_OUT=%s", path);
    assert_string_equal(run(environment, "ok_tree", &status), "printed before\n");
    assert_int_equal(status, 0);
    length = read(descriptor, text, sizeof text - 1);
    close(descriptor);
    unlink(path);
    assert_true(length > 0);
    assert_json(text);
    assert_says(text, "{\"instrumented\": true, \"kernels\": [");
    assert_says(text, "\"shared_loads\": {\"requests\": 100, ");
    assert_says(text, "\"lines\": [");
}

static void test_bad_value(void **state)
{
    int status;
    const char *text = run("SIMT_COUNTERS=yes", "ok_tree", &status);
    (void)state;
    assert_int_equal(status, 2);
    assert_says(text, "SIMT_COUNTERS is 'yes': want table, lines or json");
}

/* What was asked for and cannot be had: one line, and status 4. */
static void test_nowhere_to_write(void **state)
{
    static const char *const files[][2] = {{"/nonexistent/x", "No such file or directory"},
                                           {"/dev/full", "No space left on device"}};
    int status;
    (void)state;
    for (int i = 0; i < 2; i++) {
        for (int requests = 0; requests < 2; requests++) {
            const char *variable = requests ? "SIMT_REQUESTS" : "SIMT_OUT";
            char environment[128], line[256];
            const char *text;
            snprintf(environment, sizeof environment, "%s %s=%s",
                     requests ? "" : "SIMT_COUNTERS=table", variable, files[i][0]);
            snprintf(line, sizeof line, "simt: %s: cannot write %s: %s\n", variable, files[i][0],
                     files[i][1]);
            text = run(environment, "ok_tree", &status);
            assert_says(text, line);
            assert_int_equal(strlen(text), strlen(line) + strlen("printed before\n"));
            assert_int_equal(status, 4);
        }
    }
}

static void test_checks_off(void **state)
{
    int status;
    (void)state;
    assert_string_equal(run("SIMT_CHECKS=off", "no_barrier", &status), "printed before\n");
    assert_int_equal(status, 0);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),      cmocka_unit_test(test_lines),
        cmocka_unit_test(test_narrow),     cmocka_unit_test(test_json_to_file),
        cmocka_unit_test(test_bad_value),  cmocka_unit_test(test_nowhere_to_write),
        cmocka_unit_test(test_checks_off),
    };
    if (count != 2) {
        fputs("usage: test_simt_listing path/to/simt_faults\n", stderr);
        return 2;
    }
    program = arguments[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
