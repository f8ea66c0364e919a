#include "report/counters.h"

#include <math.h>
#include <string.h>

#include "report/fields.h"
#include "report/report.h"

void report_counters(FILE *file, const struct results *results, enum counters_format format)
{
    const bool json = format == COUNTERS_JSON;
    const char *separator = "";

    if (json)
        fprintf(file, "{\"step\": \"%s\", \"shape\": \"%s\", \"rungs\": [", results->step,
                results->shape);
    for (size_t i = 0; i < results->row_count; i++) {
        const struct result *const row = &results->rows[i];
        if (row->listing == NULL)
            continue;
        if (json) {
            fprintf(file, "%s\n{\"rung\": \"%s\", \"findings\": ", separator, row->rung);
            json_string(file, row->findings != NULL ? row->findings : "");
            fprintf(file, ", \"counters\": %s}", row->listing);
            separator = ",";
            continue;
        }
        fprintf(file, "\n== %s\n%s", row->rung, row->listing);
        if (row->findings != NULL)
            fprintf(file, "%s%s",
                    row->is_lesson ? "What is wrong with it, as a lesson:\n"
                                   : "Rules of CUDA that it breaks:\n",
                    row->findings);
    }
    if (json)
        fprintf(file, "\n]}\n");
}

void report_findings(FILE *file, const struct results *results)
{
    for (size_t i = 0; i < results->row_count; i++)
        if (results->rows[i].findings != NULL && !results->rows[i].is_lesson)
            fprintf(file, "\nRules of CUDA that %s breaks:\n%s", results->rows[i].rung,
                    results->rows[i].findings);
}

void report_ncu_command(FILE *file, char **argv, bool with_timing)
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
        if (strncmp(*argument, "--counters", 10) != 0 && strcmp(*argument, "--skip-small") != 0)
            fprintf(file, " '%s'", *argument);
    if (!with_timing)
        fputs(" --warmup 0 --reps 1", file);
    fputs(" --skip-small", file);
    fputc('\n', file);
}

/* ---- columns --------------------------------------------------------------------------------- */

enum column_kind { WHOLE, RATIO, PERCENT };

/* A figure for the table: a count (divisor 1), or a quotient, undefined if the divisor is 0. */
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
    const char *meaning; /* in one line, below tables and in the quiz */
    struct figure (*figure)(const struct counters *counters);
    enum column_kind kind;
    bool memory; /* from struct memory_counters */
    bool always; /* shown even if it is 0 for all rows */
} columns[] = {
    {"launches", "kernels launched for one result", of_launches, WHOLE, false, true},
    {"blocks", "blocks of all launches", of_blocks, WHOLE, false, true},
    {"barriers", "completed __syncthreads, per block", of_barriers, WHOLE, false, false},
    {"syncwarps", "completed __syncwarp, per warp", of_syncwarps, WHOLE, false, false},
    {"shuffles", "shuffles, per warp", of_shuffles, WHOLE, false, false},
    {"atomics", "atomic operations, per thread", of_atomics, WHOLE, false, false},
    {"crowd", "lanes of a warp whose atomics hit one address", of_crowd, RATIO, true, false},
    {"loads", "requests to load from global memory, per warp", of_loads, WHOLE, true, true},
    {"sect/load", "32-byte sectors per load request", of_load_sectors, RATIO, true, true},
    {"stores", "requests to store to global memory, per warp", of_stores, WHOLE, true, true},
    {"needed", "bytes requested, as a share of those moved", of_needed, PERCENT, true, true},
    {"constant", "requests to constant memory, per warp", of_constant, WHOLE, true, false},
    {"shared", "requests to shared memory, per warp", of_shared, WHOLE, true, false},
    {"conflicts", "passes over the banks beyond those that the bytes need", of_conflicts, WHOLE,
     true, false},
    {"lanes", "active lanes per memory request", of_lanes, RATIO, true, true},
    {"splits", "divergent branches, per warp", of_splits, WHOLE, true, false},
};

enum { FIGURES = sizeof columns / sizeof columns[0] };
_Static_assert((int)FIGURES == (int)MOST_FIGURES, "counters.h says how many");

size_t figure_count(void)
{
    return FIGURES;
}

const char *figure_title(size_t figure)
{
    return columns[figure].title;
}

static bool has(const struct column *column, const struct result *row)
{
    return row->counted && (!column->memory || row->counters.has_memory);
}

const char *figure_meaning(size_t figure)
{
    return columns[figure].meaning;
}

size_t figures_shown(const struct results *results, size_t order[MOST_FIGURES])
{
    const char *name = results->lesson != NULL ? results->lesson : "";
    bool taken[FIGURES] = {false};
    size_t count = 0;

    for (size_t length; (length = strcspn(name, " ")) > 0; name += length + (name[length] == ' '))
        for (size_t i = 0; i < FIGURES; i++)
            if (strlen(columns[i].title) == length &&
                strncmp(columns[i].title, name, length) == 0 && figure_is_shown(results, i)) {
                order[count++] = i;
                taken[i] = true;
            }
    for (size_t i = 0; i < FIGURES; i++)
        if (!taken[i] && figure_is_shown(results, i))
            order[count++] = i;
    return count;
}

size_t figures_of_lesson(const struct results *results)
{
    size_t count = results->lesson != NULL;

    for (const char *at = results->lesson; at != NULL && *at != '\0'; at++)
        count += *at == ' ';
    return count;
}

bool figures_equal(const struct result *a, const struct result *b)
{
    char of_a[FIGURE_TEXT_SIZE], of_b[FIGURE_TEXT_SIZE];

    for (size_t i = 0; i < FIGURES; i++) {
        figure_text(i, a, of_a);
        figure_text(i, b, of_b);
        if (strcmp(of_a, of_b) != 0)
            return false;
    }
    return a->counted && b->counted;
}

bool figure_is_shown(const struct results *results, size_t figure)
{
    const struct column *const column = &columns[figure];

    for (size_t i = 0; i < results->row_count; i++) {
        const struct result *row = &results->rows[i];
        if (has(column, row) && (column->always || column->figure(&row->counters).value > 0))
            return true;
    }
    return false;
}

double figure_value(size_t figure, const struct result *row)
{
    if (!has(&columns[figure], row))
        return NAN;
    const struct figure found = columns[figure].figure(&row->counters);
    return found.divisor > 0 ? found.value / found.divisor : NAN;
}

void figure_text(size_t figure, const struct result *row, char text[FIGURE_TEXT_SIZE])
{
    const enum column_kind kind = columns[figure].kind;
    const double value = figure_value(figure, row);

    snprintf(text, FIGURE_TEXT_SIZE, "-");
    if (!isnan(value))
        snprintf(text, FIGURE_TEXT_SIZE, "%.*f%s", kind == RATIO ? 1 : 0, value,
                 kind == PERCENT ? "%" : "");
}

size_t counters_of_memory(const struct results *results, const char *titles[MOST_FIGURES])
{
    size_t order[MOST_FIGURES], count = 0;
    const size_t all = figures_shown(results, order);

    for (size_t i = 0; i < all; i++)
        if (columns[order[i]].memory)
            titles[count++] = columns[order[i]].title;
    return count;
}
/* SPDX-License-Identifier: MIT */
