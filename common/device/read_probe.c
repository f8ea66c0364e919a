#include "device/read_probe.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/clock.h"
#include "base/memory.h"
#include "device/pool.h"

/* ---- reading --------------------------------------------------------------------------------- */

/* Each iteration reads 128 bytes at each of four places, which then advance by `step`. Adjoining
 * places form one stream; places a quarter of the share apart form four. Some prefetchers fetch
 * more for several streams, while one stream is best in the first-level cache. */
struct share {
    const char *place[4];
    size_t step, end;
};

typedef void read_function(const struct share *share);

#if defined(__x86_64__)
/* The empty asm statement uses the loaded value, so the compiler cannot drop the load. */
__attribute__((target("avx512f"))) static inline void load_512(const char *from)
{
    __asm__ volatile("" ::"v"(_mm512_load_si512((const void *)from)));
}

__attribute__((target("avx512f"))) static void read_avx512(const struct share *share)
{
    const char *const p = share->place[0], *const q = share->place[1];
    const char *const r = share->place[2], *const s = share->place[3];

    for (size_t i = 0; i < share->end; i += share->step) {
        load_512(p + i);
        load_512(p + i + 64);
        load_512(q + i);
        load_512(q + i + 64);
        load_512(r + i);
        load_512(r + i + 64);
        load_512(s + i);
        load_512(s + i + 64);
    }
}

__attribute__((target("avx"))) static inline void load_4_256(const char *from)
{
    __asm__ volatile("" ::"x"(_mm256_load_si256((const __m256i *)(const void *)from)));
    __asm__ volatile("" ::"x"(_mm256_load_si256((const __m256i *)(const void *)(from + 32))));
    __asm__ volatile("" ::"x"(_mm256_load_si256((const __m256i *)(const void *)(from + 64))));
    __asm__ volatile("" ::"x"(_mm256_load_si256((const __m256i *)(const void *)(from + 96))));
}

__attribute__((target("avx"))) static void read_avx(const struct share *share)
{
    for (size_t i = 0; i < share->end; i += share->step) {
        load_4_256(share->place[0] + i);
        load_4_256(share->place[1] + i);
        load_4_256(share->place[2] + i);
        load_4_256(share->place[3] + i);
    }
}
#endif

/* 16-byte loads, which every 64-bit processor has. */
typedef unsigned char vector_16 __attribute__((vector_size(16), may_alias));

static inline void load_8_128(const char *from)
{
#if defined(__x86_64__)
#define VECTOR_REGISTER "x"
#else
#define VECTOR_REGISTER "w"
#endif
    const vector_16 *const vectors = (const vector_16 *)(const void *)from;
    for (int i = 0; i < 8; i++)
        __asm__ volatile("" ::VECTOR_REGISTER(vectors[i]));
}

static void read_128(const struct share *share)
{
    for (size_t i = 0; i < share->end; i += share->step) {
        load_8_128(share->place[0] + i);
        load_8_128(share->place[1] + i);
        load_8_128(share->place[2] + i);
        load_8_128(share->place[3] + i);
    }
}

static read_function *widest(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f"))
        return read_avx512;
    if (__builtin_cpu_supports("avx"))
        return read_avx;
#endif
    return read_128;
}

/* ---- passes over the buffer ------------------------------------------------------------------ */

enum { BLOCK = 512 }; /* the bytes that an iteration reads; shares are whole blocks */

struct reader {
    char *buffer;
    size_t blocks;
    read_function *read;
    int threads;
    size_t repeats; /* how often a thread reads its share before it waits for the others */
    struct share shares[POOL_MOST];
};

static size_t first_block(const struct reader *reader, int t)
{
    return reader->blocks * (size_t)t / (size_t)reader->threads;
}

static void set_shares(struct reader *reader, int threads, int streams)
{
    reader->threads = threads;
    for (int t = 0; t < threads; t++) {
        const size_t first = first_block(reader, t), end = first_block(reader, t + 1);
        const size_t bytes = (end - first) * BLOCK;
        const size_t distance = streams == 1 ? BLOCK / 4 : bytes / 4;
        struct share *const share = &reader->shares[t];

        for (size_t p = 0; p < 4; p++)
            share->place[p] = reader->buffer + first * BLOCK + p * distance;
        share->step = BLOCK / (size_t)streams;
        share->end = bytes / (size_t)streams;
    }
}

static void touch_share(void *argument, int t)
{
    const struct reader *const reader = argument;
    const size_t first = first_block(reader, t), end = first_block(reader, t + 1);

    memset(reader->buffer + first * BLOCK, 1, (end - first) * BLOCK);
}

static void read_share(void *argument, int t)
{
    const struct reader *const reader = argument;

    for (size_t r = 0; r < reader->repeats; r++)
        reader->read(&reader->shares[t]);
}

/* Seconds per pass over the buffer, averaged over `passes` in a row. */
static double time_passes(struct reader *reader, size_t passes)
{
    /* A single thread need not wait for others after each pass. */
    const size_t jobs = reader->threads == 1 ? 1 : passes;

    reader->repeats = passes / jobs;
    const double start = now_s();
    for (size_t j = 0; j < jobs; j++)
        pool_run(reader->threads, read_share, reader);
    return (now_s() - start) / (double)passes;
}

/* How many threads and streams read the buffer, and the shortest time of such a pass. */
struct way {
    int threads, streams;
    size_t passes; /* timed together, because one may be too short */
    double best_s;
};

static void try_way(struct reader *reader, struct way *way, int times, double until_s)
{
    set_shares(reader, way->threads, way->streams);
    for (int i = 0; i < times; i++) {
        const double pass_s = time_passes(reader, way->passes);
        way->best_s = pass_s < way->best_s ? pass_s : way->best_s;
        if (now_s() > until_s)
            return;
    }
}

/* Chooses how many passes to time together. The first ones also warm up the readers' caches. */
static struct way first_look(struct reader *reader, int threads, int streams, double until_s)
{
    const double measurable_s = 50e-6, long_s = 1e-3;
    struct way way = {threads, streams, 1, 1e9};

    try_way(reader, &way, 2, until_s);
    if (way.best_s > long_s)
        return way;
    way.passes = 1 + (size_t)(measurable_s / way.best_s);
    try_way(reader, &way, 3, until_s);
    return way;
}

/* Times each way briefly: with all threads first, then with half of them and so on, until the time
 * is up. On a busy machine, threads that wait for each other use up the time and read next to
 * nothing, so a single thread is always tried. Then times the ways longer that came close to the
 * best. */
static double shortest_pass(struct reader *reader, int threads, double seconds)
{
    enum { MOST_WAYS = 32 };
    const double until_s = now_s() + seconds / 2;
    struct way ways[MOST_WAYS];
    int count = 0, close_count = 0;
    double best_s = 1e9;

    for (int t = threads; t >= 1; t /= 2)
        for (int streams = 4; streams >= 1; streams -= 3) {
            if (t > 1 && count > 0 && now_s() >= until_s)
                continue;
            ways[count] = first_look(reader, t, streams, until_s);
            best_s = ways[count].best_s < best_s ? ways[count].best_s : best_s;
            count++;
        }
    const double close_s = 1.15 * best_s;
    for (int w = 0; w < count; w++)
        close_count += ways[w].best_s < close_s;
    for (int w = 0; w < count; w++)
        if (ways[w].best_s < close_s) {
            try_way(reader, &ways[w], INT_MAX, now_s() + seconds / 2 / close_count);
            best_s = ways[w].best_s < best_s ? ways[w].best_s : best_s;
        }
    return best_s;
}

/* The shortest pass over several buffers. Each is allocated before the previous one is freed, so
 * that it has other pages: how well a share fits into the caches depends on the pages' physical
 * addresses. (This concerns small buffers. A large one fits in no processor's cache, and takes long
 * to write.) A pass over a large buffer takes long, so all ways need more time. */
static bool probe_buffers(struct reader *reader, int threads, size_t size, double *best_s,
                          struct error *error)
{
    const size_t small = (size_t)1 << 20, large = (size_t)64 << 20;
    const int buffers = size < small || size > large ? 1 : 3;
    const double gib = (double)size / ((size_t)1 << 30);
    const double seconds = size < small ? 0.1 : 0.3 + 1.2 * gib; /* speeds vary with time */

    *best_s = 1e9;
    for (int i = 0; i < buffers; i++) {
        char *const last = reader->buffer;
        reader->buffer = host_allocate(size, error);
        free(last);
        if (reader->buffer == NULL)
            return i > 0;
        reader->threads = threads;
        pool_run(threads, touch_share, reader);
        const double pass_s = shortest_pass(reader, threads, seconds / buffers);
        *best_s = pass_s < *best_s ? pass_s : *best_s;
    }
    free(reader->buffer);
    return true;
}

bool read_probe(int threads, size_t bytes, double *gb_per_s, struct error *error)
{
    const size_t least = (size_t)4 << 10, most = (size_t)1 << 30;
    const size_t size = bytes < least ? least : bytes > most ? most : bytes / BLOCK * BLOCK;
    const int used = threads > POOL_MOST ? POOL_MOST : threads < 1 ? 1 : threads;
    double best_s;

    struct reader *const reader = calloc(1, sizeof *reader);
    if (reader == NULL)
        return error_set(error, EXIT_DEVICE_ERROR, "out of memory");
    reader->blocks = size / BLOCK;
    reader->read = widest();
    const bool read = probe_buffers(reader, used, size, &best_s, error);
    free(reader);
    if (read)
        *gb_per_s = (double)size / best_s * 1e-9;
    return read;
}
/* SPDX-License-Identifier: MIT */
