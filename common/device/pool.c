#include "device/pool.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "device/back_end.h"

/* How often a thread polls before it goes to sleep: LOOKS times in a tight loop, then YIELDS times
 * with a sched_yield in between. Together this must last longer than a job whose threads have to be
 * woken. Otherwise the threads that are woken first are asleep again when the last one has
 * finished, and this repeats in every job. With 0.1 ms, jobs of 16 threads took 0.2 to 0.3 ms; they
 * take 0.01 ms if all are awake. */
enum { LOOKS = 5000, YIELDS = 4000 }; /* about 0.1 ms, and about 2 ms more */

enum { CACHE_LINE = 64 };

/* The current job. The ticket combines the job's number with the number of threads that take part.
 * The caller writes it last. The workers then read the other members, which do not change until all
 * have finished. Everything is in one cache line, so a worker reads it with one miss. An empty job
 * takes 16 threads 0.9 us; with a line per worker it took 1.5 to 2.1 us. */
static struct {
    alignas(2 * CACHE_LINE) _Atomic uint64_t ticket;
    void (*work)(void *argument, int thread);
    void *argument;
    bool may_spin; /* false if there are more threads than processors: sleep right after the job */
} job;

enum { TICKET_THREADS = 512 }; /* ticket = number * TICKET_THREADS + threads */

/* A worker's state, in a cache line of its own, to avoid false sharing when it reports that it has
 * finished. Worker t runs share t; number 0 is the caller. */
static struct worker {
    alignas(2 * CACHE_LINE) _Atomic uint64_t finished; /* ticket of the last job that it finished */
    atomic_bool asleep;
    sem_t wake_up;
} workers[POOL_MOST];
static int started = 1;

static int processors;                /* usable ones; 0 until the first worker is started */
static int home;                      /* the caller's processor; no worker is bound to it */
static int worker_bound[CPU_SETSIZE]; /* by processor: the worker bound to it; 0: none */

static inline void spin_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* ---- a worker -------------------------------------------------------------------------------- */

/* Whether there is a job for this worker newer than the one with ticket `seen`. */
static bool is_wanted(const struct worker *self, uint64_t seen)
{
    const uint64_t ticket = atomic_load(&job.ticket);
    return ticket != seen && ticket % TICKET_THREADS > (uint64_t)(self - workers);
}

/* May also return without a new job. That happens if the caller posted to wake this worker for a
 * job that the worker had already found and done. */
static void sleep_until_told(struct worker *self, uint64_t seen)
{
    /* The worker sets `asleep`, then checks for a ticket; the caller writes the ticket, then checks
     * `asleep`. These accesses are sequentially consistent, so at least one sees the other's write
     * and no wake-up is lost. The thread that clears `asleep` decides whether the caller posts. */
    atomic_store(&self->asleep, true);
    if (is_wanted(self, seen) && atomic_exchange(&self->asleep, false))
        return;
    while (sem_wait(&self->wake_up) != 0) /* interrupted by a signal */
        ;
}

static void *worker_main(void *argument)
{
    struct worker *const self = argument;
    uint64_t ticket = 0;
    int waits = LOOKS + YIELDS;

    for (;;) {
        for (; !is_wanted(self, ticket); waits++)
            if (waits < LOOKS)
                spin_pause();
            else if (waits < LOOKS + YIELDS)
                sched_yield();
            else
                sleep_until_told(self, ticket);
        ticket = atomic_load(&job.ticket);
        waits = job.may_spin ? 0 : LOOKS + YIELDS;
        job.work(job.argument, (int)(self - workers));
        atomic_store_explicit(&self->finished, ticket, memory_order_release);
    }
    return NULL;
}

/* ---- the caller ------------------------------------------------------------------------------ */

static void bind_to(pthread_t thread, int processor)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    pthread_setaffinity_np(thread, sizeof one, &one);
}

/* Binds worker t to the t-th of the usable processors. Number 0 of them is the caller's. */
static void bind_worker(pthread_t thread, int t)
{
    cpu_set_t usable;
    int skip = t % processors;

    if (sched_getaffinity(0, sizeof usable, &usable) != 0)
        return;
    for (int processor = 0; processor < CPU_SETSIZE; processor++)
        if (CPU_ISSET(processor, &usable) && skip-- == 0) {
            bind_to(thread, processor);
            if (t < processors)
                worker_bound[processor] = t;
            return;
        }
}

int usable_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

static void start_workers(int threads)
{
    cpu_set_t usable;

    processors = usable_processors();
    home = -1;
    if (sched_getaffinity(0, sizeof usable, &usable) == 0)
        for (home = 0; home < CPU_SETSIZE - 1 && !CPU_ISSET(home, &usable); home++)
            ; /* (a macro, which may evaluate its argument several times, as musl's does) */
    while (started < threads && started < POOL_MOST) {
        struct worker *const worker = &workers[started];
        pthread_t thread;
        if (sem_init(&worker->wake_up, 0, 0) != 0 ||
            pthread_create(&thread, NULL, worker_main, worker) != 0)
            return;
        bind_worker(thread, started);
        pthread_detach(thread);
        started++;
    }
}

/* The caller is not bound to a processor, because threads that it starts elsewhere would inherit
 * that. But the scheduler may run it on the processor of a worker that takes part. The two then
 * share that processor while the caller's own is idle. So the caller is moved to its own processor,
 * and the binding is removed again. If no other thread runs there, the scheduler has no reason to
 * move it. */
static void go_home(int threads)
{
    const int here = sched_getcpu();
    cpu_set_t usable;

    if (here < 0 || here >= CPU_SETSIZE || worker_bound[here] == 0 ||
        worker_bound[here] >= threads || home < 0 ||
        sched_getaffinity(0, sizeof usable, &usable) != 0)
        return;
    bind_to(pthread_self(), home);
    pthread_setaffinity_np(pthread_self(), sizeof usable, &usable);
}

static uint64_t tell(int threads, void (*work)(void *argument, int thread), void *argument)
{
    static uint64_t number;
    const uint64_t ticket = ++number * TICKET_THREADS + (uint64_t)threads;

    job.work = work;
    job.argument = argument;
    job.may_spin = threads <= processors;
    atomic_store(&job.ticket, ticket);
    for (int t = 1; t < threads; t++)
        if (atomic_load(&workers[t].asleep) && atomic_exchange(&workers[t].asleep, false))
            sem_post(&workers[t].wake_up);
    return ticket;
}

static void wait_for(int threads, uint64_t ticket)
{
    int waits = job.may_spin ? 0 : LOOKS;

    for (int t = 1; t < threads; t++)
        for (; atomic_load_explicit(&workers[t].finished, memory_order_acquire) != ticket; waits++)
            if (waits < LOOKS)
                spin_pause();
            else
                sched_yield();
}

void pool_run(int threads, void (*work)(void *argument, int thread), void *argument)
{
    if (threads > started)
        start_workers(threads);
    const int taking_part = threads < started ? threads : started;
    uint64_t ticket = 0;

    if (taking_part > 1) {
        if (taking_part <= processors)
            go_home(taking_part);
        ticket = tell(taking_part, work, argument);
    }
    work(argument, 0);
    for (int t = taking_part; t < threads; t++)
        work(argument, t);
    wait_for(taking_part, ticket);
}
/* SPDX-License-Identifier: MIT */
