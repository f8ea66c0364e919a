/* printf() in kernels: returns the number of arguments, not of characters. */
#include <stdarg.h>
#include <stdio.h>

#include "base/own.h"

/* The number of arguments that a format takes. */
static int arguments_of(const char *format)
{
    int count = 0;
    for (const char *c = format; *c; c++) {
        if (*c == '%' && c[1] == '%') {
            c++;
        } else if (*c == '%') {
            count++;
            while (c[1] == '-' || c[1] == '+' || c[1] == ' ' || c[1] == '#' || c[1] == '.' ||
                   c[1] == '*' || (c[1] >= '0' && c[1] <= '9')) {
                count += *++c == '*';
            }
        }
    }
    return count;
}

static int print(const char *format, va_list arguments)
{
    const int printed = format || !simt_in_kernel() ? vprintf(format, arguments) : -1;
    return printed < 0 || !simt_in_kernel() ? printed : arguments_of(format);
}

/* A source calls these, the second one if it is fortified; no header declares them. */
int simt_printf(const char *format, ...);
int simt_printf(const char *format, ...)
{
    va_list arguments;
    int result;
    va_start(arguments, format);
    result = print(format, arguments);
    va_end(arguments);
    return result;
}

int simt_printf_chk(int flag, const char *format, ...);
int simt_printf_chk(int flag, const char *format, ...)
{
    va_list arguments;
    int result;
    (void)flag;
    va_start(arguments, format);
    result = print(format, arguments);
    va_end(arguments);
    return result;
}
/* SPDX-License-Identifier: MIT */
