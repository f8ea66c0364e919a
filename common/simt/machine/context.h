/* Switching between stacks. */
#ifndef SIMT_CONTEXT_H
#define SIMT_CONTEXT_H

#include <stddef.h>

#if !defined(SIMT_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#define SIMT_UCONTEXT
#endif

#ifdef SIMT_UCONTEXT
#include <ucontext.h>
struct simt_context {
    ucontext_t state;
    void (*entry)(void *);
    void *argument;
};
#else
struct simt_context {
    void *stack_pointer;
};
void simt_switch(void **save, void *stack_pointer); /* switch.S */
#endif

/* Prepares a context that calls entry(argument), which must not return, on its own stack. */
void simt_context_make(struct simt_context *context, void *stack, size_t size,
                       void (*entry)(void *), void *argument);

/* Saves the running context and continues another one. */
static inline void simt_context_switch(struct simt_context *from, struct simt_context *to)
{
#ifdef SIMT_UCONTEXT
    swapcontext(&from->state, &to->state);
#else
    simt_switch(&from->stack_pointer, to->stack_pointer);
#endif
}

#endif
/* SPDX-License-Identifier: MIT */
