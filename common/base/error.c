#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

bool error_set(struct error *error, enum exit_code code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->code = code;
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    /* File names and option values may contain any byte; keep the message on one line. */
    for (char *c = error->text; *c != '\0'; c++)
        if ((unsigned char)*c < 32 || *c == 127)
            *c = '.';
    return false;
}
/* SPDX-License-Identifier: MIT */
