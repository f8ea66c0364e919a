/* The hooks of instrumented code.
 *
 * Code compiled with -fsanitize=thread and -fsanitize-coverage=trace-pc calls the functions below
 * before each access to memory and in each basic block. The sanitizer's runtime library is not
 * linked: these functions replace it. While no launch is analysed, a hook is a comparison and a
 * return.
 *
 * Hooks have two uses. In an analysed launch they record events (observe/recorder.h). In a source
 * with the property SIMT_INTERLEAVED, a block's threads take turns at every access to device
 * memory. Otherwise the runtime runs one thread at a time, from one wait to the next, and a race
 * between threads that never wait would lose no update. With turns, all other threads reach the
 * access before it happens, like the lanes of a warp on a GPU: all load, then all store. */
#include "machine/hooks.h"

#include <string.h>

#include "machine/machine.h"
#include "observe/observer.h"
#include "program/symbols.h"

#define ONE_CALL ((uint64_t)1 << EVENT_DEPTH_SHIFT)

/* ---- recording ---- */

static bool is_access(uint64_t key)
{
    return (key >> EVENT_KIND_SHIFT & 0xff) != EVENT_BLOCK;
}

/* Called if the buffer is full, no lane runs, or the launch is interleaved. */
__attribute__((noinline)) static void record_slowly(uint64_t key, const void *address)
{
    if (simt_tracing && simt_recorder.lane >= 0) {
        unsigned int lane = (unsigned int)simt_recorder.lane;
        if (simt_recorder.next - simt_trace_buffer(lane) >= TRACE_EVENTS) {
            simt_wait_for_replay();
        }
        simt_trace_stored(simt_recorder.next)->order = 0;
        *simt_recorder.next++ = (struct simt_event){key, (uintptr_t)address};
        if (simt_recorder.interleaved || simt_watched) {
            simt_recorder.end = simt_recorder.next;
        }
        if (simt_watched) {
            simt_watcher.event(simt_recorder.next - 1);
        }
    }
    if (simt_recorder.interleaved && is_access(key)) {
        simt_access_point(address);
    }
}

/* A program is smaller than 4 GB. */
static inline __attribute__((always_inline)) uint64_t
key_of(const void *caller, enum simt_event_kind kind, unsigned int size)
{
    return simt_recorder.depth + ((uint64_t)(uintptr_t)caller << EVENT_PLACE_SHIFT) +
           ((uint64_t)kind << EVENT_KIND_SHIFT | size);
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
    if (kind == EVENT_STORE) {
        simt_trace_stored(event)->order = 0;
    }
    if (kind != EVENT_BLOCK) {
        event->address = (uintptr_t)address;
    }
    simt_recorder.next = event + 1;
}

static inline __attribute__((always_inline)) void record_load(const void *caller, unsigned int size,
                                                              const void *address)
{
    record(caller, EVENT_LOAD, size, address);
}

static inline __attribute__((always_inline)) void
record_store(const void *caller, unsigned int size, const void *address)
{
    record(caller, EVENT_STORE, size, address);
    if (simt_tracing && simt_recorder.lane >= 0 && !simt_recorder.interleaved) {
        simt_trace_before_store();
    }
}

void simt_trace_event(enum simt_event_kind kind, const void *caller, uint64_t address,
                      unsigned int size)
{
    if (simt_recorder.stored) {
        simt_trace_after_store(); /* before an atomic changes the place again */
    }
    record(caller, kind, size, (const void *)(uintptr_t)address);
}

void simt_read_only(const void *address, unsigned int size)
{
    if (simt_tracing) {
        record(__builtin_return_address(0), EVENT_READ_ONLY, size, address);
    }
}

void simt_trace_fence(const void *caller, unsigned int how)
{
    if (!simt_traces.in_order) {
        simt_trace_check();
    }
    simt_trace_event(EVENT_FENCE, caller, 0, how);
}

/* Accesses of unknown alignment are split into pieces of the hardware's size. */
static void record_range(const void *caller, enum simt_event_kind kind, const char *address,
                         size_t size)
{
    if (kind == EVENT_STORE && (size == 4 || size == 8) && (uintptr_t)address % size == 0) {
        record_store(caller, (unsigned int)size, address); /* its value may also be known */
        return;
    }
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

/* ---- hooks that the compiler calls; no header declares these ---- */

#define CALLER __builtin_return_address(0)
#define LOAD(name, size)                                                                           \
    void name(const void *address);                                                                \
    void name(const void *address)                                                                 \
    {                                                                                              \
        record_load(CALLER, size, address);                                                        \
    }
#define STORE(name, size)                                                                          \
    void name(const void *address);                                                                \
    void name(const void *address)                                                                 \
    {                                                                                              \
        record_store(CALLER, size, address);                                                       \
    }

/* GCC also calls these for types aligned to 8 bytes, such as a structure of two doubles. A GPU
 * moves those in two halves, so a program without 16-byte vectors means that. */
static bool vectors_are_named;

int simt_names_vectors(void)
{
    vectors_are_named = true;
    return 0;
}

#define ACCESS_16(name, kind, record_whole)                                                        \
    void name(const void *address);                                                                \
    void name(const void *address)                                                                 \
    {                                                                                              \
        if (__builtin_expect((uintptr_t)address % 16 == 8, 0) && !vectors_are_named) {             \
            record(CALLER, kind, 8, address);                                                      \
            record(CALLER, kind, 8, (const char *)address + 8);                                    \
        } else {                                                                                   \
            record_whole(CALLER, 16, address);                                                     \
        }                                                                                          \
    }
/* Clang calls these for a type whose alignment is less than its size: an argument of three ints is
 * in registers of 8 and 4 bytes. */
#define RANGE(name, kind, size)                                                                    \
    void name(const void *address);                                                                \
    void name(const void *address)                                                                 \
    {                                                                                              \
        record_range(CALLER, kind, address, size);                                                 \
    }
#define UNALIGNED(size)                                                                            \
    RANGE(__tsan_unaligned_read##size, EVENT_LOAD, size)                                           \
    RANGE(__tsan_unaligned_write##size, EVENT_STORE, size)
#define ACCESSES(size)                                                                             \
    LOAD(__tsan_read##size, size)                                                                  \
    STORE(__tsan_write##size, size)                                                                \
    UNALIGNED(size)

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
        simt_volatile_write(CALLER);                                                               \
        record_store(CALLER, EVENT_VOLATILE | size, address);                                      \
    }
#define VOLATILE_ACCESSES(size)                                                                    \
    VOLATILE_LOAD(__tsan_volatile_read##size, size)                                                \
    VOLATILE_LOAD(__tsan_unaligned_volatile_read##size, size)                                      \
    VOLATILE_STORE(__tsan_volatile_write##size, size)                                              \
    VOLATILE_STORE(__tsan_unaligned_volatile_write##size, size)

/* The checks decide whether the value is the address of a function. */
static inline void look_at_pointer(const void *address, const void *caller)
{
    uint64_t value;
    if (simt_tracing && simt_recorder.lane >= 0) {
        memcpy(&value, address, sizeof value);
        if (__builtin_expect(simt_is_of_program(value), 0)) {
            simt_observer.pointer_read(address, value, caller);
        }
    }
}

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
STORE(__tsan_write8, 8)
UNALIGNED(8)

void __tsan_read8(const void *address);
void __tsan_read8(const void *address)
{
    record_load(CALLER, 8, address);
    look_at_pointer(address, CALLER);
}

ACCESS_16(__tsan_read16, EVENT_LOAD, record_load)
ACCESS_16(__tsan_write16, EVENT_STORE, record_store)
UNALIGNED(16)
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

/* The same for GCC, which then copies by itself (cuda_runtime.h). A thread's own memory has hooks
 * only if other threads might know of it. */
#define TELL(name, kind, type)                                                                     \
    type name(type address, size_t size);                                                          \
    type name(type address, size_t size)                                                           \
    {                                                                                              \
        if (simt_tracing && simt_recorder.lane >= 0 && !simt_is_local(address)) {                  \
            record_range(CALLER, kind, address, size);                                             \
        }                                                                                          \
        return address;                                                                            \
    }
TELL(simt_copies_from, EVENT_LOAD, const void *)
TELL(simt_copies_to, EVENT_STORE, void *)

void __tsan_vptr_update(void **pointer, void *value);
void __tsan_vptr_update(void **pointer, void *value)
{
    record(CALLER, EVENT_STORE, sizeof *pointer, pointer);
    if (simt_tracing) {
        simt_observer.pointers_stored(&value, sizeof value);
    }
}

void __tsan_vptr_read(void **pointer);
void __tsan_vptr_read(void **pointer)
{
    __tsan_read8(pointer);
}
/* SPDX-License-Identifier: MIT */
