#include "measure/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {"pass", "fail", "racy", "skip"};
    return names[verdict];
}

/* ---- verdicts -------------------------------------------------------------------------------- */

void result_start(struct result *result, const struct rung *rung, const struct back_end *back_end)
{
    const struct back_end *const own = rung_back_end(rung, back_end);

    *result = (struct result){
        .rung = rung->name,
        .idea = rung->idea,
        .back_end = own->name,
        .on_host = own != back_end,
        .is_library = (rung->flags & RUNG_LIBRARY) != 0,
        .is_lesson = (rung->flags & RUNG_LESSON) != 0,
        .other_arithmetic = (rung->flags & RUNG_OTHER_ARITHMETIC) != 0,
    };
}

void result_skip(struct result *result, const char *reason)
{
    result->skipped = true;
    result->verdict = VERDICT_SKIP;
    snprintf(result->reason, sizeof result->reason, "%s", reason);
}

void result_unfinished(struct result *result, const char *by)
{
    char reason[sizeof result->reason];

    snprintf(reason, sizeof reason, "%s %s ended the run",
             result->ran ? "right so far, but" : "not run, since", by);
    result_skip(result, reason);
}

void result_ended(struct result *result, const char *why)
{
    result->verdict = VERDICT_FAIL;
    snprintf(result->reason, sizeof result->reason, "ended the run: %s", why);
}

void result_note(struct result *result, const struct comparison *comparison, bool probe)
{
    result->ran = true;
    if (comparison->right && result->wrong)
        return;
    result->comparison = *comparison;
    if (!comparison->right) {
        result->wrong = true;
        result->wrong_on_probe = probe;
    }
}

void result_note_last(struct result *result, const struct comparison *comparison)
{
    if (comparison->right)
        return;
    result->comparison = *comparison;
    result->wrong = result->wrong_after_timing = true;
}

void result_note_small(struct result *result, const struct comparison *comparison,
                       const char *problem)
{
    result->comparison = *comparison;
    result->wrong = true;
    snprintf(result->wrong_with, sizeof result->wrong_with, "with %s: ", problem);
}

void result_note_same_kernels(struct result *result, const char *rung, const char *problem)
{
    result->same_kernels = rung;
    if (problem != NULL)
        snprintf(result->wrong_with, sizeof result->wrong_with, "with %s: ", problem);
    result_conclude(result, "see below");
}

void result_conclude(struct result *result, const char *hint)
{
    if (result->skipped)
        return;
    const bool broke_rule = result->broke_rule && !result->is_lesson;
    const char *const where = result->comparison.where;

    result->verdict =
        result->wrong && result->is_lesson ? VERDICT_RACY
        : result->wrong || broke_rule || result->too_fast || result->same_kernels != NULL
            ? VERDICT_FAIL
            : VERDICT_PASS;
    result->reason[0] = '\0';
    if (result->wrong)
        snprintf(result->reason, sizeof result->reason, "%s%s%s%s",
                 result->wrong_with[0] != '\0' ? result->wrong_with
                 : result->wrong_on_probe ? "on the probe, whole numbers that need no rounding: "
                 : result->wrong_after_timing ? "in the last call after timing: "
                                              : "",
                 where, broke_rule ? "; it breaks a rule of CUDA: " : "", broke_rule ? hint : "");
    else if (broke_rule)
        snprintf(result->reason, sizeof result->reason, "right, but breaks a rule of CUDA: %s",
                 hint);
    else if (result->same_kernels != NULL)
        snprintf(result->reason, sizeof result->reason,
                 "right, but %slaunches the same kernels as %s, and its row in the ladder gives no "
                 "reason",
                 result->wrong_with, result->same_kernels);
    else if (result->too_fast)
        snprintf(result->reason, sizeof result->reason,
                 "%.3g us is too short for this machine: an error of measurement",
                 result->trial.statistics.median);
}

/* ---- rates that cannot be -------------------------------------------------------------------- */

/* How far beyond the peak a rate may be. Bandwidth: docs/results has up to 2.6 times the peak, on a
 * shared machine whose caches were busy during the probe. A GPU's L2 cache has about twice the
 * bandwidth of its memory. Arithmetic: Winograd's algorithm needs a quarter of the definition's
 * products. Tensor cores do up to 16 times the others' products, in half precision. */
static const double MOST_BANDWIDTH = 4, MOST_ARITHMETIC = 16;

static double bytes_of(const struct results *results, const struct result *result)
{
    return result->is_part ? result->part.bytes : results->bytes;
}

static double flops_of(const struct results *results, const struct result *result)
{
    return result->is_part ? result->part.flops : results->flops;
}

static bool is_too_fast(const struct results *results, const struct result *result)
{
    const double bytes = bytes_of(results, result), flops = flops_of(results, result);
    const double peak_gflop_per_s = results->machine.peak_gflop_per_s;
    const double median = result->trial.statistics.median;

    if (!result->timed || result->on_host)
        return false;
    return (results->peak_gb_per_s > 0 &&
            bytes * 1e-3 > MOST_BANDWIDTH * results->peak_gb_per_s * median) ||
           (peak_gflop_per_s > 0 && flops * 1e-3 > MOST_ARITHMETIC * peak_gflop_per_s * median);
}

bool results_exceed_peak(const struct results *results)
{
    for (size_t i = 0; i < results->row_count; i++)
        if (is_too_fast(results, &results->rows[i]))
            return true;
    return false;
}

double results_most_gb_per_s(const struct results *results)
{
    double most = 0;

    for (size_t i = 0; i < results->row_count; i++) {
        const struct result *const row = &results->rows[i];
        const double median = row->trial.statistics.median;
        if (row->timed && !row->on_host && median > 0 && !is_too_fast(results, row))
            most = fmax(most, bytes_of(results, row) / median * 1e-3);
    }
    return most;
}

/* ---- derived figures ------------------------------------------------------------------------- */

/* The median. For a rung that was given a part of the problem, the time for the whole at the same
 * rate. NaN if the rung was not timed. */
static double time_for_all(const struct results *results, const struct result *result)
{
    const double median = result->trial.statistics.median;

    if (!result->timed)
        return NAN;
    return result->is_part ? median * (results->flops / result->part.flops) : median;
}

/* The time of the fastest library on the processor that ran the rung; NaN if there is none. */
static double library_time(const struct results *results, const struct result *result)
{
    double best = NAN;

    for (size_t i = 0; i < results->row_count; i++) {
        const struct result *library = &results->rows[i];
        if (library->is_library && library->on_host == result->on_host)
            best = fmin(best, time_for_all(results, library)); /* fmin ignores NaN */
    }
    return best;
}

double results_peak_gflop_per_s(const struct results *results)
{
    return results->machine.peak_gflop_per_s * (results->units == 0 ? 1 : results->units);
}

/* Sets the percentage, unless the peak does not apply to this rung: it does other arithmetic, or
 * was faster than the peak because its data stayed in a cache. */
static void set_percent_of_peak(const struct results *results, struct result *result)
{
    const double memory_us = results->bytes / results->peak_gb_per_s * 1e-3;
    const double peak_gflop_per_s = results_peak_gflop_per_s(results);
    const double arithmetic_us =
        peak_gflop_per_s > 0 ? results->flops / peak_gflop_per_s * 1e-3 : 0;
    const double percent = 100 * fmax(memory_us, arithmetic_us) / time_for_all(results, result);
    const double rounding = 1e-9;

    if (isnan(results->units))
        return;
    result->has_other_peak =
        percent > 100 * (1 + rounding) || (result->other_arithmetic && arithmetic_us > memory_us);
    if (!result->has_other_peak)
        result->percent_of_peak = fmin(percent, 100);
}

void results_derive(struct results *results)
{
    double first = NAN;

    for (size_t i = 0; i < results->row_count && isnan(first); i++)
        first = time_for_all(results, &results->rows[i]);
    for (size_t i = 0; i < results->row_count; i++) {
        struct result *result = &results->rows[i];
        const double median = result->trial.statistics.median;

        result->too_fast = is_too_fast(results, result);
        if (result->too_fast)
            result_conclude(result, "");
        result->gb_per_s = result->gflop_per_s = result->percent_of_peak = NAN;
        result->speedup_first = result->speedup_library = NAN;
        result->has_other_peak = false;
        if (!result->timed || !(median > 0))
            continue;
        result->gb_per_s = bytes_of(results, result) / median * 1e-3;
        result->gflop_per_s = flops_of(results, result) / median * 1e-3;
        result->speedup_first = first / time_for_all(results, result);
        result->speedup_library = library_time(results, result) / time_for_all(results, result);
        if (results->peak_gb_per_s > 0 && !result->on_host)
            set_percent_of_peak(results, result);
    }
}

void results_free(struct results *results)
{
    for (size_t i = 0; i < results->row_count; i++) {
        trial_free(&results->rows[i].trial);
        free(results->rows[i].findings);
        free(results->rows[i].listing);
    }
    free(results->rows);
    results->rows = NULL;
    results->row_count = 0;
}
/* SPDX-License-Identifier: MIT */
