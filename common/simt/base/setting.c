#include "base/setting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USAGE_ERROR = 2 }; /* as the programs of the steps */

__attribute__((noreturn)) static void refuse(const char *variable, const char *asked,
                                             const char *wanted)
{
    fprintf(stderr, "simt: %s=%s: want %s\n", variable, asked, wanted);
    exit(USAGE_ERROR);
}

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
        refuse(variable, asked, wanted);
    }
    return value;
}

unsigned int simt_choice(const char *variable, const char *wanted, const char *const *words)
{
    const char *asked = getenv(variable);
    unsigned int number = 0;
    if (!asked) {
        return 0;
    }
    while (words[number] && strcmp(asked, words[number]) != 0) {
        number++;
    }
    if (!words[number]) {
        refuse(variable, asked, wanted);
    }
    return number;
}
