/* Threads that take turns at every access to device memory.
 *
 * The CPU back end runs one thread at a time, from one wait to the next, so a race between two threads
 * that never wait for each other cannot be seen: no update is lost. Code compiled with
 * -fsanitize=thread calls the functions below before each access to memory (its runtime library is not
 * linked: this is the runtime). They let every other thread of the block come as far before the access
 * happens, which is what the lanes of a warp do on a GPU: all load, then all store. */
#include "internal.h"

static void take_turns(const void *address)
{
    if (simt_in_kernel() && simt_memory_is_device(address)) {
        simt_yield("a memory access", 0);
        simt_poll_succeeded(); /* an access is progress, not waiting */
    }
}

/* The compiler calls these by name; no header declares them. */
#define ACCESS(name)                                                                               \
    void name(const void *address);                                                                \
    void name(const void *address)                                                                 \
    {                                                                                              \
        take_turns(address);                                                                       \
    }
#define ACCESSES(size)                                                                             \
    ACCESS(__tsan_read##size)                                                                      \
    ACCESS(__tsan_write##size)                                                                     \
    ACCESS(__tsan_unaligned_read##size)                                                            \
    ACCESS(__tsan_unaligned_write##size)                                                           \
    ACCESS(__tsan_volatile_read##size)                                                             \
    ACCESS(__tsan_volatile_write##size)                                                            \
    ACCESS(__tsan_unaligned_volatile_read##size)                                                   \
    ACCESS(__tsan_unaligned_volatile_write##size)

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

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

void __tsan_read_range(const void *address, size_t size);
void __tsan_read_range(const void *address, size_t size)
{
    (void)size;
    take_turns(address);
}

void __tsan_write_range(const void *address, size_t size);
void __tsan_write_range(const void *address, size_t size)
{
    (void)size;
    take_turns(address);
}
