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

/* What a switch needs, of several fibers in one cache line; and the rest. */
struct simt_fiber {
    struct simt_context context;
    struct simt_fiber_rest *rest;
};
struct simt_fiber_rest {
    struct simt_fiber *next_free;
    const void *stack;
    size_t stack_bytes;
    void *fake_stack; /* for the address sanitizer */
    void *end[5];     /* of the thread that runs: for __builtin_longjmp */
};

/* A fiber runs this from its start on; it must not return. */
void simt_fiber_main(struct simt_fiber *self);
struct simt_fiber *simt_take_fiber(void);
void simt_give_fiber(struct simt_fiber *fiber);
/* It stopped somewhere in a kernel: it begins anew. */
void simt_take_back_fiber(struct simt_fiber *fiber);
#ifdef SIMT_ASAN
void simt_switch_fiber(struct simt_fiber *from, struct simt_fiber *to);
#else
static inline void simt_switch_fiber(struct simt_fiber *from, struct simt_fiber *to)
{
    simt_context_switch(&from->context, &to->context);
}
#endif
/* The host's. */
extern struct simt_fiber simt_host_fiber;
void simt_fibers_prepare(void);
/* The stacks that have guards; and whether an address lies in such a guard. */
bool simt_is_in_stacks(uint64_t address, struct simt_range *range);
bool simt_is_stack_guard(uint64_t address);
/* Memory for kernels, reserved; and a part of it that may be used. They end the program if there is
 * none. */
void *simt_reserve(size_t size);
void simt_allow(void *memory, size_t size);
/* Of one thread. */
size_t simt_local_bytes(void);

#endif
/* SPDX-License-Identifier: MIT */
