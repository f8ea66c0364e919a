/* options.h: every option of every family, good values and bad. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/options.h"
#include "run/step.h"

/* ---- steps of each family -------------------------------------------------------------------- */

static const struct rung rungs[] = {
    {.name = "naive", .idea = "one loop"},
    {.name = "racing", .idea = "no atomics", .flags = RUNG_LESSON},
    {.name = "openblas", .idea = "OpenBLAS", .flags = RUNG_LIBRARY},
};

static struct back_end emulated; /* counts, but does not time */

static struct step reduction_step, emulated_step, gemm_step, emulated_gemm_step, conv_step,
    emulated_conv_step;

static int make_steps(void **state)
{
    (void)state;
    emulated = cpu_back_end;
    emulated.clocks = false;
    reduction_step = (struct step){
        .name = "05_test",
        .idea = "A step of tests",
        .family = &reduction_family,
        .back_end = &cpu_back_end,
        .rungs = rungs,
        .rung_count = sizeof rungs / sizeof rungs[0],
    };
    emulated_step = gemm_step = conv_step = reduction_step;
    emulated_step.back_end = &emulated;
    gemm_step.family = &gemm_family;
    emulated_gemm_step = gemm_step;
    emulated_gemm_step.back_end = &emulated;
    conv_step.family = &conv_family;
    emulated_conv_step = conv_step;
    emulated_conv_step.back_end = &emulated;
    return 0;
}

/* ---- parsing --------------------------------------------------------------------------------- */

enum { MOST_ARGUMENTS = 160 };

/* A command line's words, split at spaces; \x01 stands for an empty word. */
static int split(char *line, char *words[MOST_ARGUMENTS])
{
    int count = 0;
    words[count++] = "05_test";
    for (char *word = strtok(line, " "); word != NULL; word = strtok(NULL, " ")) {
        assert_true(count < MOST_ARGUMENTS - 1);
        words[count++] = strcmp(word, "\x01") == 0 ? "" : word;
    }
    words[count] = NULL;
    return count;
}

/* Words live here as long as the options that point to them. */
static char line_copy[4096];

static enum options_outcome parse(const struct step *step, const char *line,
                                  struct options *options, FILE *out, struct error *error)
{
    char *words[MOST_ARGUMENTS];
    assert_true(strlen(line) < sizeof line_copy);
    strcpy(line_copy, line);
    const int count = split(line_copy, words);
    *error = (struct error){EXIT_ALL_VERIFIED, ""};
    return options_parse(count, words, step, options, out, error);
}

static struct options good(const struct step *step, const char *line)
{
    struct options options;
    struct error error;
    if (parse(step, line, &options, stdout, &error) != OPTIONS_RUN)
        fail_msg("%s: %s", line, error.text);
    return options;
}

/* The line is refused with code 2 and one line that holds all of the texts. */
static void bad(const struct step *step, const char *line, const char *first, const char *second,
                const char *third)
{
    const char *const wanted[] = {first, second, third};
    struct options options;
    struct error error;

    if (parse(step, line, &options, stdout, &error) != OPTIONS_BAD)
        fail_msg("%s: not refused", line);
    assert_int_equal(error.code, EXIT_BAD_USAGE);
    assert_null(strchr(error.text, '\n'));
    for (int i = 0; i < 3; i++)
        if (strstr(error.text, wanted[i]) == NULL)
            fail_msg("%s: expected \"%s\" in: %s", line, wanted[i], error.text);
}

/* What --help, --version or --list prints; the caller frees. */
static char *printed(const struct step *step, const char *line)
{
    struct options options;
    struct error error;
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    assert_int_equal(parse(step, line, &options, out, &error), OPTIONS_DONE);
    fclose(out);
    assert_true(length > 0 && text[length - 1] == '\n');
    return text;
}

/* ---- good values ----------------------------------------------------------------------------- */

static void defaults(void **state)
{
    (void)state;
    struct options options = good(&reduction_step, "");
    assert_int_equal(options.n, 1 << 20);
    assert_int_equal(options.op, OP_DOT);
    assert_int_equal(options.type, TYPE_F32);
    assert_false(options.type_given);
    assert_int_equal(options.rung_count, 0);
    assert_int_equal(options.warmup, 3);
    assert_int_equal(options.reps, 0);
    assert_int_equal(options.seed, 1);
    assert_null(options.a);
    assert_null(options.b);
    assert_null(options.csv);
    assert_null(options.json);
    assert_false(options.histogram);
    assert_false(options.cold);
    assert_int_equal(options.sweep_factor, 0);
    assert_int_equal(options.device, 0);
    assert_int_equal(options.threads, usable_processors());
    assert_int_equal(options.offset, 0);
    assert_int_equal(options.padding, 0);
    assert_int_equal(good(&emulated_step, "").n, 1 << 20);

    options = good(&gemm_step, "");
    assert_true(options.m == 2048 && options.n == 2048 && options.k == 1024);
    assert_true(options.alpha == 1 && options.beta == 0);
    options = good(&emulated_gemm_step, "");
    assert_true(options.m == 256 && options.n == 256 && options.k == 128);

    options = good(&conv_step, "");
    assert_true(options.batch == 2 && options.channels == 12 && options.height == 130);
    assert_true(options.width == 514 && options.filters == 24);
    assert_true(options.kernel_height == 3 && options.kernel_width == 3);
    assert_true(options.stride == 1 && options.pad == 0 && options.dilation == 1);
    options = good(&emulated_conv_step, "");
    assert_true(options.height == 34 && options.width == 130 && options.filters == 24);
}

static void pictures(void **state)
{
    const struct options options = good(&conv_step, "--image in.png --filter blur -o out.png");
    (void)state;

    assert_string_equal(options.image, "in.png");
    assert_string_equal(options.filter, "blur");
    assert_string_equal(options.output, "out.png");
    assert_string_equal(good(&conv_step, "--image in.png --output out.png").output, "out.png");
    bad(&conv_step, "--image in.png", "--image", "--output", "together");
    bad(&conv_step, "-o out.png", "--image", "--output", "together");
    bad(&conv_step, "--filter blur", "--filter", "--image", "goes with");
    bad(&conv_step, "--image in.png -o out.png --a a.npy --b b.npy", "--image", "--a", "leave");
    bad(&conv_step, "--image in.png -o out.png --height 5", "--image", "sizes", "leave");
    bad(&conv_step, "--image in.png -o", "-o", "wants a value", "--help");
    bad(&reduction_step, "-o out.png", "-o", "no such option", "--help");
}

static void sizes(void **state)
{
    (void)state;
    assert_int_equal(good(&reduction_step, "--n 0").n, 0);
    assert_int_equal(good(&reduction_step, "--n 1").n, 1);
    assert_int_equal(good(&reduction_step, "--n 64K").n, 64 << 10);
    assert_int_equal(good(&reduction_step, "--n 64k").n, 64 << 10);
    assert_int_equal(good(&reduction_step, "--n 3M").n, 3 << 20);
    assert_int_equal(good(&reduction_step, "--n 2G").n, (size_t)2 << 30);
    assert_int_equal(good(&reduction_step, "--n=1T").n, (size_t)1 << 40);
    assert_int_equal(good(&reduction_step, "--n 007").n, 7);
    assert_int_equal(good(&reduction_step, "--n 9999999999999999999").n, 9999999999999999999u);
    assert_int_equal(good(&reduction_step, "--n 18446744073709551615").n, SIZE_MAX);
    assert_int_equal(good(&reduction_step, "--n 5 --n 6").n, 6); /* the last one holds */
    const struct options gemm = good(&gemm_step, "--m 5 --n 6 --k 0");
    assert_true(gemm.m == 5 && gemm.n == 6 && gemm.k == 0);
    const struct options conv =
        good(&conv_step, "--batch 1 --channels 3 --height 5 --width 7 --filters 9 --kernel 2x4 "
                         "--stride 3 --pad 0 --dilation 2");
    assert_true(conv.batch == 1 && conv.channels == 3 && conv.height == 5 && conv.width == 7);
    assert_true(conv.filters == 9 && conv.kernel_height == 2 && conv.kernel_width == 4);
    assert_true(conv.stride == 3 && conv.pad == 0 && conv.dilation == 2);
}

static void names(void **state)
{
    static const char *const ops[] = {"--op dot", "--op sum", "--op max", "--op min"};
    static const char *const types[] = {"--type f32", "--type f64", "--type mixed"};
    (void)state;
    for (int op = 0; op < 4; op++)
        assert_int_equal(good(&reduction_step, ops[op]).op, op);
    for (int type = 0; type < 3; type++) {
        const struct options options = good(&reduction_step, types[type]);
        assert_int_equal(options.type, type);
        assert_true(options.type_given);
    }
    assert_int_equal(good(&reduction_step, "--op max --type f64").type, TYPE_F64);
}

static void other_values(void **state)
{
    (void)state;
    assert_int_equal(good(&reduction_step, "--seed 0").seed, 0);
    assert_int_equal(good(&reduction_step, "--seed 18446744073709551615").seed, UINT64_MAX);
    assert_int_equal(good(&reduction_step, "--warmup 0").warmup, 0);
    assert_int_equal(good(&reduction_step, "--reps 1").reps, 1);
    assert_int_equal(good(&reduction_step, "--threads 1").threads, 1);
    assert_int_equal(good(&reduction_step, "--threads 100").threads, 100);
    assert_int_equal(good(&reduction_step, "--device 99").device, 99);
    assert_true(good(&reduction_step, "--cold").cold);
    assert_true(good(&reduction_step, "--histogram").histogram);
    assert_string_equal(good(&reduction_step, "--csv a.csv").csv, "a.csv");
    assert_string_equal(good(&reduction_step, "--json=b.json").json, "b.json");
    const struct options files = good(&reduction_step, "--a x.npy --b y.npy --type f64");
    assert_string_equal(files.a, "x.npy");
    assert_string_equal(files.b, "y.npy");
    const struct options one = good(&reduction_step, "--op sum --a x.npy");
    assert_true(strcmp(one.a, "x.npy") == 0 && one.b == NULL);
    const struct options factors = good(&gemm_step, "--alpha -1.5 --beta 2e-3");
    assert_true(factors.alpha == -1.5F && factors.beta == 2e-3F);
}

static void sweeps(void **state)
{
    (void)state;
    struct options options = good(&reduction_step, "--sweep 1:64:4");
    assert_true(options.sweep_from == 1 && options.sweep_to == 64 && options.sweep_factor == 4);
    options = good(&reduction_step, "--sweep 1K:1G");
    assert_true(options.sweep_from == 1024 && options.sweep_to == 1 << 30);
    assert_int_equal(options.sweep_factor, 2);
    options = good(&reduction_step, "--sweep 5:5");
    assert_true(options.sweep_from == 5 && options.sweep_to == 5);
    assert_int_equal(good(&reduction_step, "--sweep 1:64:4 --sweep 2:32").sweep_factor, 2);
    assert_int_equal(good(&gemm_step, "--sweep 16:64").sweep_to, 64);
}

static void repeated_rungs(void **state)
{
    (void)state;
    struct options options = good(&reduction_step, "--rung openblas --rung naive");
    assert_int_equal(options.rung_count, 2);
    assert_string_equal(options.rungs[0], "openblas");
    assert_string_equal(options.rungs[1], "naive");
    options = good(&reduction_step, "--rung naive --rung naive");
    assert_int_equal(options.rung_count, 1);

    char line[MOST_ARGUMENTS * 13] = "";
    for (int i = 0; i < MAX_RUNGS_NAMED + 5; i++) /* once is enough */
        strcat(line, "--rung naive ");
    assert_int_equal(good(&reduction_step, line).rung_count, 1);
}

static void more_rungs_than_fit(void **state)
{
    enum { RUNGS = MAX_RUNGS_NAMED + 1 };
    static char rung_names[RUNGS][8];
    static struct rung many[RUNGS];
    char line[RUNGS * 16] = "";
    struct step step = reduction_step;
    (void)state;

    for (int i = 0; i < RUNGS; i++) {
        snprintf(rung_names[i], sizeof rung_names[i], "r%03d", i);
        many[i].name = many[i].idea = rung_names[i];
    }
    step.rungs = many;
    step.rung_count = RUNGS;
    for (int i = 0; i < MAX_RUNGS_NAMED; i++)
        sprintf(line + strlen(line), "--rung %s ", rung_names[i]);
    assert_int_equal(good(&step, line).rung_count, MAX_RUNGS_NAMED);
    sprintf(line + strlen(line), "--rung %s", rung_names[RUNGS - 1]);
    bad(&step, line, "--rung", "64", "at most");
    /* A list of names that is longer than the message. */
    bad(&step, "--rung nosuch", "--rung 'nosuch'", "r000, r001", "want one of");
}

static void counters(void **state)
{
    (void)state;
    assert_int_equal(good(&emulated_step, "").counters, COUNTERS_NONE);
    assert_int_equal(good(&emulated_step, "--counters").counters, COUNTERS_TABLE);
    assert_int_equal(good(&emulated_step, "--counters=table").counters, COUNTERS_TABLE);
    assert_int_equal(good(&emulated_step, "--counters=lines").counters, COUNTERS_LINES);
    assert_int_equal(good(&emulated_step, "--counters=json --n 5").counters, COUNTERS_JSON);
    bad(&emulated_step, "--counters=csv", "--counters", "'csv'", "table, lines or json");
    bad(&emulated_step, "--counters lines", "'lines'", "options only", "--help");
    bad(&reduction_step, "--counters", "--counters", "no GPU kernels", "");
}

static void abbreviations(void **state)
{
    (void)state;
    assert_int_equal(good(&reduction_step, "--rep 7").reps, 7);
    assert_int_equal(good(&reduction_step, "--warm=2").warmup, 2);
    assert_true(good(&reduction_step, "--col").cold);
    assert_int_equal(good(&reduction_step, "--sw 1:2").sweep_factor, 2);
    /* --s could be --seed or --sweep, --c --cold or --csv. */
    bad(&reduction_step, "--s 1", "--s", "ambiguous", "--help");
    bad(&reduction_step, "--c", "--c", "ambiguous", "--help");
    /* An exact name is no abbreviation. */
    assert_int_equal(good(&gemm_step, "--k 5").k, 5);
    assert_string_equal(good(&reduction_step, "--b y --a x").b, "y");
}

/* Each call starts afresh. */
static void nothing_is_left_over(void **state)
{
    (void)state;
    (void)good(&reduction_step, "--n 5 --cold --rung naive --csv x");
    const struct options options = good(&reduction_step, "");
    assert_true(options.n == 1 << 20 && !options.cold && options.rung_count == 0);
    assert_null(options.csv);
    bad(&reduction_step, "--n x", "--n", "'x'", "whole number");
    assert_int_equal(good(&reduction_step, "--n 8").n, 8);
}

/* ---- bad values ------------------------------------------------------------------------------ */

static void bad_sizes(void **state)
{
    static const char *const values[] = {"-5",
                                         "+5",
                                         "12Q",
                                         "1.5",
                                         "1e6",
                                         "0x10",
                                         "K",
                                         "1KB",
                                         "1MM",
                                         "ten",
                                         "\x01",
                                         "1,000",
                                         "18446744073709551616",
                                         "99999999999999999999",
                                         "99999999T"};
    static const struct {
        const struct step *step;
        const char *option;
        bool positive;
    } options[] = {
        {&reduction_step, "n", false},      {&reduction_step, "seed", false},
        {&reduction_step, "reps", true},    {&reduction_step, "warmup", false},
        {&gemm_step, "m", false},           {&gemm_step, "n", false},
        {&gemm_step, "k", false},           {&conv_step, "batch", true},
        {&conv_step, "channels", true},     {&conv_step, "height", true},
        {&conv_step, "width", true},        {&conv_step, "filters", true},
        {&conv_step, "stride", true},       {&conv_step, "pad", false},
        {&conv_step, "dilation", true},     {&reduction_step, "threads", true},
        {&reduction_step, "device", false},
    };
    (void)state;

    for (size_t o = 0; o < sizeof options / sizeof options[0]; o++) {
        char line[128], option[32], shown[64];
        snprintf(option, sizeof option, "--%s", options[o].option);
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
            snprintf(line, sizeof line, "%s %s", option, values[v]);
            snprintf(shown, sizeof shown, "'%s'", values[v][0] == '\x01' ? "" : values[v]);
            bad(options[o].step, line, option, shown, "whole number");
        }
        snprintf(line, sizeof line, "%s 0", option);
        if (options[o].positive)
            bad(options[o].step, line, option, "'0'", "at least 1");
        else
            (void)good(options[o].step, line);
    }
    bad(&reduction_step, "--n 12Q", "12Q", "64K", "powers of two");
    bad(&reduction_step, "--threads 4294967297", "--threads", "'4294967297'", "whole number");
    bad(&reduction_step, "--device 4294967297", "--device", "'4294967297'", "whole number");
}

static void bad_names(void **state)
{
    (void)state;
    bad(&reduction_step, "--op mean", "--op", "'mean'", "dot, sum, max or min");
    bad(&reduction_step, "--op Dot", "--op", "'Dot'", "dot, sum, max or min");
    bad(&reduction_step, "--op \x01", "--op", "''", "dot, sum, max or min");
    bad(&reduction_step, "--type f16", "--type", "'f16'", "f32, f64 or mixed");
    bad(&reduction_step, "--type float", "--type", "'float'", "f32, f64 or mixed");
    bad(&reduction_step, "--rung nosuch", "--rung", "'nosuch'", "naive, racing, openblas");
    bad(&reduction_step, "--rung nai", "--rung", "'nai'", "naive, racing, openblas");
    bad(&reduction_step, "--rung \x01", "--rung", "''", "naive, racing, openblas");
}

static void bad_other_values(void **state)
{
    static const char *const factors[] = {"x", "\x01", "1x", "1.5.2", "nan", "inf", "1e99"};
    static const char *const kernels[] = {"3",     "3x",   "x3",  "3x0",  "0x3",
                                          "3x3x3", "-1x3", "axb", "\x01", "3X3"};
    static const char *const ranges[] = {
        "1",     "\x01",    ":",   "1:",   ":5",   "0:5", "5:1",     "1:8:1",
        "1:8:0", "1:8:2:2", "a:b", "1:8:", "-1:8", "1-8", "1:8:2.5", "1::2"};
    char line[64], shown[64];
    (void)state;

    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        snprintf(line, sizeof line, "--alpha %s", factors[i]);
        snprintf(shown, sizeof shown, "'%s'", factors[i][0] == '\x01' ? "" : factors[i]);
        bad(&gemm_step, line, "--alpha", shown, "want");
        snprintf(line, sizeof line, "--beta %s", factors[i]);
        bad(&gemm_step, line, "--beta", shown, "want");
    }
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        snprintf(line, sizeof line, "--kernel %s", kernels[i]);
        snprintf(shown, sizeof shown, "'%s'", kernels[i][0] == '\x01' ? "" : kernels[i]);
        bad(&conv_step, line, "--kernel", shown, "3x3");
    }
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        snprintf(line, sizeof line, "--sweep %s", ranges[i]);
        snprintf(shown, sizeof shown, "'%s'", ranges[i][0] == '\x01' ? "" : ranges[i]);
        bad(&reduction_step, line, "--sweep", shown, "FROM:TO");
    }
}

/* A message stays one line, whatever is in the value. */
static void strange_values(void **state)
{
    (void)state;
    bad(&reduction_step, "--rung one\ntwo", "--rung", "one.two", "want one of");
    bad(&reduction_step, "--nosuch\n\033[2J", "--nosuch", "no such option", "--help");
    bad(&reduction_step, "a\tb\177", "a.b.", "options", "--help");
}

static void bad_command_lines(void **state)
{
    static const char *const with_value[] = {"n",    "op",   "type", "a",       "b",      "seed",
                                             "rung", "reps", "csv",  "threads", "device", "json"};
    char line[64], option[32];
    (void)state;

    for (size_t i = 0; i < sizeof with_value / sizeof with_value[0]; i++) {
        snprintf(option, sizeof option, "--%s", with_value[i]);
        bad(&reduction_step, option, option, "wants a value", "--help");
        snprintf(line, sizeof line, "--cold %s", option);
        bad(&reduction_step, line, option, "wants a value", "--help");
    }
    bad(&reduction_step, "--nosuch", "--nosuch", "no such option", "--help");
    bad(&reduction_step, "--nosuch=5", "--nosuch=5", "no such option", "--help");
    bad(&reduction_step, "--n 5 --nosuch --cold", "--nosuch", "no such option", "--help");
    bad(&reduction_step, "-n 5", "-n", "no such option", "--help");
    bad(&reduction_step, "-n5", "-n", "no such option", "--help");
    bad(&reduction_step, "--cold -xyz --n 5", "-x", "no such option", "--help");
    bad(&reduction_step, "-h", "-h", "no such option", "--help");
    bad(&reduction_step, "--cold=yes", "--cold", "value", "--help");
    bad(&reduction_step, "5", "'5'", "options", "--help");
    bad(&reduction_step, "--n 5 1000", "'1000'", "options", "--help");
    bad(&reduction_step, "-- --n", "'--n'", "options", "--help");
    bad(&reduction_step, "-", "'-'", "options", "--help");
}

static void options_of_other_families(void **state)
{
    static const char *const reduction_only[] = {"--op dot", "--type f32"};
    static const char *const gemm_only[] = {"--m 5", "--k 5", "--alpha 1", "--beta 1"};
    static const char *const conv_only[] = {"--batch 1",  "--channels 1", "--height 5",
                                            "--width 5",  "--filters 1",  "--kernel 3x3",
                                            "--stride 1", "--pad 0",      "--dilation 1"};
    (void)state;

    for (size_t i = 0; i < sizeof reduction_only / sizeof reduction_only[0]; i++) {
        (void)good(&reduction_step, reduction_only[i]);
        bad(&gemm_step, reduction_only[i], "--", "no such option", "--help");
        bad(&conv_step, reduction_only[i], "--", "no such option", "--help");
    }
    for (size_t i = 0; i < sizeof gemm_only / sizeof gemm_only[0]; i++) {
        (void)good(&gemm_step, gemm_only[i]);
        bad(&reduction_step, gemm_only[i], "--", "no such option", "--help");
    }
    for (size_t i = 0; i < sizeof conv_only / sizeof conv_only[0]; i++) {
        (void)good(&conv_step, conv_only[i]);
        bad(&reduction_step, conv_only[i], "--", "no such option", "--help");
        bad(&gemm_step, conv_only[i], "--", "no such option", "--help");
    }
    bad(&conv_step, "--n 5", "--n", "no such option", "--help");
    bad(&conv_step, "--sweep 1:5", "--sweep", "no such option", "--help");
}

static void combinations(void **state)
{
    (void)state;
    bad(&reduction_step, "--op sum --type mixed", "--type mixed", "--op dot", "two inputs");
    bad(&reduction_step, "--type mixed --op max", "--type mixed", "--op dot", "two inputs");
    bad(&reduction_step, "--op min --a x --b y", "--b", "--op dot", "second input");
    bad(&reduction_step, "--a x", "--a", "--b", "together");
    bad(&reduction_step, "--b y", "--a", "--b", "together");
    bad(&gemm_step, "--a x", "--a", "--b", "together");
    bad(&conv_step, "--b x", "--a", "--b", "together");
    bad(&reduction_step, "--a x --b y --n 5", "files", "size", "leave");
    bad(&reduction_step, "--op sum --a x --n 5", "files", "size", "leave");
    bad(&gemm_step, "--a x --b y --k 5", "files", "size", "leave");
    bad(&conv_step, "--a x --b y --height 5", "files", "size", "leave");
    bad(&conv_step, "--a x --b y --kernel 3x3", "files", "size", "leave");
    (void)good(&conv_step, "--a x --b y --stride 2 --pad 1 --dilation 2");
    bad(&reduction_step, "--sweep 1:8 --n 5", "--sweep", "--n", "leave");
    bad(&gemm_step, "--m 5 --sweep 1:8", "--sweep", "size", "leave");
    bad(&reduction_step, "--a x --b y --sweep 1:8", "--sweep", "--a", "leave");
}

/* ---- a choice of tables ---------------------------------------------------------------------- */

static const struct rung row_rungs[] = {{.name = "row_warp", .idea = "a warp a row"}};
static const struct rung column_rungs[] = {{.name = "columns", .idea = "tiles"}};

/* --axis selects a table, with the rungs, the options and the defaults that go with it, wherever on the
 * command line it stands; without it nothing changes. */
static void axis(void **state)
{
    struct step rows = reduction_step, columns, step = reduction_step;
    (void)state;

    rows.family = &matrix_reduction_family;
    rows.rungs = row_rungs;
    rows.rung_count = 1;
    columns = rows;
    columns.rungs = column_rungs;
    step.rows = &rows;
    step.columns = &columns;

    struct options options = good(&step, "--n 5 --op dot --rung naive");
    assert_ptr_equal(options.table, &step);
    options = good(&step, "--axis rows");
    assert_ptr_equal(options.table, &rows);
    assert_true(options.axis == AXIS_ROWS && options.op == OP_SUM);
    assert_true(options.m == 4096 && options.n == 4096);
    options = good(&step, "--rung columns --m 0 --n 2K --op max --ax=columns --type f64");
    assert_ptr_equal(options.table, &columns);
    assert_true(options.axis == AXIS_COLUMNS && options.op == OP_MAX);
    assert_true(options.m == 0 && options.n == 2048 && options.type == TYPE_F64);
    assert_ptr_equal(good(&step, "--axis rows --axis columns").table, &columns);
    assert_string_equal(good(&step, "--axis rows --a x.npy").a, "x.npy");
    assert_int_equal(good(&step, "--axis rows --sweep 2:8").sweep_to, 8);
    rows.back_end = &emulated;
    options = good(&step, "--axis rows");
    assert_true(options.m == 256 && options.n == 512);

    bad(&step, "--axis", "--axis", "wants a value", "--help");
    bad(&step, "--axis diagonals", "--axis", "'diagonals'", "rows or columns");
    bad(&step, "--m 5", "--m", "no such option", "--help");
    bad(&step, "--axis rows --b x", "--b", "no such option", "--help");
    bad(&step, "--axis rows --op dot", "--op dot", "--axis", "sum, max or min");
    bad(&step, "--axis rows --type mixed", "--type mixed", "--axis", "f32 or f64");
    bad(&step, "--axis rows --rung columns", "--rung", "'columns'", "want one of row_warp");
    bad(&step, "--rung row_warp", "--rung", "'row_warp'", "naive");
    bad(&step, "--axis rows --a x --m 5", "files", "size", "leave");
    bad(&step, "--axis rows --nosuch", "--nosuch", "no such option", "--help");
    bad(&reduction_step, "--axis rows", "--axis", "no such option", "--help");
    bad(&gemm_step, "--axis rows", "--axis", "no such option", "--help");

    char *text = printed(&step, "--list --axis columns");
    assert_non_null(strstr(text, "columns"));
    assert_null(strstr(text, "naive"));
    free(text);
    text = printed(&step, "--help");
    assert_non_null(strstr(text, "--axis AXIS"));
    free(text);
    text = printed(&step, "--axis rows --help");
    assert_non_null(strstr(text, "--axis AXIS"));
    assert_non_null(strstr(text, "--m M"));
    free(text);
    text = printed(&reduction_step, "--help");
    assert_null(strstr(text, "--axis"));
    free(text);
}

/* ---- what is printed ------------------------------------------------------------------------- */

static void help(void **state)
{
    static const char *const everywhere[] = {
        "--a FILE",       "--b FILE",    "--seed N",       "--rung NAME", "--list",
        "--warmup N",     "--reps N",    "--cold",         "--threads N", "--device N",
        "--histogram",    "--csv FILE",  "--json FILE",    "--help",      "--version",
        "Usage: 05_test", "Exit status", "A step of tests"};
    (void)state;

    char *const reduction = printed(&reduction_step, "--help");
    char *const gemm = printed(&gemm_step, "--help");
    char *const conv = printed(&conv_step, "--help");
    for (size_t i = 0; i < sizeof everywhere / sizeof everywhere[0]; i++) {
        assert_non_null(strstr(reduction, everywhere[i]));
        assert_non_null(strstr(gemm, everywhere[i]));
        assert_non_null(strstr(conv, everywhere[i]));
    }
    assert_non_null(strstr(reduction, "--op OP"));
    assert_non_null(strstr(reduction, "--sweep FROM:TO"));
    assert_null(strstr(reduction, "--alpha"));
    assert_null(strstr(reduction, "--kernel"));
    assert_non_null(strstr(gemm, "--alpha X"));
    assert_null(strstr(gemm, "--op"));
    assert_non_null(strstr(conv, "--kernel HxW"));
    assert_null(strstr(conv, "--n N"));
    free(reduction);
    free(gemm);
    free(conv);
    /* Help comes before whatever is wrong behind it, and needs no more than its first letters. */
    free(printed(&reduction_step, "--help --nosuch"));
    free(printed(&reduction_step, "--he"));
}

static void version(void **state)
{
    (void)state;
    char *const text = printed(&reduction_step, "--version");
    assert_string_equal(text, "rungs " RUNGS_VERSION "\n");
    free(text);
}

static void list(void **state)
{
    (void)state;
    char *const text = printed(&reduction_step, "--list");
    char line[128];
    int lines = 0;
    for (const char *c = text; *c != '\0'; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 3);
    assert_int_equal(sscanf(text, "%100s", line), 1);
    assert_string_equal(line, "naive");
    assert_non_null(strstr(text, "one loop\n"));
    assert_non_null(strstr(text, "no atomics [a lesson: wrong on purpose]\n"));
    assert_non_null(strstr(text, "OpenBLAS [library]\n"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(pictures),
        cmocka_unit_test(sizes),
        cmocka_unit_test(names),
        cmocka_unit_test(other_values),
        cmocka_unit_test(sweeps),
        cmocka_unit_test(repeated_rungs),
        cmocka_unit_test(more_rungs_than_fit),
        cmocka_unit_test(counters),
        cmocka_unit_test(abbreviations),
        cmocka_unit_test(nothing_is_left_over),
        cmocka_unit_test(bad_sizes),
        cmocka_unit_test(bad_names),
        cmocka_unit_test(bad_other_values),
        cmocka_unit_test(strange_values),
        cmocka_unit_test(bad_command_lines),
        cmocka_unit_test(options_of_other_families),
        cmocka_unit_test(combinations),
        cmocka_unit_test(axis),
        cmocka_unit_test(help),
        cmocka_unit_test(version),
        cmocka_unit_test(list),
    };
    return cmocka_run_group_tests_name("options", tests, make_steps, NULL);
}
