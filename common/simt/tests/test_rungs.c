/* The counters of every rung of steps 03 to 08 must equal those in rung_counts.txt; every compiler
 * gives the same integers. Rungs that the file lacks are named and skipped, so that your own rungs
 * need no counts. Rungs of the file must exist. The problems here are small. `test_simt_rungs BIN
 * FILE shown` counts the larger problems of the pages. `test_simt_rungs BIN FILE programs` tests
 * what the programs in BIN print about the counts; `test_simt_rungs BIN FILE update` rewrites
 * FILE. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"

static const char *const small[] = {
    "03_gpu_single_thread --n 4099",
    "04_gpu_atomic --n 65537",
    "05_gpu_shared_tree --n 65537",
    "05_gpu_shared_tree --n 4099 --op max --type f64",
    "05_gpu_shared_tree --n 4099 --type mixed",
    "05_gpu_shared_tree --n 4099 --op max --type f16",
    "06_gpu_warp_shuffle --n 65537",
    "06_gpu_warp_shuffle --n 4099 --op min --type f64",
    "06_gpu_warp_shuffle --gpus 3 --n 4099",
    "06_gpu_warp_shuffle --ladder rows --m 33 --n 777",
    "06_gpu_warp_shuffle --ladder columns --m 256 --n 65",
    "SIMT_MULTIPROCESSORS=1 06_gpu_warp_shuffle --n 45003 --rung bulk_copies", /* a refilled ring */
    "07_gemm --all --m 100 --n 67 --k 45 --beta 2",
    "07_gemm --m 5 --n 36 --k 1500 --rung any_shape", /* several blocks share a tile */
    "07_gemm --all --m 17 --n 20 --k 72",
    "SIMT_MULTIPROCESSORS=2 07_gemm --all --m 257 --n 20 --k 8",
    "07_gemm --all --type bf16 --m 24 --n 40 --k 72 --beta 2",
    "07_gemm --all --type tf32 --m 24 --n 40 --k 72 --beta 2",
    "07_gemm --all --type bf16 --m 24 --n 40 --k 520", /* stages are refilled */
    "07_gemm --all --type bf16 --m 72 --n 12 --k 136",
    "07_gemm --all --type tf32 --m 24 --n 40 --k 264",
    "07_gemm --gpus 4 --m 65 --n 70 --k 40 --beta 2",
    "07_gemm --type bf16 --gpus 3 --m 65 --n 70 --k 40",
    "08_conv --all --batch 1 --channels 3 --height 20 --width 70 --filters 5 --pad 1",
    "08_conv --all --batch 1 --channels 16 --height 9 --width 11 --filters 33 --pad 1",
    "08_conv --all --batch 1 --channels 4 --height 9 --width 30 --filters 4 --groups 2 --pad 1",
};

static const char *const shown[] = {
    "03_gpu_single_thread --n 1M",
    "04_gpu_atomic --n 1M",
    "05_gpu_shared_tree --n 64K",
    "05_gpu_shared_tree --n 1M",
    "06_gpu_warp_shuffle --n 64K",
    "06_gpu_warp_shuffle --n 64K --type f16",
    "06_gpu_warp_shuffle --n 1M",
    "06_gpu_warp_shuffle --ladder rows --m 256 --n 512",
    "06_gpu_warp_shuffle --ladder columns --m 256 --n 512",
};

static const char *folder, *golden;

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    if (!file) {
        fail_msg("%s cannot be read", path);
    }
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

/* Length of a "NAME=VALUE " in front of the program's name, or 0. */
static size_t setting_of(const char *line)
{
    return strncmp(line, "SIMT_", 5) == 0 ? strcspn(line, " ") + 1 : 0;
}

/* Prints one line per counted rung: its name and its counters as in the JSON, except for splits,
 * because each compiler joins and splits short branches as it likes. Rungs whose names begin with
 * my_ belong to the reader and need no committed counts. */
static void count(FILE *out, const char *line)
{
    char command[4096], path[] = "/tmp/simt_rungs_XXXXXX";
    int descriptor = mkstemp(path);
    char *json;
    assert_true(descriptor >= 0);
    close(descriptor);
    snprintf(command, sizeof command, /* the output names the rung that failed */
             "out=$(SIMT_DEVICES=4 %.*s '%s'/%s --counters --json %s) || { echo \"$out\"; false; }",
             (int)setting_of(line), line, folder, line + setting_of(line), path);
    assert_int_equal(system(command), 0);
    json = read_file(path);
    unlink(path);
    fprintf(out, "%s\n", line);
    for (char *row = strstr(json, "\"rung\": \""); row; row = strstr(row + 1, "\"rung\": \"")) {
        char *name = row + strlen("\"rung\": \""), *end = strchr(row, '\n');
        char *counters = strstr(row, "\"counters\": {");
        if (!counters || (end && counters > end) || strncmp(name, "my_", 3) == 0) {
            continue;
        }
        fprintf(out, "  %.*s %.*s\n", (int)strcspn(name, "\""), name,
                (int)(strstr(counters, ", \"splits\"") - (counters + 13)), counters + 13);
    }
    free(json);
}

enum { SMALL = sizeof small / sizeof *small, SHOWN = sizeof shown / sizeof *shown };

static char *count_all(const char *const *lines, size_t line_count)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (size_t i = 0; i < line_count; i++) {
        count(out, lines[i]);
    }
    fclose(out);
    return text;
}

/* The lines of the file that start with this command. */
static const char *find_case(const char *text, const char *command)
{
    size_t length = strlen(command);
    while (strncmp(text, command, length) != 0 || text[length] != '\n') {
        text = strchr(text, '\n');
        if (!text) {
            fail_msg("%s has no '%s'", golden, command);
        }
        text++;
    }
    return text;
}

/* Whether the case that begins at `start` has the line of this rung, "  NAME COUNTERS". */
static bool has_rung(const char *start, const char *line)
{
    size_t length = 2 + strcspn(line + 2, " ") + 1;
    for (start = strchr(start, '\n') + 1; *start == ' '; start += strcspn(start, "\n") + 1) {
        if (strncmp(start, line, length) == 0) {
            return true;
        }
    }
    return false;
}

/* The first line of `counted` that is not in `text`; `*wanted` is the line there instead. NULL if
 * all lines agree. The cases have the same order in both. */
static const char *find_difference(const char *counted, const char *text, const char *first,
                                   const char **wanted)
{
    const char *line = counted, *start = NULL;
    *wanted = find_case(text, first);
    while (*line) {
        size_t length = strcspn(line, "\n"), other_length = strcspn(*wanted, "\n");
        if (length == other_length && strncmp(line, *wanted, length) == 0) {
            start = *line == ' ' ? start : *wanted;
            *wanted += other_length + 1;
        } else if (*line == ' ' && start && !has_rung(start, line)) {
            printf("%.*s: not in rung_counts.txt, not compared\n",
                   (int)(2 + strcspn(line + 2, " ")), line);
        } else {
            return line;
        }
        line += length + 1;
    }
    /* The last case must also be complete. */
    return **wanted == ' ' ? line : NULL;
}

static void assert_integers(const char *const *lines, size_t line_count)
{
    char *counted = count_all(lines, line_count), *file = read_file(golden);
    const char *wanted, *line = find_difference(counted, file, lines[0], &wanted);
    if (line) {
        fail_msg("counted:\n%.*s\nbut %s has:\n%.*s\n(with \"update\" at its end the command of "
                 "this test writes the file anew)",
                 (int)strcspn(line, "\n"), line, golden, (int)strcspn(wanted, "\n"), wanted);
    }
    free(counted);
    free(file);
}

/* An additional rung is no difference. Other counts, a missing rung and a missing case are. */
static void test_differences(void **state)
{
    const char *text = "a --n 1\n  x \"l\": 1\n  y \"l\": 2\nb\n  x \"l\": 3\n", *wanted;
    (void)state;
    assert_null(find_difference(text, text, "a --n 1", &wanted));
    assert_null(find_difference("a --n 1\n  own \"l\": 7\n  x \"l\": 1\n  y \"l\": 2\n"
                                "  xy \"l\": 7\nb\n  x \"l\": 3\n  own \"l\": 7\n",
                                text, "a --n 1", &wanted));
    assert_non_null(find_difference("a --n 1\n  x \"l\": 9\n  y \"l\": 2\nb\n  x \"l\": 3\n", text,
                                    "a --n 1", &wanted));
    assert_non_null(
        find_difference("a --n 1\n  x \"l\": 1\nb\n  x \"l\": 3\n", text, "a --n 1", &wanted));
    assert_non_null(find_difference("a --n 1\n  y \"l\": 2\n  x \"l\": 1\nb\n  x \"l\": 3\n", text,
                                    "a --n 1", &wanted));
    assert_non_null(
        find_difference("a --n 1\n  x \"l\": 1\n  y \"l\": 2\nb\n", text, "a --n 1", &wanted));
}

static void test_small(void **state)
{
    (void)state;
    assert_integers(small, SMALL);
}

static void test_shown(void **state)
{
    (void)state;
    assert_integers(shown, SHOWN);
}

/* The file has no other cases. */
static void test_cases(void **state)
{
    char *wanted = read_file(golden);
    size_t found = 0;
    (void)state;
    for (const char *line = wanted; *line; line += strcspn(line, "\n") + 1) {
        found += *line != ' ';
    }
    assert_int_equal(found, SMALL + SHOWN);
    free(wanted);
}

static void test_counts_are_there(void **state)
{
    char *wanted = read_file(golden);
    (void)state;
    assert_non_null(strstr(wanted, "\"shared_load_conflicts\": "));
    assert_null(strstr(wanted, "\"active_lanes\": 0,"));
    free(wanted);
}

/* Runs a step with --counters. It must succeed and print both texts. */
static void assert_counted(const char *line, const char *first, const char *second)
{
    char command[4096], *text = calloc(1, 1 << 18);
    FILE *pipe;
    assert_non_null(text);
    snprintf(command, sizeof command, "'%s'/%s 2>&1", folder, line);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_true(fread(text, 1, (1 << 18) - 1, pipe) > 0);
    assert_int_equal(pclose(pipe), 0);
    if (!strstr(text, first) || !strstr(text, second)) {
        fail_msg("\"%s\" or \"%s\" is not in:\n%s", first, second, text);
    }
    free(text);
}

static void test_counters_option(void **state)
{
    (void)state;
    assert_counted("05_gpu_shared_tree --n 4099 --rung strided --counters", "bank conflicts",
                   "kernel strided (shared_tree.cu:");
    assert_counted("05_gpu_shared_tree --n 4099 --rung strided --counters=lines", "conflicts",
                   "partial[left] = combine(partial[left], partial[left + stride]);");
    assert_counted("07_gemm --n 40 --m 40 --k 40 --rung naive --counters=json",
                   "{\"step\": \"07_gemm\", \"shape\": \"40x40x40\"", "\"bytes_needed\": ");
    assert_counted("04_gpu_atomic --n 4099 --rung race --counters",
                   "What is wrong with it, as a lesson:", "data race in global memory");
}

/* The note names the columns that were counted for another problem size. */
static void test_note_of_columns(void **state)
{
    (void)state;
    assert_counted("05_gpu_shared_tree --n 1100000 --rung sequential",
                   "counted for 1048576 (1M) (--counters counts this size): ", "pass");
}

/* The message also names the probe's numbers: with 16M terms the bound accepts any race. */
static void test_note_of_probe(void **state)
{
    (void)state;
    assert_counted("04_gpu_atomic --n 16M --rung race --rung one_block",
                   "counted for 1048576 (1M) (--counters counts this size): ",
                   "race: on the probe, whole numbers that need no rounding: got ");
}

int main(int count_of, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_counts_are_there),
    };
    if (count_of < 3) {
        fputs("usage: test_simt_rungs path/to/bin path/to/rung_counts.txt "
              "[programs|shown|update]\n",
              stderr);
        return 2;
    }
    folder = arguments[1];
    golden = arguments[2];
    if (count_of > 3 && strcmp(arguments[3], "programs") == 0) {
        const struct CMUnitTest programs[] = {cmocka_unit_test(test_counters_option),
                                              cmocka_unit_test(test_note_of_columns)};
        return cmocka_run_group_tests(programs, NULL, NULL);
    }
    if (count_of > 3 && strcmp(arguments[3], "shown") == 0) {
        const struct CMUnitTest longer[] = {cmocka_unit_test(test_shown),
                                            cmocka_unit_test(test_note_of_probe)};
        return cmocka_run_group_tests(longer, NULL, NULL);
    }
    if (count_of > 3) {
        /* Count before opening the file, so that a failing step leaves the file unchanged. */
        const char *first = count_all(small, SMALL), *second = count_all(shown, SHOWN);
        FILE *file = fopen(golden, "w");
        return file && fputs(first, file) >= 0 && fputs(second, file) >= 0 && fclose(file) == 0 ? 0
                                                                                                : 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
