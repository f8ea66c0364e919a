#include "base/format.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char suffixes[] = "KMGT"; /* each is 1024 times the one before */

char *format_time(double microseconds, char buffer[static FORMAT_TIME_SIZE])
{
    if (isnan(microseconds) || isinf(microseconds)) {
        const char *name = isnan(microseconds) ? "nan" : microseconds > 0 ? "inf" : "-inf";
        snprintf(buffer, FORMAT_TIME_SIZE, "%s", name);
        return buffer;
    }
    if (microseconds == 0) {
        snprintf(buffer, FORMAT_TIME_SIZE, "0 ns");
        return buffer;
    }
    static const struct {
        const char *name;
        double per_microsecond;
    } units[] = {{"ns", 1e3}, {"us", 1}, {"ms", 1e-3}, {"s", 1e-6}};
    enum { LAST = sizeof units / sizeof units[0] - 1 };

    size_t unit = 0;
    /* From 999.5 on, three digits round to 1000. */
    while (unit < LAST && fabs(microseconds * units[unit].per_microsecond) >= 999.5)
        unit++;
    double value = microseconds * units[unit].per_microsecond;
    double size = fabs(value);
    if (size >= 1e6) /* more than eleven days: never measured, but it must fit in the buffer */
        snprintf(buffer, FORMAT_TIME_SIZE, "%.2e s", value);
    else if (size < 0.001)
        snprintf(buffer, FORMAT_TIME_SIZE, "%.1e ns", value);
    else
        snprintf(buffer, FORMAT_TIME_SIZE, "%.*f %s",
                 size < 9.995   ? 2
                 : size < 99.95 ? 1
                                : 0,
                 value, units[unit].name);
    return buffer;
}

char *format_count(size_t count, char buffer[static FORMAT_COUNT_SIZE])
{
    size_t suffix = 0; /* how many factors of 1024 were divided out */
    while (count != 0 && count % 1024 == 0 && suffix < sizeof suffixes - 1) {
        count /= 1024;
        suffix++;
    }
    if (suffix == 0)
        snprintf(buffer, FORMAT_COUNT_SIZE, "%zu", count);
    else
        snprintf(buffer, FORMAT_COUNT_SIZE, "%zu%c", count, suffixes[suffix - 1]);
    return buffer;
}

bool parse_size(const char *text, size_t *value)
{
    /* Not strtoull, which skips spaces, accepts signs and wraps "-1" around. */
    if (text == NULL || *text < '0' || *text > '9')
        return false;
    size_t result = 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        size_t digit = (size_t)(*text - '0');
        if (result > (SIZE_MAX - digit) / 10)
            return false;
        result = result * 10 + digit;
    }
    if (*text != '\0') {
        char upper = *text >= 'a' && *text <= 'z' ? (char)(*text - 'a' + 'A') : *text;
        const char *suffix = strchr(suffixes, upper);
        if (suffix == NULL || text[1] != '\0')
            return false;
        for (const char *step = suffixes; step <= suffix; step++) {
            if (result > SIZE_MAX / 1024)
                return false;
            result *= 1024;
        }
    }
    *value = result;
    return true;
}
/* SPDX-License-Identifier: MIT */
