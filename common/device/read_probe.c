#include "device/read_probe.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"

enum { PASSES = 7 };

struct share {
    uint64_t *words;
    size_t count;
    size_t repeats; /* so many reads of the share make a pass */
    uint64_t sum;   /* used by nobody, but the compiler must not know */
    pthread_mutex_t *gate;
    pthread_barrier_t *barrier;
    double best_s; /* shortest pass, from barrier to barrier */
};

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Integer additions may be reordered, so the compiler makes SIMD code of this; where it can, code
 * for several instruction sets, chosen when the program starts. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
__attribute__((target_clones("default", "avx2", "avx512f"), optimize("O3")))
#endif
static uint64_t
sum_words(const uint64_t *words, size_t count)
{
    enum { LANES = 32 };
    uint64_t lanes[LANES] = {0}, sum = 0;

    for (size_t i = 0; i + LANES <= count; i += LANES)
        for (int l = 0; l < LANES; l++)
            lanes[l] += words[i + (size_t)l];
    for (int l = 0; l < LANES; l++)
        sum += lanes[l];
    return sum;
}

static void *read_share(void *argument)
{
    struct share *const share = argument;

    pthread_mutex_lock(share->gate);
    pthread_mutex_unlock(share->gate);
    memset(share->words, 1, share->count * sizeof *share->words); /* first touch, by the reader */
    share->best_s = 1e9;
    for (int pass = 0; pass < PASSES; pass++) {
        pthread_barrier_wait(share->barrier);
        const double start = now_s();
        for (size_t r = 0; r < share->repeats; r++) {
            share->sum += sum_words(share->words, share->count);
            __asm__ volatile("" ::: "memory"); /* the next read is to be a read */
        }
        pthread_barrier_wait(share->barrier);
        const double elapsed = now_s() - start;
        if (elapsed < share->best_s)
            share->best_s = elapsed;
    }
    return NULL;
}

/* Reads all shares at once, a thread each; returns how many threads there were. The barrier is for
 * as many as could be started, so they wait at the gate until that is known. */
static int run_shares(struct share *shares, pthread_t *handles, int threads)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_barrier_t barrier;
    int started = 1;

    for (int t = 0; t < threads; t++) {
        shares[t].gate = &gate;
        shares[t].barrier = &barrier;
    }
    pthread_mutex_lock(&gate);
    while (started < threads &&
           pthread_create(&handles[started], NULL, read_share, &shares[started]) == 0)
        started++;
    pthread_barrier_init(&barrier, NULL, (unsigned)started);
    pthread_mutex_unlock(&gate);
    read_share(&shares[0]);
    for (int t = 1; t < started; t++)
        pthread_join(handles[t], NULL);
    pthread_barrier_destroy(&barrier);
    return started;
}

bool read_probe(int threads, size_t bytes, double *gb_per_s, struct error *error)
{
    const size_t most = (size_t)1 << 30, least_each = 4096, pass_bytes = (size_t)16 << 20;
    const size_t wanted = (bytes < most ? bytes : most) / (size_t)threads;
    const size_t each = (wanted < least_each ? least_each : wanted) / 256 * 256;
    const size_t repeats = 1 + pass_bytes / (each * (size_t)threads);

    char *const buffer = host_allocate(each * (size_t)threads, error);
    struct share *const shares = calloc((size_t)threads, sizeof *shares);
    pthread_t *const handles = calloc((size_t)threads, sizeof *handles);
    const bool allocated = buffer != NULL && shares != NULL && handles != NULL;
    if (allocated) {
        for (int t = 0; t < threads; t++) {
            shares[t].words = (uint64_t *)(void *)(buffer + (size_t)t * each);
            shares[t].count = each / sizeof(uint64_t);
            shares[t].repeats = repeats;
        }
        const int started = run_shares(shares, handles, threads);
        *gb_per_s = (double)(each * repeats) * started / shares[0].best_s * 1e-9;
    } else {
        error_set(error, EXIT_DEVICE_ERROR, "out of memory: the read probe's buffer");
    }
    free(buffer);
    free(shares);
    free(handles);
    return allocated;
}
