/* Fuzz target: the command line. The first byte of an input, a to o, selects the step that reads
 * it. The rest are the words, each of which ends with a newline. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/pool.h"
#include "fuzz.h"
#include "problem/conv/conv.h"
#include "problem/conv/options.h"
#include "problem/gemm/gemm.h"
#include "problem/matrix_reduction/matrix_reduction.h"
#include "problem/reduction/options.h"
#include "problem/reduction/reduction.h"
#include "run/options.h"

enum { MOST_WORDS = 64, KINDS = 7 };

static const struct rung rungs[] = {
    {.name = "naive", .idea = "one loop"},
    {.name = "racing", .idea = "no atomics", .flags = RUNG_LESSON},
    {.name = "openblas", .idea = "OpenBLAS", .flags = RUNG_LIBRARY},
};

static const struct problem_kind *const kinds[KINDS] = {
    &reduction_kind, &grid_reduction_kind, &block_reduction_kind,  &gemm_kind,
    &conv_kind,      &row_reduction_kind,  &column_reduction_kind,
};

/* Per kind, a ladder on the CPU and a ladder on a back end that counts. Each step has one ladder,
 * except for the last, which has three. */
static struct ladder ladders[2 * KINDS];
static const struct ladder *tables[2 * KINDS + 3];
static struct step steps[2 * KINDS + 1];
static struct back_end emulated;

static void read_no_counters(struct counters *counters)
{
    (void)counters;
}

static void make_steps(void)
{
    emulated = cpu_back_end;
    emulated.clocks = false;
    emulated.counters_read = read_no_counters;
    for (size_t i = 0; i < 2 * KINDS; i++) {
        ladders[i] = (struct ladder){
            .name = i < KINDS ? "one" : "other",
            .idea = "A step of tests",
            .kind = kinds[i % KINDS],
            .back_end = i < KINDS ? &cpu_back_end : &emulated,
            .rungs = rungs,
            .rung_size = sizeof rungs[0],
            .rung_count = sizeof rungs / sizeof rungs[0],
        };
        tables[i] = &ladders[i];
        steps[i] = (struct step){.name = "05_test", .ladders = &tables[i], .ladder_count = 1};
    }
    tables[2 * KINDS] = &ladders[0];
    tables[2 * KINDS + 1] = &ladders[KINDS + 5];
    tables[2 * KINDS + 2] = &ladders[KINDS + 6];
    steps[2 * KINDS] =
        (struct step){.name = "06_test", .ladders = &tables[2 * KINDS], .ladder_count = 3};
}

/* Checks what all accepted options must satisfy, and does what the runner does with them next. */
static void check_accepted(struct options *options)
{
    const struct problem_kind *const kind = options->ladder->kind;

    require(options->problem != NULL, "the problem's options");
    require(options->problem->threads >= 1 && options->problem->threads <= POOL_MOST, "threads");
    require(options->rung_count <= MAX_RUNGS_NAMED, "not too many rungs");
    for (size_t i = 0; i < options->rung_count; i++)
        require(options->rungs[i] == rungs[0].name || options->rungs[i] == rungs[1].name ||
                    options->rungs[i] == rungs[2].name,
                "rungs that there are");
    if (options->sweep_factor != 0) {
        require(options->sweep_factor >= 2 && options->sweep_from >= 1 &&
                    options->sweep_from <= options->sweep_to && kind->set_size != NULL,
                "a sweep");
        kind->set_size(options->problem, options->sweep_to);
    }
    if (kind->limit_size != NULL)
        kind->limit_size(options->problem);
    (void)problem_from_files(kind, options->problem);
    options_free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *out;
    char *words[MOST_WORDS + 1] = {"05_test"};
    int count = 1;
    struct options options;
    struct error error = {EXIT_ALL_VERIFIED, ""};

    if (out == NULL) {
        make_steps();
        out = fopen("/dev/null", "w");
        require(out != NULL, "/dev/null");
    }
    if (size == 0)
        return 0;
    /* Each word has its own memory. */
    for (size_t i = 1; i < size && count < MOST_WORDS; count++) {
        const uint8_t *const end = memchr(data + i, '\n', size - i);
        const size_t length = end != NULL ? (size_t)(end - data) - i : size - i;
        words[count] = strndup((const char *)data + i, length);
        require(words[count] != NULL, "memory for a word");
        i += length + 1;
    }
    const struct step *const step = &steps[(uint8_t)(data[0] - 'a') % (2 * KINDS + 1)];
    char *kept[MOST_WORDS + 1]; /* for free(): getopt_long changes the order */
    memcpy(kept, words, sizeof kept);
    switch (options_parse(count, words, step, &options, out, &error)) {
    case OPTIONS_RUN:
        check_accepted(&options);
        break;
    case OPTIONS_DONE:
        break;
    case OPTIONS_BAD:
        require_error(&error, EXIT_BAD_USAGE, EXIT_BAD_USAGE);
        break;
    }
    for (int i = 1; i < count; i++)
        free(kept[i]);
    return 0;
}
/* SPDX-License-Identifier: MIT */
