#include <string.h>

#include "report/fields.h"
#include "report/report.h"

/* Writes a field, quoted if CSV requires it (RFC 4180). */
static void csv_field(FILE *file, const char *text)
{
    const bool quoted = strpbrk(text, ",\"\r\n") != NULL;

    if (quoted)
        putc('"', file);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            putc('"', file);
        putc(*text, file);
    }
    if (quoted)
        putc('"', file);
}

void report_csv(struct report_file *report, const struct results *results)
{
    FILE *const file = report->file.text;

    if (file == NULL)
        return;
    for (size_t i = 0; i < results->row_count; i++) {
        struct field fields[FIELD_COUNT];
        fields_of(results, &results->rows[i], fields);
        if (report->rows++ == 0)
            for (int f = 0; f < FIELD_COUNT; f++)
                fprintf(file, "%s%s", fields[f].name, f < FIELD_COUNT - 1 ? "," : "\n");
        for (int f = 0; f < FIELD_COUNT; f++) {
            csv_field(file, fields[f].text);
            putc(f < FIELD_COUNT - 1 ? ',' : '\n', file);
        }
    }
}
/* SPDX-License-Identifier: MIT */
