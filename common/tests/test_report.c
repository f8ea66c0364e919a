/* Tests of report.h: rows as CSV and JSON, derived figures, and complete files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/version.h"
#include "files.h"
#include "report/columns.h"
#include "report/report.h"

#define HEADER                                                                                     \
    "step,rung,op,type,shape,seed,backend,device,cache,warmups,reps,min_us,median_us,mean_us,"     \
    "std_us,max_us,gb_per_s,gflop_per_s,percent_of_peak,speedup_first,speedup_library,error,"      \
    "error_bound,verdict\n"
enum { COLUMNS = 24 };

/* ---- a run to report ------------------------------------------------------------------------- */

enum { ROWS = 4 };

/* All data that results point to. */
struct fixture {
    double samples[ROWS][3];
    struct result rows[ROWS];
    struct results results;
};

/* Four rungs: 400 us, 100 us, a library at 50 us, and one that was skipped. */
static void make_fixture(struct fixture *fixture)
{
    static const double medians[ROWS] = {400, 100, 50, 0};
    static const struct rung rungs[ROWS] = {
        {.name = "naive", .idea = "an idea"},
        {.name = "better", .idea = "an idea"},
        {.name = "openblas", .idea = "an idea", .flags = RUNG_LIBRARY},
        {.name = "tensor", .idea = "an idea"},
    };

    *fixture = (struct fixture){.rows = {{.rung = NULL}}};
    for (int i = 0; i < ROWS; i++) {
        struct result *row = &fixture->rows[i];
        result_start(row, &rungs[i], &cpu_back_end);
        if (i == 3)
            continue;
        row->timed = true;
        row->comparison =
            (struct comparison){.right = true, .computed = 42.5, .error = 0.25, .bound = 0.5};
        for (int s = 0; s < 3; s++)
            fixture->samples[i][s] = medians[i] + s - 1;
        row->trial = (struct trial){.samples_us = fixture->samples[i], .warmups = 2, .calls = 7};
        row->trial.statistics = statistics_of(fixture->samples[i], 3);
    }
    snprintf(fixture->rows[1].how, RUNG_HOW_SIZE, "avx2, 8 threads");
    result_skip(&fixture->rows[3], "needs sm_90");
    fixture->results = (struct results){
        .step = "01_test",
        .back_end = cpu_back_end.name,
        .has_clocks = true,
        .machine = {.name = "Test CPU", .details = "8 processors", .processors = 8},
        .seed = 1,
        .op = "dot",
        .type = "f32",
        .shape = "1000000",
        .bytes = 8e6,
        .flops = 2e6,
        .is_scalar = true,
        .answer = 42.25,
        .peak_gb_per_s = 200,
        .rows = fixture->rows,
        .row_count = ROWS,
    };
    results_derive(&fixture->results);
}

/* The text of a report of the runs, written by `put`; the caller frees. */
static char *written(void (*put)(struct report_file *, const struct results *),
                     const struct results *results, int times)
{
    char folder[PATH_SIZE], path[PATH_SIZE];
    struct report_file report;
    struct error error;

    folder_create(folder);
    path_join(path, folder, "rows");
    if (!report_open(&report, path, &error))
        fail_msg("%s", error.text);
    assert_int_equal(folder_count(folder), 0); /* no file during the work */
    for (int i = 0; i < times; i++)
        put(&report, results);
    assert_int_equal(folder_count(folder), 0);
    if (!report_commit(&report, &error))
        fail_msg("%s", error.text);
    assert_int_equal(folder_count(folder), 1);
    char *const text = file_read(path);
    folder_remove(folder);
    return text;
}

static void assert_csv(const char *csv, size_t line, const char *name, const char *wanted)
{
    char field[PATH_SIZE];
    csv_named(csv, line, name, field);
    if (strcmp(field, wanted) != 0)
        fail_msg("%s, line %zu: got '%s', expected '%s'", name, line, field, wanted);
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("expected %s in:\n%s", part, text);
}

/* Every line must have exactly all columns. */
static void assert_columns(const char *csv)
{
    char field[PATH_SIZE];
    for (size_t line = 0; line < csv_lines(csv); line++) {
        size_t columns = 0;
        while (csv_field_of(csv, line, columns, field))
            columns++;
        assert_int_equal(columns, COLUMNS);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void csv_row(void **state)
{
    struct fixture fixture;
    (void)state;
    make_fixture(&fixture);
    char *const csv = written(report_csv, &fixture.results, 1);

    assert_memory_equal(csv, HEADER, strlen(HEADER));
    assert_int_equal(csv_lines(csv), 1 + ROWS);
    assert_columns(csv);
    assert_true(csv[strlen(csv) - 1] == '\n');
    assert_has(csv, "\n01_test,better,dot,f32,1000000,1,cpu,Test CPU; 8 processors,warm,2,3,99,100,"
                    "100,1,101,80,20,40,4,0.5,0.25,0.5,pass\n");
    assert_has(csv, "\n01_test,tensor,dot,f32,1000000,1,cpu,Test CPU; 8 processors,,,,,,,,,,,,,,,,"
                    "skip\n");
    free(csv);
}

static void csv_header_once(void **state)
{
    struct fixture fixture;
    (void)state;
    make_fixture(&fixture);
    char *const csv = written(report_csv, &fixture.results, 3);
    assert_int_equal(csv_lines(csv), 1 + 3 * ROWS);
    assert_null(strstr(csv + 1, "step,rung"));
    free(csv);
}

static void csv_quoting(void **state)
{
    static const char *const names[] = {
        "A \"fast\" CPU, 3 GHz", "a,b", "\"", "two\nlines", "back\r", "plain; text"};
    struct fixture fixture;
    (void)state;
    make_fixture(&fixture);

    fixture.results.machine.details[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(fixture.results.machine.name, sizeof fixture.results.machine.name, "%s", names[i]);
        char *const csv = written(report_csv, &fixture.results, 1);
        assert_columns(csv);
        assert_csv(csv, 1, "device", names[i]);
        assert_csv(csv, ROWS, "device", names[i]);
        assert_csv(csv, 1, "verdict", "pass");
        free(csv);
    }
    snprintf(fixture.results.machine.name, sizeof fixture.results.machine.name, "a \"b\"");
    char *const csv = written(report_csv, &fixture.results, 1);
    assert_has(csv, ",\"a \"\"b\"\"\",");
    free(csv);
}

/* The longest texts that their sources can have. */
static void long_names(void **state)
{
    struct fixture fixture;
    char both[300];
    (void)state;
    make_fixture(&fixture);
    memset(fixture.results.machine.name, 'n', sizeof fixture.results.machine.name - 1);
    memset(fixture.results.machine.details, 'd', sizeof fixture.results.machine.details - 1);
    snprintf(both, sizeof both, "%s; %s", fixture.results.machine.name,
             fixture.results.machine.details);
    char *const csv = written(report_csv, &fixture.results, 1);
    assert_csv(csv, 1, "device", both);
    free(csv);
}

/* Emulated rows have no times, no rates and no cache. */
static void fields_of_emulation(void **state)
{
    static const char *const empty[] = {
        "cache",           "warmups",       "reps",           "min_us",   "median_us",
        "mean_us",         "std_us",        "max_us",         "gb_per_s", "gflop_per_s",
        "percent_of_peak", "speedup_first", "speedup_library"};
    struct fixture fixture;
    (void)state;
    make_fixture(&fixture);
    fixture.results.back_end = "simt";
    fixture.results.has_clocks = false;
    for (int i = 0; i < ROWS; i++) {
        fixture.rows[i].back_end = "simt";
        fixture.rows[i].timed = false;
        fixture.rows[i].trial = (struct trial){0};
        fixture.rows[i].counted = i < 3;
        fixture.rows[i].counters.launches = 2;
        fixture.rows[i].counters.atomics = 17;
    }
    results_derive(&fixture.results);

    char *const csv = written(report_csv, &fixture.results, 1);
    for (size_t line = 1; line <= ROWS; line++) {
        for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i++)
            assert_csv(csv, line, empty[i], "");
        assert_csv(csv, line, "backend", "simt");
    }
    assert_csv(csv, 1, "error", "0.25");
    assert_csv(csv, 1, "error_bound", "0.5");
    free(csv);

    char *const json = written(report_json, &fixture.results, 1);
    assert_true(json_is_valid(json));
    assert_has(json, "\"median_us\": null");
    assert_has(json, "\"samples_us\": []");
    assert_has(json, "\"counters\": {\"launches\": 2, ");
    assert_has(json, "\"atomics\": 17}");
    free(json);
}

static void verdicts(void **state)
{
    static const char *const names[] = {"pass", "fail", "racy", "skip"};
    struct fixture fixture;
    (void)state;
    make_fixture(&fixture);
    for (int i = 0; i < ROWS; i++)
        fixture.rows[i].verdict = (enum verdict)i;
    fixture.rows[1].timed = false;
    fixture.rows[1].comparison.error = NAN;
    fixture.rows[2].comparison.error = INFINITY;
    fixture.results.cold = true;
    results_derive(&fixture.results);
    char *const csv = written(report_csv, &fixture.results, 1);
    for (size_t i = 0; i < ROWS; i++)
        assert_csv(csv, i + 1, "verdict", names[i]);
    assert_csv(csv, 1, "cache", "cold");
    assert_csv(csv, 2, "error", "");
    assert_csv(csv, 3, "error", "inf");
    assert_csv(csv, 4, "error", "");
    free(csv);
    char *const json = written(report_json, &fixture.results, 1);
    assert_true(json_is_valid(json));
    free(json);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_checker_works(void **state)
{
    static const char *const valid[] = {
        "{}", "[]", " [1, -2.5e+3, 0] ", "{\"a\": [null, true]}", "\"\\u00e4\\n\"", "0.5"};
    static const char *const invalid[] = {
        "",   "{",     "[1,]",    "{\"a\"}", "{a: 1}", "[1 2]", "\"a",      "01",   "nan", "inf",
        "1.", "{} {}", "\"\\x\"", "\"\n\"",  "-",      "[1]]",  "{\"a\":}", "-nan", ".5",  "'a'"};
    (void)state;
    for (size_t i = 0; i < sizeof valid / sizeof valid[0]; i++)
        assert_true(json_is_valid(valid[i]));
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++)
        if (json_is_valid(invalid[i]))
            fail_msg("taken for JSON: %s", invalid[i]);
}

static void json_row(void **state)
{
    struct fixture fixture;
    (void)state;
    make_fixture(&fixture);
    char *const json = written(report_json, &fixture.results, 1);
    assert_true(json_is_valid(json));
    assert_has(json, "{\"version\": \"" RUNGS_VERSION "\"");
    assert_has(json, "\"machine\": {\"name\": \"Test CPU\", \"details\": \"8 processors\", "
                     "\"multiprocessors\": 8, \"compute_capability\": 0, \"peak_gb_per_s\": 200");
    assert_has(json, "\"step\": \"01_test\", \"rung\": \"better\", \"op\": \"dot\"");
    assert_has(json, "\"shape\": \"1000000\", \"seed\": 1, ");
    assert_has(json, "\"median_us\": 100, \"mean_us\": 100, \"std_us\": 1, ");
    assert_has(json, "\"error\": 0.25, \"error_bound\": 0.5, \"verdict\": \"pass\"");
    assert_has(json, "\"result\": 42.5, \"used\": \"avx2, 8 threads\", \"reason\": \"\", "
                     "\"calls_per_sample\": 7, \"samples_us\": [99, 100, 101]");
    assert_has(json, "\"reason\": \"needs sm_90\"");
    /* Each row has all columns of the CSV. */
    char field[PATH_SIZE], name[PATH_SIZE + 4];
    for (size_t c = 0; csv_field_of(HEADER, 0, c, field); c++) {
        size_t count = 0;
        snprintf(name, sizeof name, "\"%s\": ", field);
        for (const char *place = json; (place = strstr(place, name)) != NULL; place++)
            count++;
        assert_int_equal(count, ROWS);
    }
    free(json);

    char *const twice = written(report_json, &fixture.results, 2);
    assert_true(json_is_valid(twice));
    free(twice);
}

static void json_special_values(void **state)
{
    struct fixture fixture;
    (void)state;
    make_fixture(&fixture);
    snprintf(fixture.results.machine.name, sizeof fixture.results.machine.name,
             "a \"b\" \\ c\td\001\n");
    fixture.rows[0].comparison =
        (struct comparison){.computed = NAN, .error = NAN, .bound = INFINITY};
    fixture.rows[1].comparison.computed = -INFINITY;
    fixture.rows[2].comparison.computed = 0.1;
    fixture.results.seed = UINT64_MAX;
    snprintf(fixture.rows[0].reason, sizeof fixture.rows[0].reason, "got \"nan\"");
    char *const json = written(report_json, &fixture.results, 1);
    assert_true(json_is_valid(json));
    assert_has(json, "\"error\": null, \"error_bound\": null");
    assert_has(json, "a \\\"b\\\" \\\\ c\\u0009d\\u0001\\u000a");
    assert_has(json, "\"seed\": 18446744073709551615");
    assert_has(json, "\"result\": 0.10000000000000001"); /* every digit */
    free(json);
}

/* ---- derived figures ------------------------------------------------------------------------- */

static bool about(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

static void derived_figures(void **state)
{
    struct fixture fixture;
    const struct result *rows = fixture.rows;
    (void)state;
    make_fixture(&fixture);

    assert_true(about(rows[0].gb_per_s, 20) && about(rows[1].gb_per_s, 80));
    assert_true(about(rows[0].gflop_per_s, 5) && about(rows[2].gflop_per_s, 40));
    assert_true(about(rows[0].speedup_first, 1) && about(rows[1].speedup_first, 4));
    assert_true(about(rows[2].speedup_first, 8));
    assert_true(about(rows[0].speedup_library, 0.125) && about(rows[2].speedup_library, 1));
    /* 8e6 bytes at 200 GB/s take 40 us. */
    assert_true(about(rows[0].percent_of_peak, 10) && about(rows[2].percent_of_peak, 80));
    assert_true(isnan(rows[3].gb_per_s) && isnan(rows[3].gflop_per_s));
    assert_true(isnan(rows[3].percent_of_peak) && isnan(rows[3].speedup_first));
    assert_true(isnan(rows[3].speedup_library));

    /* A rung that got half of the problem: its rates are those of this half. */
    fixture.rows[0].is_part = true;
    fixture.rows[0].part = (struct part){.bytes = 4e6, .flops = 1e6};
    results_derive(&fixture.results);
    assert_true(about(rows[0].gb_per_s, 10) && about(rows[0].gflop_per_s, 2.5));
    fixture.rows[0].is_part = false;

    /* Arithmetic is the limit: 2e6 operations at 40 GFLOP/s take 50 us. */
    fixture.results.machine.peak_gflop_per_s = 40;
    results_derive(&fixture.results);
    assert_true(about(rows[1].percent_of_peak, 50));
    /* Units twice as fast; units ten times as fast, with memory as the limit; unknown units. */
    fixture.results.units = 2;
    results_derive(&fixture.results);
    assert_true(about(rows[1].percent_of_peak, 40));
    fixture.results.machine.peak_gflop_per_s = 10;
    results_derive(&fixture.results);
    assert_true(about(rows[1].percent_of_peak, 100));
    /* Faster than the peak; other arithmetic, with arithmetic and with memory as the limit. */
    fixture.results.machine.peak_gflop_per_s = 9.9;
    results_derive(&fixture.results);
    assert_true(isnan(rows[1].percent_of_peak) && rows[1].has_other_peak);
    fixture.results.machine.peak_gflop_per_s = 10.1;
    results_derive(&fixture.results);
    assert_true(rows[1].percent_of_peak < 100 && !rows[1].has_other_peak);
    fixture.rows[1].other_arithmetic = true;
    results_derive(&fixture.results);
    assert_true(isnan(rows[1].percent_of_peak) && rows[1].has_other_peak);
    fixture.results.machine.peak_gflop_per_s = 1000;
    results_derive(&fixture.results);
    assert_true(about(rows[1].percent_of_peak, 40) && !rows[1].has_other_peak);
    fixture.rows[1].other_arithmetic = false;
    fixture.results.machine.peak_gflop_per_s = 10;
    fixture.results.units = NAN;
    results_derive(&fixture.results);
    assert_true(isnan(rows[1].percent_of_peak));
    fixture.results.units = 0;

    /* No peak is known. */
    fixture.results.peak_gb_per_s = 0;
    results_derive(&fixture.results);
    assert_true(isnan(rows[1].percent_of_peak));

    /* The reference is the best of several libraries, or the first rung that was timed. */
    fixture.rows[1].is_library = true;
    results_derive(&fixture.results);
    assert_true(about(rows[1].speedup_library, 0.5) && about(rows[2].speedup_library, 1));
    fixture.rows[0].timed = false;
    results_derive(&fixture.results);
    assert_true(isnan(rows[0].speedup_first) && about(rows[2].speedup_first, 2));

    /* No library. */
    fixture.rows[1].is_library = fixture.rows[2].is_library = false;
    results_derive(&fixture.results);
    assert_true(isnan(rows[1].speedup_library) && isnan(rows[2].speedup_library));

    /* An empty input moves nothing. */
    fixture.results.bytes = fixture.results.flops = 0;
    fixture.results.peak_gb_per_s = 200;
    results_derive(&fixture.results);
    assert_true(rows[1].gb_per_s == 0 && rows[1].gflop_per_s == 0);
    assert_true(isfinite(rows[1].percent_of_peak));
}

static void table(void **state)
{
    struct fixture fixture;
    char *text;
    size_t length;
    (void)state;
    make_fixture(&fixture);
    fixture.rows[1].verdict = VERDICT_RACY;
    snprintf(fixture.rows[1].reason, sizeof fixture.rows[1].reason, "got 1, expected 2");
    for (int colour = 0; colour <= 1; colour++) {
        FILE *file = open_memstream(&text, &length);
        assert_non_null(file);
        report_table(file, &fixture.results, colour, 0);
        report_histograms(file, &fixture.results);
        fclose(file);
        assert_has(text, "naive");
        assert_has(text, "400 us");
        assert_has(text, "racy");
        assert_has(text, "better: got 1, expected 2\n");
        assert_has(text, "skipped (needs sm_90): tensor\n");
        assert_has(text, "42.25");
        assert_true((strchr(text, '\033') != NULL) == colour);
        free(text);
    }
}

/* The length of the longest line of a text, and the number of lines. */
static size_t longest_line(const char *text, size_t *lines)
{
    size_t longest = 0;
    for (*lines = 0; *text != '\0'; ++*lines) {
        const size_t length = strcspn(text, "\n");
        longest = length > longest ? length : longest;
        text += length + (text[length] == '\n');
    }
    return longest;
}

static char *table_of(const struct results *results, size_t width)
{
    char *text;
    size_t length;
    FILE *const file = open_memstream(&text, &length);
    assert_non_null(file);
    report_table(file, results, false, width);
    fclose(file);
    return text;
}

/* Makes the rows emulated, with 100 loads, 200 loads and so on, and two launches each. */
static void emulate(struct fixture *fixture)
{
    make_fixture(fixture);
    fixture->results.back_end = "simt";
    fixture->results.has_clocks = false;
    for (int i = 0; i < ROWS; i++) {
        struct result *const row = &fixture->rows[i];
        row->timed = false;
        row->idea = "an idea";
        row->how[0] = '\0';
        row->counted = row->verdict != VERDICT_SKIP;
        row->counters = (struct counters){.launches = 2, .blocks = 5, .has_memory = true};
        row->counters.memory.load_requests = 100 * ((uint64_t)i + 1);
        row->counters.memory.load_sectors = 400 * ((uint64_t)i + 1);
        row->counters.memory.lanes = 3200 * ((uint64_t)i + 1);
    }
}

/* A table of any width has every column, or names it below. It has no empty column. */
static void tables_fit(void **state)
{
    struct fixture fixture;
    size_t lines, wide_lines;
    (void)state;

    emulate(&fixture);
    char *const wide = table_of(&fixture.results, 0);
    (void)longest_line(wide, &wide_lines);
    assert_has(wide, "launches");
    assert_null(strstr(wide, "in every row"));
    assert_null(strstr(wide, "in a wider terminal"));
    assert_null(strstr(wide, "conflicts"));
    assert_null(strstr(wide, "skip\n"));
    assert_has(wide, "skipped (needs sm_90): tensor\n");
    for (size_t width = 60; width <= 120; width += 20) {
        char *const text = table_of(&fixture.results, width);
        const char *const titles[] = {"launches", "loads", "sect/load", "lanes",
                                      "result",   "error", "verdict"};
        assert_true(longest_line(strstr(text, "  rung"), &lines) <= width);
        for (size_t t = 0; t < sizeof titles / sizeof titles[0]; t++)
            assert_has(text, titles[t]);
        assert_true((strstr(text, "in every row: launches 2, blocks 5, ") != NULL) ==
                    (width < 100));
        assert_true(longest_line(strstr(text, "  rung"), &lines) <= width);
        free(text);
    }
    free(wide);

    make_fixture(&fixture);
    fixture.rows[0].trial.statistics.median = 1e6;
    results_derive(&fixture.results);
    char *const timed = table_of(&fixture.results, 60);
    assert_true(longest_line(strstr(timed, "  rung"), &lines) <= 60);
    assert_has(timed, "0.000050x"); /* not 0.00x */
    for (const char *end = timed; (end = strchr(end + 1, '\n')) != NULL;)
        assert_true(end[-1] != ' ');
    free(timed);
}

/* The lesson's columns come first and stay. The row with the largest change in the first column is
 * marked. Rungs with equal counts are distinguished by their ideas. */
static void lessons(void **state)
{
    struct fixture fixture;
    (void)state;

    emulate(&fixture);
    fixture.results.lesson = "sect/load conflicts";
    fixture.rows[1].counters.memory.load_sectors = 1600;
    fixture.rows[2].counters.memory.shared_load_conflicts = 7;
    char *text = table_of(&fixture.results, 0);
    assert_has(text, "  rung      sect/load  conflicts  launches");
    const char *const marked = strstr(text, "<\n");
    assert_non_null(marked);
    assert_true(strstr(text, "  better  ") < marked && marked < strstr(text, "  openblas  "));
    assert_has(text, "< the largest change of `sect/load` from one rung to the next\n");
    assert_has(text, "\n  conflicts: ");
    assert_null(strstr(text, "same counts"));
    free(text);

    text = table_of(&fixture.results, 40);
    assert_has(text, "  rung      sect/load  conflicts");
    assert_has(text, "in a wider terminal: ");
    free(text);

    fixture.rows[1].counters = fixture.rows[0].counters;
    text = table_of(&fixture.results, 0);
    assert_has(text, "the same counts as the rung above; what differs:\n    better: an idea\n");
    free(text);
}

/* A block that continues a table has no lines for rows that are empty there. */
static void blank_rows(void **state)
{
    static const char *const wanted = "  rung   time\n"
                                      "  one   1.0 s\n"
                                      "  two   2.0 s\n"
                                      "\n"
                                      "  rung  used\n"
                                      "  two   a library\n";
    struct columns table;
    char *text;
    size_t size;
    FILE *const file = open_memstream(&text, &size);
    (void)state;

    assert_non_null(file);
    assert_true(columns_create(&table, 2));
    columns_add(&table, "rung", true);
    columns_set(&table, 0, "one");
    columns_set(&table, 1, "two");
    columns_add(&table, "time", false);
    columns_set(&table, 0, "1.0 s");
    columns_set(&table, 1, "2.0 s");
    columns_add(&table, "used", true);
    columns_set(&table, 0, "-");
    columns_set(&table, 1, "a library");
    columns_print(file, &table, 20, NULL);
    columns_free(&table);
    fclose(file);
    assert_string_equal(text, wanted);
    free(text);
}

static void widths(void **state)
{
    FILE *const file = fopen("/dev/null", "w");
    (void)state;
    assert_non_null(file);
    unsetenv("COLUMNS");
    assert_int_equal(line_width(file), 0);
    setenv("COLUMNS", "100", 1);
    assert_int_equal(line_width(file), 100);
    setenv("COLUMNS", "5", 1);
    assert_int_equal(line_width(file), 40);
    setenv("COLUMNS", "many", 1);
    assert_int_equal(line_width(file), 0);
    unsetenv("COLUMNS");
    fclose(file);
}

static void words(void **state)
{
    static const struct {
        size_t width;
        const char *text;
    } wanted[] = {{0, "left: one two three four\n"},
                  {24, "left: one two three four\n"},
                  {23, "left: one two three\n  four\n"},
                  {13, "left: one two\n  three four\n"},
                  {5, "left: one\n  two\n  three\n  four\n"}};
    (void)state;

    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        char *text;
        size_t size;
        FILE *const file = open_memstream(&text, &size);
        assert_non_null(file);
        const int used = fprintf(file, "left: ");
        print_words(file, "one two three four", (size_t)used, 2, wanted[i].width);
        fclose(file);
        assert_string_equal(text, wanted[i].text);
        free(text);
    }
}

static void charts(void **state)
{
    struct fixture fixture;
    char *text;
    size_t length, lines;
    (void)state;

    for (int clocks = 0; clocks <= 1; clocks++) {
        if (clocks)
            make_fixture(&fixture);
        else
            emulate(&fixture);
        FILE *const file = open_memstream(&text, &length);
        assert_non_null(file);
        report_chart(file, &fixture.results, 60, false);
        fclose(file);
        assert_true(longest_line(text, &lines) <= 60);
        assert_true((strstr(text, "median time") != NULL) == clocks);
        assert_true((strstr(text, "loads: requests") != NULL) == !clocks);
        assert_null(strstr(text, "launches")); /* equal in all */
        assert_null(strstr(text, "tensor"));   /* skipped */
        assert_has(text, "#");
        free(text);
    }
}

/* One column per counter. A field is empty if nothing was counted. */
static void counters_csv(void **state)
{
    struct fixture fixture;
    (void)state;
    emulate(&fixture);
    char *const csv = written(report_counters_csv, &fixture.results, 2);
    assert_int_equal(csv_lines(csv), 1 + 2 * ROWS);
    assert_true(strncmp(csv, "step,rung,op,type,shape,counted_shape,launches,blocks,", 54) == 0);
    assert_csv(csv, 2, "rung", "better");
    assert_csv(csv, 2, "global_load_requests", "200");
    assert_csv(csv, 2, "counted_shape", "1000000");
    assert_csv(csv, ROWS, "launches", "");
    assert_csv(csv, ROWS, "counted_shape", "");
    free(csv);
}

static char *quizzed(const struct results *results, char *answers)
{
    char *text;
    size_t length;
    FILE *const in = fmemopen(answers, strlen(answers), "r");
    FILE *const out = open_memstream(&text, &length);
    assert_non_null(in);
    assert_non_null(out);
    report_quiz(in, out, results);
    fclose(in);
    fclose(out);
    return text;
}

static void quiz(void **state)
{
    char counts[] = "100\n 7 \nabc\n", one[] = "\n", times[] = "1x\n2.1\n9\n";
    struct fixture fixture;
    (void)state;

    emulate(&fixture);
    fixture.rows[1].is_library = fixture.rows[2].is_library = false;
    fixture.rows[2].verdict = VERDICT_PASS;
    fixture.rows[2].counters.memory.shared_load_conflicts = 7;
    fixture.results.lesson = "conflicts";
    char *text = quizzed(&fixture.results, counts);
    assert_has(text, "given: conflicts 0, launches 2, blocks 5, loads 100,");
    assert_has(text, "  loads: requests to load from global memory, per warp\n"
                     "  `naive` has 100. What does `better` have?");
    assert_has(text, "within a factor of 2: it is 200\n");
    assert_has(text, "  conflicts: ");
    assert_has(text, "right: it is 7\n");
    assert_null(strstr(text, "tensor"));
    assert_has(text, "  better    loads             100    200\n");
    assert_has(text, "  openblas  conflicts           7      7\n");
    assert_has(text, "1 of 2 right");
    free(text);
    text = quizzed(&fixture.results, one); /* one question passed, then end of input */
    assert_has(text, "it is 200\n");
    assert_has(text, "0 of 1 right");
    free(text);

    make_fixture(&fixture);
    text = quizzed(&fixture.results, times);
    assert_has(text, "`naive` takes 400 us. How many times as fast is `better`?");
    free(text);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Writes a report of one row to `path`. Returns whether that succeeded. */
static bool report_to(const char *path, struct error *error)
{
    struct fixture fixture;
    struct report_file report;

    make_fixture(&fixture);
    *error = (struct error){EXIT_ALL_VERIFIED, ""};
    if (!report_open(&report, path, error))
        return false;
    report_csv(&report, &fixture.results);
    return report_commit(&report, error);
}

static void assert_written(const char *path)
{
    struct error error;
    if (!report_to(path, &error))
        fail_msg("%s: %s", path, error.text);
}

static void assert_text(const char *path, const char *wanted)
{
    char *const text = file_read(path);
    assert_memory_equal(text, wanted, strlen(wanted));
    free(text);
}

/* The path must be refused before any work, with one line that names the path and the reason. */
static void assert_refused(const char *path, int reason)
{
    struct report_file report;
    struct error error;
    if (report_open(&report, path, &error))
        fail_msg("%s: not refused", path);
    assert_int_equal(error.code, EXIT_FILE_ERROR);
    assert_has(error.text, "cannot write");
    assert_has(error.text, path);
    assert_has(error.text, strerror(reason));
    assert_null(strchr(error.text, '\n'));
}

static void not_asked_for(void **state)
{
    struct fixture fixture;
    struct report_file report;
    struct error error;
    (void)state;
    make_fixture(&fixture);
    assert_true(report_open(&report, NULL, &error));
    report_csv(&report, &fixture.results);
    report_json(&report, &fixture.results);
    assert_true(report_commit(&report, &error));
    report_discard(&report);
}

static void places_that_cannot_be(void **state)
{
    char folder[PATH_SIZE], path[PATH_SIZE];
    (void)state;
    folder_create(folder);
    assert_refused(folder, EISDIR);
    path_join(path, folder, "nosuch/rows.csv");
    assert_refused(path, ENOENT);
    path_join(path, folder, "file");
    file_write(path, "old");
    path_join(path, folder, "file/rows.csv");
    assert_refused(path, ENOTDIR);
    path_join(path, folder, "file/");
    assert_refused(path, ENOTDIR);
    assert_refused("", ENOENT);
    assert_int_equal(folder_count(folder), 1);
    folder_remove(folder);
}

static void existing_file(void **state)
{
    char folder[PATH_SIZE], path[PATH_SIZE];
    struct fixture fixture;
    struct report_file report;
    struct error error;
    (void)state;
    make_fixture(&fixture);
    folder_create(folder);
    path_join(path, folder, "rows.csv");
    file_write(path, "old");

    /* The run fails: the old file stays. */
    assert_true(report_open(&report, path, &error));
    report_csv(&report, &fixture.results);
    assert_text(path, "old");
    report_discard(&report);
    assert_text(path, "old");
    assert_int_equal(folder_count(folder), 1);

    /* The run succeeds: the new file replaces the old one. */
    assert_written(path);
    assert_text(path, HEADER);
    assert_int_equal(folder_count(folder), 1);
    folder_remove(folder);
}

/* Runs `act` in a child process, so it may change its limits and rights. Returns its result. */
static bool in_child(bool (*act)(const char *path), const char *path)
{
    int status;
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(act(path) ? 0 : 1);
    assert_true(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The superuser may write anywhere, so this changes to another user. */
static bool give_up_rights(void)
{
    return geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0);
}

/* If a report replaced a device, that could not be undone. So this never runs as the superuser. */
static bool fails_on_full_device(const char *path)
{
    struct error error;
    return give_up_rights() && !report_to(path, &error) && error.code == EXIT_FILE_ERROR &&
           strstr(error.text, path) != NULL && strstr(error.text, strerror(ENOSPC)) != NULL;
}

static void full_disk(void **state)
{
    (void)state;
    if (!file_exists("/dev/full"))
        skip();
    assert_true(in_child(fails_on_full_device, "/dev/full"));
}

static bool is_written_without_rights(const char *path)
{
    struct error error;
    return give_up_rights() && report_to(path, &error);
}

/* The disk becomes full during the write. */
static bool fails_when_full(const char *path)
{
    const struct rlimit limit = {100, 100};
    struct error error;
    signal(SIGXFSZ, SIG_IGN);
    return setrlimit(RLIMIT_FSIZE, &limit) == 0 && !report_to(path, &error) &&
           error.code == EXIT_FILE_ERROR && strstr(error.text, path) != NULL &&
           strstr(error.text, strerror(EFBIG)) != NULL;
}

static void nothing_half_written(void **state)
{
    char folder[PATH_SIZE], path[PATH_SIZE];
    (void)state;
    folder_create(folder);
    path_join(path, folder, "rows.csv");
    assert_true(in_child(fails_when_full, path));
    assert_int_equal(folder_count(folder), 0);
    file_write(path, "old");
    assert_true(in_child(fails_when_full, path));
    assert_int_equal(folder_count(folder), 1);
    assert_text(path, "old");
    folder_remove(folder);
}

static bool is_denied(const char *path)
{
    struct report_file report;
    struct error error;
    return give_up_rights() && !report_open(&report, path, &error) &&
           error.code == EXIT_FILE_ERROR && strstr(error.text, path) != NULL &&
           strstr(error.text, strerror(EACCES)) != NULL;
}

static void without_rights(void **state)
{
    char folder[PATH_SIZE], path[PATH_SIZE];
    (void)state;

    /* A folder without write permission. */
    folder_create(folder);
    path_join(path, folder, "rows.csv");
    assert_int_equal(chmod(folder, 0555), 0);
    assert_true(in_child(is_denied, path));
    assert_int_equal(folder_count(folder), 0);

    /* A file without write permission in a writable folder: it must not be replaced. */
    assert_int_equal(chmod(folder, 0777), 0);
    file_write(path, "old");
    assert_int_equal(chmod(path, 0444), 0);
    assert_true(in_child(is_denied, path));
    assert_text(path, "old");
    assert_int_equal(folder_count(folder), 1);
    folder_remove(folder);
}

static void special_files(void **state)
{
    struct stat status;
    char folder[PATH_SIZE], path[PATH_SIZE];
    (void)state;
    assert_true(in_child(is_written_without_rights, "/dev/null"));
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));

    /* A pipe. Its other end is open, so nothing waits. */
    folder_create(folder);
    path_join(path, folder, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    FILE *const reader = fopen(path, "r+");
    assert_non_null(reader);
    assert_written(path);
    char line[PATH_SIZE];
    assert_non_null(fgets(line, sizeof line, reader));
    assert_string_equal(line, HEADER);
    fclose(reader);
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    folder_remove(folder);
}

static void links_are_followed(void **state)
{
    char folder[PATH_SIZE], inner[PATH_SIZE], target[PATH_SIZE], link[PATH_SIZE];
    struct stat status;
    (void)state;
    folder_create(folder);
    path_join(inner, folder, "inner");
    assert_int_equal(mkdir(inner, 0700), 0);
    path_join(target, inner, "rows.csv");
    path_join(link, folder, "link.csv");
    file_write(target, "old");
    assert_int_equal(symlink("inner/rows.csv", link), 0);
    assert_written(link);
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_text(target, HEADER);
    assert_int_equal(folder_count(folder), 2);
    assert_int_equal(folder_count(inner), 1);

    /* A link to a file that does not exist yet. */
    unlink(target);
    assert_written(link);
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_text(target, HEADER);

    /* A link to itself. */
    unlink(link);
    assert_int_equal(symlink("link.csv", link), 0);
    assert_refused(link, ELOOP);
    assert_int_equal(folder_count(folder), 2);
    folder_remove(folder);
}

static mode_t mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_mode & 07777;
}

static void permissions(void **state)
{
    char folder[PATH_SIZE], path[PATH_SIZE];
    (void)state;
    folder_create(folder);
    path_join(path, folder, "rows.csv");
    const mode_t mask = umask(022);
    assert_written(path);
    assert_int_equal(mode_of(path), 0644);
    unlink(path);
    umask(077);
    assert_written(path);
    assert_int_equal(mode_of(path), 0600);
    unlink(path);
    umask(0);
    assert_written(path);
    assert_int_equal(mode_of(path), 0666);
    /* An existing file keeps its permissions. */
    assert_int_equal(chmod(path, 0640), 0);
    umask(022);
    assert_written(path);
    assert_int_equal(mode_of(path), 0640);
    umask(mask);
    folder_remove(folder);
}

/* Numbers that differ, each in its own column. */
static void each_number_in_its_column(void **state)
{
    static const struct {
        const char *name;
        double value;
    } columns[] = {{"warmups", 2},        {"reps", 9},
                   {"min_us", 10},        {"median_us", 11},
                   {"mean_us", 12},       {"std_us", 13},
                   {"max_us", 14},        {"gb_per_s", 15},
                   {"gflop_per_s", 16},   {"error", 0.25},
                   {"error_bound", 0.5},  {"percent_of_peak", 17},
                   {"speedup_first", 18}, {"speedup_library", 19}};
    struct fixture fixture;
    char field[PATH_SIZE];
    (void)state;

    make_fixture(&fixture);
    struct result *const row = &fixture.results.rows[0];
    row->trial.statistics = (struct statistics){
        .count = 9, .min = 10, .median = 11, .mean = 12, .standard_deviation = 13, .max = 14};
    row->gb_per_s = 15;
    row->gflop_per_s = 16;
    row->percent_of_peak = 17;
    row->speedup_first = 18;
    row->speedup_library = 19;
    char *const csv = written(report_csv, &fixture.results, 1);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        csv_named(csv, 1, columns[i].name, field);
        if (strtod(field, NULL) != columns[i].value)
            fail_msg("%s is %s", columns[i].name, field);
    }
    free(csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_number_in_its_column),
        cmocka_unit_test(csv_row),
        cmocka_unit_test(csv_header_once),
        cmocka_unit_test(csv_quoting),
        cmocka_unit_test(long_names),
        cmocka_unit_test(fields_of_emulation),
        cmocka_unit_test(verdicts),
        cmocka_unit_test(json_checker_works),
        cmocka_unit_test(json_row),
        cmocka_unit_test(json_special_values),
        cmocka_unit_test(derived_figures),
        cmocka_unit_test(table),
        cmocka_unit_test(tables_fit),
        cmocka_unit_test(lessons),
        cmocka_unit_test(blank_rows),
        cmocka_unit_test(widths),
        cmocka_unit_test(words),
        cmocka_unit_test(charts),
        cmocka_unit_test(counters_csv),
        cmocka_unit_test(quiz),
        cmocka_unit_test(not_asked_for),
        cmocka_unit_test(places_that_cannot_be),
        cmocka_unit_test(existing_file),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(nothing_half_written),
        cmocka_unit_test(without_rights),
        cmocka_unit_test(special_files),
        cmocka_unit_test(links_are_followed),
        cmocka_unit_test(permissions),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
/* SPDX-License-Identifier: MIT */
