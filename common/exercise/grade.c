/* The grader's main program: runs an exercise's tests, tells of them and writes the points. */
#include "grade.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif

#include "../base/random.h"
#include "grade_internal.h"

enum {
    FULL_SCORE = 100,
    MOST_BUFFERS = 256,
    MOST_OUTPUT = 1 << 20, /* bytes that the answer may print or write to a file */
    MOST_PAGE = 8 << 20,   /* bytes of a page of the explorer */
    SHOWN_OUTPUT = 600,    /* bytes of it that are shown */
    MEMORY_MIB = 2048,     /* address space of the answer's process */
    MORE_PROCESSES = 64,   /* beyond what runs on the machine */
    PATIENCE = 60,         /* by the clock a run may take so many times its limit */
    OPEN_FILES = 64,
    OPEN_FILES_GPU = 1024, /* the driver opens many for each GPU of the machine */
    NOBODY = 65534,
    NOBODYS_PROCESSES = 256,
    BAD_USAGE = 2,
    MACHINE_ERROR = 3
};

struct buffer {
    void *map;
    size_t bytes;
};

enum verdict { PASSED, FAILED, NOT_GRADED, LEFT_OUT };

struct grade {
    uint64_t seed, drawn;
    struct buffer buffers[MOST_BUFFERS];
    size_t buffer_count;
    struct grade_record record; /* of the last run */
    enum verdict verdict;
    int part; /* of 100, for a test of speed that has failed */
    struct speed speed;
    char reference[64];
    int line;
    char text[200];
    char message[2048], on_a_gpu[512];
};

/* ---- what outlives a test -------------------------------------------------------------------- */

static const char *source_path, *output_path;
static int seconds = 10;                   /* of processor time for a run, or of waiting */
static bool out_of_time;                   /* a run was stopped: the tests after it are not run */
static char findings[GRADE_MOST_FINDINGS]; /* of all runs: the first that broke a rule */
static char printed[SHOWN_OUTPUT + 1];     /* by the answer, in the first run that printed */
static bool printed_result;                /* something in it that looks like the grader's */
static bool was_counted;                   /* on the CPU back end, an answer for a GPU: */
static char counted[1500];                 /* what that says against it, "" if nothing */
static int gpu_lock = -1;
static unsigned runs;                /* of the answer, so far */
static size_t finding_test;          /* whose run gave the findings */
static const char *page_path;        /* for a page of the explorer */
static int page_open = -1;           /* it is open: a run shall write it */
static const char *order_path;       /* only results are tested, and what fails is told there */
static char wrong_in_order[1500];    /* what an earlier run told, in another order of threads */
static size_t wrong_test = SIZE_MAX; /* of which test */

_Noreturn static void stop(const char *what)
{
    fprintf(stderr, "grader: %s: %s\n", what, strerror(errno));
    fflush(NULL);
    _exit(MACHINE_ERROR); /* there is nothing to be undone before main */
}

/* ---- random sizes and data ------------------------------------------------------------------- */

static uint64_t draw(struct grade *grade)
{
    return random_bits(grade->seed, grade->drawn++);
}

size_t grade_size(struct grade *grade, size_t least, size_t most)
{
    return least + (size_t)(draw(grade) % (most - least + 1));
}

/* Memory whose end is followed by a page that may not be touched. */
static void *guarded(struct grade *grade, size_t bytes, int sharing)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), rounded = (bytes + 15) / 16 * 16,
                 pages = (rounded + page - 1) / page * page;
    char *const map =
        mmap(NULL, pages + page, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);

    if (map == MAP_FAILED || grade->buffer_count == MOST_BUFFERS)
        stop("no memory for the tests");
    mprotect(map + pages, page, PROT_NONE);
    grade->buffers[grade->buffer_count++] = (struct buffer){map, pages + page};
    return map + pages - (bytes + 3) / 4 * 4; /* words, at the very end */
}

float *grade_floats(struct grade *grade, size_t count)
{
    float *const values = guarded(grade, count * sizeof *values, MAP_PRIVATE);

    for (size_t i = 0; i < count; i++)
        values[i] = (float)((int)(draw(grade) % 512) - 256) / 256;
    return values;
}

int *grade_ints(struct grade *grade, size_t count, int least, int most)
{
    int *const values = guarded(grade, count * sizeof *values, MAP_PRIVATE);

    for (size_t i = 0; i < count; i++)
        values[i] = least + (int)(draw(grade) % (uint64_t)(most - least + 1));
    return values;
}

void *grade_output(struct grade *grade, size_t bytes)
{
    void *const memory = guarded(grade, bytes, MAP_SHARED);
    memset(memory, 0xFF, bytes);
    return memory;
}

const char *grade_text(struct grade *grade, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(grade->text, sizeof grade->text, format, arguments);
    va_end(arguments);
    return grade->text;
}

/* ---- judging --------------------------------------------------------------------------------- */

void grade_fail(struct grade *grade, int line, const char *on_a_gpu, const char *format, ...)
{
    va_list arguments;

    if (grade->verdict == FAILED)
        return;
    grade->verdict = FAILED;
    grade->line = line;
    snprintf(grade->on_a_gpu, sizeof grade->on_a_gpu, "%s", on_a_gpu != NULL ? on_a_gpu : "");
    va_start(arguments, format);
    vsnprintf(grade->message, sizeof grade->message, format, arguments);
    va_end(arguments);
}

bool grade_failed(const struct grade *grade)
{
    return grade->verdict == FAILED;
}

bool grade_close(struct grade *grade, const char *what, long index, double got, double want,
                 double bound)
{
    char place[48] = "the result";

    if (fabs(got - want) <= bound)
        return true;
    if (index >= 0)
        snprintf(place, sizeof place, "element %ld", index);
    if (isnan(got))
        grade_fail(grade, 0, NULL, "%s: %s is NaN or was never written; it should be %.7g", what,
                   place, want);
    else
        grade_fail(grade, 0, NULL,
                   "%s: %s is %.7g and should be %.7g (rounding explains %.1e at most)", what,
                   place, got, want, bound);
    return false;
}

bool grade_equal(struct grade *grade, const char *what, long index, long got, long want)
{
    if (got == want)
        return true;
    if (index >= 0)
        grade_fail(grade, 0, NULL, "%s: element %ld is %ld and should be %ld", what, index, got,
                   want);
    else
        grade_fail(grade, 0, NULL, "%s: the result is %ld and should be %ld", what, got, want);
    return false;
}

/* The length of the first of several reports; what follows is often its consequence. */
static int first_report(const char *reports)
{
    const char *const second = strstr(reports, "\nsimt: ");
    return (int)(second != NULL ? (size_t)(second - reports) : strlen(reports));
}

/* What becomes of the rule's breach where nobody watches. */
static const char *consequence(const char *finding)
{
    if (strstr(finding, "data race") != NULL)
        return "threads run in another order in every run, and so the result is right or wrong as "
               "it "
               "happens.";
    if (strstr(finding, "out of bounds") != NULL)
        return "another array's memory is read or overwritten, or the launch fails with an illegal "
               "address.";
    if (strstr(finding, "nobody has written") != NULL)
        return "what an earlier program left in that memory goes into the result.";
    return NULL;
}

void grade_rules(struct grade *grade)
{
    if (findings[0] != '\0')
        grade_fail(grade, 0, grade_counts_gpu ? consequence(findings) : NULL, "%.*s",
                   first_report(findings), findings);
}

static uint64_t conflicts_of(const struct grade_line *line)
{
    return line->conflicts;
}

void grade_conflicts(struct grade *grade, uint64_t most_in_100)
{
    const struct grade_line total = grade_total(grade), worst = grade_worst(grade, conflicts_of);
    if (100 * total.conflicts > most_in_100 * total.shared_requests)
        grade_fail(
            grade, worst.line,
            "the bank serves one word a turn; the warp waits for as many turns as lanes want "
            "different words of it.",
            "%lu bank conflicts in %lu accesses to shared memory", (unsigned long)worst.conflicts,
            (unsigned long)worst.shared_requests);
}

bool grade_needs_rules(struct grade *grade)
{
    if (findings[0] == '\0')
        return true;
    grade_fail(grade, 0, NULL, "graded once no rule is broken");
    return false;
}

void grade_speed(struct grade *grade, const char *reference, double full, double half)
{
    const struct speed *const speed = &grade->record.speed;
    char told[400];

    grade->speed = *speed;
    grade->part = speed_percent(speed->ratio, full, half);
    snprintf(grade->reference, sizeof grade->reference, "%s", reference);
    snprintf(told, sizeof told,
             "%.2f of the speed of %s: it takes %.1f us, the answer %.1f us (%s, median of %u)",
             floor(speed->ratio * 100) / 100, reference, speed->reference_us, speed->answer_us,
             grade->record.device, speed->pairs);
    if (grade->part == FULL_SCORE)
        snprintf(grade->message, sizeof grade->message, "%s", told);
    else
        grade_fail(grade, 0, NULL, "%s\nall points from %.2f on, half of them from %.2f on%s%s",
                   told, full, half,
                   !was_counted         ? ""
                   : counted[0] == '\0' ? "\nthe CPU back end counts nothing against it"
                                        : "\ncounted on the CPU back end:\n",
                   counted);
}

/* ---- what the last run did ------------------------------------------------------------------- */

struct grade_line grade_total(const struct grade *grade)
{
    struct grade_line total = {0};
    uint64_t *const sum = &total.load_requests;
    const size_t count = (sizeof total - offsetof(struct grade_line, load_requests)) / sizeof *sum;

    for (size_t i = 0; i < grade->record.line_count; i++)
        for (size_t j = 0; j < count; j++)
            sum[j] += (&grade->record.lines[i].load_requests)[j];
    return total;
}

size_t grade_lines(const struct grade *grade, const struct grade_line **lines)
{
    *lines = grade->record.lines;
    return grade->record.line_count;
}

static uint64_t steps_of(const struct grade_line *line)
{
    return line->load_requests + line->store_requests + line->shared_requests + line->crowd;
}

uint64_t grade_steps(const struct grade *grade)
{
    const struct grade_line total = grade_total(grade);
    return steps_of(&total);
}

bool grade_few_steps(struct grade *grade, uint64_t most, const char *ideal)
{
    static const char on_a_gpu[] = "a warp takes as long for one lane as for 32, and atomics on "
                                   "one address come one after the other.";
    const unsigned long steps = (unsigned long)grade_steps(grade);
    const struct grade_line worst = grade_worst(grade, steps_of);
    const double lanes =
        worst.shared_requests > 0 ? (double)worst.shared_lanes / (double)worst.shared_requests : 0;

    if (steps <= most)
        return true;
    if (lanes >= 1.5) /* more than one thread at a time works there */
        grade_fail(grade, worst.line, on_a_gpu,
                   "too many warps take part: %lu accesses to memory, each an instruction of a "
                   "whole warp, and on average %.1f of 32 lanes work at this line; %s takes %lu "
                   "accesses at most",
                   steps, lanes, ideal, (unsigned long)most);
    else
        grade_fail(grade, worst.line, on_a_gpu,
                   "the work is not spread over the threads: %lu accesses to memory, each an "
                   "instruction of a whole warp or an atomic in turn; %s takes %lu at most",
                   steps, ideal, (unsigned long)most);
    return false;
}

uint64_t grade_least_reads(const struct grade *grade)
{
    return grade->record.least_reads;
}

uint64_t grade_launches(const struct grade *grade)
{
    return grade->record.launches;
}

uint64_t grade_threads_run(const struct grade *grade)
{
    return grade->record.threads;
}

struct grade_line grade_worst(const struct grade *grade,
                              uint64_t (*cost)(const struct grade_line *line))
{
    struct grade_line worst = {0};

    for (size_t i = 0; i < grade->record.line_count; i++)
        if (cost(&grade->record.lines[i]) > cost(&worst))
            worst = grade->record.lines[i];
    return worst;
}

/* ---- the answer's process -------------------------------------------------------------------- */

/* Told through a pipe, in one piece. The number in front is new for each run: what an answer itself
 * may write there by chance is not taken for a reply. */
struct reply {
    uint64_t number;
    struct grade_record record;
};

static void limit(int resource, rlim_t value)
{
    const struct rlimit both = {value, value};
    setrlimit(resource, &both);
}

/* If this process itself has less than a run of an answer is given, the answer is not to blame. */
static void need_limit(int resource, rlim_t least, const char *what)
{
    struct rlimit has;

    if (getrlimit(resource, &has) != 0 || has.rlim_max >= least)
        return;
    fprintf(stderr, "grader: the limit of %s (ulimit) is too low here\n", what);
    fflush(NULL);
    _exit(MACHINE_ERROR);
}

static void need_limits(void)
{
    need_limit(RLIMIT_CPU, (rlim_t)seconds + 2, "processor time");
    need_limit(RLIMIT_FSIZE, MOST_PAGE, "file sizes");
    need_limit(RLIMIT_NOFILE, OPEN_FILES, "open files");
    if (!grade_on_gpu)
        need_limit(RLIMIT_AS, (rlim_t)MEMORY_MIB << 20, "memory");
}

/* Where the kernel lets this process: no network from here on, for the answers either. A GPU's
 * driver may need it. */
static void leave_network(void)
{
    if (!grade_on_gpu)
        unshare(geteuid() == 0 ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET);
}

/* All that runs on this machine: what a limit of processes counts is a part of it. */
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

/* Where the kernel can (Landlock, Linux 5.13 and later): no file may be written, made or removed,
 * but what is open already. */
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
    /* A GPU is written to. Its driver may keep files in /dev/shm, and names its threads in
     * /proc. */
    allow_below(set, "/dev", grade_on_gpu ? write | files : write);
    if (grade_on_gpu)
        allow_below(set, "/proc", write);
    syscall(SYS_landlock_restrict_self, set, 0);
    close(set);
#endif
}

/* A pointer that is NULL because memory ran out is told apart from one that is wrong. */
static void on_crash(int number)
{
    static const char text[] = "grader: out of memory\n";
    const size_t some = (size_t)256 << 20;

    if (mmap(NULL, some, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED &&
        write(STDERR_FILENO, text, sizeof text - 1) > 0)
        _exit(MACHINE_ERROR);
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

/* For root there is no limit of processes, and no file is out of reach: the answer runs as nobody.
 * Where that cannot be, as in some containers, the rest has to do. */
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
    const int nothing = open("/dev/null", O_RDONLY);

    setpgid(0, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    setvbuf(stdout, NULL, _IONBF, 0); /* so that what was printed before a crash is there */
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, page_open >= 0 ? MOST_PAGE : MOST_OUTPUT);
    limit(RLIMIT_NOFILE, grade_on_gpu ? OPEN_FILES_GPU : OPEN_FILES);
    limit(RLIMIT_CPU, (rlim_t)seconds + 2); /* receive() ends it before */
    limit(RLIMIT_NPROC, processes_now() + MORE_PROCESSES);
    if (!grade_on_gpu)
        limit(RLIMIT_AS, (rlim_t)MEMORY_MIB << 20);
    stop_being_root();
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of user would take it back */
    forbid_writing();
    watch_crashes();
}

static void write_whole(int descriptor, const void *from, size_t bytes)
{
    for (const char *at = from; bytes > 0;) {
        const ssize_t count = write(descriptor, at, bytes);
        if (count <= 0)
            _exit(MACHINE_ERROR);
        at += count;
        bytes -= (size_t)count;
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

enum end { CAME, ENDED, USED_UP, WAITED, NO_TIME };

/* Whether all threads of a process wait. If that cannot be seen, they do not. */
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
        const char *const name_end = strrchr(text, ')'); /* a name may hold anything */
        any = true;
        all = name_end != NULL && name_end[1] == ' ' && strchr("STtZX", name_end[2]) != NULL;
    }
    closedir(folder);
    return any && all;
}

/* Reads the reply. What counts is the processor time that the process uses, and the time in which
 * it waits by itself: neither depends on what else runs on this machine. */
static enum end receive(int descriptor, pid_t child, struct reply *reply)
{
    enum { SLICE_MS = 100 };
    const double begin = now();
    double used = 0, waited = 0, last = begin;
    size_t got = 0;
    clockid_t clock;
    const bool has_clock = clock_getcpuclockid(child, &clock) == 0;

    while (got < sizeof *reply) {
        struct pollfd wait = {.fd = descriptor, .events = POLLIN};
        if (poll(&wait, 1, SLICE_MS) <= 0) {
            const double time = now(), before = used;
            struct timespec processor;
            if (has_clock && clock_gettime(clock, &processor) == 0)
                used = (double)processor.tv_sec + 1e-9 * (double)processor.tv_nsec;
            if (used - before < 2e-3 && is_waiting(child)) /* a slice of ours may come late */
                waited += fmin(time - last, 2e-3 * SLICE_MS);
            last = time;
            if (used >= seconds)
                return USED_UP;
            if (waited >= seconds)
                return WAITED;
            if (time - begin >= (double)seconds * PATIENCE)
                return NO_TIME;
            continue;
        }
        const ssize_t count = read(descriptor, (char *)reply + got, sizeof *reply - got);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return ENDED;
        got += (size_t)count;
    }
    return CAME;
}

/* How often this machine has killed a process since memory ran out. */
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

/* Not the answer's fault: it is not graded. */
static void stop_for_machine(const char *what)
{
    fprintf(stderr, "grader: %s\n", what);
    fflush(NULL);
    _exit(MACHINE_ERROR);
}

/* ---- why it did not come back ---------------------------------------------------------------- */

static char output_text[16384];

/* The end of what was printed, with nothing in it that a terminal would obey. */
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

/* What the back end or the device said, or "". */
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
                   seconds);
    else if (end == USED_UP || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
        grade_fail(
            grade, 0, NULL,
            "stopped after %d s of processor time: an endless loop, or a wait for what never "
            "comes",
            seconds);
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ)
        grade_fail(grade, 0, NULL, "stopped: it printed or wrote more than %d KiB",
                   MOST_OUTPUT >> 10);
    else if (told[0] != '\0')
        grade_fail(grade, 0, NULL, "%.*s", first_report(told), told);
    else if (WIFSIGNALED(status))
        grade_fail(
            grade, 0, NULL, "crashed: %s%s", strsignal(WTERMSIG(status)),
            WTERMSIG(status) == SIGSEGV
                ? " (an address that is not its own: an index out of bounds, a pointer that is "
                  "NULL because memory ran out, or endless recursion)"
                : "");
    else
        grade_fail(grade, 0, NULL, "ended the program (exit status %d) in place of returning",
                   WEXITSTATUS(status));
}

/* ---- running the answer ---------------------------------------------------------------------- */

static uint64_t fresh_number(void)
{
    uint64_t number = 0;
    const int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);

    if (file < 0 || read(file, &number, sizeof number) != (ssize_t)sizeof number)
        stop("/dev/urandom");
    close(file);
    return number;
}

static void keep_first(char *to, size_t size, const char *text)
{
    if (to[0] == '\0')
        snprintf(to, size, "%.*s", (int)size - 1, text);
}

/* The parent of the process with that number; 0 if it has ended. */
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
    const char *const name_end = strrchr(text, ')'); /* a name may hold anything */
    if (name_end == NULL || sscanf(name_end, ") %*c %d", &parent) != 1)
        return 0;
    return parent;
}

/* Kills what the answer has started and left behind, in sessions of their own, too: orphans become
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

/* Of a run, for its process: what main() does there. */
static struct {
    void (*run)(void *);
    void *arguments;
    uint64_t number;
    int end; /* of the pipe */
} task;
static ucontext_t before_main;

bool grade_run(struct grade *grade, void (*run)(void *), void *arguments)
{
    static struct reply reply;
    const uint64_t number = fresh_number();
    const unsigned long kills = out_of_memory_kills();
    int ends[2], status = 0;
    const int output = open(output_path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);

    runs++;
    if (output < 0)
        stop(output_path);
    if (pipe2(ends, O_CLOEXEC) != 0)
        stop("pipe");
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
        stop("fork");
    if (child == 0) {
        close(ends[0]);
        if (gpu_lock >= 0)
            close(gpu_lock);
        confine(output);
        task.run = run;
        task.arguments = arguments;
        task.number = number;
        task.end = ends[1];
        setcontext(&before_main);
        _exit(MACHINE_ERROR);
    }
    setpgid(child, child);
    close(ends[1]);
    memset(&reply, 0, sizeof reply);
    enum end end = receive(ends[0], child, &reply);
    if (end == CAME && reply.number != number)
        end = ENDED;
    close(ends[0]);
    /* A run that ended gets some time to do so by itself, so that its status tells why. */
    for (int i = 0; i < 500 && end <= ENDED && waitpid(child, &status, WNOHANG) == 0; i++)
        usleep(i < 50 ? 200 : 10000);
    kill(-child, SIGKILL); /* with all that it started */
    if (waitpid(child, &status, 0) < 0 && errno != ECHILD)
        stop("waitpid");
    end_orphans();
    if (end == NO_TIME)
        stop_for_machine("the machine is too busy: a run got too little processor time");
    if (end == ENDED && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL &&
        out_of_memory_kills() != kills)
        stop_for_machine("the machine has run out of memory");
    read_output(output);
    close(output);
    if (strstr(output_text, "max_score") != NULL || strstr(output_text, " of 100 points") != NULL)
        printed_result = true;
    if (told_in_output()[0] == '\0') /* or it is the test's reason */
        keep_first(printed, sizeof printed, output_text);
    if (page_open >= 0 && (end != CAME || reply.record.findings[0] != '\0')) {
        close(page_open); /* this is the run to be looked at */
        page_open = -1;
    }
    if (end != CAME) {
        out_of_time = out_of_time || end != ENDED;
        tell_why(grade, status, end);
        return false;
    }
    grade->record = reply.record;
    grade->record.findings[sizeof grade->record.findings - 1] = '\0';
    keep_first(findings, sizeof findings, grade->record.findings);
    return true;
}

/* In the answer's process only. */
int main(void)
{
    static struct reply reply;

    if (page_open >= 0)
        grade_explore_begin(page_open);
    grade_record_begin();
    task.run(task.arguments);
    grade_record_end(&reply.record);
    if (page_open >= 0)
        grade_explore_end();
    reply.number = task.number;
    write_whole(task.end, &reply, sizeof reply);
    _exit(0);
}

/* ---- telling --------------------------------------------------------------------------------- */

struct outcome {
    enum verdict verdict;
    int line, points, most;
    struct speed speed;
    char reference[64];
    char message[2048], on_a_gpu[512];
};

static bool source_line(int wanted, char *text, size_t size)
{
    FILE *const file = fopen(source_path, "r");
    bool found = false;

    for (int line = 1; file != NULL && fgets(text, (int)size, file) != NULL; line++)
        if (line == wanted) {
            found = true;
            break;
        }
    if (file != NULL)
        fclose(file);
    text[found ? strcspn(text, "\n") : 0] = '\0';
    return found;
}

/* Each line of a text, moved to the right. */
static void tell_indented(const char *text)
{
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        printf("           %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

/* The line that a message itself names, as in "task.cu:12: ...", before that of the launch. */
static int line_in(const char *message)
{
    static const char launched[] = "launched at ";
    const size_t length = sizeof launched - 1;
    int of_launch = 0;

    for (const char *at = strstr(message, "task.c"); at != NULL; at = strstr(at, "task.c")) {
        const char *word = at; /* the path */
        while (word > message && word[-1] != ' ' && word[-1] != '\n')
            word--;
        const bool is_launch =
            (size_t)(word - message) >= length && strncmp(word - length, launched, length) == 0;
        at += strcspn(at, ": \n");
        const int line = *at == ':' ? atoi(at + 1) : 0;
        if (line > 0 && !is_launch)
            return line;
        of_launch = of_launch > 0 ? of_launch : line;
    }
    return of_launch;
}

/* Some tests ask first for what another has asked for. */
static bool same_reason(const struct outcome *one, const struct outcome *other)
{
    return one->verdict == FAILED && other->verdict == FAILED &&
           strcmp(one->message, other->message) == 0;
}

/* The outcome before it is NULL for the first. */
static void tell(const char *name, const struct outcome *outcome, const struct outcome *before)
{
    static const char *const words[] = {"passed", "FAILED", "-"};
    char text[256];

    printf("  %-8s %3d/%-3d %s\n", words[outcome->verdict], outcome->points, outcome->most, name);
    if (before != NULL && same_reason(outcome, before)) {
        printf("           for the same reason\n");
        return;
    }
    tell_indented(outcome->message);
    if (outcome->line > 0 && line_in(outcome->message) == 0 &&
        source_line(outcome->line, text, sizeof text))
        printf("           task line %d: %s\n", outcome->line, text + strspn(text, " \t"));
    if (outcome->on_a_gpu[0] != '\0')
        printf("           On a GPU: %s\n", outcome->on_a_gpu);
}

static void json_text(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text != '\0'; text++)
        if (*text == '\n')
            fputs("\\n", file);
        else
            fprintf(file, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
    putc('"', file);
}

/* One test a line: docs/teaching.md describes it. */
static bool write_json(const char *path, const char *exercise, const struct outcome *outcomes,
                       int points, int most)
{
    FILE *const file = fopen(path, "w");

    if (file == NULL)
        return false;
    fprintf(file, "{\"version\": 1, \"exercise\": ");
    json_text(file, exercise);
    fprintf(file, ", \"status\": \"%s\", \"score\": %d, \"max_score\": %d",
            points == most ? "pass" : "fail", points, most);
    if (printed_result)
        fprintf(file, ", \"look\": \"it printed what looks like a result of the grader\"");
    fprintf(file, ", \"tests\": [");
    for (size_t i = 0, shown = 0; i < grade_test_count; i++) {
        const struct outcome *const outcome = &outcomes[i];
        if (outcome->verdict == LEFT_OUT)
            continue;
        fprintf(file, "%s\n  {\"name\": ", shown++ > 0 ? "," : "");
        json_text(file, grade_tests[i].name);
        fprintf(file,
                ", \"status\": \"%s\", \"score\": %d, \"max_score\": %d, \"line_no\": %d, "
                "\"message\": ",
                outcome->verdict == PASSED ? "pass" : "fail", outcome->points, outcome->most,
                outcome->line > 0 ? outcome->line : line_in(outcome->message));
        json_text(file, outcome->message);
        if (outcome->speed.pairs > 0) {
            fprintf(file, ", \"speed\": {\"ratio\": %.4f, \"answer_us\": %.3f, ",
                    outcome->speed.ratio, outcome->speed.answer_us);
            fprintf(file, "\"reference_us\": %.3f, \"reference\": ", outcome->speed.reference_us);
            json_text(file, outcome->reference);
            fputc('}', file);
        }
        fputc('}', file);
    }
    fprintf(file, "\n]}\n");
    return fclose(file) == 0;
}

/* ---- grading --------------------------------------------------------------------------------- */

/* FNV-1a: any text is a seed. */
static uint64_t seed_of(const char *text)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001B3u;
    return hash;
}

/* Counts are the CPU's, times a GPU's. */
static bool is_left_out(const struct grade_test *test)
{
    return test->kind == (grade_on_gpu ? GRADE_QUALITY : GRADE_SPEED);
}

/* Shares of 100 that add up to it. */
static int share_of(size_t index)
{
    int before = 0, all = 0;

    for (size_t i = 0; i < grade_test_count; i++) {
        all += !is_left_out(&grade_tests[i]);
        before += i < index && !is_left_out(&grade_tests[i]);
    }
    return FULL_SCORE * (before + 1) / all - FULL_SCORE * before / all;
}

/* Gradings on one GPU go on at the same time, but for a test of speed, which has it to itself. */
static void lock_gpu(bool alone)
{
    if (gpu_lock >= 0 && flock(gpu_lock, alone ? LOCK_EX : LOCK_SH) != 0)
        stop("the GPU's lock");
}

static struct outcome run_test(size_t index, uint64_t seed, bool results_right)
{
    static struct grade grade;
    const struct grade_test *const test = &grade_tests[index];
    struct outcome outcome;

    memset(&grade, 0, sizeof grade);
    grade.seed = random_bits(seed, index);
    lock_gpu(test->kind == GRADE_SPEED);
    if (is_left_out(test)) {
        grade.verdict = LEFT_OUT;
    } else if (out_of_time) {
        grade.verdict = NOT_GRADED;
        snprintf(grade.message, sizeof grade.message, "not run: a test before it ran out of time");
    } else if (test->kind != GRADE_RESULT && !results_right) {
        grade.verdict = NOT_GRADED;
        snprintf(grade.message, sizeof grade.message, "graded once all results are right");
    } else {
        test->test(&grade);
        if (index == wrong_test)
            grade_fail(&grade, 0, NULL,
                       "right in one order of threads and blocks, wrong in another, and a GPU's "
                       "order is not known:\n%s",
                       wrong_in_order);
    }
    for (size_t i = 0; i < grade.buffer_count; i++)
        munmap(grade.buffers[i].map, grade.buffers[i].bytes);
    memset(&outcome, 0, sizeof outcome);
    outcome.verdict = grade.verdict;
    outcome.line = grade.line;
    memcpy(outcome.message, grade.message, sizeof outcome.message);
    memcpy(outcome.on_a_gpu, grade.on_a_gpu, sizeof outcome.on_a_gpu);
    outcome.speed = grade.speed;
    memcpy(outcome.reference, grade.reference, sizeof outcome.reference);
    outcome.most = outcome.verdict == LEFT_OUT ? 0 : share_of(index);
    outcome.points =
        outcome.most * (outcome.verdict == PASSED ? FULL_SCORE : grade.part) / FULL_SCORE;
    return outcome;
}

/* Writes a page of the run for which a test has failed; of the first run, if none has. */
static void explore(const struct outcome *outcomes, const size_t *watched, uint64_t seed)
{
    size_t failed = 0;
    int line = 0;

    while (failed < grade_test_count && outcomes[failed].verdict != FAILED)
        failed++;
    if (failed < grade_test_count) {
        const struct outcome *const outcome = &outcomes[failed];
        line = outcome->line > 0 ? outcome->line : line_in(outcome->message);
    }
    page_open = open(page_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (page_open < 0)
        stop(page_path);
    out_of_time = false;
    run_test(failed < grade_test_count ? watched[failed] : 0, seed, true);
    printf("#line=%d\n", line);
}

/* The test that fails in this order, and why, for another run of the grader. */
static void tell_order(size_t index, const struct outcome *outcome)
{
    FILE *const file = fopen(order_path, "w");

    if (file == NULL || fprintf(file, "%zu %s", index, outcome->message) < 0 || fclose(file) != 0)
        stop(order_path);
}

static void read_order(const char *path)
{
    FILE *const file = fopen(path, "r");

    if (file == NULL)
        stop(path);
    if (fscanf(file, "%zu ", &wrong_test) == 1)
        wrong_in_order[fread(wrong_in_order, 1, sizeof wrong_in_order - 1, file)] = '\0';
    fclose(file);
}

static void read_counted(const char *path)
{
    FILE *const file = fopen(path, "r");
    const size_t count = file != NULL ? fread(counted, 1, sizeof counted - 1, file) : 0;

    counted[count] = '\0';
    was_counted = file != NULL;
    if (file != NULL)
        fclose(file);
}

static int grade_all(int argc, char **argv)
{
    const char *json_path = NULL, *exercise = "", *seed_text = NULL;
    int points = 0, most = 0, option;
    bool results_right = true;

    while ((option = getopt(argc, argv, "e:s:t:j:o:c:w:l:r:x:p:")) != -1) {
        switch (option) {
        case 'e':
            exercise = optarg;
            break; /* its name */
        case 's':
            seed_text = optarg;
            break; /* any text */
        case 't':
            seconds = atoi(optarg);
            break; /* that a run may take */
        case 'j':
            json_path = optarg;
            break;
        case 'o':
            output_path = optarg;
            break; /* a file for what the answer prints */
        case 'c':
            source_path = optarg;
            break; /* the answer's source */
        case 'w':
            read_counted(optarg);
            break; /* a file: what the CPU back end says */
        case 'l':
            gpu_lock = open(optarg, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
            break; /* a file to be locked */
        case 'p':
            page_path = optarg;
            break; /* a page of the explorer */
        case 'r':
            order_path = optarg;
            break; /* test results only, write the first that is wrong to this file */
        case 'x':
            read_order(optarg);
            break; /* such a file, of a run with another SIMT_SCHEDULE */
        default:
            return BAD_USAGE;
        }
    }
    if (output_path == NULL || source_path == NULL || seconds < 1) {
        fprintf(stderr,
                "usage: %s -c SOURCE -o FILE [-e NAME] [-s SEED] [-t SECONDS] [-j FILE] "
                "[-w FILE] [-l FILE] [-p FILE]\n",
                argv[0]);
        return BAD_USAGE;
    }
    need_limits();
    leave_network();
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const uint64_t seed = seed_text != NULL ? seed_of(seed_text) : fresh_number();
    struct outcome *const outcomes = calloc(grade_test_count, sizeof *outcomes);
    size_t *const watched = calloc(grade_test_count, sizeof *watched); /* a run of which test */
    if (outcomes == NULL || watched == NULL)
        stop("no memory");

    if (order_path != NULL) {
        for (size_t i = 0; i < grade_test_count && results_right; i++) {
            if (grade_tests[i].kind != GRADE_RESULT)
                continue;
            outcomes[i] = run_test(i, seed, true);
            results_right = outcomes[i].verdict == PASSED;
            if (!results_right)
                tell_order(i, &outcomes[i]);
        }
        free(outcomes);
        free(watched);
        return results_right ? 0 : 1;
    }

    printf("%s: %s\n", exercise, grade_title);
    for (size_t i = 0; i < grade_test_count; i++) {
        const unsigned runs_before = runs;
        const bool had_findings = findings[0] != '\0';
        outcomes[i] = run_test(i, seed, results_right);
        finding_test = !had_findings && findings[0] != '\0' ? i : finding_test;
        watched[i] = runs > runs_before ? i : finding_test;
        if (grade_tests[i].kind == GRADE_RESULT && outcomes[i].verdict != PASSED)
            results_right = false;
        points += outcomes[i].points;
        most += outcomes[i].most;
        if (outcomes[i].verdict != LEFT_OUT)
            tell(grade_tests[i].name, &outcomes[i], i > 0 ? &outcomes[i - 1] : NULL);
    }
    if (!results_right && findings[0] != '\0') {
        printf("  The checks found something that may be why:\n");
        findings[first_report(findings)] = '\0';
        tell_indented(findings);
    }
    if (printed[0] != '\0' && !out_of_time) {
        printf("  It printed (the end of it, in the first test where it did):\n");
        printed[SHOWN_OUTPUT] = '\0';
        tell_indented(printed);
    }
    printf("  %d of %d points\n", points, most);
    if (json_path != NULL && !write_json(json_path, exercise, outcomes, points, most))
        stop(json_path);
    if (page_path != NULL)
        explore(outcomes, watched, seed);
    free(outcomes);
    free(watched);
    return points == most ? 0 : 1;
}

/* The grader does its work before main, and before the constructors of the answer: these belong to
 * the answer, so they run in its process, with its limits, like main. What is listed here runs
 * first of all. The grader has a stack of its own, since its frames hold what a run is given. */
static struct {
    int count;
    char **values;
} options;

static void begin(void)
{
    const int status = grade_all(options.count, options.values);
    _exit(fflush(NULL) == 0 ? status : MACHINE_ERROR);
}

static void start(int argc, char **argv, char **environment)
{
    enum { STACK = 8 << 20 };
    static ucontext_t grader;
    void *const stack =
        mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

    (void)environment;
    options.count = argc;
    options.values = argv;
    if (stack == MAP_FAILED || getcontext(&grader) != 0)
        stop("the stack");
    grader.uc_stack.ss_sp = stack;
    grader.uc_stack.ss_size = STACK;
    makecontext(&grader, begin, 0);
    /* Comes back in an answer's process, to its constructors and main. */
    if (swapcontext(&before_main, &grader) != 0)
        stop("the stack");
}

__attribute__((section(".preinit_array"), used)) static void (*first)(int, char **,
                                                                      char **) = start;
