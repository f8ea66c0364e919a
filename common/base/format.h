/* Human-readable numbers: times and counts as reports print them, sizes as users type them. */
#ifndef RUNGS_FORMAT_H
#define RUNGS_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

enum { FORMAT_TIME_SIZE = 16, FORMAT_COUNT_SIZE = 24 };

/* Formats a time given in microseconds with three significant digits and a suitable unit (ns, us,
 * ms, s): "812 ns", "12.3 us", "4.56 ms", "1.20 s". The unit is chosen after rounding, so 999.7 us
 * is "1.00 ms". Zero is "0 ns"; 1000 s and more look like "1234 s"; NaN is "nan" and an infinity
 * "inf" or "-inf". Returns buffer. */
char *format_time(double microseconds, char buffer[static FORMAT_TIME_SIZE]);

/* Formats a count with the largest suffix K, M, G or T (powers of 1024) that divides it, or in
 * plain digits if none does: 1048576 is "1M", 3072 is "3K", 1000 is "1000". Nothing is rounded:
 * parse_size returns the same count. Returns buffer. */
char *format_count(size_t count, char buffer[static FORMAT_COUNT_SIZE]);

/* Parses decimal digits with an optional suffix K, M, G or T (powers of 1024, in either case): "4k"
 * is 4096. Returns false and leaves *value alone for anything else (NULL, an empty string, a sign,
 * space, decimal point, hex digit or unknown suffix) and for a value that size_t cannot hold. */
bool parse_size(const char *text, size_t *value);

#endif
/* SPDX-License-Identifier: MIT */
