/* Reports of memory faults, in words that a learner understands. */
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include "machine/fault.h"

#include "base/exit.h"
#include "machine/fibers.h"
#include "machine/reports.h"
#include "machine/shared.h"
#include "memory/heap.h"
#include "memory/memory.h"
#include "observe/observer.h"
#include "program/source.h"

enum { HANDLER_STACK_BYTES = 64 << 10, NULL_PAGES = 64 << 10 };

#define HEAP_HINT                                                                                  \
    "\n  hint: malloc or new in this launch gave NULL: the kernels' heap is full "                 \
    "(cudaLimitMallocHeapSize)."

#define PEER_HINT                                                                                  \
    "  hint: cudaDeviceEnablePeerAccess(), with the kernel's device as the current one, lets it; " \
    "or copy with\n  cudaMemcpyPeer().\n"

static struct sigaction previous_segv, previous_bus;

static void tell_host_fault(const void *address)
{
    char where[512];
    simt_memory_describe(address, where, sizeof where);
    if (simt_memory_is_of_host(address)) {
        fprintf(stderr, "simt: host code touched address %p: %s\n", address, where);
        return;
    }
    fprintf(stderr,
            "simt: host code touched device memory at %p (%s): copy it with cudaMemcpy first\n",
            address, where);
}

static void tell_code(const void *code)
{
    const struct simt_source *source = code ? simt_source_of(simt_place_of(code)) : NULL;
    char text[128];
    if (source && source->line > 0) {
        fprintf(stderr, "  at %s:%d", source->file, source->line);
        fprintf(stderr,
                simt_source_line(source->file, source->line, text, sizeof text) ? ":  %s\n" : "\n",
                text);
    }
}

/* The processor may refuse an access without its address. Then the system reports address 0. The
 * reason is an impossible address, or a vector at an unaligned address. */
enum refusal { NOT_REFUSED, NO_ADDRESS, MISALIGNED_VECTOR };

static enum refusal refusal_of(const siginfo_t *information, const void *context)
{
#ifdef __x86_64__
    enum { OPERAND_SIZE = 0x66, REX = 0x40, TWO_BYTES = 0x0f };
    const ucontext_t *stopped = context;
    if (information->si_code == SI_KERNEL && !information->si_addr) {
        const unsigned char *code = (const void *)stopped->uc_mcontext.gregs[REG_RIP];
        code += *code == OPERAND_SIZE;
        code += (*code & 0xf0) == REX;
        /* movaps, movntps, and arithmetic with a whole vector in memory */
        return code[0] == TWO_BYTES && ((code[1] >= 0x28 && code[1] <= 0x2b) ||
                                        (code[1] >= 0x51 && code[1] <= 0x7f) || code[1] >= 0xd0)
                   ? MISALIGNED_VECTOR
                   : NO_ADDRESS;
    }
#else
    (void)information;
    (void)context;
#endif
    return NOT_REFUSED;
}

static void tell_kernel_fault(const void *address, enum refusal refusal)
{
    char where[512];
    simt_report_place();
    if (refusal != NOT_REFUSED) {
        fputs(refusal == NO_ADDRESS
                  ? ": illegal address, one that no memory can have: not device memory\n"
                  : ": misaligned address: an access of 16 bytes needs a multiple of 16, in local "
                    "variables, too\n",
              stderr);
        return;
    }
    switch (simt_guard_of(address)) {
    case SIMT_STACK_GUARD:
        fprintf(stderr,
                ": stack overflow: local variables and calls need more than the %zu KB of local "
                "memory that a GPU has per thread\n",
                simt_local_bytes() >> 10);
        return;
    case SIMT_SHARED_GUARD:
        fprintf(stderr,
                ": access past the end of dynamic shared memory: the launch asked for %zu bytes\n",
                simt_shared_bytes());
        return;
    case SIMT_NO_GUARD:
        break;
    }
    if (simt_memory_is_device(address) || simt_memory_is_of_host(address)) {
        simt_memory_describe(address, where, sizeof where);
        fprintf(stderr, ": illegal address %p: %s\n", address, where);
    } else if ((uintptr_t)address < NULL_PAGES) {
        fprintf(stderr, ": illegal address %#tx: a null pointer, not device memory%s\n",
                (uintptr_t)address, simt_heap_refused() ? HEAP_HINT : "");
    } else {
        fprintf(stderr, ": illegal address %p: not device memory\n", address);
    }
}

/* The place of the fault: an instruction or, in a library, the call in the program that led to it;
 * and whether it writes. */
static const void *code_of(const void *context, bool *writes)
{
#ifdef __x86_64__
    enum { WRITES = 2, FRAMES = 64 };
    extern const char __executable_start[], _end[];
    const ucontext_t *stopped = context;
    const char *code = (const char *)stopped->uc_mcontext.gregs[REG_RIP];
    void *frames[FRAMES];
    bool is_behind = false;
    *writes = stopped->uc_mcontext.gregs[REG_ERR] & WRITES;
    if (code >= __executable_start && code < _end) {
        return code + 1; /* as if it returned there */
    }
    for (int i = 0, count = backtrace(frames, FRAMES); i < count; i++) {
        const char *frame = frames[i];
        if (is_behind && frame >= __executable_start && frame < _end) {
            return frame;
        }
        is_behind = is_behind || frame == code;
    }
    return code;
#else
    (void)context;
    *writes = false;
    return NULL;
#endif
}

static void on_fault(int number, siginfo_t *information, void *context)
{
    const void *address = information->si_addr, *code = NULL;
    bool writes = false;
    if (number == SIGSEGV && !simt_in_kernel()) {
        code = code_of(context, &writes);
    }
    if (number == SIGSEGV && simt_memory_open_at(address, writes, code)) {
        return;
    }
    if (simt_in_kernel()) {
        const enum refusal refusal = refusal_of(information, context);
        tell_kernel_fault(address, refusal);
        if (simt_observer.tell_last(stderr) && refusal != MISALIGNED_VECTOR) {
            fputs("  hint: a misaligned address: an access of 16 bytes needs a multiple of 16.\n",
                  stderr);
        }
        if (simt_memory_is_foreign(address)) {
            fputs(PEER_HINT, stderr);
        }
        simt_exit();
    }
    if (simt_memory_is_device(address) || simt_memory_is_of_host(address)) {
        tell_host_fault(address);
        tell_code(code);
        _exit(EXIT_FAILURE); /* not through stdio, which may have faulted */
    }
    /* Not our fault: the instruction faults again, with the previous handler. */
    sigaction(number, number == SIGSEGV ? &previous_segv : &previous_bus, NULL);
}

/* A handler for a stack overflow needs its own stack, one per host thread. */
static void give_stack(void)
{
    stack_t stack;
    if (sigaltstack(NULL, &stack) == 0 && stack.ss_flags & SS_DISABLE) {
        stack = (stack_t){.ss_sp = malloc(HANDLER_STACK_BYTES), .ss_size = HANDLER_STACK_BYTES};
        if (stack.ss_sp) {
            sigaltstack(&stack, NULL);
        }
    }
}

void simt_fault_install(void)
{
    static bool installed;
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (!simt_own.has_handler_stack) {
        give_stack();
        simt_own.has_handler_stack = true;
    }
    if (installed) {
        return;
    }
    installed = true;
    action.sa_sigaction = on_fault;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &previous_segv);
    sigaction(SIGBUS, &action, &previous_bus);
    simt_memory_fault_handler = on_fault;
    simt_arithmetic_install();
}
/* SPDX-License-Identifier: MIT */
