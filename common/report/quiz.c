/* Asks for a prediction of each rung before the table shows the answers. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "report/columns.h"
#include "report/counters.h"
#include "report/report.h"

struct question {
    char text[256];
    const char *rung, *title; /* the rung and figure of the question */
    double answer;
    char answer_text[FIGURE_TEXT_SIZE], guess[FIGURE_TEXT_SIZE];
};

/* The figure to ask for: the first that differs by a tenth or more from that of the rung above. The
 * figures of the lesson come before others. */
static bool choose_figure(const struct results *results, const struct result *row,
                          const struct result *above, size_t *figure)
{
    size_t order[MOST_FIGURES];
    const size_t count = figures_shown(results, order);

    for (size_t i = 0; i < count; i++) {
        const double one = figure_value(order[i], row), other = figure_value(order[i], above);
        *figure = order[i];
        if (fabs(one - other) > 0.1 * fmax(one, other))
            return true;
    }
    return false;
}

/* Whether there is a question about the rung, given the one above. */
static bool make_question(const struct results *results, const struct result *row,
                          const struct result *above, struct question *question)
{
    char other[FIGURE_TEXT_SIZE];
    size_t figure;

    question->rung = row->rung;
    if (row->timed) {
        if (!above->timed)
            return false;
        question->title = "speed-up";
        question->answer = above->trial.statistics.median / row->trial.statistics.median;
        format_time(above->trial.statistics.median, other);
        snprintf(question->text, sizeof question->text,
                 "`%s` takes %s. How many times as fast is `%s`?", above->rung, other, row->rung);
        snprintf(question->answer_text, sizeof question->answer_text, "%.2fx", question->answer);
        return true;
    }
    if (!choose_figure(results, row, above, &figure))
        return false;
    question->title = figure_title(figure);
    question->answer = figure_value(figure, row);
    figure_text(figure, row, question->answer_text);
    figure_text(figure, above, other);
    snprintf(question->text, sizeof question->text, "%s: %s\n  `%s` has %s. What does `%s` have?",
             figure_title(figure), figure_meaning(figure), above->rung, other, row->rung);
    return true;
}

/* Prints what a guess needs: the rung's idea, and how much it launches. */
static void introduce(FILE *out, const struct result *row)
{
    const struct counters *const counters = &row->counters;

    fprintf(out, "\n%s: %s\n", row->rung, row->idea);
    if (row->counted)
        fprintf(out, "  %" PRIu64 " launch%s, %" PRIu64 " block%s, %" PRIu64 " threads in all\n",
                counters->launches, counters->launches == 1 ? "" : "es", counters->blocks,
                counters->blocks == 1 ? "" : "s", counters->threads);
}

/* Prints the figures of the first rung, from which the user guesses the others. */
static void give(FILE *out, const struct results *results, const struct result *row)
{
    size_t order[MOST_FIGURES];
    const size_t count = figures_shown(results, order);
    char texts[MOST_FIGURES][2 * FIGURE_TEXT_SIZE], text[FIGURE_TEXT_SIZE];
    const char *given[MOST_FIGURES];

    introduce(out, row);
    if (row->timed) {
        format_time(row->trial.statistics.median, text);
        fprintf(out, "  takes %s\n", text);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        figure_text(order[i], row, text);
        snprintf(texts[i], sizeof texts[i], "%s %s", figure_title(order[i]), text);
        given[i] = texts[i];
    }
    print_names(out, "given", given, count, line_width(out));
}

/* A number as people write it: 4761, 4,761, 1.5x, 98%, 2e3. False for anything else. */
static bool read_number(char *line, double *number)
{
    char *end, *to = line;

    for (const char *from = line; *from != '\0'; from++)
        if (*from != ',' && *from != '\n' && *from != ' ')
            *to++ = *from;
    *to = '\0';
    *number = strtod(line, &end);
    if (end != line && (*end == 'x' || *end == '%'))
        end++;
    return end != line && *end == '\0' && isfinite(*number);
}

/* 2: within a tenth, 1: within a factor of 2, 0: further off. */
static int points_for(double said, double answer)
{
    if (fabs(said - answer) <= 0.1 * fabs(answer))
        return 2;
    return said > 0 && said >= answer / 2 && said <= 2 * answer;
}

/* Prints the guesses next to the answers. */
static void print_guesses(FILE *out, const struct question questions[], size_t count)
{
    struct columns table;

    if (count == 0 || !columns_create(&table, count))
        return;
    columns_add(&table, "rung", true);
    for (size_t i = 0; i < count; i++)
        columns_set(&table, i, "%s", questions[i].rung);
    columns_add(&table, "asked for", true);
    for (size_t i = 0; i < count; i++)
        columns_set(&table, i, "%s", questions[i].title);
    columns_add(&table, "your guess", false);
    for (size_t i = 0; i < count; i++)
        columns_set(&table, i, "%s", questions[i].guess);
    columns_add(&table, "it is", false);
    for (size_t i = 0; i < count; i++)
        columns_set(&table, i, "%s", questions[i].answer_text);
    fputc('\n', out);
    columns_print(out, &table, 0, NULL);
    columns_free(&table);
}

void report_quiz(FILE *in, FILE *out, const struct results *results)
{
    static const char *const verdicts[] = {"no", "within a factor of 2", "right"};
    struct question *const questions = calloc(results->row_count + 1, sizeof *questions);
    const struct result *above = NULL;
    size_t asked = 0, count[3] = {0};
    char line[128];
    double said;

    if (questions == NULL)
        return;
    fprintf(out, "\nPredict, then see. An empty line passes a question, Ctrl-D ends the quiz.\n");
    for (size_t i = 0; i < results->row_count; i++) {
        const struct result *const row = &results->rows[i];
        struct question *const question = &questions[asked];

        if (row->verdict == VERDICT_SKIP || row->is_library || (!row->timed && !row->counted))
            continue;
        if (above == NULL || above->on_host != row->on_host) {
            give(out, results, row);
        } else if (make_question(results, row, above, question)) {
            introduce(out, row);
            fprintf(out, "  %s ", question->text);
            fflush(out);
            if (fgets(line, sizeof line, in) == NULL) {
                fputc('\n', out);
                break;
            }
            if (read_number(line, &said)) {
                const int points = points_for(said, question->answer);
                count[points]++;
                snprintf(question->guess, sizeof question->guess, "%.15g", said);
                fprintf(out, "  %s: it is %s\n", verdicts[points], question->answer_text);
            } else {
                fprintf(out, "  it is %s\n", question->answer_text);
            }
            asked++;
        }
        above = row;
    }
    print_guesses(out, questions, asked);
    fprintf(out, "\n%zu of %zu right (within a tenth), %zu more within a factor of 2\n", count[2],
            asked, count[1]);
    free(questions);
}
/* SPDX-License-Identifier: MIT */
