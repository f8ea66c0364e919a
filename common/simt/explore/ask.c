/* SIMT_EXPLORE=FILE.html: any program of simtcc leaves a page when it ends. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/simt_analysis.h"
#include "explore/explore.h"

enum { EXIT_USAGE = 2, EXIT_FILE = 4 }; /* as the programs of the steps */

static const char *path; /* NULL: no page is wanted, or it has been written */
static pid_t writer;

static bool is_special(void)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

static void cannot_write(void)
{
    fprintf(stderr, "simt: SIMT_EXPLORE: cannot write %s: %s\n", path, strerror(errno));
}

/* A new file in the folder of the page, or of what a link leads to; *target: that path. */
static int create_beside(char **temporary, char **target)
{
    static const char ending[] = ".XXXXXX";
    *target = realpath(path, NULL);
    *target = *target ? *target : explore_need(strdup(path));
    *temporary = explore_need(malloc(strlen(*target) + sizeof ending));
    sprintf(*temporary, "%s%s", *target, ending);
    return mkstemp(*temporary);
}

static bool can_be_written(void)
{
    char *temporary, *target;
    int trial;
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (access(path, F_OK) == 0 && access(path, W_OK) != 0) {
        return false;
    }
    if (is_special()) {
        return true;
    }
    trial = create_beside(&temporary, &target);
    if (trial >= 0) {
        close(trial);
        unlink(temporary);
    }
    free(temporary);
    free(target);
    return trial >= 0;
}

static const char *program_name(void)
{
    static char name[4096];
    ssize_t length = readlink("/proc/self/exe", name, sizeof name - 1);
    const char *slash;
    name[length > 0 ? length : 0] = '\0';
    slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

/* Writes all of the text and closes; errno says why not. */
static bool put(int descriptor, const char *text, size_t size)
{
    bool done = true;
    while (done && size > 0) {
        ssize_t written = write(descriptor, text, size);
        done = written >= 0 || errno == EINTR;
        text += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    if (close(descriptor) != 0) {
        return false;
    }
    return done;
}

/* The old page stays until the new one is complete. */
static bool replace(const char *text, size_t size)
{
    char *temporary, *target;
    mode_t mask = umask(0);
    int descriptor = create_beside(&temporary, &target), reason;
    bool done;
    umask(mask);
    done = descriptor >= 0 && fchmod(descriptor, 0666 & ~mask) == 0;
    if (descriptor >= 0) {
        done = put(descriptor, text, size) && done && rename(temporary, target) == 0;
        reason = errno;
        if (!done) {
            unlink(temporary);
        }
        errno = reason;
    }
    free(temporary);
    free(target);
    return done;
}

static bool write_in_place(const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    bool done = file && fwrite(text, 1, size, file) == size;
    return file && fclose(file) == 0 && done;
}

/* False, after a line that says why, if there is no page. */
static bool write_page(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = explore_need(open_memstream(&text, &size));
    bool any = simt_explore_write(file, program_name()), done;
    if (fclose(file) != 0 || !text) {
        explore_need(NULL);
    }
    if (!any) {
        fprintf(stderr, "simt: SIMT_EXPLORE: nothing to show: %s\n",
                explored_launch_count == 0 ? "no instrumented kernel was launched"
                                           : "no kernel touched memory in the blocks asked for");
        free(text);
        return false;
    }
    done = is_special() ? write_in_place(text, size) : replace(text, size);
    if (!done) {
        cannot_write();
    }
    free(text);
    return done;
}

/* False: there should be a page, and is none. */
static bool finish(void)
{
    bool done = !path || getpid() != writer || write_page();
    path = NULL;
    return done;
}

void explore_forget(void)
{
    path = NULL;
}

void explore_exit(void)
{
    explore_end_report();
    explore_report();
    finish();
}

static void at_exit(void)
{
    if (!finish()) {
        fflush(NULL);
        _exit(EXIT_FILE);
    }
}

/* Before main, so that it ends last, and a page that cannot be written is known before the work. */
__attribute__((constructor)) static void prepare(void)
{
    const char *blocks = getenv("SIMT_EXPLORE_BLOCKS");
    path = getenv("SIMT_EXPLORE");
    if (!path || !path[0]) {
        path = NULL;
        return;
    }
    if (!explore_record(blocks && blocks[0] ? blocks : "0")) {
        fprintf(stderr,
                "simt: SIMT_EXPLORE_BLOCKS is '%s': want numbers of blocks, such as 0-3,8, or "
                "all\n",
                blocks);
        _exit(EXIT_USAGE);
    }
    if (!can_be_written()) {
        cannot_write();
        _exit(EXIT_FILE);
    }
    writer = getpid();
    atexit(at_exit);
}
