/* Memory faults, told in a learner's words. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "machine/fault.h"

#include "base/exit.h"
#include "machine/fibers.h"
#include "machine/reports.h"
#include "machine/shared.h"
#include "memory/heap.h"
#include "memory/memory.h"
#include "observe/observer.h"

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
    char where[128];
    simt_memory_describe(address, where, sizeof where);
    fprintf(stderr,
            "simt: host code touched device memory at %p (%s): copy it with cudaMemcpy first\n",
            address, where);
}

static void tell_kernel_fault(const void *address)
{
    char where[128];
    simt_report_place();
    switch (simt_guard_of(address)) {
    case SIMT_STACK_GUARD:
        fprintf(stderr,
                ": stack overflow: local variables and calls need more than %zu KB a thread\n",
                simt_stack_bytes() >> 10);
        return;
    case SIMT_SHARED_GUARD:
        fprintf(stderr,
                ": access past the end of dynamic shared memory: the launch asked for %zu bytes\n",
                simt_shared_bytes());
        return;
    case SIMT_NO_GUARD:
        break;
    }
    if (simt_memory_is_device(address)) {
        simt_memory_describe(address, where, sizeof where);
        fprintf(stderr, ": illegal address %p: %s\n", address, where);
    } else if ((uintptr_t)address < NULL_PAGES) {
        fprintf(stderr, ": illegal address %#tx: a null pointer, not device memory%s\n",
                (uintptr_t)address, simt_heap_refused() ? HEAP_HINT : "");
    } else {
        fprintf(stderr, ": illegal address %p: not device memory\n", address);
    }
}

static void on_fault(int number, siginfo_t *information, void *context)
{
    const void *address = information->si_addr;
    (void)context;
    if (number == SIGSEGV && simt_memory_open_at(address)) {
        return;
    }
    if (simt_in_kernel()) {
        tell_kernel_fault(address);
        if (simt_observer.tell_last(stderr)) {
            fputs("  hint: a misaligned address: an access of 16 bytes needs a multiple of 16.\n",
                  stderr);
        }
        if (simt_memory_is_foreign(address)) {
            fputs(PEER_HINT, stderr);
        }
        simt_exit();
    }
    if (simt_memory_is_device(address)) {
        tell_host_fault(address);
        _exit(EXIT_FAILURE); /* not through stdio, which may be what faulted */
    }
    /* None of ours: the instruction faults again and gets what it would have got. */
    sigaction(number, number == SIGSEGV ? &previous_segv : &previous_bus, NULL);
}

/* A handler for a stack overflow needs a stack of its own, one for each thread of the host. */
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
