/* Every seeded fault of a source such as faults.cu is reported with its lines, also in other orders
 * of threads. Correct cases are silent in every order. cases.cuh explains the names of cases. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cmocka_all.h"

#define SEEDS "0..4"
#define ALL_WELL "simt: 5 schedules, 0 to 4: none failed\n"

#define ONE_SEED "7"

static const char *program, *source, *schedules = "";

/* Cases that wait for an event that never occurs. Others need longer on a busy machine. */
static const char waits[] = " lock_over_barrier lock_kept spin_plain endless_loop nobody_sets_it"
                            " lock_held_at_barrier default_later_block ";

static int run(const char *name, char *text, size_t size)
{
    char command[4096];
    size_t length;
    FILE *pipe;
    snprintf(command, sizeof command, " %s ", name);
    setenv("SIMT_WATCHDOG", strstr(waits, command) ? "0.1" : "1", 1); /* CPU time */
    snprintf(command, sizeof command, "%s exec '%s' %s 2>&1", schedules, program, name);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    length = fread(text, 1, size - 1, pipe);
    text[length] = '\0';
    return pclose(pipe);
}

/* Whether the line has a "// FAULT ..." comment that contains this name. */
static bool is_marked(const char *line, const char *name)
{
    const char *mark = strstr(line, "// FAULT ");
    size_t length = strlen(name);
    for (mark = mark ? strstr(mark, name) : NULL; mark; mark = strstr(mark + 1, name)) {
        if (mark[-1] == ' ' && (mark[length] == ' ' || mark[length] == '\n')) {
            return true;
        }
    }
    return false;
}

static int check_lines(const char *name, const char *text)
{
    const char *slash = strrchr(source, '/');
    char line[512], place[128];
    int number = 0, missing = 0;
    FILE *file = fopen(source, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        number++;
        snprintf(place, sizeof place, "%s:%d", slash ? slash + 1 : source, number);
        if (is_marked(line, name) && !strstr(text, place)) {
            print_error("%s: %s is not in:\n%s\n", name, place, text);
            missing++;
        }
    }
    fclose(file);
    return missing;
}

/* In another order of threads a fault may have another symptom: "FIRST|SECOND". The marked lines
 * belong to FIRST. */
static bool is_told(const char *text, const char *phrases, bool *first)
{
    char phrase[256];
    const size_t length = strcspn(phrases, "|");
    snprintf(phrase, sizeof phrase, "%.*s", (int)length, phrases);
    *first = strstr(text, phrase) != NULL;
    return *first || (phrases[length] == '|' && strstr(text, phrases + length + 1));
}

static int check_one(const char *name, const char *phrases)
{
    static char text[1 << 18];
    bool first;
    int status = run(name, text, sizeof text);
    int wanted = strncmp(name, "only_", 5) == 0
                     ? schedules[0] != '\0'
                     : strncmp(name, "ok_", 3) != 0 && strncmp(name, "note_", 5) != 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != wanted) {
        print_error("%s: status %#x, wanted exit %d:\n%s\n", name, (unsigned int)status, wanted,
                    text);
        return 1;
    }
    if (strncmp(name, "ok_", 3) == 0 || (!wanted && strncmp(name, "only_", 5) == 0)) {
        if (strcmp(text, schedules[0] ? "printed before\n" ALL_WELL : "printed before\n") != 0) {
            print_error("%s: a false alarm:\n%s\n", name, text);
            return 1;
        }
        return 0;
    }
    if (!is_told(text, phrases, &first) || !strstr(text, "printed before")) {
        print_error("%s: \"%s\" is not in:\n%s\n", name, phrases, text);
        return 1;
    }
    if (strncmp(name, "once_", 5) == 0 && strstr(strstr(text, "simt: ") + 1, "simt: ")) {
        print_error("%s: told twice:\n%s\n", name, text);
        return 1;
    }
    /* There must not be a hint that would help only one pair of threads. */
    if (strstr(text, "__syncwarp() is missing") && strstr(text, "__syncthreads() is missing")) {
        print_error("%s: two hints:\n%s\n", name, text);
        return 1;
    }
    return first ? check_lines(name, text) : 0;
}

static void test_all(void **state)
{
    static char list[1 << 16];
    int wrong = 0, faults = 0, right = 0;
    (void)state;
    schedules = "";
    assert_int_equal(run("", list, sizeof list), 0);
    for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
        char *tab = strchr(line, '\t');
        assert_non_null(tab);
        *tab = '\0';
        wrong += check_one(line, tab + 1) != 0;
        right += strncmp(line, "ok_", 3) == 0;
        faults += strncmp(line, "ok_", 3) != 0 && strncmp(line, "only_", 5) != 0;
    }
    assert_true(faults >= 5 && right >= 5);
    assert_int_equal(wrong, 0);
}

/* Runs all cases of a kind with this SIMT_SCHEDULE. */
static void check_schedules(const char *which, bool (*is_kind)(const char *name))
{
    static char list[1 << 16];
    int wrong = 0;
    schedules = "";
    assert_int_equal(run("", list, sizeof list), 0);
    schedules = which;
    for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
        char *tab = strchr(line, '\t');
        *tab = '\0';
        if (is_kind(line)) {
            wrong += check_one(line, tab + 1) != 0;
        }
    }
    assert_int_equal(wrong, 0);
}

static bool needs_several(const char *name)
{
    return strncmp(name, "only_", 5) == 0 || strncmp(name, "ok_", 3) == 0;
}

static bool is_always_wrong(const char *name)
{
    return !needs_several(name) && strncmp(name, "default_", 8) != 0;
}

/* Correct cases are silent in all orders of threads. An only_... case fails in some of them. */
static void test_schedules(void **state)
{
    (void)state;
    check_schedules("SIMT_SCHEDULE=" SEEDS, needs_several);
}

/* Faults are reported in any order. */
static void test_faults_in_other_order(void **state)
{
    (void)state;
    check_schedules("SIMT_SCHEDULE=" ONE_SEED, is_always_wrong);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_schedules),
    };
    const struct CMUnitTest more[] = {
        cmocka_unit_test(test_faults_in_other_order),
    };
    if (count < 3 || count > 4 || (count == 4 && strcmp(arguments[3], "shuffled") != 0)) {
        fputs("usage: test_simt_faults path/to/simt_faults path/to/faults.cu [shuffled]\n", stderr);
        return 2;
    }
    program = arguments[1];
    source = arguments[2];
    return count == 4 ? cmocka_run_group_tests(more, NULL, NULL)
                      : cmocka_run_group_tests(tests, NULL, NULL);
}
