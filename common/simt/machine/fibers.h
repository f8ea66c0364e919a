/* Stacks, and switching between them. */
#ifndef SIMT_FIBERS_H
#define SIMT_FIBERS_H

#include "base/space.h"
#include "machine/context.h"

#if defined(__SANITIZE_ADDRESS__)
#define SIMT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMT_ASAN 1
#endif
#endif

/* The data for a switch, with several fibers per cache line; and the rest. */
struct simt_fiber {
    struct simt_context context;
    struct simt_fiber_rest *rest;
};
struct simt_fiber_rest {
    struct simt_fiber *next_free;
    const void *stack;
    size_t stack_bytes;
    void *fake_stack; /* for AddressSanitizer */
    void *end[5];     /* of the running thread: for __builtin_longjmp */
};

/* A new fiber runs this; it must not return. */
void simt_fiber_main(struct simt_fiber *self);
struct simt_fiber *simt_take_fiber(void);
void simt_give_fiber(struct simt_fiber *fiber);
/* The fiber stopped inside a kernel: it starts again from the beginning. */
void simt_take_back_fiber(struct simt_fiber *fiber);
#ifdef SIMT_ASAN
void simt_switch_fiber(struct simt_fiber *from, struct simt_fiber *to);
#else
static inline void simt_switch_fiber(struct simt_fiber *from, struct simt_fiber *to)
{
    simt_context_switch(&from->context, &to->context);
}
#endif
/* The fiber of the host. */
extern struct simt_fiber simt_host_fiber;
void simt_fibers_prepare(void);
/* The stacks that have guards; and whether an address is in such a guard. */
bool simt_is_in_stacks(uint64_t address, struct simt_range *range);
bool simt_is_stack_guard(uint64_t address);
/* Reserves memory for kernels; makes part of it usable. On failure, they end the program. */
void *simt_reserve(size_t size);
void simt_allow(void *memory, size_t size);
/* The size of a thread's local memory. */
size_t simt_local_bytes(void);

#endif
/* SPDX-License-Identifier: MIT */
