#include "base/whole_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool cannot_write(const char *path, struct error *error)
{
    return error_set(error, EXIT_FILE_ERROR, "cannot write %s: %s", path, strerror(errno));
}

/* Whether the path exists and is not a regular file: it is then written in place. */
static bool is_special(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

/* Whether the path is the file that standard output goes to, which must not be replaced, nor what
 * was printed to it overwritten. */
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

bool whole_file_open(struct whole_file *file, const char *path, struct error *error)
{
    *file = (struct whole_file){.path = path};
    if (is_special(path)) {
        struct stat status;
        if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
            errno = EISDIR;
            return cannot_write(path, error);
        }
        if (access(path, W_OK) != 0)
            return cannot_write(path, error);
    } else {
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
        if (trial < 0 || (access(path, F_OK) == 0 && access(path, W_OK) != 0))
            return cannot_write(path, error);
    }
    file->text = open_memstream(&file->buffer, &file->length);
    if (file->text == NULL)
        return error_set(error, EXIT_DEVICE_ERROR, "out of memory");
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

    if (fclose(file->text) != 0) {
        file->text = NULL;
        return error_set(error, EXIT_DEVICE_ERROR, "out of memory");
    }
    file->text = NULL;
    if (is_standard_output(file->path))
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
    free(file->buffer);
    *file = (struct whole_file){0};
}
