#include "base/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/need.h"

static void tell(const char *variable, const char *path)
{
    const char *reason = strerror(errno);
    fflush(stdout); /* so that the program's own output comes first */
    fprintf(stderr, "simt: %s: cannot write %s: %s\n", variable, path, reason);
}

bool simt_output_is_regular(const char *path)
{
    struct stat status;
    return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

/* The stream that already writes to this file, which must not be replaced then; or NULL. */
static FILE *stream_of(const char *path)
{
    struct stat file, open;
    if (stat(path, &file) != 0) {
        return NULL;
    }
    for (int i = STDOUT_FILENO; i <= STDERR_FILENO; i++) {
        if (fstat(i, &open) == 0 && open.st_dev == file.st_dev && open.st_ino == file.st_ino) {
            return i == STDOUT_FILENO ? stdout : stderr;
        }
    }
    return NULL;
}

/* Creates a temporary file beside the path, or beside the target of a link; *target: its path. */
static int create_beside(const char *path, char **temporary, char **target)
{
    static const char ending[] = ".XXXXXX";
    *target = realpath(path, NULL);
    *target = *target ? *target : simt_needed(strdup(path), "a file");
    *temporary = simt_needed(malloc(strlen(*target) + sizeof ending), "a file");
    sprintf(*temporary, "%s%s", *target, ending);
    return mkstemp(*temporary);
}

static bool can_be_written(const char *path)
{
    char *temporary, *target;
    int trial, reason;
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (access(path, F_OK) == 0 && access(path, W_OK) != 0) {
        return false;
    }
    if (!simt_output_is_regular(path) || stream_of(path)) {
        return true;
    }
    trial = create_beside(path, &temporary, &target);
    reason = errno;
    if (trial >= 0) {
        close(trial);
        unlink(temporary);
    }
    free(temporary);
    free(target);
    errno = reason;
    return trial >= 0;
}

void simt_output_check(const char *variable, const char *path)
{
    if (!can_be_written(path)) {
        tell(variable, path);
        exit(SIMT_EXIT_FILE);
    }
}

/* Writes the whole text and closes the file; errno has the error. */
static bool put(int descriptor, const char *text, size_t size)
{
    bool done = true;
    while (done && size > 0) {
        const ssize_t written = write(descriptor, text, size);
        done = written >= 0 || errno == EINTR;
        text += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    return close(descriptor) == 0 && done;
}

static bool replace(const struct simt_output *output)
{
    char *temporary, *target;
    struct stat old;
    const mode_t mask = umask(0);
    const int descriptor = create_beside(output->path, &temporary, &target);
    const mode_t mode = stat(target, &old) == 0 ? old.st_mode & 0777 : 0666 & ~mask;
    bool done;
    umask(mask);
    done = descriptor >= 0 && fchmod(descriptor, mode) == 0;
    if (descriptor >= 0) {
        done =
            put(descriptor, output->text, output->size) && done && rename(temporary, target) == 0;
        if (!done) {
            const int reason = errno;
            unlink(temporary);
            errno = reason;
        }
    }
    free(temporary);
    free(target);
    return done;
}

static bool write_in_place(const struct simt_output *output)
{
    FILE *stream = stream_of(output->path), *file = stream ? stream : fopen(output->path, "w");
    const bool done = file && fwrite(output->text, 1, output->size, file) == output->size;
    if (stream) {
        return fflush(stream) == 0 && done;
    }
    return file && fclose(file) == 0 && done;
}

FILE *simt_output_begin(struct simt_output *output, const char *variable, const char *path)
{
    *output = (struct simt_output){.variable = variable, .path = path};
    return simt_needed(open_memstream(&output->text, &output->size), variable);
}

bool simt_output_end(struct simt_output *output, FILE *file)
{
    bool done = fclose(file) == 0;
    simt_needed(output->text, output->variable);
    done = done && (simt_output_is_regular(output->path) && !stream_of(output->path)
                        ? replace(output)
                        : write_in_place(output));
    if (!done) {
        tell(output->variable, output->path);
    }
    free(output->text);
    output->text = NULL;
    return done;
}

/* The C library then calls the remaining handlers, and exits with the last status. */
void simt_output_failed(void)
{
    exit(SIMT_EXIT_FILE);
}

size_t simt_line_width(FILE *file)
{
    const char *said = getenv("COLUMNS");
    const long columns = said ? strtol(said, NULL, 10) : 0;
    struct winsize size;
    if (columns > 0) {
        return (size_t)columns;
    }
    return isatty(fileno(file)) && ioctl(fileno(file), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
/* SPDX-License-Identifier: MIT */
