#include "report/fields.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void text_field(struct field *field, const char *name, const char *text)
{
    field->name = name;
    field->kind = FIELD_TEXT;
    snprintf(field->text, sizeof field->text, "%s", text);
}

static void number_field(struct field *field, const char *name, double value, int digits)
{
    field->name = name;
    field->kind = FIELD_NUMBER;
    if (isnan(value))
        field->text[0] = '\0';
    else
        snprintf(field->text, sizeof field->text, "%.*g", digits, value);
}

void fields_of(const struct results *results, const struct result *row,
               struct field fields[FIELD_COUNT])
{
    const struct statistics *statistics = &row->trial.statistics;
    const double warmups = row->timed ? (double)row->trial.warmups : NAN;
    const double reps = row->timed ? (double)statistics->count : NAN;
    const bool ran = row->verdict != VERDICT_SKIP;
    struct field *field = fields;
    const struct machine *machine = row->on_host ? &results->host : &results->machine;
    char seed[24], device[264];

    snprintf(seed, sizeof seed, "%" PRIu64, results->seed);
    snprintf(device, sizeof device, "%s%s%s", machine->name,
             machine->details[0] != '\0' ? "; " : "", machine->details);
    text_field(field++, "step", results->step);
    text_field(field++, "rung", row->rung);
    text_field(field++, "op", results->op);
    text_field(field++, "type", results->type);
    text_field(field++, "shape", row->is_part ? row->part.shape : results->shape);
    text_field(field, "seed", seed);
    field++->kind = FIELD_NUMBER;
    text_field(field++, "backend", row->back_end);
    text_field(field++, "device", device);
    text_field(field++, "cache", row->timed ? results->cold ? "cold" : "warm" : "");
    number_field(field++, "warmups", warmups, 15);
    number_field(field++, "reps", reps, 15);
    number_field(field++, "min_us", row->timed ? statistics->min : NAN, 7);
    number_field(field++, "median_us", row->timed ? statistics->median : NAN, 7);
    number_field(field++, "mean_us", row->timed ? statistics->mean : NAN, 7);
    number_field(field++, "std_us", row->timed ? statistics->standard_deviation : NAN, 7);
    number_field(field++, "max_us", row->timed ? statistics->max : NAN, 7);
    number_field(field++, "gb_per_s", row->gb_per_s, 6);
    number_field(field++, "gflop_per_s", row->gflop_per_s, 6);
    number_field(field++, "percent_of_peak", row->percent_of_peak, 6);
    number_field(field++, "speedup_first", row->speedup_first, 6);
    number_field(field++, "speedup_library", row->speedup_library, 6);
    number_field(field++, "error", ran ? row->comparison.error : NAN, 9);
    number_field(field++, "error_bound", ran ? row->comparison.bound : NAN, 9);
    text_field(field++, "verdict", verdict_name(row->verdict));
}
/* SPDX-License-Identifier: MIT */
