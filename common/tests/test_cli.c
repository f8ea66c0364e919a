/* Runs the steps' programs as a user does. Checks what they print, where, and their exit codes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/npy.h"
#include "files.h"

/* ---- running a program ----------------------------------------------------------------------- */

enum { TIME_LIMIT_S = 30, MOST_ARGUMENTS = 24 };

static const char *const cpu_steps[] = {"01_cpu_naive", "02_cpu_simd_threads"};
static const char *const steps[] = {"01_cpu_naive", "02_cpu_simd_threads", "05_gpu_shared_tree"};
static size_t step_count = 2; /* 3 if the last one can run */

/* What a program did. It ran in `folder`, which has only the program's inputs and outputs. */
struct outcome {
    int code; /* -1 if it was killed */
    char *output, *errors;
};

static char folder[PATH_SIZE];  /* where programs run */
static char streams[PATH_SIZE]; /* what they print */

static int open_for_child(const char *path)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    return file;
}

/* A file on a disk that is full. */
static const char full_device[] = "/dev/full";

/* One bit per standard stream that is closed for the program. */
static unsigned closed_streams;

/* Runs `step`, the name of a program in BIN_DIR or a path, with the words of `line`. Its standard
 * output goes to `output_path`. */
static struct outcome run_to(const char *step, const char *line, const char *output_path)
{
    char program[PATH_SIZE], copy[2 * PATH_SIZE], errors[PATH_SIZE];
    char *arguments[MOST_ARGUMENTS] = {program};
    size_t count = 1;
    struct outcome outcome = {-1, NULL, NULL};
    int status;

    if (step[0] == '/')
        assert_true(snprintf(program, sizeof program, "%s", step) < (int)sizeof program);
    else
        path_join(program, BIN_DIR, step);
    path_join(errors, streams, "errors");
    assert_true(snprintf(copy, sizeof copy, "%s", line) < (int)sizeof copy);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        assert_true(count < MOST_ARGUMENTS - 1);
        arguments[count++] = word;
    }
    fflush(NULL);
    const int output_file = open_for_child(output_path), error_file = open_for_child(errors);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const int nothing = open("/dev/null", O_RDONLY);
        if (dup2(nothing, STDIN_FILENO) == STDIN_FILENO && chdir(folder) == 0 &&
            dup2(output_file, STDOUT_FILENO) >= 0 && dup2(error_file, STDERR_FILENO) >= 0) {
            for (int stream = 0; stream <= STDERR_FILENO; stream++)
                if (closed_streams >> stream & 1)
                    close(stream);
            alarm(TIME_LIMIT_S);
            execv(program, arguments);
        }
        _exit(127);
    }
    close(output_file);
    close(error_file);
    assert_true(waitpid(child, &status, 0) == child);
    if (WIFEXITED(status))
        outcome.code = WEXITSTATUS(status);
    outcome.output = strcmp(output_path, full_device) == 0 ? strdup("") : file_read(output_path);
    outcome.errors = file_read(errors);
    return outcome;
}

static struct outcome run(const char *step, const char *line)
{
    char output[PATH_SIZE];
    path_join(output, streams, "output");
    return run_to(step, line, output);
}

static void release(struct outcome *outcome)
{
    free(outcome->output);
    free(outcome->errors);
}

static int make_folders(void **state)
{
    (void)state;
    folder_create(folder);
    folder_create(streams);
    unsetenv("LC_ALL");
    if (strcmp(RUNGS_BACKEND, "none") != 0) {
        struct outcome outcome = run(steps[2], "--n 1 --reps 1");
        if (outcome.code == EXIT_DEVICE_ERROR && strcmp(RUNGS_BACKEND, "cuda") == 0)
            print_message("%s cannot run here: %s", steps[2], outcome.errors);
        else
            step_count = 3;
        release(&outcome);
    }
    return 0;
}

static int remove_folders(void **state)
{
    (void)state;
    folder_remove(folder);
    folder_remove(streams);
    return 0;
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("expected \"%s\" in:\n%s", part, text);
}

/* The program must end with `code` and one line on stderr with its name and `wanted`. It must leave
 * the folder unchanged. */
static void assert_refused(const char *step, const char *line, int code, const char *wanted)
{
    const size_t files = folder_count(folder);
    struct outcome outcome = run(step, line);
    const size_t length = strlen(outcome.errors);

    if (outcome.code != code)
        fail_msg("%s %s: exit code %d, expected %d; %s", step, line, outcome.code, code,
                 outcome.errors);
    if (length == 0 || strchr(outcome.errors, '\n') != outcome.errors + length - 1)
        fail_msg("%s %s: not one line: %s", step, line, outcome.errors);
    assert_memory_equal(outcome.errors, step, strlen(step));
    assert_has(outcome.errors, wanted);
    assert_int_equal(folder_count(folder), files);
    release(&outcome);
}

static void all_refuse(const char *line, int code, const char *wanted)
{
    for (size_t s = 0; s < step_count; s++)
        assert_refused(steps[s], line, code, wanted);
}

/* The program must end with 0 and print nothing on stderr. The caller releases the outcome. */
static struct outcome accepted(const char *step, const char *line)
{
    struct outcome outcome = run(step, line);
    if (outcome.code != EXIT_ALL_VERIFIED || outcome.errors[0] != '\0')
        fail_msg("%s %s: exit code %d; %s%s", step, line, outcome.code, outcome.errors,
                 outcome.output);
    return outcome;
}

/* Reads and deletes a file that the program wrote into the folder. The caller frees the text. */
static char *taken(const char *name)
{
    char path[PATH_SIZE];
    path_join(path, folder, name);
    char *const text = file_read(path);
    unlink(path);
    return text;
}

/* ---- bad usage ------------------------------------------------------------------------------- */

static void bad_options(void **state)
{
    (void)state;
    all_refuse("--n -5", EXIT_BAD_USAGE, "--n '-5': expected a whole number");
    all_refuse("--n 12Q", EXIT_BAD_USAGE, "--n '12Q': expected a whole number");
    all_refuse("--rung nosuch", EXIT_BAD_USAGE, "--rung 'nosuch': no such rung. Choose one of: ");
    all_refuse("--type f8", EXIT_BAD_USAGE,
               "--type 'f8': expected f32, f64, f16, mixed or f32xf64");
    all_refuse("--op mean", EXIT_BAD_USAGE, "--op 'mean': expected dot, sum, max or min");
    all_refuse("--reps 0", EXIT_BAD_USAGE, "--reps '0': expected a whole number of at least 1");
    all_refuse("--rounds 0", EXIT_BAD_USAGE, "--rounds '0': expected a whole number of at least 1");
    all_refuse("--rounds 1001", EXIT_BAD_USAGE, "--rounds '1001': expected at most 1000");
    all_refuse("--threads 0", EXIT_BAD_USAGE, "--threads '0'");
    all_refuse("--nosuch", EXIT_BAD_USAGE, "--nosuch: no such option");
    all_refuse("--csv", EXIT_BAD_USAGE, "--csv needs a value");
    all_refuse("1000", EXIT_BAD_USAGE, "'1000': expected options only");
    all_refuse("--device -1", EXIT_BAD_USAGE, "--device '-1'");
    all_refuse("--sweep 8:1", EXIT_BAD_USAGE, "--sweep '8:1'");
    all_refuse("--op max --type mixed", EXIT_BAD_USAGE, "--op dot only");
    all_refuse("--quiz", EXIT_BAD_USAGE, "--quiz: asks on a terminal");
    all_refuse("--csv c --counters-csv c", EXIT_BAD_USAGE, "--counters-csv");
    assert_refused(steps[0], "--counters-csv c", EXIT_BAD_USAGE, "only GPU kernels");
    assert_refused(steps[0], "--grid 5", EXIT_BAD_USAGE, "--grid: no such option");
    all_refuse("--rung one\ntwo", EXIT_BAD_USAGE, "--rung 'one.two'");
}

static void too_much_memory(void **state)
{
    (void)state;
    all_refuse("--n 1T", EXIT_DEVICE_ERROR, "out of memory");
    all_refuse("--n 4T --type f64 --op sum", EXIT_DEVICE_ERROR, "out of memory");
    all_refuse("--n 4096T --type mixed", EXIT_DEVICE_ERROR, "out of memory");
    all_refuse("--n 9999999999999999999", EXIT_DEVICE_ERROR, "out of memory");
    all_refuse("--n 18446744073709551615 --op max", EXIT_DEVICE_ERROR, "out of memory");
    all_refuse("--n 2305843009213693952 --type f64", EXIT_DEVICE_ERROR, "out of memory");
    all_refuse("--sweep 1:4096T:4096T --reps 1 --warmup 0", EXIT_DEVICE_ERROR, "out of memory");
    for (size_t s = 0; s < 2; s++) {
        assert_refused(cpu_steps[s], "--n 10 --reps 2305843009213693952", EXIT_DEVICE_ERROR,
                       "out of memory");
        assert_refused(cpu_steps[s], "--n 10 --reps 1T", EXIT_DEVICE_ERROR, "out of memory");
    }
}

static void no_such_device(void **state)
{
    (void)state;
    all_refuse("--device 99", EXIT_DEVICE_ERROR, "--device 99");
}

/* A result without elements counts as no result. */
static void no_output(void **state)
{
    const char *const step = "08_conv";

    (void)state;
    if (step_count < 3)
        return;
    assert_refused(step, "--height 34 --width 130 --kernel 99x99", EXIT_BAD_USAGE,
                   "--kernel 99x99: without output");
    assert_refused(step, "--height 34 --kernel 35x1", EXIT_BAD_USAGE, "without output");
    assert_refused(step, "--height 4 --kernel 7x3 --pad 1", EXIT_BAD_USAGE, "without output");
    assert_refused(step, "--dilation 18446744073709551615", EXIT_BAD_USAGE, "without output");

    static const float numbers[81];
    char *const small = npy_temporary("(1, 1, 5, 5)", numbers, 25);
    char *const large = npy_temporary("(1, 1, 9, 9)", numbers, 81);
    char *const none = npy_temporary("(0, 1, 9, 9)", numbers, 0);
    char line[3 * PATH_SIZE];
    snprintf(line, sizeof line, "--a %s --b %s", small, large);
    assert_refused(step, line, EXIT_FILE_ERROR, "without output");
    snprintf(line, sizeof line, "--a %s --b %s --dilation 9", large, small);
    assert_refused(step, line, EXIT_FILE_ERROR, "without output");
    snprintf(line, sizeof line, "--a %s --b %s", none, small);
    assert_refused(step, line, EXIT_FILE_ERROR, "without output");
    npy_remove(small);
    npy_remove(large);
    npy_remove(none);
}

/* ---- one program per step -------------------------------------------------------------------- */

/* Every row that is not skipped must have this verdict. */
static void assert_verdicts(const char *wanted)
{
    char *const csv = taken("c"), field[PATH_SIZE];
    size_t found = 0;

    for (size_t row = 1; row < csv_lines(csv); row++) {
        csv_named(csv, row, "verdict", field);
        if (strcmp(field, "skip") == 0)
            continue;
        assert_string_equal(field, wanted);
        found++;
    }
    assert_true(found >= 1);
    free(csv);
}

/* A program needs no other file: its copy prints the same. */
static void copies_are_whole(void **state)
{
    char place[PATH_SIZE], program[PATH_SIZE], command[3 * PATH_SIZE];
    (void)state;

    if (step_count < 3)
        return;
    folder_create(place);
    path_join(program, place, steps[2]);
    snprintf(command, sizeof command, "cp %s/%s %s", BIN_DIR, steps[2], program);
    assert_int_equal(system(command), 0);
    struct outcome outcome = run(program, "--n 100 --csv c");
    assert_int_equal(outcome.code, EXIT_ALL_VERIFIED);
    assert_string_equal(outcome.errors, "");
    release(&outcome);
    assert_verdicts("pass");
    folder_remove(place);
}

/* A program checks its kernels even if standard streams are closed. It is an error only if the
 * program cannot print something. */
static void closed_standard_streams(void **state)
{
    (void)state;
    for (size_t s = step_count - 1; s < step_count; s++)
        for (closed_streams = 1; closed_streams < 8; closed_streams++) {
            const bool prints = !(closed_streams >> STDOUT_FILENO & 1);
            struct outcome outcome =
                run(steps[s], "--n 100 --skip-small --reps 1 --warmup 0 --csv c");
            const unsigned closed = closed_streams;

            if (outcome.code != (prints ? EXIT_ALL_VERIFIED : EXIT_FILE_ERROR))
                fail_msg("%s, closed %u: exit code %d; %s", steps[s], closed, outcome.code,
                         outcome.errors);
            release(&outcome);
            assert_verdicts("pass");
        }
    /* The number of a closed stream stays reserved, so no file or pipe gets it. */
    for (closed_streams = 1; closed_streams <= 2; closed_streams++)
        assert_refused(cpu_steps[0],
                       closed_streams == 1 ? "--op sum --a /dev/fd/0" : "--op sum --a /dev/fd/1",
                       EXIT_FILE_ERROR, "is a device");
    closed_streams = 0;
}

/* Atomics in global memory may lose subnormal numbers; other rungs may not. */
static void subnormal_numbers(void **state)
{
    static float numbers[100];
    char line[2 * PATH_SIZE];
    (void)state;

    for (size_t i = 0; i < 100; i++)
        numbers[i] = 0x1p-149F;
    char *const file = npy_temporary("(100,)", numbers, 100);
    snprintf(line, sizeof line, "--op sum --skip-small --reps 1 --warmup 0 --csv c --a %s", file);
    for (size_t s = 0; s < step_count; s++) {
        struct outcome outcome = accepted(steps[s], line);
        char *const csv = taken("c"), field[PATH_SIZE];
        for (size_t row = 1; row < csv_lines(csv); row++) {
            csv_named(csv, row, "verdict", field);
            if (strcmp(field, "skip") == 0)
                continue;
            csv_named(csv, row, "error_bound", field);
            const double bound = strtod(field, NULL);
            csv_named(csv, row, "rung", field);
            assert_true((bound > 1e-38) == (strcmp(field, "tree_atomic") == 0));
        }
        free(csv);
        release(&outcome);
    }
    npy_remove(file);
}

#ifdef FAULTY_STEP
/* Whether the table has a row of the rung that ends with `end`. */
static bool has_row(const char *table, const char *rung, const char *end)
{
    const size_t name = strlen(rung), last = strlen(end);

    for (const char *line = table; *line != '\0'; line += strcspn(line, "\n") + 1) {
        const size_t length = strcspn(line, "\n");
        if (length > 2 + name + last && strncmp(line + 2, rung, name) == 0 &&
            line[2 + name] == ' ' && strncmp(line + length - last, end, last) == 0)
            return true;
        if (line[length] == '\0')
            break;
    }
    return false;
}

/* A kernel that breaks a rule fails its row, even if its result is right. A kernel that cannot
 * continue ends the run with status 1 and without a file, as other rungs were not checked. */
static void kernels_that_go_wrong(void **state)
{
    static const struct {
        const char *rung, *size, *verdict_of_right, *why, *finding; /* on standard error, or NULL */
    } cases[] = {
        {"races", "1000", " pass", "races: right, but breaks a rule of CUDA", NULL},
        {"crashes", "1000", " skip", "right so far, but crashes ended the run): right",
         "simt: kernel crashes (launched at "},
        {"deadlocks", "1000", " skip", "right so far, but deadlocks ended the run): right",
         "simt: kernel deadlocks (launched at "},
        /* it crashes when it is counted, after the first rung's row is complete */
        {"crashes_later", "2M", " pass", "crashes_later: ended the run", "illegal address"},
    };
    char line[PATH_SIZE], rows[PATH_SIZE];
    (void)state;

    path_join(rows, folder, "c");
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        snprintf(line, sizeof line, "--n %s --skip-small --rung right --rung %s --csv c",
                 cases[c].size, cases[c].rung);
        struct outcome outcome = run(FAULTY_STEP, line);
        if (outcome.code != EXIT_WRONG_RESULT)
            fail_msg("%s: exit code %d; %s", cases[c].rung, outcome.code, outcome.errors);
        assert_true(has_row(outcome.output, "right", cases[c].verdict_of_right));
        assert_true(has_row(outcome.output, cases[c].rung, " fail"));
        assert_has(outcome.output, cases[c].why);
        if (cases[c].finding != NULL)
            assert_has(outcome.errors, cases[c].finding);
        else
            assert_has(outcome.output, "faulty_step.cu:20:  *result = sum;\n");
        assert_true(file_exists(rows) == (cases[c].finding == NULL));
        unlink(rows);
        release(&outcome);
    }
}
#endif

/* ---- bad files ------------------------------------------------------------------------------- */

static void refuse_files(const char *a, const char *b, const char *more, const char *wanted)
{
    char line[2 * PATH_SIZE];
    snprintf(line, sizeof line, "--a %s --b %s %s", a, b, more);
    all_refuse(line, EXIT_FILE_ERROR, wanted);
}

#define DATA(name) TEST_DATA_DIR "/" name ".npy"

static void bad_inputs(void **state)
{
    (void)state;
    refuse_files("nosuch.npy", "nosuch.npy", "", "nosuch.npy: cannot open");
    refuse_files(DATA("vector_x_float32"), "nosuch.npy", "", "nosuch.npy: cannot open");
    refuse_files(".", ".", "", "a directory");
    refuse_files("/dev/zero", "/dev/zero", "", "/dev/zero");
    refuse_files(DATA("bad_data_truncated"), DATA("bad_data_truncated"), "", "truncated data");
    refuse_files(DATA("bad_empty_file"), DATA("bad_empty_file"), "", "not an .npy file");
    refuse_files(DATA("bad_fortran_2d"), DATA("bad_fortran_2d"), "", "Fortran order");
    refuse_files(DATA("bad_int64"), DATA("bad_int64"), "", "'<i8' is not supported");
    refuse_files(DATA("bad_shape_huge"), DATA("bad_shape_huge"), "", "truncated data");
    refuse_files(DATA("float32_2d"), DATA("float32_2d"), "", "2 dimensions");
    refuse_files(DATA("float32_0d"), DATA("float32_0d"), "", "0 dimensions");
    refuse_files(DATA("uint8_1d"), DATA("uint8_1d"), "", "uint8");
    refuse_files(DATA("vector_x_float32"), DATA("vector_y_short_float32"), "",
                 "has 1003 elements but");
    refuse_files(DATA("vector_x_float64"), DATA("vector_y_float32"), "", "float64");
    refuse_files(DATA("vector_x_float64"), DATA("vector_y_bool"), "", "bool");
    refuse_files(DATA("vector_y_bool"), DATA("vector_x_float32"), "", "bool");
    refuse_files(DATA("vector_x_float32"), DATA("vector_y_float32"), "--type f64", "--type is f64");
    all_refuse("--op sum --a " DATA("vector_y_bool"), EXIT_FILE_ERROR, "float32 or float64");
}

static void bad_places(void **state)
{
    char path[PATH_SIZE];
    (void)state;
    all_refuse("--n 10 --csv /nonexistent/x", EXIT_FILE_ERROR, "cannot write /nonexistent/x");
    all_refuse("--n 10 --json /nonexistent/x", EXIT_FILE_ERROR, "cannot write /nonexistent/x");
    all_refuse("--n 10 --csv good.csv --json /nonexistent/x", EXIT_FILE_ERROR,
               "cannot write /nonexistent/x");
    all_refuse("--n 10 --csv .", EXIT_FILE_ERROR, "cannot write .: Is a directory");

    /* A run that fails must keep a file that existed before. */
    path_join(path, folder, "kept");
    file_write(path, "old");
    all_refuse("--n 1T --csv kept", EXIT_DEVICE_ERROR, "out of memory");
    all_refuse("--a nosuch --b nosuch --json kept", EXIT_FILE_ERROR, "nosuch");
    all_refuse("--n -1 --json kept", EXIT_BAD_USAGE, "--n");
    char *const text = taken("kept");
    assert_string_equal(text, "old");
    free(text);
}

static void output_that_cannot_be_written(void **state)
{
    static const char *const lines[] = {"--n 10 --skip-small --reps 1", "--list", "--help",
                                        "--version"};
    (void)state;
    if (!file_exists(full_device))
        skip();
    for (size_t s = 0; s < step_count; s++)
        for (size_t l = 0; l < sizeof lines / sizeof lines[0]; l++) {
            struct outcome outcome = run_to(steps[s], lines[l], full_device);
            assert_int_equal(outcome.code, EXIT_FILE_ERROR);
            assert_has(outcome.errors, "cannot write standard output\n");
            release(&outcome);
        }
}

/* ---- good runs ------------------------------------------------------------------------------- */

static void empty_input(void **state)
{
    static const char *const lines[] = {"--op dot", "--op sum", "--op max", "--op min"};
    static const char *const answers[] = {": 0 (", ": 0 (", ": -inf (", ": inf ("};
    (void)state;
    for (size_t s = 0; s < step_count; s++)
        for (size_t op = 0; op < 4; op++) {
            char line[128];
            snprintf(line, sizeof line, "--n 0 --skip-small --reps 1 %s --type %s --json j",
                     lines[op], (s + op) % 2 == 0 ? "f32" : "f64");
            struct outcome outcome = accepted(steps[s], line);
            assert_has(outcome.output, answers[op]);
            release(&outcome);
            char *const json = taken("j");
            assert_true(json_is_valid(json));
            free(json);
        }
}

/* Reads the results in the order of the rows. Returns their number. */
static size_t results_of(const char *json, double results[], size_t most)
{
    size_t count = 0;
    for (const char *place = json; (place = strstr(place, "\"result\": ")) != NULL;) {
        place += strlen("\"result\": ");
        assert_true(count < most);
        results[count++] = strtod(place, NULL);
    }
    return count;
}

/* Every rung must give NumPy's result within the rung's bound. */
static void assert_agrees(const char *step, const char *inputs, double answer)
{
    enum { MOST = 64 };
    char line[2 * PATH_SIZE], field[PATH_SIZE];
    double results[MOST];

    snprintf(line, sizeof line, "%s --skip-small --reps 1 --csv rows.csv --json rows.json", inputs);
    struct outcome outcome = accepted(step, line);
    const char *printed = strstr(outcome.output, "the answer");
    assert_non_null(printed);
    printed = strstr(printed, ": ");
    assert_non_null(printed);
    assert_true(fabs(strtod(printed + 2, NULL) - answer) < 1e-11);

    char *const csv = taken("rows.csv"), *const json = taken("rows.json");
    assert_true(json_is_valid(json));
    const size_t rows = csv_lines(csv) - 1;
    assert_true(rows >= 1);
    /* A row that was skipped has no result. */
    const size_t found = results_of(json, results, MOST);
    size_t next = 0;
    for (size_t row = 0; row < rows; row++) {
        csv_named(csv, row + 1, "verdict", field);
        if (strcmp(field, "skip") == 0)
            continue;
        assert_true(next < found);
        const double result = results[next++];
        if (strcmp(field, "racy") == 0)
            continue;
        assert_string_equal(field, "pass");
        csv_named(csv, row + 1, "error_bound", field);
        const double bound = strtod(field, NULL);
        assert_true(bound < 0.1);
        if (!(fabs(result - answer) <= bound + 1e-12))
            fail_msg("%s %s, row %zu: got %.17g, NumPy %.17g, bound %g", step, inputs, row, result,
                     answer, bound);
        csv_named(csv, row + 1, "shape", field);
        assert_string_equal(field, "1003");
    }
    assert_true(next == found && found >= 1);
    free(csv);
    free(json);
    release(&outcome);
}

static void agrees_with_numpy(void **state)
{
    static const char *const inputs[] = {
        "--a " DATA("vector_x_float32") " --b " DATA("vector_y_float32"),
        "--a " DATA("vector_x_float64") " --b " DATA("vector_y_float64"),
        "--a " DATA("vector_x_float32") " --b " DATA("vector_y_bool"),
        "--op sum --a " DATA("vector_x_float64"),
        "--op max --a " DATA("vector_x_float64"),
        "--op min --type f64 --a " DATA("vector_x_float64"),
        "--a " DATA("vector_x_float16") " --b " DATA("vector_y_float16"),
        "--op sum --type f16 --a " DATA("vector_x_float16"),
        "--a " DATA("vector_x_float32") " --b " DATA("vector_y_float64"),
    };
    enum { KINDS = sizeof inputs / sizeof inputs[0] };
    struct npy answers;
    struct error error;
    (void)state;

    if (!npy_read(DATA("vector_answers"), &answers, &error))
        fail_msg("%s", error.text);
    assert_true(answers.type == NPY_FLOAT64 && answers.count == KINDS);
    for (size_t s = 0; s < step_count; s++)
        for (size_t i = 0; i < KINDS; i++)
            assert_agrees(steps[s], inputs[i], ((const double *)answers.data)[i]);
    npy_free(&answers);
}

static void same_seed_same_bits(void **state)
{
    enum { MOST = 64 };
    static const char *const seeds[] = {"--seed 7", "--seed 7", "--seed 8"};
    (void)state;

    for (size_t s = 0; s < step_count; s++) {
        double results[3][MOST] = {{0}};
        size_t counts[3];
        for (int i = 0; i < 3; i++) {
            char line[128];
            const char *rungs = "";
            /* Some results depend on the order of threads. On a GPU, that includes atomics. */
            if (strstr(steps[s], "02_") != NULL)
                rungs = " --rung vector --rung simd_threads";
            else if (strstr(steps[s], "04_") != NULL)
                rungs = " --rung slices --grid 1 --block 1";
            else if (strstr(steps[s], "05_") != NULL)
                rungs = " --rung serial --rung sequential --rung last_warp --rung vectorized";
            snprintf(line, sizeof line, "--n 5000 --skip-small --reps 1 --json j --threads 3 %s%s",
                     seeds[i], rungs);
            struct outcome outcome = accepted(steps[s], line);
            release(&outcome);
            char *const json = taken("j");
            counts[i] = results_of(json, results[i], MOST);
            free(json);
        }
        assert_true(counts[0] >= 1 && counts[0] == counts[1] && counts[0] == counts[2]);
        assert_memory_equal(results[0], results[1], sizeof results[0]);
        assert_true(results[0][0] != results[2][0]);
    }
}

static void sweep(void **state)
{
    static const char *const shapes[] = {"1", "4", "16", "64"};
    (void)state;
    for (size_t s = 0; s < step_count; s++) {
        struct outcome outcome =
            accepted(steps[s], "--sweep 1:64:4 --skip-small --reps 1 --csv c --json j");
        char *const csv = taken("c"), *const json = taken("j");
        const size_t rows = csv_lines(csv) - 1;
        assert_true(json_is_valid(json));
        assert_true(rows >= 4 && rows % 4 == 0);
        for (size_t row = 0; row < rows; row++) {
            char field[PATH_SIZE];
            csv_named(csv, row + 1, "shape", field);
            assert_string_equal(field, shapes[row / (rows / 4)]);
            csv_named(csv, row + 1, "verdict", field);
            assert_true(strcmp(field, "pass") == 0 || strcmp(field, "skip") == 0);
        }
        free(csv);
        free(json);
        release(&outcome);
    }
}

static void cold_and_histogram(void **state)
{
    (void)state;
    for (size_t s = 0; s < step_count; s++) {
        char field[PATH_SIZE];
        struct outcome outcome =
            accepted(steps[s], "--n 1000 --reps 9 --warmup 1 --cold --histogram --csv c");
        char *const csv = taken("c");
        const bool timed = s < 2 || strcmp(RUNGS_BACKEND, "cuda") == 0;
        csv_named(csv, 1, "cache", field);
        assert_string_equal(field, timed ? "cold" : "");
        csv_named(csv, 1, "reps", field);
        assert_string_equal(field, timed ? "9" : "");
        csv_named(csv, 1, "warmups", field);
        assert_string_equal(field, timed ? "1" : "");
        assert_true((strstr(outcome.output, "median") != NULL) == timed);
        assert_true((strstr(outcome.output, "not timed") != NULL) == !timed);
        free(csv);
        release(&outcome);
    }
}

/* The counters in a separate file, and their chart. */
static void counters_in_a_file(void **state)
{
    char field[PATH_SIZE];
    (void)state;

#ifdef RUNGS_SANITIZED
    skip();
#endif
    if (strcmp(RUNGS_BACKEND, "simt") != 0)
        skip();
    struct outcome outcome = accepted(
        steps[2], "--n 1000 --rung strided --rung sequential --counters-csv c --csv r --chart");
    char *const csv = taken("c"), *const rows = taken("r");
    assert_int_equal(csv_lines(csv), 3);
    csv_named(csv, 1, "rung", field);
    assert_string_equal(field, "strided");
    csv_named(csv, 1, "block_barriers", field);
    assert_string_equal(field, "45"); /* 9 in each of 4 + 1 blocks */
    csv_named(csv, 2, "global_load_requests", field);
    assert_string_equal(field, "65");
    csv_named(csv, 1, "counted_shape", field);
    assert_string_equal(field, "1000");
    assert_int_equal(csv_lines(rows), 3);
    /* The chart begins with the lesson's column; the table is not repeated. */
    assert_has(outcome.output, "(simt), counts what a GPU would do\n\n  conflicts: ");
    assert_null(strstr(outcome.output, "error/bound"));
    assert_null(strstr(outcome.output, "recorded on a GPU"));
    free(csv);
    free(rows);
    release(&outcome);
}

static void list_and_rung(void **state)
{
    (void)state;
    for (size_t s = 0; s < step_count; s++) {
        char name[64], line[128], field[PATH_SIZE];
        size_t rungs = 0;
        struct outcome list = accepted(steps[s], "--list");
        for (const char *c = list.output; *c != '\0'; c++)
            rungs += *c == '\n';
        assert_true(rungs >= 1);
        /* The last one's name. */
        list.output[strlen(list.output) - 1] = '\0';
        const char *const last = strrchr(list.output, '\n');
        assert_int_equal(sscanf(last != NULL ? last : list.output, "%60s", name), 1);
        release(&list);

        struct outcome all = accepted(steps[s], "--n 100 --skip-small --reps 1 --warmup 0 --csv c");
        char *csv = taken("c");
        assert_int_equal(csv_lines(csv), 1 + rungs);
        free(csv);
        release(&all);

        snprintf(line, sizeof line, "--n 100 --skip-small --reps 1 --csv c --rung %s", name);
        struct outcome one = accepted(steps[s], line);
        csv = taken("c");
        assert_int_equal(csv_lines(csv), 2);
        csv_named(csv, 1, "rung", field);
        assert_string_equal(field, name);
        csv_named(csv, 1, "step", field);
        assert_string_equal(field, steps[s]);
        free(csv);
        release(&one);

        struct outcome version = accepted(steps[s], "--version");
        assert_has(version.output, "rungs ");
        release(&version);
        struct outcome help = accepted(steps[s], "--help");
        assert_has(help.output, steps[s]);
        assert_has(help.output, "Exit status");
        release(&help);
    }
}

static void fits_the_width(void **state)
{
    static const char *const lines[] = {"--list", "--help"};
    (void)state;

    setenv("COLUMNS", "80", 1);
    for (size_t s = 0; s < step_count; s++)
        for (size_t l = 0; l < sizeof lines / sizeof lines[0]; l++) {
            struct outcome outcome = accepted(steps[s], lines[l]);
            for (const char *line = outcome.output; *line != '\0'; line += strspn(line, "\n")) {
                if (strcspn(line, "\n") > 80)
                    fail_msg("%s %s: %.*s", steps[s], lines[l], (int)strcspn(line, "\n"), line);
                line += strcspn(line, "\n");
            }
            release(&outcome);
        }
    unsetenv("COLUMNS");
}

/* The table goes to stdout. Nothing else goes to stdout or stderr. */
static void report_on_standard_output(void **state)
{
    (void)state;
    for (size_t s = 0; s < step_count; s++) {
        struct outcome outcome = accepted(steps[s], "--n 100 --reps 1 --warmup 0");
        assert_has(outcome.output, "verdict");
        assert_has(outcome.output, steps[s]);
        assert_null(strchr(outcome.output, '\033')); /* no colours if stdout is a file */
        assert_null(strchr(outcome.output, '\r'));
        assert_int_equal(folder_count(folder), 0);
        release(&outcome);
    }
}

/* On the CPU back end there is one device, unless SIMT_DEVICES says more. */
static void several_gpus(void **state)
{
    const char *const step = "06_gpu_warp_shuffle", *const gemm = "07_gemm";

    (void)state;
    if (step_count < 3)
        return;
    assert_refused(gemm, "--gpus 16", EXIT_DEVICE_ERROR, "--gpus 16: this machine has");
    assert_refused(gemm, "--gpus 17", EXIT_BAD_USAGE, "--gpus");
    assert_refused(gemm, "--type bf16 --gpus 1 --device 1", EXIT_BAD_USAGE, "leave --device out");
    assert_refused(
        gemm, "--type tf32 --gpus 1", EXIT_BAD_USAGE,
        "--type 'tf32': no such ladder. Did you mean f32? Choose one of: f32, bf16, with --gpus");
    assert_refused(step, "--gpus 16", EXIT_DEVICE_ERROR, "--gpus 16: this machine has");
    assert_refused(step, "--gpus 17", EXIT_BAD_USAGE, "--gpus");
    assert_refused(step, "--gpus 0", EXIT_BAD_USAGE, "--gpus");
    assert_refused(step, "--gpus 1 --device 1", EXIT_BAD_USAGE, "leave --device out");
    assert_refused(step, "--gpus 1 --grid 4", EXIT_BAD_USAGE, "--grid: no such option");
    assert_refused(step, "--ladder rows --gpus 1", EXIT_BAD_USAGE,
                   "--ladder 'rows': no such ladder. Choose one of: vectors, with --gpus");
    assert_refused(step, "--ladder nowhere", EXIT_BAD_USAGE,
                   "Choose one of: vectors, rows, columns");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_options),
        cmocka_unit_test(too_much_memory),
        cmocka_unit_test(no_such_device),
        cmocka_unit_test(several_gpus),
        cmocka_unit_test(subnormal_numbers),
#ifdef FAULTY_STEP
        cmocka_unit_test(kernels_that_go_wrong),
#endif
        cmocka_unit_test(no_output),
        cmocka_unit_test(copies_are_whole),
        cmocka_unit_test(closed_standard_streams),
        cmocka_unit_test(bad_inputs),
        cmocka_unit_test(bad_places),
        cmocka_unit_test(output_that_cannot_be_written),
        cmocka_unit_test(empty_input),
        cmocka_unit_test(agrees_with_numpy),
        cmocka_unit_test(same_seed_same_bits),
        cmocka_unit_test(sweep),
        cmocka_unit_test(cold_and_histogram),
        cmocka_unit_test(counters_in_a_file),
        cmocka_unit_test(list_and_rung),
        cmocka_unit_test(report_on_standard_output),
        cmocka_unit_test(fits_the_width),
    };
    return cmocka_run_group_tests_name("cli", tests, make_folders, remove_folders);
}
/* SPDX-License-Identifier: MIT */
