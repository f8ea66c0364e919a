#include "machine/context.h"

#include <stdint.h>
#include <string.h>

#ifdef SIMT_UCONTEXT

static void start(unsigned int high, unsigned int low)
{
    /* makecontext passes only ints. */
    struct simt_context *context =
        (struct simt_context *)(uintptr_t)((uint64_t)high << 32 | (uint64_t)low);
    context->entry(context->argument);
}

void simt_context_make(struct simt_context *context, void *stack, size_t size,
                       void (*entry)(void *), void *argument)
{
    uint64_t address = (uint64_t)(uintptr_t)context;
    getcontext(&context->state);
    context->state.uc_stack.ss_sp = stack;
    context->state.uc_stack.ss_size = size;
    context->state.uc_link = NULL;
    context->entry = entry;
    context->argument = argument;
    makecontext(&context->state, (void (*)(void))start, 2, (unsigned int)(address >> 32),
                (unsigned int)address);
}

#else

void simt_trampoline(void); /* switch.S */

#ifdef __x86_64__
enum { ARGUMENT = 2, ENTRY = 3, RESUME = 6, SAVED_WORDS = 9 };
#else
enum { ARGUMENT = 0, ENTRY = 1, RESUME = 11, SAVED_WORDS = 20 };
#endif

void simt_context_make(struct simt_context *context, void *stack, size_t size,
                       void (*entry)(void *), void *argument)
{
    /* Room for the registers that simt_switch saves. The trampoline must find the stack aligned to
     * 16 bytes. */
    uintptr_t top = ((uintptr_t)stack + size) & ~(uintptr_t)15;
    uintptr_t *frame = (uintptr_t *)top - SAVED_WORDS;
    memset(frame, 0, SAVED_WORDS * sizeof *frame);
    frame[ARGUMENT] = (uintptr_t)argument;
    frame[ENTRY] = (uintptr_t)entry;
    frame[RESUME] = (uintptr_t)simt_trampoline;
    context->stack_pointer = frame;
}

#endif
/* SPDX-License-Identifier: MIT */
