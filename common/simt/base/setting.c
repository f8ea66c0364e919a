#include "base/setting.h"

#include <stdio.h>
#include <stdlib.h>

enum { USAGE_ERROR = 2 }; /* as the programs of the steps */

double simt_setting(const char *variable, const char *wanted, double usual)
{
    const char *asked = getenv(variable);
    char *end;
    double value;
    if (!asked) {
        return usual;
    }
    value = strtod(asked, &end);
    if (end == asked || *end != '\0' || !(value >= 0)) {
        fprintf(stderr, "simt: %s=%s: want %s\n", variable, asked, wanted);
        exit(USAGE_ERROR);
    }
    return value;
}
