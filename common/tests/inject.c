/* Makes one call of a program fail, as if the machine had run out of a resource. Preload it with
 * LD_PRELOAD. glibc only.
 *
 *   INJECT=KIND:N   the N-th call of that kind fails: memory, file, write, rename, thread, process.
 *                   Calls are counted from the start of main. With N = 0, no call fails.
 *   INJECT=proc:0   no file in /proc exists.
 *   INJECT_COUNT=FILE   writes the number of calls to FILE when the program exits. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static const char *kind = "";
static long wanted;
static atomic_long calls;
static atomic_bool counting;

/* Whether this call must fail. */
static bool fails(const char *of)
{
    return atomic_load(&counting) && strcmp(of, kind) == 0 &&
           atomic_fetch_add(&calls, 1) + 1 == wanted;
}

/* dlsym returns a pointer to an object. C cannot cast that to a pointer to a function. */
#define REAL(name)                                                                                 \
    static __typeof__(&name) real;                                                                 \
    if (real == NULL) {                                                                            \
        void *const found = dlsym(RTLD_NEXT, #name);                                               \
        memcpy(&real, &found, sizeof real);                                                        \
    }

/* ---- memory ---------------------------------------------------------------------------------- */

static void *no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size)
{
    return fails("memory") ? no_memory() : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails("memory") ? no_memory() : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return fails("memory") ? no_memory() : __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails("memory") ? no_memory() : __libc_memalign(alignment, size);
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool is_hidden(const char *path)
{
    const bool hidden =
        atomic_load(&counting) && strcmp(kind, "proc") == 0 && strncmp(path, "/proc/", 6) == 0;
    if (hidden)
        errno = ENOENT;
    return hidden;
}

FILE *fopen(const char *path, const char *mode)
{
    REAL(fopen)
    if (is_hidden(path))
        return NULL;
    if (!fails("file"))
        return real(path, mode);
    errno = EMFILE;
    return NULL;
}

ssize_t readlink(const char *restrict path, char *restrict target, size_t size)
{
    REAL(readlink)
    return is_hidden(path) ? -1 : real(path, target, size);
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    REAL(open)

    va_start(arguments, flags);
    const int mode = (flags & O_CREAT) != 0 ? va_arg(arguments, int) : 0;
    va_end(arguments);
    if (is_hidden(path))
        return -1;
    if (!fails("file"))
        return real(path, flags, mode);
    errno = EMFILE;
    return -1;
}

int mkstemp(char *path)
{
    REAL(mkstemp)
    if (!fails("file"))
        return real(path);
    errno = EMFILE;
    return -1;
}

/* A failing write writes half of the bytes; the next one writes none. */
ssize_t write(int file, const void *bytes, size_t size)
{
    static bool full;
    REAL(write)
    if (!full && fails("write")) {
        full = true;
        if (size > 1)
            return real(file, bytes, size / 2);
    }
    if (!full)
        return real(file, bytes, size);
    full = false;
    errno = ENOSPC;
    return -1;
}

int rename(const char *from, const char *to)
{
    REAL(rename)
    if (!fails("rename"))
        return real(from, to);
    errno = EACCES;
    return -1;
}

/* ---- threads and processes ------------------------------------------------------------------- */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    REAL(pthread_create)
    return fails("thread") ? EAGAIN : real(thread, attributes, start, argument);
}

pid_t fork(void)
{
    REAL(fork)
    if (!fails("process"))
        return real();
    errno = EAGAIN;
    return -1;
}

int pipe2(int ends[2], int flags)
{
    REAL(pipe2)
    if (!fails("process"))
        return real(ends, flags);
    errno = EMFILE;
    return -1;
}

/* ---- main ------------------------------------------------------------------------------------ */

static int (*real_main)(int, char **, char **);

static void tell(void)
{
    const char *const path = getenv("INJECT_COUNT");

    atomic_store(&counting, false);
    FILE *const file = path != NULL ? fopen(path, "w") : NULL;
    if (file == NULL)
        return;
    fprintf(file, "%ld\n", atomic_load(&calls));
    fclose(file);
}

static int counted_main(int count, char **arguments, char **environment)
{
    const char *const asked = getenv("INJECT"), *const colon = asked ? strchr(asked, ':') : NULL;
    static char name[16];

    if (colon != NULL && colon - asked < (ptrdiff_t)sizeof name) {
        memcpy(name, asked, (size_t)(colon - asked));
        kind = name;
        wanted = atol(colon + 1);
        atexit(tell);
        atomic_store(&counting, true);
    }
    return real_main(count, arguments, environment);
}

int __libc_start_main(int (*main)(int, char **, char **), int count, char **arguments,
                      void (*begin)(void), void (*end)(void), void (*loader_end)(void),
                      void *stack);
int __libc_start_main(int (*main)(int, char **, char **), int count, char **arguments,
                      void (*begin)(void), void (*end)(void), void (*loader_end)(void), void *stack)
{
    REAL(__libc_start_main)
    real_main = main;
    return real(counted_main, count, arguments, begin, end, loader_end, stack);
}
/* SPDX-License-Identifier: MIT */
