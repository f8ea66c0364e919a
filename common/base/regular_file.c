#include "base/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_of_file(mode_t mode)
{
    return S_ISDIR(mode) ? "a directory" : S_ISFIFO(mode) ? "a pipe" : "a device or socket";
}

int regular_file_open(const char *path, const char *shown, const char *wanted, struct error *error)
{
    struct stat status;
    /* O_NONBLOCK: opening a pipe without a writer must not wait. Regular files ignore it. */
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

    if (file < 0) {
        error_set(error, EXIT_FILE_ERROR, "%s: cannot open: %s", shown, strerror(errno));
        return -1;
    }
    if (fstat(file, &status) != 0)
        error_set(error, EXIT_FILE_ERROR, "%s: cannot read: %s", shown, strerror(errno));
    else if (!S_ISREG(status.st_mode))
        error_set(error, EXIT_FILE_ERROR, "%s: is %s; accepted is a regular %s file", shown,
                  kind_of_file(status.st_mode), wanted);
    else
        return file;
    close(file);
    return -1;
}
/* SPDX-License-Identifier: MIT */
