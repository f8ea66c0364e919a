/* The answer's program: reads one job from the grader, runs it and replies. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "grade_internal.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000 /* older kernels treat the address as a hint */
#endif

_Noreturn static void give_up(const char *what)
{
    fprintf(stderr, "grader: %s: %s\n", what, strerror(errno));
    _exit(GRADE_MACHINE_ERROR);
}

/* ---- crashes --------------------------------------------------------------------------------- */

/* Distinguishes a pointer that is NULL because memory ran out from a wrong pointer. */
static void on_crash(int number)
{
    static const char text[] = "grader: out of memory\n";
    const size_t some = (size_t)256 << 20;

    if (mmap(NULL, some, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED &&
        write(STDERR_FILENO, text, sizeof text - 1) > 0)
        _exit(GRADE_MACHINE_ERROR);
    signal(number, SIG_DFL); /* the instruction faults again */
}

static void watch_crashes(void)
{
    static char handler_stack[64 << 10];
    const stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};

    sigaltstack(&stack, NULL);
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, NULL);
}

/* Runs before the answer's constructors, unless these have a higher priority. Without a buffer, the
 * output that the answer prints before a crash is not lost. */
__attribute__((constructor(101))) static void prepare(int argc, char **argv)
{
    if (argc != 2 || strcmp(argv[1], GRADE_ANSWER_ARGUMENT) != 0)
        return;
    setvbuf(stdout, NULL, _IONBF, 0);
    watch_crashes();
}

/* ---- the job --------------------------------------------------------------------------------- */

static void read_whole(void *to, size_t bytes)
{
    for (char *at = to; bytes > 0;) {
        const ssize_t count = read(GRADE_JOB_FILE, at, bytes);
        if (count <= 0)
            give_up("the inputs");
        at += count;
        bytes -= (size_t)count;
    }
}

static void write_whole(const void *from, size_t bytes)
{
    for (const char *at = from; bytes > 0;) {
        const ssize_t count = write(GRADE_REPLY_FILE, at, bytes);
        if (count <= 0)
            _exit(GRADE_MACHINE_ERROR);
        at += count;
        bytes -= (size_t)count;
    }
}

static void take_buffer(const struct grade_buffer *buffer)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (mmap(buffer->map, buffer->bytes + page, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != buffer->map)
        give_up("memory for the inputs");
    mprotect((char *)buffer->map + buffer->bytes, page, PROT_NONE);
    read_whole(buffer->map, buffer->bytes);
}

static struct grade_job job;
static struct grade_reply reply;

_Noreturn void grade_not_here(const char *what, const char *why)
{
    reply.number = job.number;
    reply.is_machine = true;
    snprintf(reply.record.findings, sizeof reply.record.findings, "%s: %s", what, why);
    write_whole(&reply, sizeof reply);
    _exit(GRADE_MACHINE_ERROR);
}

_Noreturn void grade_answer(void)
{
    read_whole(&job, sizeof job);
    for (size_t i = 0; i < job.buffer_count; i++)
        take_buffer(&job.buffers[i]);
    close(GRADE_JOB_FILE);
    if (job.has_page)
        grade_explore_begin(GRADE_PAGE_FILE);
    grade_record_begin();
    ((void (*)(void *))(uintptr_t)(grade_anchor() + job.runner))(job.arguments);
    grade_record_end(&reply.record);
    if (job.has_page)
        grade_explore_end();
    reply.number = job.number;
    write_whole(&reply, sizeof reply);
    for (size_t i = 0; i < job.buffer_count; i++)
        if (job.buffers[i].is_output)
            write_whole(job.buffers[i].map, job.buffers[i].bytes);
    _exit(0);
}
/* SPDX-License-Identifier: MIT */
