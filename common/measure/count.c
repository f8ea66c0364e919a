#include "measure/count.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
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

/* The sanitizers exclude the instrumentation, so there is no counting program beside theirs. */
#ifdef RUNGS_JANSSON
static const bool is_built = true;
#else
static const bool is_built = false;
#endif

static pid_t child;
static int from_child = -1;
static struct error trouble; /* why nothing is counted; EXIT_ALL_VERIFIED: nothing is wrong */

bool count_is_here(const struct back_end *back_end)
{
    return back_end->analysis != NULL && back_end->analysis->is_instrumented();
}

bool count_is_beside(void)
{
    return getenv(DESCRIPTOR_VARIABLE) != NULL;
}

static const char nowhere[] = "/proc does not say where this program is";

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

bool count_become(char **argv, const char *option, struct error *error)
{
    char path[PATH_MAX];

    if (!counting_path(path))
        return error_set(error, EXIT_DEVICE_ERROR, "%s: %s", option, nowhere);
    execv(path, argv);
    return error_set(error, EXIT_FILE_ERROR, "%s: cannot run %s: %s", option, path,
                     strerror(errno));
}

/* Discards the child's output: only the parent prints. */
static void silence(void)
{
    const int sink = open("/dev/null", O_WRONLY);

    dup2(sink, STDOUT_FILENO);
    dup2(sink, STDERR_FILENO);
}

/* Records why nothing is counted. */
static void cannot_count(const char *why)
{
    error_set(&trouble, EXIT_DEVICE_ERROR, "kernels are not checked: %s", why);
}

void count_start(char **argv, const struct back_end *back_end)
{
    char path[PATH_MAX], descriptor[16];
    int ends[2];

    trouble = (struct error){.code = EXIT_ALL_VERIFIED};
    if (!is_built || back_end->analysis == NULL || count_is_here(back_end))
        return;
    if (!counting_path(path)) {
        cannot_count(nowhere);
        return;
    }
    if (access(path, X_OK) != 0) {
        error_set(&trouble, EXIT_FILE_ERROR, "kernels are not checked: cannot run %s: %s", path,
                  strerror(errno));
        return;
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        cannot_count(strerror(errno));
        return;
    }
    fflush(NULL);
    child = fork();
    if (child == 0) {
        fcntl(ends[1], F_SETFD, 0);
        snprintf(descriptor, sizeof descriptor, "%d", ends[1]);
        setenv(DESCRIPTOR_VARIABLE, descriptor, 1);
        silence();
        execv(path, argv);
        _exit(EXIT_FILE_ERROR);
    }
    close(ends[1]);
    from_child = ends[0];
    if (child < 0) {
        cannot_count(strerror(errno));
        count_finish();
    }
}

void count_finish(void)
{
    if (from_child >= 0)
        close(from_child);
    from_child = -1;
    if (child > 0) {
        kill(child, SIGKILL); /* nothing more is read from it */
        waitpid(child, NULL, 0);
    }
    child = 0;
}

const struct error *count_trouble(void)
{
    return trouble.code != EXIT_ALL_VERIFIED ? &trouble : NULL;
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
static void take_row(const json_t *row, const struct results *results, struct result *result)
{
    const json_t *const counters = json_object_get(row, "counters");
    const char *const shape = json_string_value(json_object_get(counters, "counted_shape"));

    if (!result->counted) /* not run here */
        return;
    if (shape == NULL) { /* it was not run there */
        result_unchecked(result);
        return;
    }
    for (int i = 0; i < COUNTER_FIELDS; i++)
        if (counter_fields[i].is_memory)
            *counter_of(&result->counters, &counter_fields[i]) =
                (uint64_t)json_integer_value(json_object_get(counters, counter_fields[i].name));
    result->counters.has_memory = true;
    if (strcmp(shape, results->shape) != 0)
        snprintf(result->counted_shape, sizeof result->counted_shape, "%s", shape);
    if (json_object_get(row, "findings") != NULL) {
        result->broke_rule = true;
        result_conclude(result, "--counters says which");
    }
}

/* Whether the child has been stopped (SIGSTOP, a debugger) for three looks at it, one a second. At
 * Ctrl-Z and fg it may be continued a moment after this program. */
static bool stays_stopped(int *looks)
{
    siginfo_t state = {0};

    if (waitid(P_PID, (id_t)child, &state, WSTOPPED | WNOHANG | WNOWAIT) != 0 || state.si_pid == 0)
        *looks = 0;
    else
        ++*looks;
    return *looks >= 3;
}

/* What was read from the child and not yet parsed. */
static struct {
    char bytes[4096];
    size_t next, end;
} received;

/* Waits for more from the child; false if nothing comes any more. */
static bool receive(void)
{
    struct pollfd ready = {.fd = from_child, .events = POLLIN};
    int looks = 0;

    for (;;) {
        const int found = poll(&ready, 1, 1000);
        const ssize_t count =
            found > 0 ? read(from_child, received.bytes, sizeof received.bytes) : found;
        if (found != 0 && (count >= 0 || errno != EINTR)) {
            received.next = 0;
            received.end = count > 0 ? (size_t)count : 0;
            return count > 0;
        }
        if (found == 0 && stays_stopped(&looks)) {
            cannot_count("the program that does it was stopped");
            return false;
        }
    }
}

/* For jansson. One byte at a time, since it forgets what follows the document's end. */
static size_t next_byte(void *buffer, size_t size, void *data)
{
    (void)size;
    (void)data;
    if (received.next == received.end && !receive())
        return 0;
    *(char *)buffer = received.bytes[received.next++];
    return 1;
}

static bool take_results(struct results *results)
{
    json_t *const document = json_load_callback(next_byte, NULL, JSON_DISABLE_EOF_CHECK, NULL);
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
static bool take_results(struct results *results)
{
    (void)results;
    return false;
}
#endif

void count_receive(struct results *results)
{
    if (from_child >= 0 && !take_results(results)) {
        if (count_trouble() == NULL)
            cannot_count("the program that does it ended early");
        count_finish();
    }
    if (count_trouble() == NULL)
        return;
    snprintf(results->not_counted, sizeof results->not_counted, "%s", trouble.text);
    for (size_t i = 0; i < results->row_count; i++)
        if (results->rows[i].counted)
            result_unchecked(&results->rows[i]);
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
