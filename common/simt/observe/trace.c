/* The hooks of instrumented code, and the traces they write.
 *
 * Code compiled with -fsanitize=thread and -fsanitize-coverage=trace-pc calls the functions below
 * before each access to memory and in each basic block. The sanitizer's runtime library is not
 * linked: this is the runtime. While no launch is analysed, a hook is a comparison and a return.
 *
 * Two uses. A launch that is analysed records events (trace.h). In a source with the property
 * SIMT_INTERLEAVED, a block's threads take turns at every access to device memory: the runtime
 * otherwise runs one thread at a time, from one wait to the next, and a race between threads that
 * never wait for each other would lose no update. Taking turns lets every other thread come as far
 * before the access happens, which is what the lanes of a warp do on a GPU: all load, then all
 * store. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/internal.h"
#include "check/causality.h"
#include "check/shadow.h"
#include "observe/trace.h"

enum { DEPTH_SHIFT = 48, PLACE_SHIFT = 16, KIND_SHIFT = 8 };
#define ONE_CALL ((uint64_t)1 << DEPTH_SHIFT)

struct simt_event *simt_trace_events;
struct simt_traces simt_traces;
uint64_t simt_trace_depths[SIMT_MAX_BLOCK_THREADS];
static bool instrumented;

/* ---- places ---- */

extern const char __executable_start[];

uint32_t simt_place_of(const void *return_address)
{
    return (uint32_t)((uintptr_t)return_address - (uintptr_t)__executable_start);
}

static struct simt_site *sites;
static unsigned int site_count, site_capacity;
static uint32_t *slots;         /* open addressing: site numbers, 0 where there is none */
static unsigned int slot_count; /* a power of two */
static unsigned int *touched;
static unsigned int touched_count;

static void *grown(void *memory, size_t bytes)
{
    void *larger = realloc(memory, bytes);
    if (!larger) {
        perror("simt: no memory for the analysis");
        simt_exit_without_memory();
    }
    return larger;
}

static unsigned int slot_of(uint32_t place)
{
    unsigned int slot = (place * 2654435761u >> 8) & (slot_count - 1);
    while (slots[slot] && sites[slots[slot]].place != place) {
        slot = (slot + 1) & (slot_count - 1);
    }
    return slot;
}

static unsigned int add_site(uint32_t place)
{
    if (site_count + 1 > UINT16_MAX) { /* what the checks have for one */
        fputs("simt: the program touches memory at more than 65535 places: SIMT_CHECKS=off runs "
              "it\n",
              stderr);
        simt_exit();
    }
    if (site_count + 1 >= site_capacity) {
        site_capacity = site_capacity ? 2 * site_capacity : 512;
        sites = grown(sites, site_capacity * sizeof *sites);
        touched = grown(touched, site_capacity * sizeof *touched);
        slot_count = 4 * site_capacity;
        slots = grown(slots, slot_count * sizeof *slots);
        memset(slots, 0, slot_count * sizeof *slots);
        for (unsigned int i = 1; i <= site_count; i++) {
            slots[slot_of(sites[i].place)] = i;
        }
    }
    sites[++site_count] = (struct simt_site){.place = place};
    slots[slot_of(place)] = site_count;
    return site_count;
}

unsigned int simt_site_number(uint32_t place)
{
    unsigned int number = slot_count ? slots[slot_of(place)] : 0;
    if (!number) {
        number = add_site(place);
    }
    if (!sites[number].touched) {
        sites[number].touched = true;
        touched[touched_count++] = number;
    }
    return number;
}

struct simt_site *simt_site(unsigned int number)
{
    return &sites[number];
}

struct simt_line_counters *simt_count_at(const void *return_address)
{
    unsigned int number = simt_site_number(simt_place_of(return_address)); /* may move sites */
    return &sites[number].counters;
}

/* What a key starts from, to which a hook adds a return address as it is: what makes a place of it
 * is in here. */
static uint64_t outermost(void)
{
    return ((uint64_t)0xffff << DEPTH_SHIFT) -
           ((uint64_t)(uintptr_t)__executable_start << PLACE_SHIFT);
}

/* ---- whether to analyse ---- */

static bool decided, analysing;

int simt_mark_instrumented(void)
{
    instrumented = true;
    return 0;
}

bool simt_instrumented(void)
{
    return instrumented;
}

void simt_analyse(bool on)
{
    decided = true;
    analysing = on;
}

static bool wanted(void)
{
    if (!decided) {
        const char *checks = getenv("SIMT_CHECKS");
        simt_analyse(getenv("SIMT_COUNTERS") || !checks || strcmp(checks, "off") != 0);
    }
    return analysing;
}

/* ---- launches, blocks, lanes ---- */

void simt_trace_start_launch(const struct simt_launch *launch)
{
    simt_recorder.interleaved = launch->interleaved;
    simt_recorder.lane = -1;
    simt_tracing = launch->instrumented && wanted();
    simt_listening = simt_tracing || simt_recorder.interleaved;
    simt_listing_prepare();
    simt_requests_prepare();
    if (!simt_tracing) {
        simt_check_not_looked();
        return;
    }
    if (!simt_trace_events) {
        simt_trace_events =
            grown(NULL, (size_t)SIMT_WARP_SIZE * TRACE_STRIDE * sizeof *simt_trace_events);
    }
    simt_check_start_launch(launch->function,
                            (size_t)launch->grid.x * launch->grid.y * launch->grid.z);
    simt_plans_start_launch();
    simt_requests_launch(launch);
}

static void clear_sites(void)
{
    for (unsigned int i = 0; i < touched_count; i++) {
        sites[touched[i]].touched = false;
        sites[touched[i]].counters = (struct simt_line_counters){0};
    }
    touched_count = 0;
}

void simt_trace_end_launch(const struct simt_launch *launch)
{
    simt_listing_add(launch, touched, touched_count);
    if (simt_tracing) {
        simt_check_end_launch();
    }
    clear_sites();
    simt_tracing = simt_listening = simt_recorder.interleaved = false;
    simt_recorder.lane = -1;
    simt_recorder.next = simt_recorder.end = NULL;
    simt_recorder.depth = outermost();
}

void simt_trace_start_block(size_t number, unsigned int threads)
{
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        simt_traces.begin[i] = simt_traces.end[i] = simt_trace_buffer(i);
        simt_traces.full[i] = simt_trace_buffer(i) + TRACE_EVENTS;
    }
    simt_traces.filled = 0;
    simt_traces.stretch_count = 0;
    for (unsigned int i = 0; i < threads; i++) {
        simt_trace_depths[i] = outermost();
    }
    simt_replay_start_block(threads);
    simt_check_start_block(number, threads);
}

void simt_trace_check(void)
{
    unsigned int lane = (unsigned int)simt_recorder.lane;
    if (simt_recorder.lane >= 0 && simt_recorder.next > simt_traces.begin[lane]) {
        simt_traces.end[lane] = simt_recorder.next;
        simt_traces.filled |= (uint32_t)1 << lane;
    }
    simt_replay_check(&simt_traces, simt_recorder.thread / SIMT_WARP_SIZE);
    simt_traces.in_order = true;
    simt_traces.stretch_count = 0;
}

void simt_trace_meet(uint32_t lanes, bool syncs, bool whole)
{
    if (whole) {
        simt_trace_pause();
        simt_trace_drain(0);
    } else if (syncs || simt_now.fine) {
        simt_trace_check();
    } else {
        return; /* a shuffle, and nothing that it could order */
    }
    simt_causality_meet(simt_recorder.thread / SIMT_WARP_SIZE, lanes, syncs, whole);
}

void simt_trace_fence(const void *caller, unsigned int how)
{
    if (!simt_traces.in_order) {
        simt_trace_check();
    }
    simt_trace_event(EVENT_FENCE, caller, 0, how);
}

/* ---- blocks that give way to others ---- */

struct simt_suspended {
    struct simt_order *order;
    struct simt_shared_pages *pages;
    struct simt_replayed *replayed;
    uint64_t depths[];
};

struct simt_suspended *simt_trace_suspend(unsigned int threads)
{
    struct simt_suspended *kept = grown(NULL, sizeof *kept + threads * sizeof *simt_trace_depths);
    memcpy(kept->depths, simt_trace_depths, threads * sizeof *simt_trace_depths);
    kept->order = simt_causality_suspend();
    kept->pages = simt_shadow_suspend();
    kept->replayed = simt_replay_suspend(threads);
    return kept;
}

void simt_trace_resume_block(struct simt_suspended *kept, unsigned int threads)
{
    memcpy(simt_trace_depths, kept->depths, threads * sizeof *simt_trace_depths);
    simt_causality_resume(kept->order);
    simt_shadow_resume(kept->pages);
    simt_replay_resume(kept->replayed, threads);
    free(kept);
}

void simt_trace_forget_suspended(struct simt_suspended *kept)
{
    simt_shadow_resume(kept->pages);
    free(kept->replayed);
    free(kept);
}

/* Only loads, of a word or two: a loop that waits for one to change. */
bool simt_trace_polls(unsigned int lane)
{
    uint64_t words[2] = {0, 0};
    unsigned int count = 0;
    for (const struct simt_event *event = simt_traces.begin[lane]; event < simt_traces.end[lane];
         event++) {
        if (event_kind(event) == EVENT_BLOCK || event_kind(event) == EVENT_FENCE) {
            continue;
        }
        if (event_kind(event) != EVENT_LOAD) {
            return false;
        }
        if ((count < 1 || event->address != words[0]) &&
            (count < 2 || event->address != words[1])) {
            if (count == 2) {
                return false;
            }
            words[count++] = event->address;
        }
    }
    return count > 0;
}

void simt_trace_drain(unsigned int cut)
{
    simt_replay(&simt_traces, simt_recorder.thread / SIMT_WARP_SIZE, cut);
    simt_traces.stretch_count = 0;
    if (!simt_traces.filled) {
        memcpy(simt_traces.end, simt_traces.begin, sizeof simt_traces.end);
        return;
    }
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        struct simt_event *start = simt_trace_buffer(i);
        if (simt_traces.filled >> i & 1) {
            size_t left = (size_t)(simt_traces.end[i] - simt_traces.begin[i]);
            memmove(start, simt_traces.begin[i], left * sizeof *start);
            simt_traces.end[i] = start + left;
        } else {
            simt_traces.end[i] = start;
        }
        simt_traces.begin[i] = start;
    }
}

unsigned int simt_trace_with_room(unsigned int lanes)
{
    unsigned int with_room = 0;
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        if (lanes >> i & 1 && simt_traces.end[i] - simt_traces.begin[i] < TRACE_EVENTS) {
            with_room |= 1u << i;
        }
    }
    return with_room;
}

const struct simt_event *simt_trace_last(void)
{
    return simt_recorder.lane >= 0 && simt_recorder.next > simt_traces.begin[simt_recorder.lane]
               ? simt_recorder.next - 1
               : NULL;
}

void simt_trace_forget_block(void)
{
    const struct simt_event *last = simt_tracing ? simt_trace_last() : NULL;
    if (last && event_kind(last) == EVENT_BLOCK) {
        simt_recorder.next--;
    }
}

/* ---- recording ---- */

static bool is_access(uint64_t key)
{
    return (key >> KIND_SHIFT & 0xff) != EVENT_BLOCK;
}

/* No room, no lane, or an interleaved launch. */
__attribute__((noinline)) static void record_slowly(uint64_t key, const void *address)
{
    if (simt_tracing && simt_recorder.lane >= 0) {
        unsigned int lane = (unsigned int)simt_recorder.lane;
        if (simt_recorder.next - simt_trace_buffer(lane) >= TRACE_EVENTS) {
            simt_wait_for_replay();
        }
        *simt_recorder.next++ = (struct simt_event){key, (uintptr_t)address};
        simt_recorder.end = simt_recorder.interleaved ? simt_recorder.next : simt_recorder.end;
    }
    if (simt_recorder.interleaved && is_access(key)) {
        simt_access_point(address);
    }
}

/* A program is smaller than 4 GB. */
static inline __attribute__((always_inline)) uint64_t
key_of(const void *caller, enum simt_event_kind kind, unsigned int size)
{
    return simt_recorder.depth + ((uint64_t)(uintptr_t)caller << PLACE_SHIFT) +
           ((uint64_t)kind << KIND_SHIFT | size);
}

static inline __attribute__((always_inline)) void
record(const void *caller, enum simt_event_kind kind, unsigned int size, const void *address)
{
    struct simt_event *event = simt_recorder.next;
    if (__builtin_expect(event == simt_recorder.end, 0)) {
        record_slowly(key_of(caller, kind, size), address);
        return;
    }
    event->key = key_of(caller, kind, size);
    if (kind != EVENT_BLOCK) {
        event->address = (uintptr_t)address;
    }
    simt_recorder.next = event + 1;
}

void simt_trace_event(enum simt_event_kind kind, const void *caller, uint64_t address,
                      unsigned int size)
{
    record(caller, kind, size, (const void *)(uintptr_t)address);
}

void simt_read_only(const void *address, unsigned int size)
{
    if (simt_tracing) {
        record(__builtin_return_address(0), EVENT_READ_ONLY, size, address);
    }
}

/* ---- what the compiler calls; no header declares these ---- */

#define CALLER __builtin_return_address(0)
#define ACCESS(name, kind, size)                                                                   \
    void name(const void *address);                                                                \
    void name(const void *address)                                                                 \
    {                                                                                              \
        record(CALLER, kind, size, address);                                                       \
    }
#define ACCESSES(size)                                                                             \
    ACCESS(__tsan_read##size, EVENT_LOAD, size)                                                    \
    ACCESS(__tsan_write##size, EVENT_STORE, size)                                                  \
    ACCESS(__tsan_unaligned_read##size, EVENT_LOAD, size)                                          \
    ACCESS(__tsan_unaligned_write##size, EVENT_STORE, size)

#define VOLATILE_LOAD(name, size)                                                                  \
    void name(const void *address);                                                                \
    void name(const void *address)                                                                 \
    {                                                                                              \
        simt_volatile_read(address, size, CALLER);                                                 \
        record(CALLER, EVENT_LOAD, EVENT_VOLATILE | size, address);                                \
    }
#define VOLATILE_STORE(name, size)                                                                 \
    void name(const void *address);                                                                \
    void name(const void *address)                                                                 \
    {                                                                                              \
        simt_volatile_write();                                                                     \
        record(CALLER, EVENT_STORE, EVENT_VOLATILE | size, address);                               \
    }
#define VOLATILE_ACCESSES(size)                                                                    \
    VOLATILE_LOAD(__tsan_volatile_read##size, size)                                                \
    VOLATILE_LOAD(__tsan_unaligned_volatile_read##size, size)                                      \
    VOLATILE_STORE(__tsan_volatile_write##size, size)                                              \
    VOLATILE_STORE(__tsan_unaligned_volatile_write##size, size)

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
VOLATILE_ACCESSES(1)
VOLATILE_ACCESSES(2)
VOLATILE_ACCESSES(4)
VOLATILE_ACCESSES(8)
VOLATILE_ACCESSES(16)

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    record(CALLER, EVENT_BLOCK, 0, NULL);
}

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(const void *caller);
void __tsan_func_entry(const void *caller)
{
    (void)caller;
    simt_recorder.depth -= ONE_CALL;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
    simt_recorder.depth += ONE_CALL;
}

/* A copy of many bytes, in pieces as large as the hardware's. */
static void record_range(const void *caller, enum simt_event_kind kind, const char *address,
                         size_t size)
{
    while (size > 0 && simt_recorder.lane >= 0) {
        unsigned int piece = 16;
        while (piece > size || (uintptr_t)address % piece != 0) {
            piece /= 2;
        }
        record(caller, kind, piece, address);
        address += piece;
        size -= piece;
    }
}

void __tsan_read_range(const void *address, size_t size);
void __tsan_read_range(const void *address, size_t size)
{
    record_range(CALLER, EVENT_LOAD, address, size);
}

void __tsan_write_range(const void *address, size_t size);
void __tsan_write_range(const void *address, size_t size)
{
    record_range(CALLER, EVENT_STORE, address, size);
}

void *simt_traced_memcpy(void *to, const void *from, size_t size);
void *simt_traced_memcpy(void *to, const void *from, size_t size)
{
    record_range(CALLER, EVENT_LOAD, from, size);
    record_range(CALLER, EVENT_STORE, to, size);
    return memcpy(to, from, size);
}

void *simt_traced_memmove(void *to, const void *from, size_t size);
void *simt_traced_memmove(void *to, const void *from, size_t size)
{
    record_range(CALLER, EVENT_LOAD, from, size);
    record_range(CALLER, EVENT_STORE, to, size);
    return memmove(to, from, size);
}

void *simt_traced_memset(void *to, int byte, size_t size);
void *simt_traced_memset(void *to, int byte, size_t size)
{
    record_range(CALLER, EVENT_STORE, to, size);
    return memset(to, byte, size);
}

void __tsan_vptr_update(void **pointer, void *value);
void __tsan_vptr_update(void **pointer, void *value)
{
    (void)value;
    record(CALLER, EVENT_STORE, sizeof *pointer, pointer);
}

void __tsan_vptr_read(void **pointer);
void __tsan_vptr_read(void **pointer)
{
    record(CALLER, EVENT_LOAD, sizeof *pointer, pointer);
}

/* Atomics of C++ in host code, such as a shared_ptr's: carried out, not recorded. The strongest
 * order serves for all. */
#define ATOMIC_STEP(bits, name)                                                                    \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *, uint##bits##_t, int);   \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *address,                  \
                                                uint##bits##_t value, int order)                   \
    {                                                                                              \
        (void)order;                                                                               \
        return __atomic_##name(address, value, __ATOMIC_SEQ_CST);                                  \
    }
#define ATOMIC_COMPARE(bits, name)                                                                 \
    int __tsan_atomic##bits##_##name(volatile uint##bits##_t *, uint##bits##_t *, uint##bits##_t,  \
                                     int, int);                                                    \
    int __tsan_atomic##bits##_##name(volatile uint##bits##_t *address, uint##bits##_t *expected,   \
                                     uint##bits##_t value, int order, int failed_order)            \
    {                                                                                              \
        (void)order;                                                                               \
        (void)failed_order;                                                                        \
        return __atomic_compare_exchange_n(address, expected, value, 0, __ATOMIC_SEQ_CST,          \
                                           __ATOMIC_SEQ_CST);                                      \
    }
#define ATOMICS(bits)                                                                              \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *, int);               \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *address, int order)   \
    {                                                                                              \
        (void)order;                                                                               \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                         \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *, uint##bits##_t, int);              \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *address, uint##bits##_t value,       \
                                     int order)                                                    \
    {                                                                                              \
        (void)order;                                                                               \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                        \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *, uint##bits##_t, int); \
    uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *address,                \
                                                  uint##bits##_t value, int order)                 \
    {                                                                                              \
        (void)order;                                                                               \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                              \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                     \
        volatile uint##bits##_t *, uint##bits##_t, uint##bits##_t, int, int);                      \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                     \
        volatile uint##bits##_t *address, uint##bits##_t expected, uint##bits##_t value,           \
        int order, int failed_order)                                                               \
    {                                                                                              \
        (void)order;                                                                               \
        (void)failed_order;                                                                        \
        __atomic_compare_exchange_n(address, &expected, value, 0, __ATOMIC_SEQ_CST,                \
                                    __ATOMIC_SEQ_CST);                                             \
        return expected;                                                                           \
    }                                                                                              \
    ATOMIC_STEP(bits, fetch_add)                                                                   \
    ATOMIC_STEP(bits, fetch_sub)                                                                   \
    ATOMIC_STEP(bits, fetch_and)                                                                   \
    ATOMIC_STEP(bits, fetch_or)                                                                    \
    ATOMIC_STEP(bits, fetch_xor)                                                                   \
    ATOMIC_STEP(bits, fetch_nand)                                                                  \
    ATOMIC_COMPARE(bits, compare_exchange_strong)                                                  \
    ATOMIC_COMPARE(bits, compare_exchange_weak)

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

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
