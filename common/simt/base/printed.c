#include "base/printed.h"

#include <stdio.h>

#include "base/worker.h"

static FILE *own, *between; /* the program's standard output; the stream that replaces it */

static ssize_t pass_on(void *nothing, const char *text, size_t size)
{
    (void)nothing;
    simt_only_in_order();
    size = fwrite(text, 1, size, own);
    fflush(own);
    return (ssize_t)size;
}

void simt_printed_begin(void)
{
    if (!between) {
        between = fopencookie(NULL, "w", (cookie_io_functions_t){.write = pass_on});
        if (!between) {
            simt_not_repeatable(); /* its output would go unnoticed */
            return;
        }
        setvbuf(between, NULL, _IONBF, 0);
    }
    fflush(stdout); /* code that flushes stdout for a report means this stream */
    own = stdout;
    stdout = between;
}

void simt_printed_end(void)
{
    if (own) {
        stdout = own;
        own = NULL;
    }
}
/* SPDX-License-Identifier: MIT */
