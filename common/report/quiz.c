/* Asks for a prediction of each rung before the table shows the answers. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/counters.h"
#include "report/report.h"

/* What is asked of a rung that differs from the one above in several figures: the first here that
 * differs by a tenth or more. */
static const char *const preferred[] = {"conflicts", "sect/load", "barriers", "shuffles",
                                        "syncwarps", "atomics",   "shared",   "loads",
                                        "crowd",     "lanes",     "launches", "blocks"};

struct question {
    char text[256];
    double answer;
    char answer_text[FIGURE_TEXT_SIZE];
};

static size_t figure_named(const char *title)
{
    size_t figure = 0;

    while (figure + 1 < figure_count() && strcmp(figure_title(figure), title) != 0)
        figure++;
    return figure;
}

/* The figure to ask for, given the rung above, or NULL. */
static size_t choose_figure(const struct result *row, const struct result *above)
{
    for (size_t i = 0; above != NULL && i < sizeof preferred / sizeof preferred[0]; i++) {
        const size_t figure = figure_named(preferred[i]);
        const double one = figure_value(figure, row), other = figure_value(figure, above);
        if (fabs(one - other) > 0.1 * fmax(one, other))
            return figure;
    }
    return figure_named("loads");
}

/* Whether there is anything to ask about the rung. `above`: the one before, or NULL. */
static bool make_question(const struct result *row, const struct result *above,
                          struct question *question)
{
    if (row->timed) {
        if (above == NULL || !above->timed)
            return false;
        question->answer = above->trial.statistics.median / row->trial.statistics.median;
        snprintf(question->text, sizeof question->text, "how many times as fast as `%s`?",
                 above->rung);
        snprintf(question->answer_text, sizeof question->answer_text, "%.2f", question->answer);
        return true;
    }
    const size_t figure = choose_figure(row, above);
    char other[FIGURE_TEXT_SIZE];

    question->answer = figure_value(figure, row);
    if (isnan(question->answer))
        return false;
    figure_text(figure, row, question->answer_text);
    if (above != NULL)
        figure_text(figure, above, other);
    snprintf(question->text, sizeof question->text, "the column `%s`?%s%s%s%s%s",
             figure_title(figure), above != NULL ? " (`" : "", above != NULL ? above->rung : "",
             above != NULL ? "` has " : "", above != NULL ? other : "", above != NULL ? ".)" : "");
    return true;
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

/* 2: within a tenth, 1: within a factor of 2, 0: not even that. */
static int points_for(double said, double answer)
{
    if (fabs(said - answer) <= 0.1 * fabs(answer))
        return 2;
    return said > 0 && said >= answer / 2 && said <= 2 * answer;
}

void report_quiz(FILE *in, FILE *out, const struct results *results)
{
    static const char *const verdicts[] = {"no", "within a factor of 2", "right"};
    const struct result *above = NULL;
    int asked = 0, count[3] = {0};
    char line[128];
    double said;

    fprintf(out, "\nPredict, then see. An empty line passes a question, Ctrl-D ends the quiz.\n");
    for (size_t i = 0; i < results->row_count; i++) {
        const struct result *const row = &results->rows[i];
        struct question question;

        if (row->verdict == VERDICT_SKIP || row->is_library)
            continue;
        if (make_question(row, above, &question)) {
            fprintf(out, "\n%s: %s\n%s ", row->rung, row->idea, question.text);
            fflush(out);
            if (fgets(line, sizeof line, in) == NULL) {
                fputc('\n', out);
                break;
            }
            asked++;
            if (read_number(line, &said)) {
                const int points = points_for(said, question.answer);
                count[points]++;
                fprintf(out, "%s: it is %s\n", verdicts[points], question.answer_text);
            } else {
                fprintf(out, "it is %s\n", question.answer_text);
            }
        }
        above = row;
    }
    fprintf(out, "\n%d of %d right (within a tenth), %d more within a factor of 2\n", count[2],
            asked, count[1]);
}
