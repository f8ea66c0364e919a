/* The counters of every rung of steps 03 to 08 are those in rung_counts.txt: with every compiler
 * the same integers. A rung that the file does not have is named and passed over, so that one's own
 * rungs need no counts; one that it has must be there. On small problems; the problems that the
 * pages show take longer, and are counted by `test_simt_rungs BIN FILE shown`. `test_simt_rungs BIN
 * FILE programs` tests what BIN's programs say of the counts, and `test_simt_rungs BIN FILE update`
 * writes the file anew. */
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
    "SIMT_MULTIPROCESSORS=1 06_gpu_warp_shuffle --n 45003 --rung bulk_copies", /* ring, refilled */
    "07_gemm --all --m 100 --n 67 --k 45 --beta 2",
    "07_gemm --m 5 --n 36 --k 1500 --rung any_shape", /* several blocks share a tile */
    "07_gemm --all --m 17 --n 20 --k 72",
    "SIMT_MULTIPROCESSORS=2 07_gemm --all --m 257 --n 20 --k 8",
    "07_gemm --all --type bf16 --m 24 --n 40 --k 72 --beta 2",
    "07_gemm --all --type tf32 --m 24 --n 40 --k 72 --beta 2",
    "07_gemm --all --type bf16 --m 24 --n 40 --k 520", /* stages are filled again */
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

/* What stands in front of the program's name: "NAME=VALUE ", or nothing. */
static size_t setting_of(const char *line)
{
    return strncmp(line, "SIMT_", 5) == 0 ? strcspn(line, " ") + 1 : 0;
}

/* One line for each counted rung: its name and its counters as they stand in the JSON, but for the
 * splits: compilers join and part short branches, each in its way. A learner's own rungs, whose
 * names begin with my_, need no committed counts. */
static void count(FILE *out, const char *line)
{
    char command[4096], path[] = "/tmp/simt_rungs_XXXXXX";
    int descriptor = mkstemp(path);
    char *json;
    assert_true(descriptor >= 0);
    close(descriptor);
    snprintf(command, sizeof command, /* what it prints tells which rung failed */
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

/* The file's lines from that with this command on. */
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

/* Whether the line of a rung, "  NAME COUNTERS", stands in the case that begins at `start`. */
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

/* The first line of `counted` that is not in `text`, and in `*wanted` what is in its place; NULL if
 * all lines agree. The cases stand in both in the same order. */
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
    /* All of the last case. */
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

/* A rung of one's own is no difference; other counts, a missing rung and a missing case are. */
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

/* Nothing else is in the file. */
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

/* Runs a step with --counters; it ends well and says what is wanted. */
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

/* Which columns are of another problem. */
static void test_note_of_columns(void **state)
{
    (void)state;
    assert_counted("05_gpu_shared_tree --n 1100000 --rung sequential",
                   "counted for 1048576 (1M) (--counters counts this size): ", "pass");
}

/* And which numbers of the probe: so many terms that the bound takes any result of the race. */
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
        /* Counted before the file is opened: a step that fails leaves it as it was. */
        const char *first = count_all(small, SMALL), *second = count_all(shown, SHOWN);
        FILE *file = fopen(golden, "w");
        return file && fputs(first, file) >= 0 && fputs(second, file) >= 0 && fclose(file) == 0 ? 0
                                                                                                : 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
