#include "measure/count.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the other program ----------------------------------------------------------------------- */

#define DESCRIPTOR_VARIABLE "RUNGS_COUNT_TO"

static pid_t child;
static int from_child = -1;

/* One row's counts on their way from one program to the other: both are of one build. */
struct message {
    bool counted, broke_rule;
    struct counters counters;
    char shape[64];
};

bool counted_is_here(const struct step *step)
{
    return step->back_end->analysis != NULL && step->back_end->analysis->is_instrumented();
}

bool counted_beside(void)
{
    return getenv(DESCRIPTOR_VARIABLE) != NULL;
}

/* DIRECTORY/counted/NAME for DIRECTORY/NAME. */
static bool counted_path(char path[PATH_MAX])
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

bool counted_become(char **argv, struct error *error)
{
    char path[PATH_MAX] = "bin/counted";

    if (counted_path(path))
        execv(path, argv);
    return error_set(error, EXIT_FILE_ERROR, "--counters: cannot run %s: %s", path,
                     strerror(errno));
}

/* What it has to say, the program beside it says. */
static void silence(void)
{
    const int nowhere = open("/dev/null", O_WRONLY);

    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
}

void counted_start(char **argv, const struct step *step, const struct options *options)
{
    char path[PATH_MAX], descriptor[16];
    int ends[2];

    /* Files may be of any size, and a test with a table of its own has no program beside it. */
    if (step->back_end->analysis == NULL || counted_is_here(step) || options->a != NULL ||
        !counted_path(path) || access(path, X_OK) != 0 || pipe(ends) != 0)
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
    from_child = ends[0];
    if (child < 0)
        counted_finish();
}

static bool read_whole(int descriptor, void *to, size_t bytes)
{
    for (char *at = to; bytes > 0;) {
        const ssize_t count = read(descriptor, at, bytes);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        at += count;
        bytes -= (size_t)count;
    }
    return true;
}

void counted_receive(struct run *run)
{
    for (size_t i = 0; i < run->row_count && from_child >= 0; i++) {
        struct row *row = &run->rows[i];
        struct message message;

        if (!read_whole(from_child, &message, sizeof message)) {
            counted_finish();
            return;
        }
        if (message.broke_rule && row->verdict == VERDICT_FAIL) {
            const size_t used = strlen(row->reason);
            snprintf(row->reason + used, sizeof row->reason - used,
                     "; --counters says which rule of CUDA it breaks");
        }
        if (!message.counted || !row->counted)
            continue;
        row->counters.memory = message.counters.memory;
        row->counters.has_memory = true;
        if (strcmp(message.shape, run->shape) != 0)
            snprintf(run->counted_shape, sizeof run->counted_shape, "%s", message.shape);
        if (message.broke_rule && row->verdict == VERDICT_PASS) {
            row->verdict = VERDICT_FAIL;
            snprintf(row->reason, sizeof row->reason,
                     "right, but breaks a rule of CUDA: --counters says which");
        }
    }
}

void counted_send(const struct run *run)
{
    const int descriptor = atoi(getenv(DESCRIPTOR_VARIABLE));

    for (size_t i = 0; i < run->row_count; i++) {
        const struct row *row = &run->rows[i];
        struct message message;
        memset(&message, 0, sizeof message);
        message.counted = row->counters.has_memory;
        message.broke_rule = row->findings != NULL;
        message.counters = row->counters;
        snprintf(message.shape, sizeof message.shape, "%s", run->shape);
        if (write(descriptor, &message, sizeof message) != (ssize_t)sizeof message)
            _exit(EXIT_FILE_ERROR); /* nobody listens any more */
    }
}

void counted_finish(void)
{
    if (from_child >= 0)
        close(from_child);
    from_child = -1;
    if (child > 0) {
        kill(child, SIGKILL); /* it has nothing more to say */
        waitpid(child, NULL, 0);
    }
    child = 0;
}

/* ---- the problem ----------------------------------------------------------------------------- */

static void limit(size_t *size, size_t most)
{
    if (*size > most)
        *size = most;
}

struct options counted_options(const struct step *step, const struct options *options)
{
    struct options small = *options;

    if (step->family == &reduction_family) {
        limit(&small.n, (size_t)1 << 20);
    } else if (step->family == &conv_family) {
        const double products = (double)small.batch * (double)small.filters * (double)small.height *
                                (double)small.width * (double)small.channels *
                                (double)small.kernel_height * (double)small.kernel_width;
        if (products > 4e6) {
            const size_t rows = 33 + (small.kernel_height - 1) * small.dilation;
            const size_t columns = 128 + (small.kernel_width - 1) * small.dilation;
            limit(&small.batch, 1);
            limit(&small.filters, 4);
            limit(&small.channels, 4);
            limit(&small.height, rows);
            limit(&small.width, columns);
        }
    } else {
        limit(&small.m, 256);
        limit(&small.n, step->family == &gemm_family ? 256 : 4096);
        limit(&small.k, 128);
    }
    return small;
}

/* ---- counting -------------------------------------------------------------------------------- */

void counted_begin(const struct step *step)
{
    step->back_end->analysis->start();
}

bool counted_end(const struct step *step, const struct options *options, struct row *row)
{
    const struct analysis *const analysis = step->back_end->analysis;
    size_t length;
    const char *const findings = analysis->stop(&row->counters.memory);

    row->counters.has_memory = true;
    if (findings[0] != '\0')
        row->findings = strdup(findings);
    if (options->counters != COUNTERS_NONE) {
        FILE *const text = open_memstream(&row->listing, &length);
        if (text != NULL) {
            analysis->print(text, options->counters);
            fclose(text);
        }
    }
    return row->findings == NULL || (row->rung->flags & RUNG_LESSON) != 0;
}

static void print_quoted(FILE *file, const char *text)
{
    putc('"', file);
    for (; text != NULL && *text != '\0'; text++)
        if (*text == '\n')
            fputs("\\n", file);
        else
            fprintf(file, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
    putc('"', file);
}

void counted_print(FILE *file, const struct run *run, const struct options *options)
{
    const bool json = options->counters == COUNTERS_JSON;
    const char *separator = "";

    if (json)
        fprintf(file, "{\"step\": \"%s\", \"shape\": \"%s\", \"rungs\": [", run->step->name,
                run->shape);
    for (size_t i = 0; i < run->row_count; i++) {
        const struct row *const row = &run->rows[i];
        if (row->listing == NULL)
            continue;
        if (json) {
            fprintf(file, "%s\n{\"rung\": \"%s\", \"findings\": ", separator, row->rung->name);
            print_quoted(file, row->findings);
            fprintf(file, ", \"counters\": %s}", row->listing);
            separator = ",";
            continue;
        }
        fprintf(file, "\n== %s\n%s", row->rung->name, row->listing);
        if (row->findings != NULL)
            fprintf(file, "%s%s",
                    row->rung->flags & RUNG_LESSON ? "What is wrong with it, as a lesson:\n"
                                                   : "Rules of CUDA that it breaks:\n",
                    row->findings);
    }
    if (json)
        fprintf(file, "\n]}\n");
}

void counted_print_ncu(FILE *file, char **argv, const struct options *options)
{
    fprintf(
        file,
        "Nsight Compute counts the same on the GPU (it may need the right to, see NVIDIA's "
        "ERR_NVGPUCTRPERM page):\n\n"
        "ncu --clock-control none --metrics \\\n"
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,"
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,\\\n"
        "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,"
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,\\\n"
        "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum,"
        "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum,\\\n"
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum,"
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum,\\\n"
        "smsp__sass_inst_executed_op_shared_ld.sum,smsp__sass_inst_executed_op_shared_st.sum,\\\n"
        "smsp__sass_branch_targets_threads_divergent.sum,"
        "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio \\\n"
        "%s",
        argv[0]);
    for (char **argument = argv + 1; *argument != NULL; argument++)
        if (strncmp(*argument, "--counters", 10) != 0)
            fprintf(file, " '%s'", *argument);
    if (options->reps == 0)
        fputs(" --warmup 0 --reps 1", file);
    fputc('\n', file);
}

/* ---- columns --------------------------------------------------------------------------------- */

enum column_kind { WHOLE, RATIO, PERCENT };

/* A figure for the table: a count, or a quotient of two, which there may be none of. */
struct figure {
    double value, divisor;
};

static uint64_t requests(const struct counters *counters)
{
    const struct memory_counters *memory = &counters->memory;
    return memory->load_requests + memory->store_requests + memory->atomic_requests +
           memory->shared_load_requests + memory->shared_store_requests +
           memory->shared_atomic_requests + memory->constant_requests;
}

#define COUNT(name, expression)                                                                    \
    static struct figure name(const struct counters *c)                                            \
    {                                                                                              \
        return (struct figure){(double)(expression), 1};                                           \
    }
#define QUOTIENT(name, dividend, divisor)                                                          \
    static struct figure name(const struct counters *c)                                            \
    {                                                                                              \
        return (struct figure){(double)(dividend), (double)(divisor)};                             \
    }
COUNT(of_launches, c->launches)
COUNT(of_blocks, c->blocks)
COUNT(of_barriers, c->block_barriers)
COUNT(of_syncwarps, c->warp_barriers)
COUNT(of_shuffles, c->shuffles)
COUNT(of_atomics, c->atomics)
COUNT(of_loads, c->memory.load_requests)
COUNT(of_stores, c->memory.store_requests)
QUOTIENT(of_load_sectors, c->memory.load_sectors, c->memory.load_requests)
QUOTIENT(of_needed, 100 * (c->memory.load_bytes + c->memory.store_bytes),
         32 * (c->memory.load_sectors + c->memory.store_sectors))
COUNT(of_shared, c->memory.shared_load_requests + c->memory.shared_store_requests +
                     c->memory.shared_atomic_requests)
COUNT(of_conflicts, c->memory.shared_load_conflicts + c->memory.shared_store_conflicts)
QUOTIENT(of_lanes, c->memory.lanes, requests(c))
COUNT(of_splits, c->memory.splits)
QUOTIENT(of_crowd, c->memory.atomic_crowd,
         c->memory.atomic_requests + c->memory.shared_atomic_requests)
COUNT(of_constant, c->memory.constant_requests)

static const struct column {
    const char *title;
    struct figure (*figure)(const struct counters *counters);
    enum column_kind kind;
    bool memory; /* known of counted rows only; these come last */
    bool always; /* else only where some row has it */
} columns[] = {
    {"launches", of_launches, WHOLE, false, true},
    {"blocks", of_blocks, WHOLE, false, true},
    {"barriers", of_barriers, WHOLE, false, false},
    {"syncwarps", of_syncwarps, WHOLE, false, false},
    {"shuffles", of_shuffles, WHOLE, false, false},
    {"atomics", of_atomics, WHOLE, false, false},
    {"crowd", of_crowd, RATIO, true, false},
    {"loads", of_loads, WHOLE, true, true},
    {"sect/load", of_load_sectors, RATIO, true, true},
    {"stores", of_stores, WHOLE, true, true},
    {"needed", of_needed, PERCENT, true, true},
    {"constant", of_constant, WHOLE, true, false},
    {"shared", of_shared, WHOLE, true, false},
    {"conflicts", of_conflicts, WHOLE, true, false},
    {"lanes", of_lanes, RATIO, true, true},
    {"splits", of_splits, WHOLE, true, false},
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

static bool has(const struct column *column, const struct row *row)
{
    return row->counted && (!column->memory || row->counters.has_memory);
}

static bool is_shown(const struct run *run, const struct column *column)
{
    for (size_t i = 0; i < run->row_count; i++) {
        const struct row *row = &run->rows[i];
        if (has(column, row) && (column->always || column->figure(&row->counters).value > 0))
            return true;
    }
    return column->always && !column->memory;
}

static int width_of(const struct run *run, const struct column *column)
{
    int width = (int)strlen(column->title);
    for (size_t i = 0; i < run->row_count; i++)
        if (has(column, &run->rows[i]) && column->kind == WHOLE) {
            const double value = column->figure(&run->rows[i].counters).value;
            const int digits = snprintf(NULL, 0, "%.0f", value);
            width = digits > width ? digits : width;
        }
    return width;
}

void counted_heading(FILE *file, const struct run *run)
{
    for (size_t i = 0; i < COLUMNS; i++)
        if (is_shown(run, &columns[i]))
            fprintf(file, " %*s", width_of(run, &columns[i]), columns[i].title);
}

const char *counted_first_of_memory(const struct run *run)
{
    for (size_t i = 0; i < COLUMNS; i++)
        if (columns[i].memory && is_shown(run, &columns[i]))
            return columns[i].title;
    return NULL;
}

void counted_cells(FILE *file, const struct run *run, const struct row *row)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        const struct column *const column = &columns[i];
        char text[32] = "-";

        if (!is_shown(run, column))
            continue;
        if (has(column, row)) {
            const struct figure figure = column->figure(&row->counters);
            if (figure.divisor > 0)
                snprintf(text, sizeof text, "%.*f%s", column->kind == RATIO ? 1 : 0,
                         figure.value / figure.divisor, column->kind == PERCENT ? "%" : "");
        }
        fprintf(file, " %*s", width_of(run, column), text);
    }
}
