/* A row as named fields, which CSV and JSON write each in their way. */
#ifndef RUNGS_FIELDS_H
#define RUNGS_FIELDS_H

#include <stdio.h>

#include "measure/result.h"

enum field_kind { FIELD_TEXT, FIELD_NUMBER };

struct field {
    const char *name;
    enum field_kind kind;
    char text[264]; /* "" where it does not apply */
};

enum { FIELD_COUNT = 24 };

void fields_of(const struct results *results, const struct result *row,
               struct field fields[FIELD_COUNT]);

/* Text as JSON writes it, quotes included. */
void json_string(FILE *file, const char *text);

#endif
