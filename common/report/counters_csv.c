#include <inttypes.h>

#include "measure/counters.h"
#include "report/report.h"

void report_counters_csv(struct report_file *report, const struct results *results)
{
    FILE *const file = report->file.text;

    if (file == NULL)
        return;
    for (size_t i = 0; i < results->row_count; i++) {
        const struct result *const row = &results->rows[i];
        if (report->rows++ == 0) {
            fprintf(file, "step,rung,op,type,shape,counted_shape");
            for (int f = 0; f < COUNTER_FIELDS; f++)
                fprintf(file, ",%s", counter_fields[f].name);
            fputc('\n', file);
        }
        fprintf(file, "%s,%s,%s,%s,%s,", results->step, row->rung, results->op, results->type,
                results->shape);
        if (row->counted && row->counters.has_memory)
            fputs(row->counted_shape[0] != '\0' ? row->counted_shape : results->shape, file);
        for (int f = 0; f < COUNTER_FIELDS; f++) {
            fputc(',', file);
            if (row->counted && (!counter_fields[f].is_memory || row->counters.has_memory))
                fprintf(file, "%" PRIu64, counter_value(&row->counters, &counter_fields[f]));
        }
        fputc('\n', file);
    }
}
/* SPDX-License-Identifier: MIT */
