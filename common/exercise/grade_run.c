/* Runs the answer in a separate process, which is confined before the answer's program starts. */
#include "grade.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif

#include "grade_internal.h"

enum {
    MOST_OUTPUT = 1 << 20, /* bytes that the answer may print or write to a file */
    MEMORY_MIB = 2048,     /* address space of the answer's process */
    MORE_PROCESSES = 64,   /* in addition to those that run on the machine */
    PATIENCE = 60,         /* a run may take its time limit times this in wall-clock time */
    OPEN_FILES = 64,
    OPEN_FILES_GPU = 1024, /* the driver opens many for each GPU of the machine */
    NOBODY = 65534,
    NOBODYS_PROCESSES = 256
};

struct grade_session grade_session = {.answer_program = -1, .seconds = 10, .page = -1};

_Noreturn void grade_stop(const char *what)
{
    fprintf(stderr, "grader: %s: %s\n", what, strerror(errno));
    fflush(NULL);
    _exit(GRADE_MACHINE_ERROR);
}

/* ---- the answer's process -------------------------------------------------------------------- */

static void limit(int resource, rlim_t value)
{
    const struct rlimit both = {value, value};
    setrlimit(resource, &both);
}

/* Ends the grader if its own limit is too low: a run that fails would not be the answer's fault. */
static void need_limit(int resource, rlim_t least, const char *what)
{
    struct rlimit has;

    if (getrlimit(resource, &has) != 0 || has.rlim_max >= least)
        return;
    fprintf(stderr, "grader: the limit of %s (ulimit) is too low here\n", what);
    fflush(NULL);
    _exit(GRADE_MACHINE_ERROR);
}

static void need_limits(void)
{
    need_limit(RLIMIT_CPU, (rlim_t)grade_session.seconds + 2, "processor time");
    need_limit(RLIMIT_FSIZE, GRADE_MOST_PAGE, "file sizes");
    need_limit(RLIMIT_NOFILE, OPEN_FILES, "open files");
    if (!grade_on_gpu)
        need_limit(RLIMIT_AS, (rlim_t)MEMORY_MIB << 20, "memory");
}

/* Gives up the network for this process and for the answers, if the kernel permits that. A GPU's
 * driver may need the network. */
static void leave_network(void)
{
    if (!grade_on_gpu)
        unshare(geteuid() == 0 ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET);
}

void grade_confine_grader(void)
{
    need_limits();
    leave_network();
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_DUMPABLE, 0); /* an answer of the same user cannot access this process */
}

/* The threads of all users on this machine. The limit of processes counts only one user's. */
static rlim_t processes_now(void)
{
    char text[128] = "";
    unsigned running, all = 4096;
    FILE *const file = fopen("/proc/loadavg", "r");

    if (file != NULL) {
        if (fgets(text, sizeof text, file) != NULL &&
            sscanf(text, "%*s %*s %*s %u/%u", &running, &all) != 2)
            all = 4096;
        fclose(file);
    }
    return all;
}

#ifdef LANDLOCK_ACCESS_FS_WRITE_FILE
static void allow_below(int set, const char *folder, uint64_t access)
{
    const struct landlock_path_beneath_attr rule = {
        .allowed_access = access, .parent_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC)};

    if (rule.parent_fd < 0)
        return;
    syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
}
#endif

/* Forbids to write, make or remove files, except for files that are already open. Needs Landlock
 * (Linux 5.13 and later). */
static void forbid_writing(void)
{
#ifdef LANDLOCK_ACCESS_FS_WRITE_FILE
    const struct landlock_ruleset_attr rules = {
        .handled_access_fs = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                             LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                             LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                             LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                             LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM};
    const uint64_t write = LANDLOCK_ACCESS_FS_WRITE_FILE;
    const uint64_t files = LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE;
    const int set = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);

    if (set < 0)
        return;
    /* A GPU is used by writing to its device files. Its driver may keep files in /dev/shm, and it
     * names its threads in /proc. */
    allow_below(set, "/dev", grade_on_gpu ? write | files : write);
    if (grade_on_gpu)
        allow_below(set, "/proc", write);
    syscall(SYS_landlock_restrict_self, set, 0);
    close(set);
#endif
}

/* Root has no limit of processes and can write every file, so the answer runs as the user nobody.
 * Some containers do not permit that; then the other limits must suffice. */
static void stop_being_root(void)
{
    if (geteuid() != 0)
        return;
    limit(RLIMIT_NPROC, NOBODYS_PROCESSES);
    if (setgroups(0, NULL) != 0 || setresgid(NOBODY, NOBODY, NOBODY) != 0 ||
        setresuid(NOBODY, NOBODY, NOBODY) != 0)
        return;
}

static void confine(int output)
{
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

    setpgid(0, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, grade_session.page >= 0 ? GRADE_MOST_PAGE : MOST_OUTPUT);
    limit(RLIMIT_NOFILE, grade_on_gpu ? OPEN_FILES_GPU : OPEN_FILES);
    limit(RLIMIT_CPU, (rlim_t)grade_session.seconds + 2); /* receive() normally ends it earlier */
    limit(RLIMIT_NPROC, processes_now() + MORE_PROCESSES);
    if (!grade_on_gpu)
        limit(RLIMIT_AS, (rlim_t)MEMORY_MIB << 20);
    stop_being_root();
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* after the change of user, which would clear it */
    forbid_writing();
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

enum end { CAME, ENDED, USED_UP, WAITED, NO_TIME };

/* Whether all threads of a process wait. False if /proc does not tell. */
static bool is_waiting(pid_t process)
{
    char path[320], text[512];
    bool all = true, any = false;

    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *const folder = opendir(path);
    if (folder == NULL)
        return false;
    for (const struct dirent *entry; all && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)process, entry->d_name);
        FILE *const file = fopen(path, "r");
        if (file == NULL)
            continue;
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        const char *const name_end = strrchr(text, ')'); /* a name may contain any character */
        any = true;
        all = name_end != NULL && name_end[1] == ' ' && strchr("STtZX", name_end[2]) != NULL;
    }
    closedir(folder);
    return any && all;
}

/* Reads `bytes` of the reply. `begin` is the time when the process was started. The limits apply to
 * its processor time, and to the time in which all its threads wait. Neither time depends on what
 * other processes do on this machine. */
static enum end receive(int descriptor, pid_t child, double begin, void *to, size_t bytes)
{
    enum { SLICE_MS = 100 };
    double used = 0, waited = 0, last = now();
    size_t got = 0;
    clockid_t clock;
    const bool has_clock = clock_getcpuclockid(child, &clock) == 0;

    while (got < bytes) {
        struct pollfd wait = {.fd = descriptor, .events = POLLIN};
        if (poll(&wait, 1, SLICE_MS) <= 0) {
            const double time = now(), before = used;
            struct timespec processor;
            if (has_clock && clock_gettime(clock, &processor) == 0)
                used = (double)processor.tv_sec + 1e-9 * (double)processor.tv_nsec;
            if (used - before < 2e-3 && is_waiting(child)) /* this process may wake up late */
                waited += fmin(time - last, 2e-3 * SLICE_MS);
            last = time;
            if (used >= grade_session.seconds)
                return USED_UP;
            if (waited >= grade_session.seconds)
                return WAITED;
            if (time - begin >= (double)grade_session.seconds * PATIENCE)
                return NO_TIME;
            continue;
        }
        const ssize_t count = read(descriptor, (char *)to + got, bytes - got);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return ENDED;
        got += (size_t)count;
    }
    return CAME;
}

/* How often the kernel has killed a process because memory ran out. */
static unsigned long out_of_memory_kills(void)
{
    char text[128];
    unsigned long count = 0;
    FILE *const file = fopen("/proc/vmstat", "r");

    while (file != NULL && fgets(text, sizeof text, file) != NULL)
        if (sscanf(text, "oom_kill %lu", &count) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return count;
}

/* Ends the grader without a result, because the failure is not the answer's fault. */
_Noreturn static void stop_for_machine(const char *what)
{
    fprintf(stderr, "grader: %s\n", what);
    fflush(NULL);
    _exit(GRADE_MACHINE_ERROR);
}

/* ---- why it did not come back ---------------------------------------------------------------- */

static char output_text[16384];

/* Reads the end of the output. Replaces control characters, which a terminal would obey. */
static void read_output(int descriptor)
{
    const off_t size = lseek(descriptor, 0, SEEK_END);
    const off_t from =
        size > (off_t)sizeof output_text - 1 ? size - ((off_t)sizeof output_text - 1) : 0;
    const ssize_t count = pread(descriptor, output_text, sizeof output_text - 1, from);

    output_text[count > 0 ? count : 0] = '\0';
    for (ssize_t i = 0; i < count; i++) {
        const unsigned char c = (unsigned char)output_text[i];
        if ((c < ' ' && c != '\n') || c >= 127)
            output_text[i] = '?';
    }
}

/* The report of the back end or the device in the output, or "". */
static const char *told_in_output(void)
{
    static const char *const marks[] = {"simt: ", "grader: ", "Assertion"};

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        char *const found = strstr(output_text, marks[i]);
        if (found != NULL)
            return found;
    }
    return "";
}

static void tell_why(struct grade *grade, int status, enum end end)
{
    const char *const told = told_in_output();

    if (strstr(output_text, "bad_alloc") != NULL || strstr(output_text, "out of memory") != NULL ||
        strstr(told, "Cannot allocate memory") != NULL)
        grade_fail(grade, 0, NULL, "out of memory: it may have %d MiB", MEMORY_MIB);
    else if (end == WAITED)
        grade_fail(grade, 0, NULL, "stopped after %d s of waiting: what it waits for never comes",
                   grade_session.seconds);
    else if (end == USED_UP || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
        grade_fail(
            grade, 0, NULL,
            "stopped after %d s of processor time: an endless loop, or a wait for what never "
            "comes",
            grade_session.seconds);
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ)
        grade_fail(grade, 0, NULL, "stopped: it printed or wrote more than %d KiB",
                   MOST_OUTPUT >> 10);
    else if (told[0] != '\0')
        grade_fail(grade, 0, NULL, "%.*s", grade_first_report(told), told);
    else if (WIFSIGNALED(status))
        grade_fail(
            grade, 0, NULL, "crashed: %s%s", strsignal(WTERMSIG(status)),
            WTERMSIG(status) == SIGSEGV
                ? " (an address that is not its own: an index out of bounds, a pointer that is "
                  "NULL because memory ran out, or endless recursion)"
                : "");
    else
        grade_fail(grade, 0, NULL, "ended the program (exit status %d) instead of returning",
                   WEXITSTATUS(status));
}

/* ---- running the answer ---------------------------------------------------------------------- */

uint64_t grade_fresh_number(void)
{
    uint64_t number = 0;
    const int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);

    if (file < 0 || read(file, &number, sizeof number) != (ssize_t)sizeof number)
        grade_stop("/dev/urandom");
    close(file);
    return number;
}

static void keep_first(char *to, size_t size, const char *text)
{
    if (to[0] == '\0')
        snprintf(to, size, "%.*s", (int)size - 1, text);
}

/* The parent of the process with that number, or 0 if the process has ended. */
static pid_t parent_of(const char *number)
{
    char path[64], text[512];
    int parent = 0;

    snprintf(path, sizeof path, "/proc/%.20s/stat", number);
    FILE *const file = fopen(path, "r");
    if (file == NULL)
        return 0;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *const name_end = strrchr(text, ')'); /* a name may contain any character */
    if (name_end == NULL || sscanf(name_end, ") %*c %d", &parent) != 1)
        return 0;
    return parent;
}

/* Kills the processes that the answer left behind, also those in other sessions. Orphans become
 * children of this process (PR_SET_CHILD_SUBREAPER). */
static void end_orphans(void)
{
    enum { MOST_ROUNDS = 1000 };

    for (int round = 0; round < MOST_ROUNDS; round++) {
        pid_t ended;
        while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
            ;
        DIR *const folder = ended == 0 ? opendir("/proc") : NULL;
        if (folder == NULL) /* no children are left */
            return;
        for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
            if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
                parent_of(entry->d_name) == getpid())
                kill(atoi(entry->d_name), SIGKILL);
        closedir(folder);
        usleep(1000);
    }
}

static void write_job(int file, const void *from, size_t bytes)
{
    for (const char *at = from; bytes > 0;) {
        const ssize_t count = write(file, at, bytes);
        if (count <= 0)
            grade_stop("the inputs");
        at += count;
        bytes -= (size_t)count;
    }
}

/* Writes the job of the run to a file without a name. */
static int make_job(const struct grade *grade, uint64_t number, void (*run)(void *),
                    const void *arguments, size_t bytes)
{
    static struct grade_job job;
    const int file = memfd_create("job", MFD_CLOEXEC);

    if (file < 0 || bytes > sizeof job.arguments)
        grade_stop("the inputs");
    job.number = number;
    job.runner = (const char *)(uintptr_t)run - grade_anchor();
    job.has_page = grade_session.page >= 0;
    job.buffer_count = grade->buffer_count;
    memcpy(job.buffers, grade->buffers, sizeof job.buffers);
    job.argument_bytes = bytes;
    memcpy(job.arguments, arguments, bytes);
    write_job(file, &job, sizeof job);
    for (size_t i = 0; i < grade->buffer_count; i++)
        write_job(file, grade->buffers[i].map, grade->buffers[i].bytes);
    if (lseek(file, 0, SEEK_SET) != 0)
        grade_stop("the inputs");
    return file;
}

/* In the new process: becomes the answer's program. The files that stay open get fixed numbers;
 * first all files move above these. If the start fails, this writes errno to `failed`. */
_Noreturn static void become_answer(int job, int reply, int output, int failed)
{
    enum { ABOVE = GRADE_PAGE_FILE + 1, TRIES = 100, PAUSE_US = 100000 };
    static char name[] = "program", argument[] = GRADE_ANSWER_ARGUMENT;
    char *const arguments[] = {name, argument, NULL};
    extern char **environ;

    job = fcntl(job, F_DUPFD_CLOEXEC, ABOVE);
    reply = fcntl(reply, F_DUPFD_CLOEXEC, ABOVE);
    failed = fcntl(failed, F_DUPFD_CLOEXEC, ABOVE);
    const int program = fcntl(grade_session.answer_program, F_DUPFD_CLOEXEC, ABOVE),
              page =
                  grade_session.page >= 0 ? fcntl(grade_session.page, F_DUPFD_CLOEXEC, ABOVE) : -1;
    confine(output);
    if (dup2(job, GRADE_JOB_FILE) >= 0 && dup2(reply, GRADE_REPLY_FILE) >= 0 &&
        (page < 0 || dup2(page, GRADE_PAGE_FILE) >= 0))
        for (int i = 0; i < TRIES; i++) {
            fexecve(program, arguments, environ);
            if (errno != EAGAIN) /* EAGAIN: this user has too many processes for now */
                break;
            usleep(PAUSE_US);
        }
    const int why = errno;
    (void)!write(failed, &why, sizeof why);
    _exit(GRADE_MACHINE_ERROR);
}

/* Reads the contents of the outputs, which follow the reply. */
static enum end receive_outputs(struct grade *grade, int descriptor, pid_t child, double begin)
{
    enum end end = CAME;

    for (size_t i = 0; i < grade->buffer_count && end == CAME; i++)
        if (grade->buffers[i].is_output)
            end = receive(descriptor, child, begin, grade->buffers[i].map, grade->buffers[i].bytes);
    return end;
}

bool grade_run_on(struct grade *grade, void (*run)(void *), const void *arguments, size_t bytes)
{
    static struct grade_reply reply;
    const uint64_t number = grade_fresh_number();
    const unsigned long kills = out_of_memory_kills();
    int ends[2], failed[2], status = 0, why = 0;
    const int job = make_job(grade, number, run, arguments, bytes),
              output = open(grade_session.output_path,
                            O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);

    grade_session.runs++;
    if (output < 0)
        grade_stop(grade_session.output_path);
    if (pipe2(ends, O_CLOEXEC) != 0 || pipe2(failed, O_CLOEXEC) != 0)
        grade_stop("pipe");
    fflush(NULL);
    const double begin = now();
    const pid_t child = fork();
    if (child < 0)
        grade_stop("fork");
    if (child == 0)
        become_answer(job, ends[1], output, failed[1]);
    setpgid(child, child);
    close(job);
    close(ends[1]);
    close(failed[1]);
    if (read(failed[0], &why, sizeof why) > 0) { /* exec closes the other end */
        errno = why;
        grade_stop("the answer's program cannot be started");
    }
    close(failed[0]);
    memset(&reply, 0, sizeof reply);
    enum end end = receive(ends[0], child, begin, &reply, sizeof reply);
    if (end == CAME && reply.number != number)
        end = ENDED;
    if (end == CAME && reply.is_machine) {
        reply.record.findings[sizeof reply.record.findings - 1] = '\0';
        stop_for_machine(reply.record.findings);
    }
    if (end == CAME)
        end = receive_outputs(grade, ends[0], child, begin);
    close(ends[0]);
    /* A run that ended gets some time to exit by itself. Its status then tells why it ended. */
    for (int i = 0; i < 500 && end <= ENDED && waitpid(child, &status, WNOHANG) == 0; i++)
        usleep(i < 50 ? 200 : 10000);
    kill(-child, SIGKILL); /* the whole process group */
    if (waitpid(child, &status, 0) < 0 && errno != ECHILD)
        grade_stop("waitpid");
    end_orphans();
    if (end == NO_TIME)
        stop_for_machine("the machine is too busy: a run got too little processor time");
    if (end == ENDED && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL &&
        out_of_memory_kills() != kills)
        stop_for_machine("the machine has run out of memory");
    read_output(output);
    close(output);
    if (strstr(output_text, "max_score") != NULL || strstr(output_text, " of 100 points") != NULL)
        grade_session.printed_result = true;
    if (told_in_output()[0] == '\0') /* a report becomes the test's reason instead */
        keep_first(grade_session.printed, sizeof grade_session.printed, output_text);
    if (grade_session.page >= 0 && (end != CAME || reply.record.findings[0] != '\0')) {
        close(grade_session.page); /* this run is the one to show */
        grade_session.page = -1;
    }
    if (end != CAME) {
        grade_session.out_of_time = grade_session.out_of_time || end != ENDED;
        tell_why(grade, status, end);
        return false;
    }
    grade->record = reply.record;
    grade->record.findings[sizeof grade->record.findings - 1] = '\0';
    keep_first(grade_session.findings, sizeof grade_session.findings, grade->record.findings);
    return true;
}
/* SPDX-License-Identifier: MIT */
