/* Runs blocks on all cores.
 *
 * The machine is one process on one core. But most blocks of a launch are independent. So when a
 * launch has taken a while, processes are forked. Each runs a range of the next blocks in a copy of
 * all memory, and this process runs the blocks before them. A worker then returns what it wrote,
 * what the checks know of the words that it touched, and its counters. They are taken over if no
 * other process wrote what it touched, or touched what it wrote: then the blocks might as well have
 * run here, in order. Otherwise nothing is taken over, and the blocks run here. The same holds if a
 * worker reaches something that only one process can do (simt_only_in_order: a fence, output, a
 * finding, an atomic whose result is used, a branch that was not taken before).
 *
 * So results, counts and findings are those of one core. SIMT_CORES=1 uses no other core. With
 * SIMT_CORES_AFTER=0, for tests, workers run single blocks from the start. */
#include "machine/workers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/available.h"
#include "base/counters.h"
#include "base/host.h"
#include "base/setting.h"
#include "machine/cluster.h"
#include "machine/hooks.h"
#include "machine/machine.h"
#include "machine/progress.h"
#include "machine/schedule.h"
#include "machine/turns.h"
#include "observe/observer.h"
#include "observe/part.h"

enum { MOST_WORKERS = 15, MOST_KERNELS = 64, MOST_FAILURES = 3, MOST_ENDING = 64 };

static const double usually_after = 0.2, longest_stretch = 2, shortest_launch = 0.02; /* seconds */
static const double least_gain = 0.85;
/* Required per worker: what it writes is a copy. */
static const size_t least_memory = (size_t)256 << 20;
/* For a worker's results: far more than needed; it takes no memory before it is written. */
static const size_t told_bytes = (size_t)16 << 30;

static struct worker {
    pid_t process;
    int done; /* delivers a byte when all is returned, or ends without one */
    size_t from, to;
    char *told;
} workers[MOST_WORKERS];
static unsigned int worker_count;
/* Ending processes: with much memory, the end takes a while. */
static pid_t ending[MOST_ENDING];
static unsigned int ending_count;

size_t simt_workers_next = SIZE_MAX;
/* If blocks mostly write memory, taking that over takes as long as writing it. So a first round
 * with workers is compared with one without. */
static enum { FIRST, TRIED_TOGETHER, TRIED_ALONE, TOGETHER } phase;
static double try_after, stretch, alone, together; /* seconds; the last two: per block */
static double launch_began, round_began;
static double others;      /* processor time of workers */
static size_t round_first; /* a block */
static unsigned int failures;
static bool had_workers;

/* Times of a kernel, in seconds. */
static struct kernel {
    void (*invoke)(void *closure);
    double total, after; /* of all launches; workers are tried (again) after this */
    double last, each;   /* last launch; per block of the last one without workers, or 0 */
    bool faster;         /* with workers */
} kernels[MOST_KERNELS], *kernel;
static size_t kernel_count;

/* ---- whether to use workers ---- */

static unsigned int cores;
static double after; /* seconds of a launch */

static void read_settings(void)
{
    const double wanted = simt_cores();
    after = simt_setting("SIMT_CORES_AFTER", usually_after);
    cores = wanted < 1 ? 1 : wanted > MOST_WORKERS ? MOST_WORKERS + 1 : (unsigned int)wanted;
}

static struct kernel *find_kernel(void)
{
    static struct kernel one_more;
    struct kernel *found = kernels;
    while (found < kernels + kernel_count && found->invoke != simt_grid.launch->invoke) {
        found++;
    }
    if (found == kernels + kernel_count) {
        found = kernel_count < MOST_KERNELS ? &kernels[kernel_count++] : &one_more;
        *found = (struct kernel){.invoke = simt_grid.launch->invoke, .after = after};
    }
    return found;
}

/* Other threads are harmless while they only wait: then they hold no lock that a forked process
 * needs, and change nothing that it reads. */
static bool is_alone(void)
{
    DIR *threads = opendir("/proc/self/task");
    const pid_t own = (pid_t)syscall(SYS_gettid);
    struct dirent *thread;
    bool alone = threads != NULL;
    while (alone && (thread = readdir(threads))) {
        char path[64], state = 'S';
        FILE *file;
        snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", thread->d_name);
        file = thread->d_name[0] != '.' && atoi(thread->d_name) != own ? fopen(path, "r") : NULL;
        if (file) {
            alone = fscanf(file, "%*d (%*[^)]) %c", &state) != 1 || state == 'S';
            fclose(file);
        }
    }
    if (threads) {
        closedir(threads);
    }
    return alone;
}

/* Whether the program ignores the end of child processes that it has not started. */
static bool may_have_children(void)
{
    struct sigaction action;
    return sigaction(SIGCHLD, NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO) &&
           action.sa_handler == SIG_DFL && !(action.sa_flags & SA_NOCLDWAIT);
}

static void choose_times(void)
{
    const double seen = kernel->last / 16; /* this time per block */
    if (after <= 0) {
        try_after = stretch = 0;
    } else if (kernel->faster) {
        try_after = seen;
        stretch = longest_stretch;
    } else {
        try_after = kernel->after - kernel->total > seen ? kernel->after - kernel->total : seen;
        stretch = kernel->after < longest_stretch ? kernel->after : longest_stretch;
    }
}

void simt_workers_start_launch(void)
{
    const struct simt_launch *launch = simt_grid.launch;
    if (cores == 0) {
        read_settings();
    }
    simt_workers_next = SIZE_MAX;
    if (!simt_tracing || simt_watched || simt_recorder.interleaved || simt_shuffled ||
        launch->cooperative || simt_cluster_size() > 1 || cores == 1 || simt_is_worker) {
        return;
    }
    kernel = find_kernel();
    launch_began = round_began = simt_seconds();
    round_first = 0;
    had_workers = false;
    if (kernel->last > 0 && kernel->last < shortest_launch && after > 0) {
        return;
    }
    phase = FIRST;
    failures = 0;
    choose_times();
    simt_workers_next = simt_grid.ends > 1 ? simt_grid.ends : 1;
}

/* ---- the worker ---- */

/* Discards a kernel's output: it appears where the blocks run again. */
static int catch_output(void)
{
    const int sink = memfd_create("simt_worker", MFD_CLOEXEC);
    if (sink < 0 || dup2(sink, STDOUT_FILENO) < 0 || dup2(sink, STDERR_FILENO) < 0) {
        simt_worker_gives_up();
    }
    return sink;
}

static int sink;

static void begin_work(const struct worker *worker, unsigned int number, pid_t parent)
{
    simt_is_worker = true;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        simt_worker_gives_up();
    }
    sink = catch_output();
    workers[0] = *worker;
    worker_count = ending_count = 0;
    simt_progress_is_told = false;
    simt_grid.started = simt_grid.done = worker->from;
    simt_workers_next = worker->to;
    simt_counts = (struct simt_counters){0};
    simt_observer.part_begins(number);
}

__attribute__((noreturn)) static void end_work(void)
{
    struct simt_part part = {workers[0].told, workers[0].told + told_bytes};
    fflush(stdout);
    fflush(stderr);
    if (lseek(sink, 0, SEEK_CUR) != 0) {
        simt_worker_gives_up();
    }
    const double taken = simt_processor_seconds();
    simt_part_put(&part, &taken, sizeof taken);
    simt_part_put(&part, &simt_counts, sizeof simt_counts);
    simt_atomics_part_ends(&part);
    simt_observer.part_ends(&part);
    _exit(write(workers[0].done, "", 1) == 1 ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* ---- the main process ---- */

static void reap(bool all)
{
    unsigned int kept = 0;
    for (unsigned int i = 0; i < ending_count; i++) {
        if (waitpid(ending[i], NULL, all ? 0 : WNOHANG) == 0) {
            ending[kept++] = ending[i];
        }
    }
    ending_count = kept;
}

static void dismiss(struct worker *worker)
{
    kill(worker->process, SIGKILL);
    if (ending_count == MOST_ENDING) {
        reap(true);
    }
    ending[ending_count++] = worker->process;
    close(worker->done);
    munmap(worker->told, told_bytes);
}

static void dismiss_all(void)
{
    while (worker_count > 0) {
        dismiss(&workers[--worker_count]);
    }
    reap(false);
}

void simt_workers_end_launch(void)
{
    dismiss_all();
    reap(true);
    simt_workers_next = SIZE_MAX;
    if (kernel) {
        kernel->last = simt_seconds() - launch_began;
        kernel->total += kernel->last;
        kernel->each = had_workers ? kernel->each : kernel->last / (double)simt_grid.blocks;
        kernel = NULL;
    }
}

static bool start_worker(struct worker *worker, unsigned int number)
{
    const pid_t parent = getpid();
    int ends[2];
    void *told = mmap(NULL, told_bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (told == MAP_FAILED) {
        return false;
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        munmap(told, told_bytes);
        return false;
    }
    worker->told = told;
    worker->process = fork();
    if (worker->process == 0) {
        worker->done = ends[1];
        begin_work(worker, number, parent);
        return true;
    }
    close(ends[1]);
    if (worker->process < 0) {
        close(ends[0]);
        munmap(told, told_bytes);
        return false;
    }
    worker->done = ends[0];
    return true;
}

/* Seconds per block since the round began. */
static double pace(void)
{
    return (simt_seconds() - round_began) / (double)(simt_grid.started - round_first);
}

static void begin_round(void)
{
    round_began = simt_seconds();
    round_first = simt_grid.started;
}

/* Stops workers; they are tried again later, for longer. */
static void do_without(void)
{
    const double so_far = kernel->total + simt_seconds() - launch_began;
    kernel->faster = false;
    kernel->after = 4 * so_far;
    choose_times();
    phase = FIRST;
    failures = 0;
    simt_workers_next = simt_grid.started + 1;
    begin_round();
}

/* Each process gets `blocks` blocks, this one the first. */
static void start_workers(size_t blocks)
{
    const unsigned int most = cores - 1;
    size_t from;
    blocks = simt_observer.part_may_begin(most, blocks, after > 0 ? stretch : HUGE_VAL);
    if (blocks == 0) {
        do_without();
        return;
    }
    from = simt_grid.started + blocks;
    had_workers = true;
    fflush(stdout); /* or a worker would also write it */
    fflush(stderr);
    simt_workers_next = from;
    while (worker_count < most && from < simt_grid.blocks) {
        struct worker *worker = &workers[worker_count];
        const size_t left = simt_grid.blocks - from;
        *worker = (struct worker){.from = from, .to = from + (blocks < left ? blocks : left)};
        if (!start_worker(worker, worker_count + 1)) {
            break;
        }
        if (simt_is_worker) {
            return;
        }
        worker_count++;
        from = worker->to;
    }
    if (worker_count == 0) {
        do_without();
    }
}

/* Whether the worker has run all its blocks, in not much more time than this process took. */
static bool await(const struct worker *worker)
{
    const double taken = simt_seconds() - round_began;
    struct pollfd end = {.fd = worker->done, .events = POLLIN};
    char byte;
    int ready;
    while ((ready = poll(&end, 1, after > 0 ? (int)(1000 * (taken + after)) : -1)) < 0 &&
           errno == EINTR) {
    }
    return ready == 1 && read(worker->done, &byte, 1) == 1;
}

/* Takes over the workers' results in order, up to the first that does not fit. False if none
 * fits. */
static bool take_over(void)
{
    unsigned int taken = 0;
    for (; taken < worker_count && await(&workers[taken]); taken++) {
        const struct worker *worker = &workers[taken];
        struct simt_part part = {worker->told, worker->told + told_bytes}, changes;
        struct simt_counters counts;
        double seconds;
        simt_part_get(&part, &seconds, sizeof seconds);
        simt_part_get(&part, &counts, sizeof counts);
        changes = part;
        simt_atomics_part_take(&part, false);
        if (!simt_observer.part_fits(part, taken + 1)) {
            break;
        }
        simt_atomics_part_take(&changes, true); /* before stores that follow some of them */
        simt_observer.part_take(&part, taken + 1);
        simt_add_counters(&simt_counts, &counts, sizeof counts);
        others += seconds;
        simt_grid.done += worker->to - worker->from;
        simt_grid.started = worker->to;
    }
    simt_note_progress();
    dismiss_all();
    return taken > 0;
}

/* `each`: seconds per block here. */
static void go_on_together(double each)
{
    const size_t left = simt_grid.blocks - simt_grid.started;
    double blocks = stretch / each;
    if (left == 0 || simt_observer.enough() ||
        each * (double)left < (after > 0 ? shortest_launch : 0) || !is_alone() ||
        !may_have_children() || simt_available_memory() < cores * least_memory) {
        simt_workers_next = SIZE_MAX; /* it is not worth it */
        return;
    }
    if (blocks * cores > (double)left) {
        blocks = (double)((left + cores - 1) / cores);
    }
    begin_round();
    start_workers(blocks < 1 ? 1 : (size_t)blocks);
}

/* Whether to continue; `each`: seconds per block without workers. */
static bool is_faster(double each)
{
    if (together > least_gain * each && after > 0) {
        do_without();
        return false;
    }
    kernel->faster = after > 0;
    phase = TOGETHER;
    return true;
}

static void end_round(void)
{
    if (!take_over()) {
        if (++failures == MOST_FAILURES) {
            do_without();
        } else {
            go_on_together(alone);
        }
        return;
    }
    failures = 0;
    if (phase == TRIED_TOGETHER) {
        together = pace();
        if (simt_grid.started == simt_grid.blocks) {
            is_faster(kernel->each > 0 ? kernel->each : alone);
            return;
        }
        phase = TRIED_ALONE;
        simt_workers_next = simt_grid.started + (simt_grid.started - round_first + 1) / 2;
        begin_round();
        return;
    }
    together = pace();
    if (is_faster(alone)) {
        stretch = 2 * stretch < longest_stretch ? 2 * stretch : longest_stretch;
        go_on_together(alone);
    }
}

double simt_work_seconds(void)
{
    return simt_processor_seconds() + others;
}

bool simt_workers_are_done(void)
{
    return worker_count == 0 && !simt_is_worker;
}

void simt_workers_stop(void)
{
    simt_workers_next = SIZE_MAX;
}

void simt_workers_act(void)
{
    if (simt_is_worker) {
        end_work();
    }
    if (worker_count > 0) {
        end_round();
        return;
    }
    if (phase == FIRST && simt_seconds() - round_began < try_after) {
        simt_workers_next = simt_grid.started + (simt_grid.started - round_first) / 4 + 1;
        return;
    }
    alone = pace();
    if (phase == FIRST) {
        phase = kernel->faster ? TOGETHER : TRIED_TOGETHER;
    } else if (!is_faster(alone)) {
        return;
    }
    go_on_together(alone);
}
/* SPDX-License-Identifier: MIT */
