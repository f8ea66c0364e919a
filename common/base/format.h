/* Numbers as people write and read them: times, element counts, sizes on a command line. */
#ifndef RUNGS_FORMAT_H
#define RUNGS_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

enum { FORMAT_TIME_SIZE = 16, FORMAT_COUNT_SIZE = 24 };

/* Writes a time given in microseconds with three significant digits and the unit that suits it (ns,
 * us, ms, s): "812 ns", "12.3 us", "4.56 ms", "1.20 s". The unit is chosen after rounding, so
 * 999.7 us is "1.00 ms". Zero is "0 ns"; from 1000 s on it is "1234 s"; NaN is "nan" and an
 * infinity "inf" or "-inf". Returns buffer. */
char *format_time(double microseconds, char buffer[static FORMAT_TIME_SIZE]);

/* Writes a count with the largest of K, M, G, T (powers of two) that divides it, or plain digits:
 * 1048576 is "1M", 3072 is "3K", 1000 is "1000". Exact: parse_size gives the count back.
 * Returns buffer. */
char *format_count(size_t count, char buffer[static FORMAT_COUNT_SIZE]);

/* Reads decimal digits with an optional K, M, G or T in either case, powers of two: "4k" is 4096.
 * Returns false, with *value untouched, for anything else (NULL, empty, sign, space, point, hex,
 * unknown suffix) and for what does not fit in size_t. */
bool parse_size(const char *text, size_t *value);

#endif
