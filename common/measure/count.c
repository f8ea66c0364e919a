#include "measure/count.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef RUNGS_JANSSON
#include <jansson.h>
#endif

#include "measure/counters.h"

/* The environment variable with the file descriptor of the pipe that the child writes to. */
#define DESCRIPTOR_VARIABLE "RUNGS_COUNT_TO"

/* ---- the other program ----------------------------------------------------------------------- */

static pid_t child;
static FILE *from_child;

bool count_is_here(const struct back_end *back_end)
{
    return back_end->analysis != NULL && back_end->analysis->is_instrumented();
}

bool count_is_beside(void)
{
    return getenv(DESCRIPTOR_VARIABLE) != NULL;
}

/* DIRECTORY/counted/NAME for DIRECTORY/NAME. */
static bool counting_path(char path[PATH_MAX])
{
    char here[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);

    if (length < 0)
        return false;
    here[length] = '\0';
    char *const slash = strrchr(here, '/');
    *slash = '\0';
    return snprintf(path, PATH_MAX, "%s/counted/%s", here, slash + 1) < PATH_MAX;
}

bool count_become(char **argv, struct error *error)
{
    char path[PATH_MAX] = "bin/counted";

    if (counting_path(path))
        execv(path, argv);
    return error_set(error, EXIT_FILE_ERROR, "--counters: cannot run %s: %s", path,
                     strerror(errno));
}

/* Discards the child's output: only the parent prints. */
static void silence(void)
{
    const int nowhere = open("/dev/null", O_WRONLY);

    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
}

void count_start(char **argv, const struct back_end *back_end)
{
    char path[PATH_MAX], descriptor[16];
    int ends[2];

    if (back_end->analysis == NULL || count_is_here(back_end) || !counting_path(path) ||
        access(path, X_OK) != 0 || pipe(ends) != 0)
        return;
    fflush(NULL);
    child = fork();
    if (child == 0) {
        close(ends[0]);
        snprintf(descriptor, sizeof descriptor, "%d", ends[1]);
        setenv(DESCRIPTOR_VARIABLE, descriptor, 1);
        silence();
        execv(path, argv);
        _exit(EXIT_FILE_ERROR);
    }
    close(ends[1]);
    from_child = fdopen(ends[0], "r");
    if (from_child == NULL)
        close(ends[0]);
    if (child < 0 || from_child == NULL)
        count_finish();
}

void count_finish(void)
{
    if (from_child != NULL)
        fclose(from_child);
    from_child = NULL;
    if (child > 0) {
        kill(child, SIGKILL); /* nothing more is read from it */
        waitpid(child, NULL, 0);
    }
    child = 0;
}

FILE *count_stream(void)
{
    static FILE *stream;

    if (stream == NULL)
        stream = fdopen(atoi(getenv(DESCRIPTOR_VARIABLE)), "w");
    return stream;
}

/* ---- its results ----------------------------------------------------------------------------- */

#ifdef RUNGS_JANSSON
/* Copies the counts of a row that the child sent to the row of the same rung. */
static void take_row(const json_t *row, struct results *results, struct result *result)
{
    const json_t *const counters = json_object_get(row, "counters");
    const char *const shape = json_string_value(json_object_get(counters, "counted_shape"));

    if (shape == NULL || !result->counted) /* not counted by the child, or not run here */
        return;
    for (int i = 0; i < COUNTER_FIELDS; i++)
        if (counter_fields[i].is_memory)
            *counter_of(&result->counters, &counter_fields[i]) =
                (uint64_t)json_integer_value(json_object_get(counters, counter_fields[i].name));
    result->counters.has_memory = true;
    if (strcmp(shape, results->shape) != 0)
        snprintf(results->counted_shape, sizeof results->counted_shape, "%s", shape);
    if (json_object_get(row, "findings") != NULL) {
        result->broke_rule = true;
        result_conclude(result, "--counters says which");
    }
}

static bool take_results(FILE *file, struct results *results)
{
    json_t *const document = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL);
    const json_t *const rows = json_object_get(document, "rows");
    const bool matches = json_array_size(rows) == results->row_count;

    for (size_t i = 0; matches && i < results->row_count; i++) {
        const json_t *const row = json_array_get(rows, i);
        const char *const rung = json_string_value(json_object_get(row, "rung"));
        if (rung != NULL && strcmp(rung, results->rows[i].rung) == 0)
            take_row(row, results, &results->rows[i]);
    }
    json_decref(document);
    return matches;
}
#else
static bool take_results(FILE *file, struct results *results)
{
    (void)file;
    (void)results;
    return false;
}
#endif

void count_receive(struct results *results)
{
    if (from_child == NULL || take_results(from_child, results))
        return;
    snprintf(results->not_counted, sizeof results->not_counted,
             "the program that counts them ended early");
    count_finish();
}

/* ---- counting -------------------------------------------------------------------------------- */

void count_begin(const struct back_end *back_end)
{
    back_end->analysis->start();
}

void count_end(const struct back_end *back_end, enum counters_format format, struct result *result)
{
    const char *const findings = back_end->analysis->stop(&result->counters.memory);
    size_t length;

    result->counters.has_memory = true;
    if (findings[0] != '\0') {
        result->broke_rule = true;
        result->findings = strdup(findings);
    }
    if (format == COUNTERS_NONE)
        return;
    FILE *const text = open_memstream(&result->listing, &length);
    if (text != NULL) {
        back_end->analysis->print(text, format);
        fclose(text);
    }
}
