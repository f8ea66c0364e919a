/* Tests of options.h: every option of every kind of problem, with good and bad values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "device/pool.h"
#include "problem/conv/conv.h"
#include "problem/conv/options.h"
#include "problem/gemm/gemm.h"
#include "problem/gemm/options.h"
#include "problem/matrix_reduction/matrix_reduction.h"
#include "problem/reduction/options.h"
#include "run/options.h"

/* ---- a step of each kind --------------------------------------------------------------------- */

static const struct rung rungs[] = {
    {.name = "naive", .idea = "one loop"},
    {"racing", "no atomics", .flags = RUNG_LESSON},
    {"openblas", "OpenBLAS", .flags = RUNG_LIBRARY},
};

static struct back_end emulated; /* counts, but does not time */

/* A step with one ladder. */
struct test_step {
    struct ladder ladder;
    const struct ladder *ladders[1];
    struct step step;
};

static struct test_step reduction, emulated_reduction, gemm, emulated_gemm, conv, emulated_conv;

static void make_step(struct test_step *made, const struct problem_kind *kind,
                      const struct back_end *back_end)
{
    made->ladder = (struct ladder){
        .idea = "A step of tests",
        .kind = kind,
        .back_end = back_end,
        .rungs = rungs,
        .rung_size = sizeof rungs[0],
        .rung_count = sizeof rungs / sizeof rungs[0],
    };
    made->ladders[0] = &made->ladder;
    made->step = (struct step){.name = "05_test", .ladders = made->ladders, .ladder_count = 1};
}

static int make_steps(void **state)
{
    (void)state;
    emulated = cpu_back_end;
    emulated.clocks = false;
    make_step(&reduction, &reduction_kind, &cpu_back_end);
    make_step(&emulated_reduction, &reduction_kind, &emulated);
    make_step(&gemm, &gemm_kind, &cpu_back_end);
    make_step(&emulated_gemm, &gemm_kind, &emulated);
    make_step(&conv, &conv_kind, &cpu_back_end);
    make_step(&emulated_conv, &conv_kind, &emulated);
    return 0;
}

/* ---- parsing --------------------------------------------------------------------------------- */

enum { MOST_ARGUMENTS = 160 };

/* Splits a command line into words at spaces. \x01 stands for an empty word. */
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

/* The words stay here, because the parsed options point to them. */
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

/* The parsed options of a line: the runner's part, and the problem's part per kind. */
struct parsed {
    struct options options;
    struct problem_options base;
    struct reduction_options reduction;
    struct gemm_options gemm;
    struct conv_options conv;
};

static struct parsed good(const struct step *step, const char *line)
{
    struct parsed parsed = {.base.seed = 0};
    struct options *const options = &parsed.options;
    struct error error;

    if (parse(step, line, options, stdout, &error) != OPTIONS_RUN)
        fail_msg("%s: %s", line, error.text);
    parsed.base = *options->problem;
    if (options->ladder->kind == &gemm_kind)
        memcpy(&parsed.gemm, options->problem, sizeof parsed.gemm);
    else if (options->ladder->kind == &conv_kind)
        memcpy(&parsed.conv, options->problem, sizeof parsed.conv);
    else
        memcpy(&parsed.reduction, options->problem, sizeof parsed.reduction);
    options_free(options);
    return parsed;
}

/* The line must be refused with code 2 and one line that contains all of the texts. */
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
    struct parsed options = good(&reduction.step, "");
    assert_int_equal(options.reduction.n, 1 << 20);
    assert_int_equal(options.reduction.op, OP_DOT);
    assert_int_equal(options.reduction.type, TYPE_NOT_GIVEN);
    assert_int_equal(options.options.rung_count, 0);
    assert_int_equal(options.options.warmup, 3);
    assert_int_equal(options.options.reps, 0);
    assert_int_equal(options.base.seed, 1);
    assert_null(options.base.a);
    assert_null(options.base.b);
    assert_null(options.options.csv);
    assert_null(options.options.json);
    assert_false(options.options.histogram);
    assert_false(options.options.cold);
    assert_int_equal(options.options.sweep_factor, 0);
    assert_int_equal(options.options.device, 0);
    const int processors = usable_processors();
    assert_int_equal(options.base.threads, processors < POOL_MOST ? processors : POOL_MOST);
    assert_int_equal(options.base.offset, 0);
    assert_int_equal(options.base.padding, 0);
    assert_int_equal(good(&emulated_reduction.step, "").reduction.n, 1 << 20);

    options = good(&gemm.step, "");
    assert_true(options.gemm.m == 2048 && options.gemm.n == 2048 && options.gemm.k == 1024);
    assert_true(options.gemm.alpha == 1 && options.gemm.beta == 0);
    options = good(&emulated_gemm.step, "");
    assert_true(options.gemm.m == 256 && options.gemm.n == 256 && options.gemm.k == 64);

    options = good(&conv.step, "");
    assert_true(options.conv.batch == 2 && options.conv.channels == 12 &&
                options.conv.height == 130);
    assert_true(options.conv.width == 514 && options.conv.filters == 24);
    assert_true(options.conv.kernel_height == 3 && options.conv.kernel_width == 3);
    assert_true(options.conv.stride_height == 1 && options.conv.stride_width == 1 &&
                options.conv.pad == 0 && options.conv.dilation == 1);
    options = good(&emulated_conv.step, "");
    assert_true(options.conv.height == 34 && options.conv.width == 130 &&
                options.conv.filters == 24);
}

static void pictures(void **state)
{
    const struct parsed options = good(&conv.step, "--image in.png --filter blur -o out.png");
    (void)state;

    assert_string_equal(options.conv.image, "in.png");
    assert_string_equal(options.conv.filter, "blur");
    assert_string_equal(options.conv.output, "out.png");
    assert_string_equal(good(&conv.step, "--image in.png --output out.png").conv.output, "out.png");
    bad(&conv.step, "--image in.png", "--image", "--output", "together");
    bad(&conv.step, "-o out.png", "--image", "--output", "together");
    bad(&conv.step, "--filter blur", "--filter", "--image", "goes with");
    bad(&conv.step, "--image in.png -o out.png --a a.npy --b b.npy", "--image", "--a", "leave");
    bad(&conv.step, "--image in.png -o out.png --height 5", "--image", "sizes", "leave");
    bad(&conv.step, "--image in.png -o", "-o", "needs a value", "--help");
    bad(&reduction.step, "-o out.png", "-o", "no such option", "--help");
}

static void sizes(void **state)
{
    (void)state;
    assert_int_equal(good(&reduction.step, "--n 0").reduction.n, 0);
    assert_int_equal(good(&reduction.step, "--n 1").reduction.n, 1);
    assert_int_equal(good(&reduction.step, "--n 64K").reduction.n, 64 << 10);
    assert_int_equal(good(&reduction.step, "--n 64k").reduction.n, 64 << 10);
    assert_int_equal(good(&reduction.step, "--n 3M").reduction.n, 3 << 20);
    assert_int_equal(good(&reduction.step, "--n 2G").reduction.n, (size_t)2 << 30);
    assert_int_equal(good(&reduction.step, "--n=1T").reduction.n, (size_t)1 << 40);
    assert_int_equal(good(&reduction.step, "--n 007").reduction.n, 7);
    assert_int_equal(good(&reduction.step, "--n 9999999999999999999").reduction.n,
                     9999999999999999999u);
    assert_int_equal(good(&reduction.step, "--n 18446744073709551615").reduction.n, SIZE_MAX);
    assert_int_equal(good(&reduction.step, "--n 5 --n 6").reduction.n, 6); /* the last one counts */
    const struct parsed product = good(&gemm.step, "--m 5 --n 6 --k 0");
    assert_true(product.gemm.m == 5 && product.gemm.n == 6 && product.gemm.k == 0);
    const struct parsed layer =
        good(&conv.step, "--batch 1 --channels 3 --height 5 --width 7 --filters 9 --kernel 2x4 "
                         "--stride 3x2 --pad 0 --dilation 2");
    assert_true(layer.conv.batch == 1 && layer.conv.channels == 3 && layer.conv.height == 5 &&
                layer.conv.width == 7);
    assert_true(layer.conv.filters == 9 && layer.conv.kernel_height == 2 &&
                layer.conv.kernel_width == 4);
    assert_true(layer.conv.stride_height == 3 && layer.conv.stride_width == 2 &&
                layer.conv.pad == 0 && layer.conv.dilation == 2);
}

static void names(void **state)
{
    static const char *const ops[] = {"--op dot", "--op sum", "--op max", "--op min"};
    static const char *const types[] = {"--type f32", "--type f64", "--type f16", "--type mixed",
                                        "--type f32xf64"};
    (void)state;
    for (int op = 0; op < 4; op++)
        assert_int_equal(good(&reduction.step, ops[op]).reduction.op, op);
    for (int type = 0; type < ELEMENT_TYPES; type++) {
        const struct parsed options = good(&reduction.step, types[type]);
        assert_int_equal(options.reduction.type, type);
    }
    assert_int_equal(good(&reduction.step, "--op max --type f64").reduction.type, TYPE_F64);
}

static void other_values(void **state)
{
    (void)state;
    assert_int_equal(good(&reduction.step, "--seed 0").base.seed, 0);
    assert_int_equal(good(&reduction.step, "--seed 18446744073709551615").base.seed, UINT64_MAX);
    assert_int_equal(good(&reduction.step, "--warmup 0").options.warmup, 0);
    assert_int_equal(good(&reduction.step, "--reps 1").options.reps, 1);
    assert_int_equal(good(&reduction.step, "--threads 1").base.threads, 1);
    assert_int_equal(good(&reduction.step, "--threads 100").base.threads, 100);
    assert_int_equal(good(&reduction.step, "--device 99").options.device, 99);
    assert_true(good(&reduction.step, "--cold").options.cold);
    assert_true(good(&reduction.step, "--histogram").options.histogram);
    assert_string_equal(good(&reduction.step, "--csv a.csv").options.csv, "a.csv");
    assert_string_equal(good(&reduction.step, "--json=b.json").options.json, "b.json");
    const struct parsed files = good(&reduction.step, "--a x.npy --b y.npy --type f64");
    assert_string_equal(files.base.a, "x.npy");
    assert_string_equal(files.base.b, "y.npy");
    const struct parsed one = good(&reduction.step, "--op sum --a x.npy");
    assert_true(strcmp(one.base.a, "x.npy") == 0 && one.base.b == NULL);
    const struct parsed factors = good(&gemm.step, "--alpha -1.5 --beta 2e-3");
    assert_true(factors.gemm.alpha == -1.5F && factors.gemm.beta == 2e-3F);
}

static void sweeps(void **state)
{
    (void)state;
    struct parsed options = good(&reduction.step, "--sweep 1:64:4");
    assert_true(options.options.sweep_from == 1 && options.options.sweep_to == 64 &&
                options.options.sweep_factor == 4);
    options = good(&reduction.step, "--sweep 1K:1G");
    assert_true(options.options.sweep_from == 1024 && options.options.sweep_to == 1 << 30);
    assert_int_equal(options.options.sweep_factor, 2);
    options = good(&reduction.step, "--sweep 5:5");
    assert_true(options.options.sweep_from == 5 && options.options.sweep_to == 5);
    assert_int_equal(good(&reduction.step, "--sweep 1:64:4 --sweep 2:32").options.sweep_factor, 2);
    assert_int_equal(good(&gemm.step, "--sweep 16:64").options.sweep_to, 64);
}

static void repeated_rungs(void **state)
{
    (void)state;
    struct parsed options = good(&reduction.step, "--rung openblas --rung naive");
    assert_int_equal(options.options.rung_count, 2);
    assert_string_equal(options.options.rungs[0], "openblas");
    assert_string_equal(options.options.rungs[1], "naive");
    options = good(&reduction.step, "--rung naive --rung naive");
    assert_int_equal(options.options.rung_count, 1);

    char line[MOST_ARGUMENTS * 13] = "";
    for (int i = 0; i < MAX_RUNGS_NAMED + 5; i++) /* repeated names count once */
        strcat(line, "--rung naive ");
    assert_int_equal(good(&reduction.step, line).options.rung_count, 1);
}

static void add_rung(char *line, size_t size, const char *name)
{
    const size_t used = strlen(line);
    assert_true((size_t)snprintf(line + used, size - used, "--rung %s ", name) < size - used);
}

static void more_rungs_than_fit(void **state)
{
    enum { RUNGS = MAX_RUNGS_NAMED + 1 };
    static char rung_names[RUNGS][16];
    static struct rung many[RUNGS];
    char line[RUNGS * 20] = "";
    struct test_step made;
    const struct step *const step = &made.step;
    (void)state;

    make_step(&made, &reduction_kind, &cpu_back_end);
    for (int i = 0; i < RUNGS; i++) {
        snprintf(rung_names[i], sizeof rung_names[i], "r%03d", i);
        many[i].name = many[i].idea = rung_names[i];
    }
    made.ladder.rungs = many;
    made.ladder.rung_count = RUNGS;
    for (int i = 0; i < MAX_RUNGS_NAMED; i++)
        add_rung(line, sizeof line, rung_names[i]);
    assert_int_equal(good(step, line).options.rung_count, MAX_RUNGS_NAMED);
    add_rung(line, sizeof line, rung_names[RUNGS - 1]);
    bad(step, line, "--rung", "64", "at most");
    /* A list of names that does not fit in the message. */
    bad(step, "--rung nosuch", "--rung 'nosuch'", "r000, r001", "Choose one of");
}

static void counters(void **state)
{
    (void)state;
    assert_int_equal(good(&emulated_reduction.step, "").options.counters, COUNTERS_NONE);
    assert_int_equal(good(&emulated_reduction.step, "--counters").options.counters, COUNTERS_TABLE);
    assert_int_equal(good(&emulated_reduction.step, "--counters=table").options.counters,
                     COUNTERS_TABLE);
    assert_int_equal(good(&emulated_reduction.step, "--counters=lines").options.counters,
                     COUNTERS_LINES);
    assert_int_equal(good(&emulated_reduction.step, "--counters=json --n 5").options.counters,
                     COUNTERS_JSON);
    bad(&emulated_reduction.step, "--counters=csv", "--counters", "'csv'", "table, lines or json");
    bad(&emulated_reduction.step, "--counters lines", "'lines'", "options only", "--help");
    bad(&reduction.step, "--counters", "--counters", "no GPU kernels", "");
}

static void abbreviations(void **state)
{
    (void)state;
    assert_int_equal(good(&reduction.step, "--rep 7").options.reps, 7);
    assert_int_equal(good(&reduction.step, "--warm=2").options.warmup, 2);
    assert_true(good(&reduction.step, "--col").options.cold);
    assert_int_equal(good(&reduction.step, "--sw 1:2").options.sweep_factor, 2);
    /* --s could be --seed or --sweep, and --c could be --cold or --csv. */
    bad(&reduction.step, "--s 1", "--s", "ambiguous", "--help");
    bad(&reduction.step, "--c", "--c", "ambiguous", "--help");
    /* An exact name is not an abbreviation. */
    assert_int_equal(good(&gemm.step, "--k 5").gemm.k, 5);
    assert_string_equal(good(&reduction.step, "--b y --a x").base.b, "y");
}

/* Each call starts with the defaults. */
static void nothing_is_left_over(void **state)
{
    (void)state;
    (void)good(&reduction.step, "--n 5 --cold --rung naive --csv x");
    const struct parsed options = good(&reduction.step, "");
    assert_true(options.reduction.n == 1 << 20 && !options.options.cold &&
                options.options.rung_count == 0);
    assert_null(options.options.csv);
    bad(&reduction.step, "--n x", "--n", "'x'", "whole number");
    assert_int_equal(good(&reduction.step, "--n 8").reduction.n, 8);
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
        {&reduction.step, "n", false},      {&reduction.step, "seed", false},
        {&reduction.step, "reps", true},    {&reduction.step, "warmup", false},
        {&gemm.step, "m", false},           {&gemm.step, "n", false},
        {&gemm.step, "k", false},           {&conv.step, "batch", true},
        {&conv.step, "channels", true},     {&conv.step, "height", true},
        {&conv.step, "width", true},        {&conv.step, "filters", true},
        {&conv.step, "pad", false},         {&conv.step, "dilation", true},
        {&reduction.step, "threads", true}, {&reduction.step, "device", false},
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
    bad(&reduction.step, "--n 12Q", "12Q", "64K", "powers of two");
    bad(&reduction.step, "--threads 4294967297", "--threads", "'4294967297'", "whole number");
    bad(&reduction.step, "--device 4294967297", "--device", "'4294967297'", "whole number");
}

static void bad_names(void **state)
{
    (void)state;
    bad(&reduction.step, "--op mean", "--op", "'mean'", "dot, sum, max or min");
    bad(&reduction.step, "--op Dot", "--op", "'Dot'", "dot, sum, max or min");
    bad(&reduction.step, "--op \x01", "--op", "''", "dot, sum, max or min");
    bad(&reduction.step, "--type f8", "--type", "'f8'", "f32, f64, f16, mixed or f32xf64");
    bad(&reduction.step, "--type float", "--type", "'float'", "f32, f64, f16, mixed or f32xf64");
    bad(&reduction.step, "--rung nosuch", "--rung", "'nosuch'", "naive, racing, openblas");
    bad(&reduction.step, "--rung nai", "--rung", "'nai'", "naive, racing, openblas");
    bad(&reduction.step, "--rung \x01", "--rung", "''", "naive, racing, openblas");
}

static void bad_other_values(void **state)
{
    static const char *const factors[] = {"x", "\x01", "1x", "1.5.2", "nan", "inf", "1e99"};
    static const char *const kernels[] = {"3",     "3x",   "x3",  "3x0",  "0x3",
                                          "3x3x3", "-1x3", "axb", "\x01", "3X3"};
    static const char *const ranges[] = {
        "1",     "\x01",    ":",   "1:",   ":5",   "0:5", "5:1",     "1:8:1",
        "1:8:0", "1:8:2:2", "a:b", "1:8:", "-1:8", "1-8", "1:8:2.5", "1::2"};
    static const char *const strides[] = {"0",     "x2", "2x",   "2x0", "0x2",
                                          "2x1x1", "-2", "\x01", "2X1"};
    char line[64], shown[64];
    (void)state;

    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        snprintf(line, sizeof line, "--alpha %s", factors[i]);
        snprintf(shown, sizeof shown, "'%s'", factors[i][0] == '\x01' ? "" : factors[i]);
        bad(&gemm.step, line, "--alpha", shown, "expected");
        snprintf(line, sizeof line, "--beta %s", factors[i]);
        bad(&gemm.step, line, "--beta", shown, "expected");
    }
    for (size_t i = 0; i < sizeof strides / sizeof strides[0]; i++) {
        snprintf(line, sizeof line, "--stride %s", strides[i]);
        snprintf(shown, sizeof shown, "'%s'", strides[i][0] == '\x01' ? "" : strides[i]);
        bad(&conv.step, line, "--stride", shown, "2x1, or 2 for 2x2");
    }
    assert_true(good(&conv.step, "--stride 4").conv.stride_height == 4);
    assert_true(good(&conv.step, "--stride 4").conv.stride_width == 4);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        snprintf(line, sizeof line, "--kernel %s", kernels[i]);
        snprintf(shown, sizeof shown, "'%s'", kernels[i][0] == '\x01' ? "" : kernels[i]);
        bad(&conv.step, line, "--kernel", shown, "3x3");
    }
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        snprintf(line, sizeof line, "--sweep %s", ranges[i]);
        snprintf(shown, sizeof shown, "'%s'", ranges[i][0] == '\x01' ? "" : ranges[i]);
        bad(&reduction.step, line, "--sweep", shown, "FROM:TO");
    }
}

/* A message stays one line, whatever the value contains. */
static void strange_values(void **state)
{
    (void)state;
    bad(&reduction.step, "--rung one\ntwo", "--rung", "one.two", "Choose one of");
    bad(&reduction.step, "--nosuch\n\033[2J", "--nosuch", "no such option", "--help");
    bad(&reduction.step, "a\tb\177", "a.b.", "options", "--help");
}

static void bad_command_lines(void **state)
{
    static const char *const with_value[] = {"n",    "op",   "type", "a",       "b",      "seed",
                                             "rung", "reps", "csv",  "threads", "device", "json"};
    char line[64], option[32];
    (void)state;

    for (size_t i = 0; i < sizeof with_value / sizeof with_value[0]; i++) {
        snprintf(option, sizeof option, "--%s", with_value[i]);
        bad(&reduction.step, option, option, "needs a value", "--help");
        snprintf(line, sizeof line, "--cold %s", option);
        bad(&reduction.step, line, option, "needs a value", "--help");
    }
    bad(&reduction.step, "--nosuch", "--nosuch", "no such option", "--help");
    bad(&reduction.step, "--colt", "--colt", "no such option", "Did you mean --cold?");
    bad(&reduction.step, "--op summ", "--op 'summ'", "expected dot", "Did you mean sum?");
    bad(&reduction.step, "--rung nave", "--rung 'nave'", "Did you mean naive?", "Choose one of");
    bad(&reduction.step, "--nosuch=5", "--nosuch=5", "no such option", "--help");
    bad(&reduction.step, "--n 5 --nosuch --cold", "--nosuch", "no such option", "--help");
    bad(&reduction.step, "-n 5", "-n", "no such option", "--help");
    bad(&reduction.step, "-n5", "-n", "no such option", "--help");
    bad(&reduction.step, "--cold -xyz --n 5", "-x", "no such option", "--help");
    bad(&reduction.step, "-h", "-h", "no such option", "--help");
    bad(&reduction.step, "--cold=yes", "--cold", "value", "--help");
    bad(&reduction.step, "5", "'5'", "options", "--help");
    bad(&reduction.step, "--n 5 1000", "'1000'", "options", "--help");
    bad(&reduction.step, "-- --n", "'--n'", "options", "--help");
    bad(&reduction.step, "-", "'-'", "options", "--help");
}

static void options_of_other_kinds(void **state)
{
    static const char *const reduction_only[] = {"--op dot", "--type f32"};
    static const char *const gemm_only[] = {"--m 5", "--k 5", "--alpha 1", "--beta 1"};
    static const char *const conv_only[] = {"--batch 1",  "--channels 1", "--height 5",
                                            "--width 5",  "--filters 1",  "--kernel 3x3",
                                            "--stride 1", "--pad 0",      "--dilation 1"};
    (void)state;

    for (size_t i = 0; i < sizeof reduction_only / sizeof reduction_only[0]; i++) {
        (void)good(&reduction.step, reduction_only[i]);
        bad(&gemm.step, reduction_only[i], "--", "no such option", "--help");
        bad(&conv.step, reduction_only[i], "--", "no such option", "--help");
    }
    for (size_t i = 0; i < sizeof gemm_only / sizeof gemm_only[0]; i++) {
        (void)good(&gemm.step, gemm_only[i]);
        bad(&reduction.step, gemm_only[i], "--", "no such option", "--help");
    }
    for (size_t i = 0; i < sizeof conv_only / sizeof conv_only[0]; i++) {
        (void)good(&conv.step, conv_only[i]);
        bad(&reduction.step, conv_only[i], "--", "no such option", "--help");
        bad(&gemm.step, conv_only[i], "--", "no such option", "--help");
    }
    bad(&conv.step, "--n 5", "--n", "no such option", "--help");
    bad(&conv.step, "--sweep 1:5", "--sweep", "no such option", "--help");
}

static void combinations(void **state)
{
    (void)state;
    bad(&reduction.step, "--op sum --type mixed", "--type mixed", "--op dot", "two inputs");
    bad(&reduction.step, "--type mixed --op max", "--type mixed", "--op dot", "two inputs");
    bad(&reduction.step, "--op sum --type f32xf64", "--type f32xf64", "--op dot", "two inputs");
    bad(&reduction.step, "--op min --a x --b y", "--b", "--op dot", "second input");
    bad(&reduction.step, "--a x", "--a", "--b", "together");
    bad(&reduction.step, "--b y", "--a", "--b", "together");
    bad(&gemm.step, "--a x", "--a", "--b", "together");
    bad(&conv.step, "--b x", "--a", "--b", "together");
    bad(&reduction.step, "--a x --b y --n 5", "files", "size", "leave");
    bad(&reduction.step, "--op sum --a x --n 5", "files", "size", "leave");
    bad(&gemm.step, "--a x --b y --k 5", "files", "size", "leave");
    bad(&conv.step, "--a x --b y --height 5", "files", "size", "leave");
    bad(&conv.step, "--a x --b y --kernel 3x3", "files", "size", "leave");
    (void)good(&conv.step, "--a x --b y --stride 2 --pad 1 --dilation 2");
    bad(&reduction.step, "--sweep 1:8 --n 5", "--sweep", "--n", "leave");
    bad(&gemm.step, "--m 5 --sweep 1:8", "--sweep", "size", "leave");
    bad(&reduction.step, "--a x --b y --sweep 1:8", "--sweep", "--a", "leave");
}

/* --block and --grid, for the kinds of problems that accept them. */
static void blocks(void **state)
{
    struct test_step block, grid;
    (void)state;

    make_step(&block, &block_reduction_kind, &cpu_back_end);
    make_step(&grid, &grid_reduction_kind, &cpu_back_end);
    struct parsed parsed = good(&block.step, "");
    assert_true(parsed.reduction.block == 0 && parsed.reduction.grid == 0);
    parsed = good(&block.step, "--block 1K --grid 2147483647");
    assert_true(parsed.reduction.block == 1024 && parsed.reduction.grid == 0x7fffffff);
    parsed = good(&block.step, "--block 1 --grid 1");
    assert_true(parsed.reduction.block == 1 && parsed.reduction.grid == 1);
    parsed = good(&block.step, "--grid occupancy --block occupancy");
    assert_true(parsed.reduction.block == BY_OCCUPANCY && parsed.reduction.grid == BY_OCCUPANCY);
    assert_true(good(&grid.step, "--grid 108").reduction.grid == 108);

    static const char *const wrong[] = {"0", "-1", "1025", "4294967295", "1.5", "", "occ", "64x2"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char line[64];
        snprintf(line, sizeof line, "--block %s", wrong[i][0] != '\0' ? wrong[i] : "\x01");
        bad(&block.step, line, "--block", wrong[i], "from 1 to 1024 or occupancy");
    }
    bad(&block.step, "--grid 2147483648", "--grid", "'2147483648'", "from 1 to 2147483647");
    bad(&block.step, "--grid 0", "--grid", "'0'", "or occupancy");
    bad(&grid.step, "--block 64", "--block", "no such option", "--help");
    bad(&reduction.step, "--grid 64", "--grid", "no such option", "--help");
}

/* ---- a choice of ladders --------------------------------------------------------------------- */

/* --ladder selects a ladder with its rungs, options and defaults. It may be anywhere on the command
 * line. Without it, the first ladder is climbed. */
static void ladders(void **state)
{
    static const struct rung row_rungs[] = {{.name = "row_warp", .idea = "a warp a row"}};
    static const struct rung column_rungs[] = {{.name = "columns", .idea = "tiles"}};
    struct ladder vectors = reduction.ladder, rows = vectors, columns;
    const struct ladder *const three[] = {&vectors, &rows, &columns};
    const struct step step = {.name = "06_test", .ladders = three, .ladder_count = 3};
    (void)state;

    vectors.name = "vectors";
    rows.name = "rows";
    rows.kind = &row_reduction_kind;
    rows.rungs = row_rungs;
    rows.rung_count = 1;
    columns = rows;
    columns.name = "columns";
    columns.kind = &column_reduction_kind;
    columns.rungs = column_rungs;

    struct parsed parsed = good(&step, "--n 5 --op dot --rung naive");
    assert_ptr_equal(parsed.options.ladder, &vectors);
    assert_ptr_equal(good(&step, "--ladder vectors").options.ladder, &vectors);
    parsed = good(&step, "--ladder rows");
    assert_ptr_equal(parsed.options.ladder, &rows);
    assert_int_equal(parsed.reduction.op, OP_SUM);
    assert_true(parsed.reduction.m == 4096 && parsed.reduction.n == 4096);
    parsed = good(&step, "--rung columns --m 0 --n 2K --op max --la=columns --type f64");
    assert_ptr_equal(parsed.options.ladder, &columns);
    assert_int_equal(parsed.reduction.op, OP_MAX);
    assert_true(parsed.reduction.m == 0 && parsed.reduction.n == 2048);
    assert_int_equal(parsed.reduction.type, TYPE_F64);
    assert_ptr_equal(good(&step, "--ladder rows --ladder columns").options.ladder, &columns);
    assert_string_equal(good(&step, "--ladder rows --a x.npy").base.a, "x.npy");
    assert_int_equal(good(&step, "--ladder rows --sweep 2:8").options.sweep_to, 8);
    assert_string_equal(good(&step, "--csv=--ladder").options.csv, "--ladder");
    rows.back_end = &emulated;
    parsed = good(&step, "--ladder rows");
    assert_true(parsed.reduction.m == 256 && parsed.reduction.n == 512);

    bad(&step, "--ladder", "--ladder", "needs a value", "--help");
    bad(&step, "--ladder diagonals", "--ladder", "'diagonals'", "vectors, rows, columns");
    bad(&step, "--m 5", "--m", "no such option", "--help");
    bad(&step, "--ladder rows --b x", "--b", "no such option", "--help");
    bad(&step, "--ladder rows --op dot", "--op dot", "matrix", "sum, max or min");
    bad(&step, "--ladder rows --type mixed", "--type mixed", "matrix", "f32 or f64");
    bad(&step, "--ladder columns --type f16", "--type f16", "matrix", "f32 or f64");
    bad(&step, "--ladder rows --rung columns", "--rung", "'columns'", "Choose one of: row_warp");
    bad(&step, "--rung row_warp", "--rung", "'row_warp'", "naive");
    bad(&step, "--ladder rows --a x --m 5", "files", "size", "leave");
    bad(&step, "--ladder rows --nosuch", "--nosuch", "no such option", "--help");
    bad(&reduction.step, "--ladder rows", "--ladder", "no such option", "--help");

    char *text = printed(&step, "--list --ladder columns");
    assert_non_null(strstr(text, "columns"));
    assert_null(strstr(text, "naive"));
    free(text);
    text = printed(&step, "--help");
    assert_non_null(strstr(text, "--ladder NAME"));
    assert_non_null(strstr(text, "vectors, rows, columns"));
    free(text);
    text = printed(&step, "--ladder rows --help");
    assert_non_null(strstr(text, "--ladder NAME"));
    assert_non_null(strstr(text, "--m M"));
    free(text);
    text = printed(&reduction.step, "--help");
    assert_null(strstr(text, "--ladder"));
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

    char *const of_reduction = printed(&reduction.step, "--help");
    char *const of_gemm = printed(&gemm.step, "--help");
    char *const of_conv = printed(&conv.step, "--help");
    for (size_t i = 0; i < sizeof everywhere / sizeof everywhere[0]; i++) {
        assert_non_null(strstr(of_reduction, everywhere[i]));
        assert_non_null(strstr(of_gemm, everywhere[i]));
        assert_non_null(strstr(of_conv, everywhere[i]));
    }
    assert_non_null(strstr(of_reduction, "--op OP"));
    assert_non_null(strstr(of_reduction, "--sweep FROM:TO"));
    assert_null(strstr(of_reduction, "--alpha"));
    assert_null(strstr(of_reduction, "--kernel"));
    assert_non_null(strstr(of_gemm, "--alpha X"));
    assert_null(strstr(of_gemm, "--op"));
    assert_non_null(strstr(of_conv, "--kernel HxW"));
    assert_null(strstr(of_conv, "--n N"));
    free(of_reduction);
    free(of_gemm);
    free(of_conv);
    /* --help hides errors in later words. It may be abbreviated to its first letters. */
    free(printed(&reduction.step, "--help --nosuch"));
    free(printed(&reduction.step, "--he"));
}

static void version(void **state)
{
    (void)state;
    char *const text = printed(&reduction.step, "--version");
    assert_string_equal(text, "rungs " RUNGS_VERSION "\n");
    free(text);
}

static void list(void **state)
{
    (void)state;
    char *const text = printed(&reduction.step, "--list");
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
        cmocka_unit_test(options_of_other_kinds),
        cmocka_unit_test(combinations),
        cmocka_unit_test(blocks),
        cmocka_unit_test(ladders),
        cmocka_unit_test(help),
        cmocka_unit_test(version),
        cmocka_unit_test(list),
    };
    return cmocka_run_group_tests_name("options", tests, make_steps, NULL);
}
/* SPDX-License-Identifier: MIT */
