#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool cannot_write(const char *path, struct error *error)
{
    return error_set(error, EXIT_FILE_ERROR, "cannot write %s: %s", path, strerror(errno));
}

/* Whether the path exists and is not a regular file. It is then written in place. */
static bool is_special(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

static bool is_pipe(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISFIFO(status.st_mode);
}

/* Opens a pipe for writing; -1 if no process reads from it. Waits up to 1 s for a reader. */
static int open_pipe(const char *path)
{
    const struct timespec moment = {.tv_nsec = 10 * 1000 * 1000};
    int descriptor = -1;

    for (int tries = 0; tries < 100; tries++) {
        descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        if (descriptor >= 0 || errno != ENXIO)
            break;
        nanosleep(&moment, NULL);
        errno = ENXIO;
    }
    if (descriptor >= 0)
        fcntl(descriptor, F_SETFL, 0); /* later writes wait for a slow reader */
    return descriptor;
}

/* Whether the path is the file that standard output goes to. That file must not be replaced, and
 * the text already printed to it must not be overwritten. */
static bool is_standard_output(const char *path)
{
    struct stat file, output;
    return stat(path, &file) == 0 && fstat(STDOUT_FILENO, &output) == 0 &&
           file.st_dev == output.st_dev && file.st_ino == output.st_ino;
}

/* The path with symbolic links resolved; NULL and errno on failure. */
static char *followed(const char *path)
{
    enum { MOST_LINKS = 40 };
    char link[PATH_MAX];
    char *target = realpath(path, NULL);

    if (target != NULL)
        return target;
    /* There is no such file yet, but the path may be a link to where it will be. */
    target = strdup(path);
    for (int links = 0; target != NULL; links++) {
        const ssize_t length = readlink(target, link, sizeof link);
        if (length < 0)
            break;
        const char *const slash = link[0] != '/' ? strrchr(target, '/') : NULL;
        const size_t folder = slash != NULL ? (size_t)(slash - target) + 1 : 0;
        char *const next = links < MOST_LINKS ? malloc(folder + (size_t)length + 1) : NULL;
        if (next != NULL) {
            memcpy(next, target, folder);
            memcpy(next + folder, link, (size_t)length);
            next[folder + (size_t)length] = '\0';
        }
        free(target);
        target = next;
        errno = links < MOST_LINKS ? errno : ELOOP;
    }
    return target;
}

/* Creates an empty file in the directory of `path` (of the link's target, if it is a link). */
static int create_beside(const char *path, char **temporary, char **target)
{
    if (path[0] == '\0') {
        errno = ENOENT;
        return -1;
    }
    *target = followed(path);
    *temporary = *target != NULL ? malloc(strlen(*target) + sizeof ".XXXXXX") : NULL;
    if (*temporary == NULL)
        return -1;
    sprintf(*temporary, "%s.XXXXXX", *target);
    return mkstemp(*temporary);
}

/* Creates a file beside `path` and removes it again; false and errno if that cannot be done. */
static bool can_be_replaced(const char *path)
{
    char *temporary = NULL, *target = NULL;
    const int trial = create_beside(path, &temporary, &target);
    const int reason = errno;

    if (trial >= 0) {
        close(trial);
        unlink(temporary);
    }
    free(temporary);
    free(target);
    errno = reason;
    return trial >= 0 && (access(path, F_OK) != 0 || access(path, W_OK) == 0);
}

bool whole_file_open(struct whole_file *file, const char *path, struct error *error)
{
    *file = (struct whole_file){.path = path, .pipe = -1};
    if (is_pipe(path) && !is_standard_output(path)) {
        file->pipe = open_pipe(path);
        if (file->pipe < 0 && errno == ENXIO)
            return error_set(error, EXIT_FILE_ERROR,
                             "cannot write %s: it is a pipe without a reader", path);
        if (file->pipe < 0)
            return cannot_write(path, error);
    } else if (is_special(path)) {
        struct stat status;
        if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
            errno = EISDIR;
            return cannot_write(path, error);
        }
        if (access(path, W_OK) != 0)
            return cannot_write(path, error);
    } else if (!can_be_replaced(path)) {
        return cannot_write(path, error);
    }
    file->text = open_memstream(&file->buffer, &file->length);
    if (file->text == NULL) {
        whole_file_discard(file);
        return error_set(error, EXIT_DEVICE_ERROR, "out of memory");
    }
    return true;
}

static bool write_whole(int descriptor, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(descriptor, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        text += written;
        length -= (size_t)written;
    }
    return true;
}

/* If the reader closes the pipe, that is an ordinary error, not a signal that ends the program. */
static bool write_to_pipe(int pipe, const char *text, size_t length)
{
    void (*const old)(int) = signal(SIGPIPE, SIG_IGN);
    const bool written = write_whole(pipe, text, length);
    const int reason = errno;

    signal(SIGPIPE, old);
    errno = reason;
    return written;
}

static bool write_in_place(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return false;
    const bool written = fwrite(text, 1, length, file) == length;
    return fclose(file) == 0 && written;
}

static bool write_and_rename(const char *path, const char *text, size_t length)
{
    char *temporary = NULL, *target = NULL;
    const mode_t mask = umask(0);
    umask(mask);

    const int descriptor = create_beside(path, &temporary, &target);
    bool done = descriptor >= 0;
    if (done) {
        struct stat old;
        const mode_t mode = stat(target, &old) == 0 ? old.st_mode & 0777 : 0666 & ~mask;
        done = write_whole(descriptor, text, length) && fchmod(descriptor, mode) == 0;
        done = close(descriptor) == 0 && done;
        done = done && rename(temporary, target) == 0;
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

bool whole_file_commit(struct whole_file *file, struct error *error)
{
    bool done;

    /* Without memory to shrink the buffer, glibc's fclose succeeds and the buffer is NULL. */
    const bool complete = fclose(file->text) == 0 && file->buffer != NULL;
    file->text = NULL;
    if (!complete) {
        whole_file_discard(file);
        return error_set(error, EXIT_DEVICE_ERROR, "out of memory");
    }
    if (file->pipe >= 0)
        done = write_to_pipe(file->pipe, file->buffer, file->length);
    else if (is_standard_output(file->path))
        done = fwrite(file->buffer, 1, file->length, stdout) == file->length && fflush(stdout) == 0;
    else
        done = is_special(file->path) ? write_in_place(file->path, file->buffer, file->length)
                                      : write_and_rename(file->path, file->buffer, file->length);
    if (!done)
        cannot_write(file->path, error);
    whole_file_discard(file);
    return done;
}

void whole_file_discard(struct whole_file *file)
{
    if (file->text != NULL)
        fclose(file->text);
    if (file->path != NULL && file->pipe >= 0)
        close(file->pipe);
    free(file->buffer);
    *file = (struct whole_file){0};
}

bool whole_file_same(const char *one, const char *other)
{
    struct stat one_status, other_status;
    const bool one_there = stat(one, &one_status) == 0;
    const bool other_there = stat(other, &other_status) == 0;

    if (one_there != other_there)
        return false;
    if (one_there)
        return S_ISREG(one_status.st_mode) && one_status.st_dev == other_status.st_dev &&
               one_status.st_ino == other_status.st_ino;

    /* Neither file exists, so compare names and folders. */
    char *const paths[] = {followed(one), followed(other)};
    char folders[2][PATH_MAX];
    const char *names[2] = {NULL, NULL};
    for (int i = 0; i < 2 && paths[i] != NULL; i++) {
        char *const slash = strrchr(paths[i], '/');
        names[i] = slash != NULL ? slash + 1 : paths[i];
        const size_t length = (size_t)(names[i] - paths[i]);
        char folder[PATH_MAX];
        snprintf(folder, sizeof folder, "%.*s.", (int)length, paths[i]);
        if (realpath(folder, folders[i]) == NULL)
            names[i] = NULL;
    }
    const bool same = names[0] != NULL && names[1] != NULL && strcmp(names[0], names[1]) == 0 &&
                      strcmp(folders[0], folders[1]) == 0;
    free(paths[0]);
    free(paths[1]);
    return same;
}
/* SPDX-License-Identifier: MIT */
