#include "measure/count.h"

#include <stdlib.h>
#include <string.h>

bool count_can(const struct back_end *back_end)
{
    return back_end->analysis != NULL && back_end->analysis->is_instrumented();
}

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
/* SPDX-License-Identifier: MIT */
