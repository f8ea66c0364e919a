#include "pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "device/back_end.h"

enum { MAX_WORKERS = 256, CACHE_LINE = 64, SPINS = 5000 };

/* What passes between the caller and one worker, in cache lines of its own: telling one, or its
 * being ready, disturbs no other. Worker t runs share t; number 0 is the caller. */
static struct worker {
    alignas(2 * CACHE_LINE) atomic_uint wanted; /* number of the last job for this worker */
    atomic_bool asleep;
    alignas(2 * CACHE_LINE) atomic_uint finished; /* number of the last job it finished */
} workers[MAX_WORKERS];
static int started = 1;
static int processors; /* 0 until the first worker is started */

/* The job. Written before the workers that take part are told its number, and not before they have
 * finished the last one. */
static struct {
    void (*work)(void *argument, int thread);
    void *argument;
    unsigned number;
    int spins; /* how long to wait awake: 0 where there are more threads than processors */
} job;

static pthread_mutex_t sleep_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake_up = PTHREAD_COND_INITIALIZER;

static inline void spin_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Waits until this worker is wanted for a job other than number `seen`. */
static unsigned next_job(struct worker *self, unsigned seen, int spins)
{
    unsigned number = atomic_load_explicit(&self->wanted, memory_order_acquire);

    for (; number == seen && spins > 0; spins--) {
        spin_pause();
        number = atomic_load_explicit(&self->wanted, memory_order_acquire);
    }
    if (number != seen)
        return number;
    pthread_mutex_lock(&sleep_lock);
    /* First asleep, then a last look; the caller first wants, then looks who is asleep: in whatever
     * order the two meet, one of them sees the other (both are sequentially consistent). */
    atomic_store(&self->asleep, true);
    while ((number = atomic_load(&self->wanted)) == seen)
        pthread_cond_wait(&wake_up, &sleep_lock);
    atomic_store(&self->asleep, false);
    pthread_mutex_unlock(&sleep_lock);
    return number;
}

static void *worker_main(void *argument)
{
    struct worker *const self = argument;
    unsigned seen = 0;
    int spins = 0;

    for (;;) {
        seen = next_job(self, seen, spins);
        spins = job.spins;
        job.work(job.argument, (int)(self - workers));
        atomic_store_explicit(&self->finished, seen, memory_order_release);
    }
    return NULL;
}

/* Binds worker t to the t-th of the processors that this process may use. */
static void bind_to_processor(pthread_t handle, int thread)
{
    cpu_set_t allowed, one;

    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    int skip = thread % CPU_COUNT(&allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && skip-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            pthread_setaffinity_np(handle, sizeof one, &one);
            return;
        }
}

static void start_workers(int threads)
{
    processors = usable_processors();
    while (started < threads && started < MAX_WORKERS) {
        pthread_t handle;
        if (pthread_create(&handle, NULL, worker_main, &workers[started]) != 0)
            return;
        bind_to_processor(handle, started);
        pthread_detach(handle);
        started++;
    }
}

void pool_run(int threads, void (*work)(void *argument, int thread), void *argument)
{
    if (threads > started)
        start_workers(threads);
    const int helpers = threads < started ? threads : started;
    bool anyone_asleep = false;

    job.work = work;
    job.argument = argument;
    job.number =
        job.number + 1 == 0 ? 1 : job.number + 1; /* 0 is what workers have seen at first */
    job.spins = threads <= processors ? SPINS : 0;
    for (int t = 1; t < helpers; t++) {
        atomic_store(&workers[t].wanted, job.number);
        anyone_asleep = atomic_load(&workers[t].asleep) || anyone_asleep;
    }
    if (anyone_asleep) {
        pthread_mutex_lock(&sleep_lock);
        pthread_cond_broadcast(&wake_up);
        pthread_mutex_unlock(&sleep_lock);
    }

    work(argument, 0);
    for (int t = started; t < threads; t++)
        work(argument, t);
    for (int t = 1; t < helpers; t++)
        for (int spins = 0;
             atomic_load_explicit(&workers[t].finished, memory_order_acquire) != job.number;
             spins++)
            if (spins < job.spins)
                spin_pause();
            else
                sched_yield();
}
