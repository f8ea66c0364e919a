/* assert() in kernels. The C library's macro calls this function when the runtime is linked. It
 * reports the thread that failed and, as on a GPU, ends the kernel; later host calls return
 * cudaErrorAssert. Host code behaves as with the C library. */
#include <stdio.h>
#include <stdlib.h>

#include "machine/reports.h"

__attribute__((noreturn)) void __assert_fail(const char *expression, const char *file,
                                             unsigned int line, const char *function);

void __assert_fail(const char *expression, const char *file, unsigned int line,
                   const char *function)
{
    if (simt_in_kernel()) {
        simt_report_place();
        fprintf(stderr, ": %s:%u: %s: assertion `%s' failed\n", file, line, function, expression);
        simt_abandon_launch(cudaErrorAssert, "an assertion failed");
    }
    fflush(NULL);
    fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
    abort();
}
/* SPDX-License-Identifier: MIT */
