#include "run/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static const char *name = "";

void progress_begin(const char *program)
{
    name = program;
}

void progress_show(const char *format, ...)
{
    va_list arguments;

    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[K%s: ", name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
}

void progress_end(void)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}
/* SPDX-License-Identifier: MIT */
