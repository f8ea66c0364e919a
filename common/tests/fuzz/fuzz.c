#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void require(bool holds, const char *promise)
{
    if (holds)
        return;
    fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

void require_error(const struct error *error, enum exit_code code, enum exit_code or_code)
{
    require(error->code == code || error->code == or_code, "the error's exit code");
    require(error->text[0] != '\0', "an error has a text");
    for (const char *c = error->text; *c != '\0'; c++)
        require((unsigned char)*c >= 32 && *c != 127, "an error is one line");
}

const char *file_with(const uint8_t *data, size_t size)
{
    static int file = -1;
    static char path[64];

    if (file < 0) {
        file = memfd_create("fuzz", MFD_CLOEXEC);
        require(file >= 0, "memfd_create");
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    require(ftruncate(file, 0) == 0, "ftruncate");
    require(pwrite(file, data, size, 0) == (ssize_t)size, "pwrite");
    return path;
}
/* SPDX-License-Identifier: MIT */
