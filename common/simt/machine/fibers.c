/* Stacks, and switching between them. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/exit.h"
#include "base/need.h"
#include "cuda/simt.h"
#include "machine/fibers.h"

#ifdef SIMT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

enum {
    /* As much local memory as a GPU gives a thread, plus room for calls of the runtime. */
    LOCAL_BYTES = 512 << 10,
    STACK_BYTES = LOCAL_BYTES + (32 << 10),
    STACK_GUARD_BYTES = 68 << 10, /* wide, because a large frame must not step over it */
    STACK_STRIDE = STACK_BYTES + STACK_GUARD_BYTES
};

static struct simt_fiber fibers[SIMT_MAX_BLOCK_THREADS];
static struct simt_fiber_rest rests[SIMT_MAX_BLOCK_THREADS], host_rest;
static struct simt_fiber *free_fibers;
static size_t fibers_made;
static char *stacks;
struct simt_fiber simt_host_fiber = {.rest = &host_rest};

static void fatal(const char *what)
{
    perror(what);
    simt_exit_without_memory();
}

void *simt_reserve(size_t size)
{
    void *memory = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        fatal("simt: cannot reserve memory for kernels");
    }
    return memory;
}

void simt_allow(void *memory, size_t size)
{
    if (mprotect(memory, size, PROT_READ | PROT_WRITE) != 0) {
        fatal("simt: cannot get memory for kernels");
    }
}

void simt_fibers_prepare(void)
{
    if (!stacks) {
        stacks = simt_reserve((size_t)STACK_STRIDE * SIMT_MAX_BLOCK_THREADS);
    }
}

size_t simt_local_bytes(void)
{
    return LOCAL_BYTES;
}

/* Stacks of cooperative launches, which keep several blocks: one mapping per block. */
static char **extra_stacks;
static size_t extra_count;

static const size_t EXTRA_BYTES = (size_t)STACK_BYTES * SIMT_MAX_BLOCK_THREADS;

static bool is_in_first_stacks(uint64_t address)
{
    return stacks && address - (uintptr_t)stacks < STACK_STRIDE * SIMT_MAX_BLOCK_THREADS;
}

bool simt_is_in_stacks(uint64_t address, struct simt_range *range)
{
    *range = (struct simt_range){(uintptr_t)stacks, STACK_STRIDE * SIMT_MAX_BLOCK_THREADS,
                                 SPACE_LOCAL, false};
    for (size_t i = 0; i < extra_count && address - range->base >= range->size; i++) {
        *range = (struct simt_range){(uintptr_t)extra_stacks[i], EXTRA_BYTES, SPACE_LOCAL, false};
    }
    return address - range->base < range->size;
}

bool simt_is_stack_guard(uint64_t address)
{
    return is_in_first_stacks(address) &&
           (address - (uintptr_t)stacks) % STACK_STRIDE < STACK_GUARD_BYTES;
}

/* ---- switching ---- */

#ifdef SIMT_ASAN
static struct simt_fiber *switched_from;

static void arrived(struct simt_fiber *fiber)
{
    __sanitizer_finish_switch_fiber(fiber->rest->fake_stack, &switched_from->rest->stack,
                                    &switched_from->rest->stack_bytes);
}

void simt_switch_fiber(struct simt_fiber *from, struct simt_fiber *to)
{
    switched_from = from;
    __sanitizer_start_switch_fiber(&from->rest->fake_stack, to->rest->stack, to->rest->stack_bytes);
    simt_context_switch(&from->context, &to->context);
    arrived(from);
}
#else
static void arrived(struct simt_fiber *fiber)
{
    (void)fiber;
}
#endif

static void fiber_main(void *argument)
{
    arrived(argument);
    simt_fiber_main(argument);
}

static struct simt_fiber *begin(struct simt_fiber *fiber, struct simt_fiber_rest *rest, void *stack)
{
    const size_t colour = fibers_made++ * 192 & 4095; /* or all share their cache sets */
    *rest = (struct simt_fiber_rest){.stack = stack, .stack_bytes = STACK_BYTES - colour};
    fiber->rest = rest;
    simt_context_make(&fiber->context, stack, rest->stack_bytes, fiber_main, fiber);
    return fiber;
}

/* These stacks have no guards: the system does not allow that many mappings. */
static struct simt_fiber *extra_fiber(void)
{
    static char *stack, *end;
    struct simt_fiber *fiber =
        simt_needed(calloc(1, sizeof *fiber + sizeof *fiber->rest), "kernels");
    if (stack == end) {
        extra_stacks =
            simt_needed(realloc(extra_stacks, (extra_count + 1) * sizeof *extra_stacks), "kernels");
        stack = simt_reserve(EXTRA_BYTES);
        end = stack + EXTRA_BYTES;
        simt_allow(stack, EXTRA_BYTES);
        extra_stacks[extra_count++] = stack;
    }
    stack += STACK_BYTES;
    return begin(fiber, (struct simt_fiber_rest *)(fiber + 1), stack - STACK_BYTES);
}

struct simt_fiber *simt_take_fiber(void)
{
    struct simt_fiber *fiber = free_fibers;
    char *stack = stacks + fibers_made * STACK_STRIDE + STACK_GUARD_BYTES;
    if (fiber) {
        free_fibers = fiber->rest->next_free;
        return fiber;
    }
    if (fibers_made >= SIMT_MAX_BLOCK_THREADS) {
        return extra_fiber();
    }
    simt_allow(stack, STACK_BYTES);
    return begin(&fibers[fibers_made], &rests[fibers_made], stack);
}

void simt_give_fiber(struct simt_fiber *fiber)
{
    fiber->rest->next_free = free_fibers;
    free_fibers = fiber;
}

void simt_take_back_fiber(struct simt_fiber *fiber)
{
#ifdef SIMT_ASAN
    __asan_unpoison_memory_region(fiber->rest->stack, fiber->rest->stack_bytes);
    fiber->rest->fake_stack = NULL;
#endif
    simt_context_make(&fiber->context, (void *)(uintptr_t)fiber->rest->stack,
                      fiber->rest->stack_bytes, fiber_main, fiber);
    simt_give_fiber(fiber);
}
/* SPDX-License-Identifier: MIT */
