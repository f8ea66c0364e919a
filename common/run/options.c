#include "run/options.h"

#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "run/step.h"

/* Who takes an option. WITH_AXIS: steps with a choice of tables, whichever is in use. */
enum family_bit { REDUCTION = 1, GEMM = 2, CONV = 4, MATRIX = 8, ANY = 15, WITH_AXIS = 16 };

enum option_id {
    OPTION_AXIS = 256,
    OPTION_N,
    OPTION_M,
    OPTION_K,
    OPTION_ALPHA,
    OPTION_BETA,
    OPTION_OP,
    OPTION_TYPE,
    OPTION_BATCH,
    OPTION_CHANNELS,
    OPTION_HEIGHT,
    OPTION_WIDTH,
    OPTION_FILTERS,
    OPTION_KERNEL,
    OPTION_STRIDE,
    OPTION_PAD,
    OPTION_DILATION,
    OPTION_A,
    OPTION_B,
    OPTION_IMAGE,
    OPTION_FILTER,
    OPTION_OUTPUT,
    OPTION_SEED,
    OPTION_RUNG,
    OPTION_LIST,
    OPTION_WARMUP,
    OPTION_REPS,
    OPTION_COLD,
    OPTION_SWEEP,
    OPTION_THREADS,
    OPTION_DEVICE,
    OPTION_HISTOGRAM,
    OPTION_COUNTERS,
    OPTION_CSV,
    OPTION_JSON,
    OPTION_HELP,
    OPTION_VERSION
};

static const struct option_text {
    const char *name;
    const char *argument; /* NULL: takes none */
    enum option_id id;
    unsigned families;
    const char *help;
} option_texts[] = {
    {"axis", "AXIS", OPTION_AXIS, WITH_AXIS, "reduce the rows or the columns of a matrix"},
    {"n", "N", OPTION_N, REDUCTION | MATRIX | GEMM,
     "elements (of a matrix: columns); K, M, G are powers of two"},
    {"m", "M", OPTION_M, MATRIX | GEMM, "rows of the matrix (07: of C)"},
    {"k", "K", OPTION_K, GEMM, "columns of A, rows of B"},
    {"alpha", "X", OPTION_ALPHA, GEMM, "C = alpha A B + beta C"},
    {"beta", "X", OPTION_BETA, GEMM, "the same"},
    {"op", "OP", OPTION_OP, REDUCTION | MATRIX, "dot, sum, max or min (of a matrix: not dot)"},
    {"type", "TYPE", OPTION_TYPE, REDUCTION | MATRIX,
     "f32, f64 or mixed (dot of float32 and bool)"},
    {"batch", "N", OPTION_BATCH, CONV, "pictures"},
    {"channels", "N", OPTION_CHANNELS, CONV, "channels of a picture"},
    {"height", "N", OPTION_HEIGHT, CONV, "rows of a picture"},
    {"width", "N", OPTION_WIDTH, CONV, "columns of a picture"},
    {"filters", "N", OPTION_FILTERS, CONV, "filters, the channels of the output"},
    {"kernel", "HxW", OPTION_KERNEL, CONV, "size of a filter, such as 3x3"},
    {"stride", "N", OPTION_STRIDE, CONV, "step between output pixels"},
    {"pad", "N", OPTION_PAD, CONV, "rows and columns of 0 on every side"},
    {"dilation", "N", OPTION_DILATION, CONV, "distance between a filter's taps"},
    {"a", "FILE", OPTION_A, ANY, "first input from a NumPy .npy file"},
    {"b", "FILE", OPTION_B, REDUCTION | GEMM | CONV, "second input likewise"},
    {"image", "FILE", OPTION_IMAGE, CONV, "filter this PNG picture"},
    {"filter", "NAME", OPTION_FILTER, CONV, "with sharpen, blur, edges, emboss or FILE.npy"},
    {"output", "FILE", OPTION_OUTPUT, CONV, "and write this one, also -o"},
    {"seed", "N", OPTION_SEED, ANY, "seed of the random inputs"},
    {"rung", "NAME", OPTION_RUNG, ANY, "run this rung only (may be given again)"},
    {"list", NULL, OPTION_LIST, ANY, "list the rungs"},
    {"warmup", "N", OPTION_WARMUP, ANY, "untimed samples before the timed ones"},
    {"reps", "N", OPTION_REPS, ANY, "timed samples (default: what fits in a quarter second)"},
    {"cold", NULL, OPTION_COLD, ANY, "push the inputs out of the caches before each sample"},
    {"sweep", "FROM:TO[:FACTOR]", OPTION_SWEEP, REDUCTION | MATRIX | GEMM,
     "a range of sizes (matrices: square), each FACTOR (2) times the one before"},
    {"threads", "N", OPTION_THREADS, ANY, "CPU threads to use where a rung uses several"},
    {"device", "N", OPTION_DEVICE, ANY, "which GPU"},
    {"histogram", NULL, OPTION_HISTOGRAM, ANY, "print each rung's samples as a histogram"},
    {"counters", "[=FORMAT]", OPTION_COUNTERS, ANY,
     "simt: count what the kernels do; table, lines (the source) or json; cuda: ncu command"},
    {"csv", "FILE", OPTION_CSV, ANY, "write the rows as CSV"},
    {"json", "FILE", OPTION_JSON, ANY, "write the rows, the samples and the machine as JSON"},
    {"help", NULL, OPTION_HELP, ANY, "this text"},
    {"version", NULL, OPTION_VERSION, ANY, "the version"},
};

enum { OPTION_COUNT = sizeof option_texts / sizeof option_texts[0] };

static unsigned family_of(const struct step *step)
{
    return step->family == &gemm_family               ? GEMM
           : step->family == &conv_family             ? CONV
           : step->family == &matrix_reduction_family ? MATRIX
                                                      : REDUCTION;
}

void options_default(struct options *options, const struct step *step)
{
    const bool emulated = !step->back_end->clocks;

    *options = (struct options){
        .table = step,
        .alpha = 1,
        .warmup = 3,
        .seed = 1,
        .threads = usable_processors(),
        .stride = 1,
        .dilation = 1,
    };
    switch (family_of(step)) {
    case REDUCTION:
        options->n = (size_t)1 << 20;
        break;
    case MATRIX:
        options->op = OP_SUM;
        options->m = emulated ? 256 : 4096;
        options->n = emulated ? 512 : 4096;
        break;
    case GEMM: /* 2048 x 1024 times 1024 x 2048; emulated, an eighth of each side */
        options->m = options->n = emulated ? 256 : 2048;
        options->k = emulated ? 128 : 1024;
        break;
    default:
        options->batch = 2;
        options->channels = 12;
        options->height = emulated ? 34 : 130; /* emulated, a quarter of each side */
        options->width = emulated ? 130 : 514;
        options->filters = 24;
        options->kernel_height = options->kernel_width = 3;
    }
}

static void print_help(const struct step *step, unsigned families, FILE *out)
{
    fprintf(out, "Usage: %s [OPTION]...\n%s\n\n", step->name, step->idea);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_text *text = &option_texts[i];
        char left[40];
        if ((text->families & families) == 0)
            continue;
        snprintf(left, sizeof left, "--%s%s%s", text->name,
                 text->argument != NULL && text->argument[0] != '[' ? " " : "",
                 text->argument != NULL ? text->argument : "");
        fprintf(out, "  %-26s  %s\n", left, text->help);
    }
    fprintf(out, "\nExit status: 0 all results verified, 1 a wrong result, 2 bad usage,\n"
                 "3 a device or memory error, 4 a file unreadable, malformed or not writable.\n");
}

static void print_list(const struct step *step, FILE *out)
{
    for (size_t i = 0; i < step->rung_count; i++) {
        const struct rung *rung = &step->rungs[i];
        fprintf(out, "%-22s %s%s\n", rung->name, rung->idea,
                rung->flags & RUNG_LESSON    ? " [a lesson: wrong on purpose]"
                : rung->flags & RUNG_LIBRARY ? " [library]"
                                             : "");
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool size_value(const char *option, const char *text, size_t minimum, size_t *value,
                       struct error *error)
{
    if (!parse_size(text, value) || *value < minimum)
        return error_set(error, EXIT_BAD_USAGE,
                         "--%s '%s': want a whole number%s, such as 1000, 64K, 1M or 2G "
                         "(K, M and G are powers of two)",
                         option, text, minimum > 0 ? " of at least 1" : "");
    return true;
}

static bool int_value(const char *option, const char *text, int minimum, int *value,
                      struct error *error)
{
    size_t size;
    if (!parse_size(text, &size) || size > INT_MAX || (int)size < minimum)
        return error_set(error, EXIT_BAD_USAGE, "--%s '%s': want a whole number of at least %d",
                         option, text, minimum);
    *value = (int)size;
    return true;
}

static bool float_value(const char *option, const char *text, float *value, struct error *error)
{
    char *end;
    *value = strtof(text, &end);
    if (end == text || *end != '\0' || !isfinite(*value))
        return error_set(error, EXIT_BAD_USAGE, "--%s '%s': want a finite number", option, text);
    return true;
}

/* One of `names`, by its place in the list. */
static bool name_value(const char *option, const char *text, const char *const *names, int count,
                       const char *accepted, int *value, struct error *error)
{
    for (int i = 0; i < count; i++)
        if (strcmp(text, names[i]) == 0) {
            *value = i;
            return true;
        }
    return error_set(error, EXIT_BAD_USAGE, "--%s '%s': want %s", option, text, accepted);
}

static bool kernel_value(const char *text, size_t *height, size_t *width, struct error *error)
{
    char first[32];
    const char *const cross = strchr(text, 'x');
    const size_t length = cross != NULL ? (size_t)(cross - text) : 0;

    if (length > 0 && length < sizeof first) {
        memcpy(first, text, length);
        first[length] = '\0';
        if (parse_size(first, height) && parse_size(cross + 1, width) && *height > 0 && *width > 0)
            return true;
    }
    return error_set(error, EXIT_BAD_USAGE, "--kernel '%s': want height x width, such as 3x3",
                     text);
}

static bool sweep_value(const char *text, struct options *options, struct error *error)
{
    char copy[96];
    size_t *const fields[] = {&options->sweep_from, &options->sweep_to, &options->sweep_factor};
    size_t count = 0;

    options->sweep_factor = 2;
    if (strlen(text) < sizeof copy) {
        char *rest = copy;
        strcpy(copy, text);
        for (char *part; (part = strsep(&rest, ":")) != NULL; count++)
            if (count == 3 || !parse_size(part, fields[count])) {
                count = 0;
                break;
            }
    }
    if (count < 2 || options->sweep_from == 0 || options->sweep_from > options->sweep_to ||
        options->sweep_factor < 2)
        return error_set(error, EXIT_BAD_USAGE,
                         "--sweep '%s': want FROM:TO or FROM:TO:FACTOR, such as 1K:1G:4", text);
    return true;
}

static bool rung_value(const struct step *step, const char *text, struct options *options,
                       struct error *error)
{
    size_t i = 0;
    while (i < step->rung_count && strcmp(step->rungs[i].name, text) != 0)
        i++;
    if (i == step->rung_count) {
        char names[384] = "";
        for (size_t r = 0; r < step->rung_count; r++) {
            const size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", r > 0 ? ", " : "",
                     step->rungs[r].name);
        }
        return error_set(error, EXIT_BAD_USAGE, "--rung '%s': want one of %s", text, names);
    }
    for (size_t r = 0; r < options->rung_count; r++)
        if (strcmp(options->rungs[r], text) == 0)
            return true;
    if (options->rung_count == MAX_RUNGS_NAMED)
        return error_set(error, EXIT_BAD_USAGE, "--rung: at most %d may be named", MAX_RUNGS_NAMED);
    options->rungs[options->rung_count++] = step->rungs[i].name;
    return true;
}

/* Takes one option. `id` is not one of those that end the program. */
static bool take_option(enum option_id id, const char *name, const char *text,
                        const struct step *step, struct options *options, struct error *error)
{
    static const char *const ops[] = {"dot", "sum", "max", "min"};
    static const char *const types[] = {"f32", "f64", "mixed"};
    static const char *const formats[] = {"table", "lines", "json"};
    int place = 0;
    size_t size;

    switch (id) {
    case OPTION_N:
        return size_value(name, text, 0, &options->n, error);
    case OPTION_M:
        return size_value(name, text, 0, &options->m, error);
    case OPTION_K:
        return size_value(name, text, 0, &options->k, error);
    case OPTION_ALPHA:
        return float_value(name, text, &options->alpha, error);
    case OPTION_BETA:
        return float_value(name, text, &options->beta, error);
    case OPTION_OP:
        if (!name_value(name, text, ops, 4, "dot, sum, max or min", &place, error))
            return false;
        options->op = (enum reduce_op)place;
        return true;
    case OPTION_TYPE:
        if (!name_value(name, text, types, 3, "f32, f64 or mixed", &place, error))
            return false;
        options->type = (enum element_type)place;
        options->type_given = true;
        return true;
    case OPTION_BATCH:
        return size_value(name, text, 1, &options->batch, error);
    case OPTION_CHANNELS:
        return size_value(name, text, 1, &options->channels, error);
    case OPTION_HEIGHT:
        return size_value(name, text, 1, &options->height, error);
    case OPTION_WIDTH:
        return size_value(name, text, 1, &options->width, error);
    case OPTION_FILTERS:
        return size_value(name, text, 1, &options->filters, error);
    case OPTION_KERNEL:
        return kernel_value(text, &options->kernel_height, &options->kernel_width, error);
    case OPTION_STRIDE:
        return size_value(name, text, 1, &options->stride, error);
    case OPTION_PAD:
        return size_value(name, text, 0, &options->pad, error);
    case OPTION_DILATION:
        return size_value(name, text, 1, &options->dilation, error);
    case OPTION_A:
        options->a = text;
        return true;
    case OPTION_B:
        options->b = text;
        return true;
    case OPTION_IMAGE:
        options->image = text;
        return true;
    case OPTION_FILTER:
        options->filter = text;
        return true;
    case OPTION_OUTPUT:
        options->output = text;
        return true;
    case OPTION_SEED:
        if (!size_value(name, text, 0, &size, error))
            return false;
        options->seed = size;
        return true;
    case OPTION_RUNG:
        return rung_value(step, text, options, error);
    case OPTION_WARMUP:
        return size_value(name, text, 0, &options->warmup, error);
    case OPTION_REPS:
        return size_value(name, text, 1, &options->reps, error);
    case OPTION_COLD:
        options->cold = true;
        return true;
    case OPTION_SWEEP:
        return sweep_value(text, options, error);
    case OPTION_THREADS:
        return int_value(name, text, 1, &options->threads, error);
    case OPTION_DEVICE:
        return int_value(name, text, 0, &options->device, error);
    case OPTION_HISTOGRAM:
        options->histogram = true;
        return true;
    case OPTION_COUNTERS:
        if (step->back_end == &cpu_back_end)
            return error_set(error, EXIT_BAD_USAGE, "--counters: this step has no GPU kernels");
        if (!name_value(name, text != NULL ? text : "table", formats, 3, "table, lines or json",
                        &place, error))
            return false;
        options->counters = (enum counters_format)(COUNTERS_TABLE + place);
        return true;
    case OPTION_CSV:
        options->csv = text;
        return true;
    case OPTION_JSON:
        options->json = text;
        return true;
    default:
        return error_set(error, EXIT_BAD_USAGE, "unknown option");
    }
}

/* What no single option can tell. */
static bool check_together(const struct step *step, const struct options *options, bool size_given,
                           struct error *error)
{
    const bool matrix = family_of(step) == MATRIX;
    const bool unary = matrix || (family_of(step) == REDUCTION && options->op != OP_DOT);

    if (matrix && options->op == OP_DOT)
        return error_set(error, EXIT_BAD_USAGE,
                         "--op dot has two inputs: with --axis, want sum, max or min");
    if (matrix && options->type == TYPE_MIXED)
        return error_set(error, EXIT_BAD_USAGE,
                         "--type mixed has two inputs: with --axis, want f32 or f64");
    if (unary && options->type == TYPE_MIXED)
        return error_set(error, EXIT_BAD_USAGE,
                         "--type mixed has two inputs: it goes with --op dot only");
    if (unary && options->b != NULL)
        return error_set(error, EXIT_BAD_USAGE, "--b: only --op dot has a second input");
    if (!unary && (options->a == NULL) != (options->b == NULL))
        return error_set(error, EXIT_BAD_USAGE, "--a and --b go together: there are two inputs");
    if ((options->image == NULL) != (options->output == NULL))
        return error_set(error, EXIT_BAD_USAGE, "--image and --output go together");
    if (options->filter != NULL && options->image == NULL)
        return error_set(error, EXIT_BAD_USAGE, "--filter goes with --image");
    if (options->image != NULL && (options->a != NULL || size_given))
        return error_set(error, EXIT_BAD_USAGE,
                         "--image says what the input is: leave --a, --b and sizes out");
    if (options->csv != NULL && options->json != NULL && strcmp(options->csv, options->json) == 0)
        return error_set(error, EXIT_BAD_USAGE, "--csv and --json name the same file");
    if (options->a != NULL && size_given)
        return error_set(error, EXIT_BAD_USAGE,
                         "the files say how large the problem is: leave the size options out");
    if (options->sweep_factor != 0 && size_given)
        return error_set(error, EXIT_BAD_USAGE, "--sweep says the sizes: leave --n out");
    if (options->a != NULL && options->sweep_factor != 0)
        return error_set(error, EXIT_BAD_USAGE, "--sweep makes its own inputs: leave --a out");
    return true;
}

static bool sets_size(enum option_id id)
{
    return id == OPTION_N || id == OPTION_M || id == OPTION_K ||
           (id >= OPTION_BATCH && id <= OPTION_KERNEL);
}

/* What getopt_long refused: `word` unless it is a letter. The one option of one letter is conv's
 * -o. */
static void refuse(int id, const char *word, struct error *error)
{
    const char letter[] = {'-', (char)optopt, '\0'};
    const bool is_letter = id == '?' && optopt > 0 && optopt < OPTION_N;
    const bool has_value = id == '?' && optopt >= OPTION_N;

    error_set(error, EXIT_BAD_USAGE, "%s%s; --help lists the options", is_letter ? letter : word,
              id == ':'   ? " wants a value"
              : has_value ? ": the option takes no value"
              : is_letter ? ": no such option"
                          : ": no such option, or ambiguous");
}

static int arguments_of(const struct option_text *text)
{
    return text->argument == NULL     ? no_argument
           : text->argument[0] == '[' ? optional_argument
                                      : required_argument;
}

/* The options of these families, as getopt_long wants them, and that reading starts afresh: tests
 * parse many command lines. */
static void start_reading(unsigned families, struct option long_options[OPTION_COUNT + 1])
{
    size_t count = 0;

    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_text *text = &option_texts[i];
        if (text->families & families)
            long_options[count++] =
                (struct option){text->name, arguments_of(text), NULL, (int)text->id};
    }
    long_options[count] = (struct option){0};
    optind = 0;
    opterr = 0;
}

/* Which of the step's tables the command line asks for: the rungs and the options that it may name
 * depend on that, wherever --axis stands. All else that is wrong is left to be found later. */
static bool find_table(int argc, char **argv, const struct step *step, const struct step **table,
                       enum matrix_axis *axis, struct error *error)
{
    static const char *const axes[] = {"rows", "columns"};
    struct option long_options[OPTION_COUNT + 1];
    int id, place = 0;

    *table = step;
    if (step->rows == NULL)
        return true;
    start_reading(family_of(step) | MATRIX | WITH_AXIS, long_options);
    while ((id = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
        if (id != OPTION_AXIS)
            continue;
        if (!name_value("axis", optarg, axes, 2, "rows or columns", &place, error))
            return false;
        *axis = (enum matrix_axis)place;
        *table = *axis == AXIS_ROWS ? step->rows : step->columns;
    }
    return true;
}

enum options_outcome options_parse(int argc, char **argv, const struct step *step,
                                   struct options *options, FILE *out, struct error *error)
{
    const unsigned with_axis = step->rows != NULL ? WITH_AXIS : 0;
    struct option long_options[OPTION_COUNT + 1];
    enum matrix_axis axis = AXIS_ROWS;
    bool size_given = false;

    if (!find_table(argc, argv, step, &step, &axis, error))
        return OPTIONS_BAD;
    options_default(options, step);
    options->axis = axis;
    start_reading(family_of(step) | with_axis, long_options);
    for (;;) {
        int place = 0;
        int id =
            getopt_long(argc, argv, family_of(step) == CONV ? ":o:" : ":", long_options, &place);
        if (id == -1)
            break;
        if (id == 'o')
            id = OPTION_OUTPUT;
        if (id == '?' || id == ':') {
            refuse(id, argv[optind - 1], error);
            return OPTIONS_BAD;
        }
        if (id == OPTION_HELP) {
            print_help(step, family_of(step) | with_axis, out);
            return OPTIONS_DONE;
        }
        if (id == OPTION_VERSION) {
            fprintf(out, "rungs %s\n", RUNGS_VERSION);
            return OPTIONS_DONE;
        }
        if (id == OPTION_LIST) {
            print_list(step, out);
            return OPTIONS_DONE;
        }
        if (id == OPTION_AXIS)
            continue; /* found before */
        size_given = size_given || sets_size((enum option_id)id);
        if (!take_option((enum option_id)id, long_options[place].name, optarg, step, options,
                         error))
            return OPTIONS_BAD;
    }
    if (optind < argc) {
        error_set(error, EXIT_BAD_USAGE, "'%s': want options only; --help lists them",
                  argv[optind]);
        return OPTIONS_BAD;
    }
    return check_together(step, options, size_given, error) ? OPTIONS_RUN : OPTIONS_BAD;
}
