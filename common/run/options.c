#include "run/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/format.h"
#include "base/nearest.h"
#include "base/option.h"
#include "base/version.h"
#include "base/whole_file.h"
#include "device/pool.h"
#include "report/columns.h"

/* The struct that has the option's member. */
enum owner { OF_RUNNER, OF_PROBLEM, OF_KIND };

/* Options that do not only set a member. */
enum special {
    PLAIN,
    LADDER,
    CLIMB,
    SELECTOR,
    RUNG,
    LIST,
    SWEEP,
    COUNTERS,
    COUNTERS_CSV,
    EXPLORE,
    HELP,
    VERSION
};

static const char *const counters_formats[] = {"table", "lines", "json", NULL};

#define RUNNER(name) .member = offsetof(struct options, name)
#define PROBLEM(name) .member = offsetof(struct problem_options, name)

struct entry {
    struct option_field field;
    enum owner owner;
    enum special special;
};

static const struct entry ladder_entry = {
    .field = {"ladder", "NAME", "run this ladder", .kind = OPTION_TEXT}, .special = LADDER};

static const struct entry climb_entry = {
    .field = {"ladder", "NAME", "run this ladder", .kind = OPTION_TEXT}, .special = CLIMB};

/* The option's name in this step. */
static const char *ladder_option(const struct step *step)
{
    return step->ladder_option != NULL ? step->ladder_option : ladder_entry.field.name;
}

static const struct entry sweep_entry = {
    .field = {"sweep", "FROM:TO[:FACTOR]",
              "run a range of sizes (matrices: square), each FACTOR (2) times the last one",
              .kind = OPTION_TEXT},
    .special = SWEEP};

static const struct entry common_entries[] = {
    {.field = {"seed", "N", "set the seed of the random inputs", OPTION_SEED, PROBLEM(seed)},
     .owner = OF_PROBLEM},
    {.field = {"rung", "NAME", "run only this rung (repeat for more)", .kind = OPTION_TEXT},
     .special = RUNG},
    {.field = {"all", NULL, "also run side rungs, of every ladder if you name none", OPTION_FLAG,
               RUNNER(all)}},
    {.field = {"list", NULL, "list the rungs", .kind = OPTION_FLAG}, .special = LIST},
    {.field = {"warmup", "N", "take N untimed samples before the timed ones", OPTION_SIZE,
               RUNNER(warmup)}},
    {.field = {"reps", "N", "take N timed samples (default: as many as fit in a quarter second)",
               OPTION_SIZE, RUNNER(reps), .minimum = 1}},
    {.field = {"rounds", "N",
               "take each rung's samples in N rounds, interleaved with the other rungs", OPTION_INT,
               RUNNER(rounds), .minimum = 1, .maximum = 1000}},
    {.field = {"cold", NULL, "evict the inputs from the caches before each sample", OPTION_FLAG,
               RUNNER(cold)}},
    {.field = {"skip-small", NULL, "leave out the small problems on which rungs are also verified",
               OPTION_FLAG, RUNNER(skip_small)}},
    {.field = {"threads", "N", "use N CPU threads in rungs that use several", OPTION_INT,
               PROBLEM(threads), .minimum = 1, .maximum = POOL_MOST},
     .owner = OF_PROBLEM},
    {.field = {"device", "N", "use this GPU, from 0", OPTION_INT, RUNNER(device)}},
    {.field = {"histogram", NULL, "print each rung's samples as a histogram", OPTION_FLAG,
               RUNNER(histogram)}},
    {.field = {"chart", NULL, "print bars of the lesson's counts or of the times, not the table",
               OPTION_FLAG, RUNNER(chart)}},
    {.field = {"quiz", NULL, "ask for a prediction of each rung, and show it next to the answer",
               OPTION_FLAG, RUNNER(quiz)}},
    {.field = {"counters", "[=FORMAT]",
               "count what the kernels do: table, lines or json (simt); print the ncu command "
               "(cuda)",
               OPTION_NAME, RUNNER(counters), .names = counters_formats, .left_out = "table"},
     .special = COUNTERS},
    {.field = {"csv", "FILE", "write the rows as CSV", OPTION_OUTPUT, RUNNER(csv)}},
    {.field = {"counters-csv", "FILE", "write the counters as CSV (simt)", OPTION_OUTPUT,
               RUNNER(counters_csv)},
     .special = COUNTERS_CSV},
    {.field = {"explore", "FILE", "write an interactive page that replays the kernels (simt)",
               OPTION_OUTPUT, RUNNER(explore)},
     .special = EXPLORE},
    {.field = {"explore-blocks", "LIST",
               "show these blocks on the page, such as 0-3,8 or all (default: 0)", OPTION_TEXT,
               RUNNER(explore_blocks)},
     .special = EXPLORE},
    {.field = {"json", "FILE", "write the rows, the samples and the machine as JSON", OPTION_OUTPUT,
               RUNNER(json)}},
    {.field = {"help", NULL, "print this text", .kind = OPTION_FLAG}, .special = HELP},
    {.field = {"version", NULL, "print the version", .kind = OPTION_FLAG}, .special = VERSION},
};

/* ---- the options of a ladder ----------------------------------------------------------------- */

enum { MOST_ENTRIES = 64, FIRST_ID = 256 };

/* In the order of --help. For getopt_long, the id of entry i is FIRST_ID + i, greater than any
 * letter. */
struct entries {
    struct entry entry[MOST_ENTRIES];
    size_t count;
    struct option longs[MOST_ENTRIES + 1];
    char letters[2 * MOST_ENTRIES];
};

static void add_entry(struct entries *entries, const struct entry *entry)
{
    const char *const argument = entry->field.argument;
    const int takes = argument == NULL     ? no_argument
                      : argument[0] == '[' ? optional_argument
                                           : required_argument;
    const size_t i = entries->count++;

    entries->entry[i] = *entry;
    entries->longs[i] = (struct option){entry->field.name, takes, NULL, FIRST_ID + (int)i};
    if (entry->field.letter != 0) {
        const char letter[] = {entry->field.letter, takes == no_argument ? '\0' : ':', '\0'};
        strcat(entries->letters, letter);
    }
}

/* Also resets getopt_long, because tests parse many command lines. */
static void collect_entries(struct entries *entries, const struct step *step,
                            const struct ladder *ladder)
{
    const struct problem_kind *kind = ladder->kind;

    *entries = (struct entries){.letters = ":"};
    if (step->ladder_count > 1) {
        struct entry entry = ladder_entry;
        entry.field.name = ladder_option(step);
        add_entry(entries, &entry);
    }
    if (ladder->climb_count > 0)
        add_entry(entries, &climb_entry);
    for (size_t i = 0; i < kind->field_count; i++)
        add_entry(entries, &(struct entry){.field = kind->fields[i], .owner = OF_KIND});
    for (size_t i = 0; i < sizeof common_entries / sizeof common_entries[0]; i++) {
        if (strcmp(common_entries[i].field.name, "threads") == 0 && kind->set_size != NULL)
            add_entry(entries, &sweep_entry);
        add_entry(entries, &common_entries[i]);
    }
    optind = 0;
    opterr = 0;
}

/* The entry for an id or a letter that getopt_long returned. */
static const struct entry *entry_of(const struct entries *entries, int id)
{
    if (id >= FIRST_ID)
        return &entries->entry[id - FIRST_ID];
    for (size_t i = 0; i < entries->count; i++)
        if (entries->entry[i].field.letter == id)
            return &entries->entry[i];
    return NULL;
}

bool options_default(struct options *options, const struct ladder *ladder, struct error *error)
{
    *options = (struct options){
        .ladder = ladder,
        .problem = calloc(1, ladder->kind->options_size),
        .warmup = 3,
        .rounds = 1,
    };
    if (options->problem == NULL)
        return error_set(error, EXIT_DEVICE_ERROR, "out of memory");
    options->problem->seed = 1;
    const int processors = usable_processors();
    options->problem->threads = processors < POOL_MOST ? processors : POOL_MOST;
    ladder->kind->set_defaults(options->problem, !ladder->back_end->clocks);
    return true;
}

void options_free(struct options *options)
{
    free(options->problem);
    options->problem = NULL;
}

/* ---- what is printed ------------------------------------------------------------------------- */

static void print_help(const struct step *step, const struct ladder *ladder,
                       const struct entries *entries, FILE *out)
{
    const size_t width = line_width(out);

    fprintf(out, "Usage: %s [OPTION]...\n%s\n\n", step->name, ladder->idea);
    for (size_t i = 0; i < entries->count; i++) {
        const struct option_field *field = &entries->entry[i].field;
        char left[40], help[256];
        size_t used = (size_t)snprintf(help, sizeof help, "%s", field->help);
        snprintf(left, sizeof left, "--%s%s%s", field->name,
                 field->argument != NULL && field->argument[0] != '[' ? " " : "",
                 field->argument != NULL ? field->argument : "");
        for (size_t l = 0; l < step->ladder_count && entries->entry[i].special == LADDER; l++)
            if (used < sizeof help && step->ladders[l]->with == NULL)
                used += (size_t)snprintf(help + used, sizeof help - used, "%s%s",
                                         l == 0 ? ": " : ", ", step->ladders[l]->name);
        for (size_t c = 0; c < ladder->climb_count && entries->entry[i].special == CLIMB; c++)
            if (used < sizeof help)
                used += (size_t)snprintf(help + used, sizeof help - used, "%s%s",
                                         c == 0 ? ": " : ", ", ladder->climbs[c]->name);
        const int start = fprintf(out, "  %-26s  ", left);
        print_words(out, help, (size_t)start, 30, width);
    }
    fprintf(out, "\nExit status: 0 all results verified, 1 a wrong result, 2 bad usage,\n"
                 "3 a device or memory error, 4 a file unreadable, malformed or not writable.\n");
}

static void print_list(const struct ladder *ladder, FILE *out)
{
    const char *const indent = ladder->climb_count > 0 ? "  " : "";

    for (size_t i = 0; i < ladder_rung_count(ladder); i++) {
        const struct rung *rung = ladder_rung(ladder, i);
        size_t on_climb = i;
        const struct climb *const climb = ladder_climb(ladder, &on_climb);
        char idea[256];

        if (climb != NULL && on_climb == 0)
            fprintf(out, "%s--ladder %s: %s\n", i > 0 ? "\n" : "", climb->name, climb->idea);
        snprintf(idea, sizeof idea, "%s%s", rung->idea,
                 rung->flags & RUNG_LESSON    ? " [a lesson: wrong on purpose]"
                 : rung->flags & RUNG_LIBRARY ? " [library]"
                 : rung->flags & RUNG_SIDE    ? " [side rung: --all]"
                                              : "");
        const int start = fprintf(out, "%s%-22s ", indent, rung->name);
        print_words(out, idea, (size_t)start, 23, line_width(out));
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Appends a name to a comma-separated list, for a message that lists what is accepted. */
static void join_name(char *names, size_t size, const char *name)
{
    const size_t used = strlen(names);
    snprintf(names + used, size - used, "%s%s", used > 0 ? ", " : "", name);
}

/* Finds the ladder of that name. `with` is the option that selects a ladder, if one is given. */
static bool set_ladder(const struct step *step, const char *text, const char *with,
                       const struct ladder **ladder, struct error *error)
{
    struct nearest nearest = {.text = text};
    char names[384] = "", hint[HINT_SIZE];

    for (size_t i = 0; i < step->ladder_count; i++) {
        const char *const wanted = step->ladders[i]->with;
        if ((wanted == NULL) != (with == NULL) || (with != NULL && strcmp(wanted, with) != 0))
            continue;
        if (strcmp(step->ladders[i]->name, text) == 0) {
            *ladder = step->ladders[i];
            return true;
        }
        join_name(names, sizeof names, step->ladders[i]->name);
        nearest_try(&nearest, step->ladders[i]->name);
    }
    nearest_hint(&nearest, "", hint);
    return error_set(error, EXIT_BAD_USAGE, "--%s '%s': no such ladder.%s Choose one of: %s%s%s",
                     ladder_option(step), text, hint, names, with != NULL ? ", with --" : "",
                     with != NULL ? with : "");
}

static bool set_climb(const char *text, struct options *options, struct error *error)
{
    const struct ladder *const ladder = options->ladder;
    char names[256] = "";

    for (size_t c = 0; c < ladder->climb_count; c++) {
        if (strcmp(ladder->climbs[c]->name, text) == 0) {
            options->climb = ladder->climbs[c];
            return true;
        }
        join_name(names, sizeof names, ladder->climbs[c]->name);
    }
    return error_set(error, EXIT_BAD_USAGE, "--ladder '%s': unknown ladder. Choose one of: %s",
                     text, names);
}

static bool set_sweep(const char *text, struct options *options, struct error *error)
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
                         "--sweep '%s': expected FROM:TO or FROM:TO:FACTOR, such as 1K:1G:4", text);
    return true;
}

static bool add_rung(const char *text, struct options *options, struct error *error)
{
    const struct ladder *ladder = options->ladder;
    const char *name = NULL;
    struct nearest nearest = {.text = text};
    char names[1024] = "", hint[HINT_SIZE];

    for (size_t i = 0; i < ladder_rung_count(ladder); i++) {
        if (strcmp(ladder_rung(ladder, i)->name, text) == 0)
            name = ladder_rung(ladder, i)->name;
        join_name(names, sizeof names, ladder_rung(ladder, i)->name);
        nearest_try(&nearest, ladder_rung(ladder, i)->name);
    }
    nearest_hint(&nearest, "", hint);
    if (name == NULL)
        return error_set(error, EXIT_BAD_USAGE,
                         "--rung '%s': no such rung.%s Choose one of: %.400s", text, hint, names);
    for (size_t i = 0; i < options->rung_count; i++)
        if (options->rungs[i] == name)
            return true;
    if (options->rung_count == MAX_RUNGS_NAMED)
        return error_set(error, EXIT_BAD_USAGE, "--rung: at most %d may be named", MAX_RUNGS_NAMED);
    options->rungs[options->rung_count++] = name;
    return true;
}

bool options_select(const struct options *options, size_t i)
{
    const struct ladder *const ladder = options->ladder;
    const struct rung *const rung = ladder_rung(ladder, i);
    const struct climb *const climb = ladder_climb(ladder, &i);
    const struct climb *const chosen =
        options->climb != NULL || climb == NULL ? options->climb : ladder->climbs[0];

    for (size_t r = 0; r < options->rung_count; r++)
        if (strcmp(options->rungs[r], rung->name) == 0)
            return true;
    if (options->rung_count > 0)
        return false;
    if (options->all && options->climb == NULL)
        return true;
    if (climb == chosen)
        return options->all || !(rung->flags & RUNG_SIDE);
    /* Each ladder ends with the dispatching rungs and libraries that run on its processor. */
    const struct rung *const first = (const struct rung *)chosen->rungs;
    return (rung->flags & (RUNG_DISPATCHES | RUNG_LIBRARY)) != 0 &&
           (rung->flags & RUNG_HOST) == (first->flags & RUNG_HOST);
}

/* The struct that has the entry's member. */
static void *owner_of(const struct entry *entry, const struct options *options)
{
    return entry->owner == OF_RUNNER ? (void *)options : (void *)options->problem;
}

static bool take_option(const struct entry *entry, const char *text, struct options *options,
                        struct error *error)
{
    switch (entry->special) {
    case RUNG:
        return add_rung(text, options, error);
    case CLIMB:
        return set_climb(text, options, error);
    case SWEEP:
        return set_sweep(text, options, error);
    case COUNTERS:
        if (options->ladder->back_end == &cpu_back_end)
            return error_set(error, EXIT_BAD_USAGE, "--counters: this step has no GPU kernels");
        if (!option_set(&entry->field, text, options, error))
            return false;
        options->counters++; /* counters_formats begins with the name after COUNTERS_NONE */
        return true;
    case COUNTERS_CSV:
        if (options->ladder->back_end->counters_read == NULL)
            return error_set(error, EXIT_BAD_USAGE,
                             "--counters-csv: only GPU kernels on the simt back end are counted");
        break;
    case EXPLORE:
        if (options->ladder->back_end->counters_read == NULL)
            return error_set(error, EXIT_BAD_USAGE,
                             "--%s: shows GPU kernels on the CPU: steps 03 to 08, configured with "
                             "cmake --preset simt",
                             entry->field.name);
        break;
    default:
        break;
    }
    return option_set(&entry->field, text, owner_of(entry, options), error);
}

/* The file that the option names, if the option is of that kind; NULL: none. */
static const char *file_of(const struct entry *entry, enum option_kind kind,
                           const struct options *options)
{
    if (entry->field.kind != kind)
        return NULL;
    return *(const char *const *)((const char *)owner_of(entry, options) + entry->field.member);
}

/* Checks that no file is written twice, and that no input file is written. */
static bool check_files(const struct entries *entries, const struct options *options,
                        struct error *error)
{
    for (size_t i = 0; i < entries->count; i++) {
        const struct entry *const entry = &entries->entry[i];
        const char *const output = file_of(entry, OPTION_OUTPUT, options);
        for (size_t j = 0; j < entries->count && output != NULL; j++) {
            const struct entry *const other = &entries->entry[j];
            const char *const input = file_of(other, OPTION_INPUT, options);
            const char *const earlier = j < i ? file_of(other, OPTION_OUTPUT, options) : NULL;
            if ((input != NULL && access(input, F_OK) == 0 && whole_file_same(output, input)) ||
                (earlier != NULL &&
                 (strcmp(output, earlier) == 0 || whole_file_same(output, earlier))))
                return error_set(error, EXIT_BAD_USAGE, "--%s and --%s name the same file",
                                 other->field.name, entry->field.name);
        }
    }
    return true;
}

/* Checks options against each other. */
static bool check_together(const struct entries *entries, const struct options *options,
                           bool size_given, struct error *error)
{
    const struct problem_options *const problem = options->problem;

    if (!options->ladder->kind->check_options(problem, size_given, error))
        return false;
    if (!check_files(entries, options, error))
        return false;
    if (options->ladder->with != NULL && options->device != 0)
        return error_set(error, EXIT_BAD_USAGE, "--%s takes the first GPUs: leave --device out",
                         options->ladder->with);
    if (options->explore_blocks != NULL && options->explore == NULL)
        return error_set(error, EXIT_BAD_USAGE, "--explore-blocks needs --explore FILE.html");
    if (problem->a != NULL && size_given)
        return error_set(error, EXIT_BAD_USAGE,
                         "the files say how large the problem is: leave the size options out");
    if (options->sweep_factor != 0 && size_given)
        return error_set(error, EXIT_BAD_USAGE, "--sweep says the sizes: leave --n out");
    if (problem->a != NULL && options->sweep_factor != 0)
        return error_set(error, EXIT_BAD_USAGE, "--sweep makes its own inputs: leave --a out");
    return true;
}

/* Fills *error for an option that getopt_long rejected: `word`, or the letter in optopt. */
static void refuse(int id, const char *word, const struct entries *entries, struct error *error)
{
    char name[48], hint[HINT_SIZE] = "";
    struct nearest nearest = {.text = name};

    const char letter[] = {'-', (char)optopt, '\0'};
    const bool is_letter = id == '?' && optopt > 0 && optopt < FIRST_ID;
    const bool has_value = id == '?' && optopt >= FIRST_ID;

    snprintf(name, sizeof name, "%s", word + strspn(word, "-"));
    name[strcspn(name, "=")] = '\0';
    for (size_t i = 0; i < entries->count; i++)
        nearest_try(&nearest, entries->entry[i].field.name);
    if (id == '?' && !is_letter && !has_value)
        nearest_hint(&nearest, "--", hint);
    error_set(error, EXIT_BAD_USAGE, "%s%s%s%s --help lists the options", is_letter ? letter : word,
              id == ':'   ? " needs a value"
              : has_value ? ": the option takes no value"
              : is_letter ? ": no such option"
                          : ": no such option, or ambiguous",
              hint[0] != '\0' ? "." : ";", hint);
}

/* ---- the command line ------------------------------------------------------------------------ */

/* Collects the options of all ladders by which a ladder is selected. */
static void collect_selectors(struct entries *entries, const struct step *step)
{
    for (size_t l = 0; l < step->ladder_count; l++) {
        const struct problem_kind *const kind = step->ladders[l]->kind;
        bool known = step->ladders[l]->with == NULL;

        for (size_t i = 0; i < entries->count && !known; i++)
            known = strcmp(entries->entry[i].field.name, step->ladders[l]->with) == 0;
        for (size_t i = 0; i < kind->field_count && !known; i++)
            if (strcmp(kind->fields[i].name, step->ladders[l]->with) == 0)
                add_entry(entries, &(struct entry){.field = kind->fields[i], .special = SELECTOR});
    }
}

/* Finds the ladder that the command line selects. This comes first, because the ladder determines
 * the valid rungs and options, wherever --ladder is. Other errors are reported later, not here. */
static bool find_ladder(int argc, char **argv, const struct step *step,
                        const struct ladder **ladder, struct error *error)
{
    const char *name = step->ladders[0]->name, *with = NULL;
    struct entries entries;
    int id;

    *ladder = step->ladders[0];
    if (step->ladder_count == 1)
        return true;
    /* A copy, because getopt_long reorders the words, and here it knows only the first ladder's
     * options. */
    char **const words = calloc((size_t)argc + 1, sizeof *words);
    if (words == NULL)
        return error_set(error, EXIT_DEVICE_ERROR, "out of memory");
    memcpy(words, argv, (size_t)argc * sizeof *words);
    collect_entries(&entries, step, *ladder);
    collect_selectors(&entries, step);
    while ((id = getopt_long(argc, words, entries.letters, entries.longs, NULL)) != -1) {
        if (id >= FIRST_ID && entry_of(&entries, id)->special == LADDER)
            name = optarg;
        if (id >= FIRST_ID && entry_of(&entries, id)->special == SELECTOR)
            with = entry_of(&entries, id)->field.name;
    }
    free(words);
    return set_ladder(step, name, with, ladder, error);
}

static enum options_outcome read_words(int argc, char **argv, const struct step *step,
                                       struct options *options, FILE *out, struct error *error)
{
    struct entries entries;
    bool size_given = false;
    int id;

    collect_entries(&entries, step, options->ladder);
    while ((id = getopt_long(argc, argv, entries.letters, entries.longs, NULL)) != -1) {
        if (id == '?' || id == ':') {
            refuse(id, argv[optind - 1], &entries, error);
            return OPTIONS_BAD;
        }
        const struct entry *const entry = entry_of(&entries, id);
        switch (entry->special) {
        case LADDER:
            continue; /* handled by find_ladder */
        case HELP:
            print_help(step, options->ladder, &entries, out);
            return OPTIONS_DONE;
        case VERSION:
            fprintf(out, "rungs %s\n", RUNGS_VERSION);
            return OPTIONS_DONE;
        case LIST:
            print_list(options->ladder, out);
            return OPTIONS_DONE;
        default:
            size_given = size_given || entry->field.sets_size;
            if (!take_option(entry, optarg, options, error))
                return OPTIONS_BAD;
        }
    }
    if (optind < argc) {
        error_set(error, EXIT_BAD_USAGE, "'%s': expected options only; --help lists them",
                  argv[optind]);
        return OPTIONS_BAD;
    }
    return check_together(&entries, options, size_given, error) ? OPTIONS_RUN : OPTIONS_BAD;
}

enum options_outcome options_parse(int argc, char **argv, const struct step *step,
                                   struct options *options, FILE *out, struct error *error)
{
    const struct ladder *ladder;

    if (!find_ladder(argc, argv, step, &ladder, error) || !options_default(options, ladder, error))
        return OPTIONS_BAD;
    const enum options_outcome outcome = read_words(argc, argv, step, options, out, error);
    if (outcome != OPTIONS_RUN)
        options_free(options);
    return outcome;
}
/* SPDX-License-Identifier: MIT */
