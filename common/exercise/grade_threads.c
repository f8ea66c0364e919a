/* Exercises in C with threads: finds the cache lines and words that threads share.
 *
 * The answer is compiled, but not linked, with -fsanitize=thread. This file is the runtime of the
 * sanitizer's hooks. Between the start and the join of grade_threads() it records the threads that
 * write each cache line, and the threads that read and write each word. Therefore the findings do
 * not depend on the order in which the threads run:
 *   - A write to a cache line that another thread also writes is counted at its source line. Before
 *     each such write, the cache line may have moved to another core.
 *   - A word that one thread writes and another accesses, not both by atomics, is a data race. This
 *     file does not know locks, because the exercises that use it have none. */
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grade_internal.h"

enum {
    LINE_BYTES = 64,
    WORD_BYTES = 4,
    WORDS = LINE_BYTES / WORD_BYTES,
    SLOTS = 1 << 14,
    PLACES = 6
};

struct word {
    uint64_t plain_writers, atomics, readers; /* sets of threads */
    uintptr_t write_place;
};

struct cache_line {
    uintptr_t number; /* address / LINE_BYTES; 0: unused */
    uint64_t writers;
    struct {
        uintptr_t place;
        uint64_t count;
    } writes[PLACES];
    struct word words[WORDS];
};

enum access { READ, WRITE, ATOMIC };

static struct cache_line *table;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int this_thread = -1; /* -1: not between start and join */
static struct grade_record *kept;
static uint64_t threads_started;
static uint64_t reads[64]; /* per thread: the words that it has read */

const bool grade_on_gpu = false, grade_counts_gpu = false;

/* ---- noting accesses ------------------------------------------------------------------------- */

static struct cache_line *line_of(uintptr_t number)
{
    size_t slot = number * 0x9E3779B97F4A7C15u >> 50;

    for (size_t tried = 0; tried < SLOTS; tried++, slot = (slot + 1) % SLOTS) {
        if (table[slot].number == number)
            return &table[slot];
        if (table[slot].number == 0) {
            table[slot].number = number;
            return &table[slot];
        }
    }
    fprintf(stderr, "grader: more than %d cache lines in use\n", SLOTS);
    _exit(3);
}

static void note(const volatile void *address, size_t bytes, enum access access, uintptr_t place)
{
    if (this_thread < 0)
        return;
    pthread_mutex_lock(&guard);
    for (uintptr_t at = (uintptr_t)address / WORD_BYTES * WORD_BYTES;
         at < (uintptr_t)address + bytes; at += WORD_BYTES) {
        struct cache_line *const line = line_of(at / LINE_BYTES);
        struct word *const word = &line->words[at % LINE_BYTES / WORD_BYTES];
        const uint64_t me = (uint64_t)1 << this_thread;
        if (access == READ) {
            word->readers |= me;
            reads[this_thread]++;
            continue;
        }
        *(access == WRITE ? &word->plain_writers : &word->atomics) |= me;
        word->write_place = place;
        line->writers |= me;
        if (at > (uintptr_t)address)
            continue; /* a further word of the same write */
        for (int i = 0; i < PLACES; i++)
            if (line->writes[i].place == place || line->writes[i].count == 0) {
                line->writes[i].place = place;
                line->writes[i].count++;
                break;
            }
    }
    pthread_mutex_unlock(&guard);
}

#define HERE ((uintptr_t)__builtin_return_address(0))

/* ---- the hooks ------------------------------------------------------------------------------- */

void __tsan_init(void);
void __tsan_init(void)
{
}
void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
    (void)caller;
}
void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

#define HOOK(name, bytes, access)                                                                  \
    void name(void *address);                                                                      \
    void name(void *address)                                                                       \
    {                                                                                              \
        note(address, bytes, access, HERE);                                                        \
    }
#define HOOKS(bytes)                                                                               \
    HOOK(__tsan_read##bytes, bytes, READ)                                                          \
    HOOK(__tsan_write##bytes, bytes, WRITE)                                                        \
    HOOK(__tsan_unaligned_read##bytes, bytes, READ)                                                \
    HOOK(__tsan_unaligned_write##bytes, bytes, WRITE)                                              \
    HOOK(__tsan_volatile_read##bytes, bytes, READ)                                                 \
    HOOK(__tsan_volatile_write##bytes, bytes, WRITE)
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

void __tsan_read_range(void *address, size_t bytes);
void __tsan_read_range(void *address, size_t bytes)
{
    note(address, bytes, READ, HERE);
}
void __tsan_write_range(void *address, size_t bytes);
void __tsan_write_range(void *address, size_t bytes)
{
    note(address, bytes, WRITE, HERE);
}

/* clang calls these instead of the library's functions. */
void *__tsan_memcpy(void *to, const void *from, size_t bytes);
void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
    note(from, bytes, READ, HERE);
    note(to, bytes, WRITE, HERE);
    return memcpy(to, from, bytes);
}
void *__tsan_memset(void *to, int byte, size_t bytes);
void *__tsan_memset(void *to, int byte, size_t bytes)
{
    note(to, bytes, WRITE, HERE);
    return memset(to, byte, bytes);
}

/* All use the strongest memory order, because speed does not matter here. */
#define FETCH(bits, name, function)                                                                \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *, uint##bits##_t, int);   \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *at, uint##bits##_t value, \
                                                int order)                                         \
    {                                                                                              \
        (void)order;                                                                               \
        note(at, bits / 8, ATOMIC, HERE);                                                          \
        return function(at, value, __ATOMIC_SEQ_CST);                                              \
    }
#define EXCHANGE(bits, name)                                                                       \
    int __tsan_atomic##bits##_##name(volatile uint##bits##_t *, uint##bits##_t *, uint##bits##_t,  \
                                     int, int);                                                    \
    int __tsan_atomic##bits##_##name(volatile uint##bits##_t *at, uint##bits##_t *expected,        \
                                     uint##bits##_t wanted, int order, int failure)                \
    {                                                                                              \
        (void)order;                                                                               \
        (void)failure;                                                                             \
        note(at, bits / 8, ATOMIC, HERE);                                                          \
        return __atomic_compare_exchange_n(at, expected, wanted, false, __ATOMIC_SEQ_CST,          \
                                           __ATOMIC_SEQ_CST);                                      \
    }
#define ATOMICS(bits)                                                                              \
    FETCH(bits, exchange, __atomic_exchange_n)                                                     \
    FETCH(bits, fetch_add, __atomic_fetch_add)                                                     \
    FETCH(bits, fetch_sub, __atomic_fetch_sub)                                                     \
    FETCH(bits, fetch_and, __atomic_fetch_and)                                                     \
    FETCH(bits, fetch_or, __atomic_fetch_or)                                                       \
    FETCH(bits, fetch_xor, __atomic_fetch_xor)                                                     \
    EXCHANGE(bits, compare_exchange_strong)                                                        \
    EXCHANGE(bits, compare_exchange_weak)                                                          \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *, int);               \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, int order)        \
    {                                                                                              \
        (void)order;                                                                               \
        note(at, bits / 8, ATOMIC, HERE);                                                          \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                              \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *, uint##bits##_t, int);              \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t value, int order) \
    {                                                                                              \
        (void)order;                                                                               \
        note(at, bits / 8, ATOMIC, HERE);                                                          \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                             \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                     \
        volatile uint##bits##_t *, uint##bits##_t, uint##bits##_t, int, int);                      \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                     \
        volatile uint##bits##_t *at, uint##bits##_t expected, uint##bits##_t wanted, int order,    \
        int failure)                                                                               \
    {                                                                                              \
        __tsan_atomic##bits##_compare_exchange_strong(at, &expected, wanted, order, failure);      \
        return expected;                                                                           \
    }
ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* ---- lines of the source --------------------------------------------------------------------- */

static int find_bias(struct dl_phdr_info *information, size_t size, void *bias)
{
    (void)size;
    *(uintptr_t *)bias = information->dlpi_addr;
    return 1; /* the first entry is the program; 1 stops */
}

/* 0 if not known. `place` is a return address, so the call is just before it. */
static int source_line(uintptr_t place)
{
    char program[1024], command[1200], answer[1024];
    uintptr_t bias = 0;
    int line = 0;
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);

    if (length < 0)
        return 0;
    program[length] = '\0';
    dl_iterate_phdr(find_bias, &bias);
    snprintf(command, sizeof command, "addr2line -e '%s' %#lx 2>/dev/null", program,
             (unsigned long)(place - 1 - bias));
    FILE *const pipe = popen(command, "r");
    if (pipe == NULL)
        return 0;
    if (fgets(answer, sizeof answer, pipe) != NULL && strrchr(answer, ':') != NULL)
        line = atoi(strrchr(answer, ':') + 1);
    pclose(pipe);
    return line;
}

static struct grade_line *record_line(int number)
{
    for (size_t i = 0; i < kept->line_count; i++)
        if (kept->lines[i].line == number)
            return &kept->lines[i];
    if (kept->line_count == GRADE_MOST_LINES)
        return &kept->lines[0];
    kept->lines[kept->line_count].line = number;
    return &kept->lines[kept->line_count++];
}

/* ---- after the join -------------------------------------------------------------------------- */

static bool is_one(uint64_t set)
{
    return (set & (set - 1)) == 0;
}

static void tell_race(const struct word *word)
{
    snprintf(
        kept->findings, sizeof kept->findings,
        "data race at task.c:%d: a thread writes a variable there that other threads read or "
        "write in the same run,\nand nothing orders them: updates can be lost. Let each thread "
        "have its own, or use an atomic.",
        source_line(word->write_place));
}

static void evaluate(void)
{
    for (size_t slot = 0; slot < SLOTS; slot++) {
        const struct cache_line *const line = &table[slot];
        if (line->number == 0)
            continue;
        for (int i = 0; i < WORDS && kept->findings[0] == '\0'; i++) {
            const struct word *const word = &line->words[i];
            if (word->plain_writers != 0 &&
                !is_one(word->plain_writers | word->atomics | word->readers))
                tell_race(word);
        }
        if (is_one(line->writers))
            continue;
        for (int i = 0; i < PLACES && line->writes[i].count > 0; i++)
            record_line(source_line(line->writes[i].place))->shared_writes += line->writes[i].count;
    }
}

/* ---- threads --------------------------------------------------------------------------------- */

enum { MOST_THREADS = 64 };

struct start {
    int number;
    void (*work)(int thread, void *data);
    void *data;
};

static void *begin_thread(void *argument)
{
    const struct start *const start = argument;
    this_thread = start->number;
    start->work(start->number, start->data);
    this_thread = -1;
    return NULL;
}

void grade_threads(int threads, void (*work)(int thread, void *data), void *data)
{
    pthread_t handles[MOST_THREADS];
    struct start starts[MOST_THREADS];

    if (threads < 1 || threads > MOST_THREADS) {
        fprintf(stderr, "grader: %d threads: expected 1 to %d\n", threads, MOST_THREADS);
        _exit(3);
    }
    memset(table, 0, SLOTS * sizeof *table);
    memset(reads, 0, sizeof reads);
    threads_started += (uint64_t)threads;
    for (int t = 0; t < threads; t++) {
        starts[t] = (struct start){t, work, data};
        if (pthread_create(&handles[t], NULL, begin_thread, &starts[t]) != 0) {
            fprintf(stderr, "grader: no more threads\n");
            _exit(3);
        }
    }
    for (int t = 0; t < threads; t++)
        pthread_join(handles[t], NULL);
    kept->least_reads = reads[0];
    for (int t = 1; t < threads; t++)
        kept->least_reads = reads[t] < kept->least_reads ? reads[t] : kept->least_reads;
    evaluate();
}

void grade_explore_begin(int page)
{
    (void)page;
}

void grade_explore_end(void)
{
}

void grade_record_begin(void)
{
    table = calloc(SLOTS, sizeof *table);
    kept = calloc(1, sizeof *kept);
    if (table == NULL || kept == NULL) {
        fprintf(stderr, "grader: no memory\n");
        _exit(3);
    }
}

void grade_record_end(struct grade_record *record)
{
    kept->threads = threads_started;
    *record = *kept;
}
/* SPDX-License-Identifier: MIT */
