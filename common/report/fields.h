/* A result row as named fields, in the order of the CSV header; JSON writes the same fields. */
#ifndef RUNGS_FIELDS_H
#define RUNGS_FIELDS_H

#include <stdio.h>

#include "measure/result.h"

enum field_kind { FIELD_TEXT, FIELD_NUMBER };

struct field {
    const char *name;
    enum field_kind kind;
    char text[264]; /* "" if the field does not apply to the row */
};

enum { FIELD_COUNT = 24 };

void fields_of(const struct results *results, const struct result *row,
               struct field fields[FIELD_COUNT]);

/* Writes the text as a JSON string, with quotes and escapes. */
void json_string(FILE *file, const char *text);

#endif
/* SPDX-License-Identifier: MIT */
