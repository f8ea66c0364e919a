#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/version.h"
#include "measure/counters.h"
#include "report/fields.h"
#include "report/report.h"

void json_string(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text != '\0'; text++)
        if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fprintf(file, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            putc(*text, file);
    putc('"', file);
}

static void json_named(FILE *file, const char *name, const char *text)
{
    fprintf(file, "\"%s\": ", name);
    json_string(file, text);
}

static void json_machine(FILE *file, const struct results *results)
{
    const struct machine *machine = &results->machine;

    fprintf(file, "{");
    json_named(file, "name", machine->name);
    fprintf(file, ", ");
    json_named(file, "details", machine->details);
    fprintf(file,
            ", \"multiprocessors\": %d, \"compute_capability\": %d, \"peak_gb_per_s\": %.6g, "
            "\"peak_gflop_per_s\": %.6g}",
            machine->processors, machine->compute_capability, results->peak_gb_per_s,
            machine->peak_gflop_per_s);
}

/* counted_shape: the shape for which memory was counted. It may be smaller than the row's. */
static void json_counters(FILE *file, const struct results *results, const struct result *row)
{
    const char *const shape = row->counted_shape[0] != '\0' ? row->counted_shape : results->shape;
    bool in_memory = false;

    fprintf(file, ", \"counters\": {");
    for (int i = 0; i < COUNTER_FIELDS; i++) {
        const struct counter_field *const field = &counter_fields[i];
        if (field->is_memory && !row->counters.has_memory)
            break;
        fprintf(file, "%s", i > 0 ? ", " : "");
        if (field->is_memory && !in_memory) {
            json_named(file, "counted_shape", shape);
            fprintf(file, ", ");
            in_memory = true;
        }
        fprintf(file, "\"%s\": %" PRIu64, field->name, counter_value(&row->counters, field));
    }
    fprintf(file, "}");
}

/* How the calls of a sample were made, and what one costs when the host makes it. */
static void json_calls(FILE *file, const struct result *row)
{
    const struct trial *const trial = &row->trial;

    if (!row->timed)
        return;
    fprintf(file, ", \"replayed\": %s, \"calls_overlap\": %s, \"call_us\": ",
            trial->replayed ? "true" : "false", trial->overlaps ? "true" : "false");
    if (trial->replayed)
        fprintf(file, "%.7g", trial->call_us);
    else
        fprintf(file, "null");
    if (trial->not_replayed[0] != '\0') {
        fprintf(file, ", ");
        json_named(file, "not_replayed", trial->not_replayed);
    }
}

static void json_kernels(FILE *file, const struct kernels *kernels)
{
    fprintf(file, ", \"kernels\": [");
    for (size_t k = 0; k < kernels->count && k < MOST_KERNELS; k++) {
        fprintf(file, "%s{", k > 0 ? ", " : "");
        json_named(file, "name", kernels->of[k].name);
        fprintf(file, ", ");
        json_named(file, "symbol", kernels->of[k].symbol);
        fprintf(file, "}");
    }
    fprintf(file, "]");
}

static void json_row(FILE *file, const struct results *results, const struct result *row)
{
    struct field fields[FIELD_COUNT];

    fields_of(results, row, fields);
    fprintf(file, "  {");
    for (int f = 0; f < FIELD_COUNT; f++) {
        fprintf(file, "\"%s\": ", fields[f].name);
        if (fields[f].kind == FIELD_TEXT)
            json_string(file, fields[f].text);
        else if (fields[f].text[0] == '\0' || strstr(fields[f].text, "inf") != NULL)
            fprintf(file, "null"); /* JSON has no infinity */
        else
            fprintf(file, "%s", fields[f].text);
        fprintf(file, ", ");
    }
    if (results->is_scalar && row->verdict != VERDICT_SKIP && isfinite(row->comparison.computed))
        fprintf(file, "\"result\": %.17g, ", row->comparison.computed);
    json_named(file, "used", row->how);
    fprintf(file, ", ");
    json_named(file, "reason", row->reason);
    fprintf(file, ", \"calls_per_sample\": %zu, \"samples_us\": [", row->trial.calls);
    for (size_t s = 0; row->timed && s < row->trial.statistics.count; s++)
        fprintf(file, "%s%.7g", s > 0 ? ", " : "", row->trial.samples_us[s]);
    fprintf(file, "]");
    json_calls(file, row);
    if (row->findings != NULL) {
        fprintf(file, ", ");
        json_named(file, "findings", row->findings);
    }
    if (row->kernels.count > 0)
        json_kernels(file, &row->kernels);
    if (row->counted)
        json_counters(file, results, row);
    fprintf(file, "}");
}

void report_json(struct report_file *report, const struct results *results)
{
    FILE *const file = report->file.text;

    if (file == NULL)
        return;
    for (size_t i = 0; i < results->row_count; i++) {
        if (report->rows++ == 0) {
            fprintf(file, "{\"version\": \"%s\",\n \"machine\": ", RUNGS_VERSION);
            json_machine(file, results);
            fprintf(file, ",\n \"rows\": [\n");
            report->ending = "\n ]}\n";
        } else {
            fprintf(file, ",\n");
        }
        json_row(file, results, &results->rows[i]);
    }
}
/* SPDX-License-Identifier: MIT */
