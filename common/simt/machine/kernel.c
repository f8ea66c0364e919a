/* Built-in values and functions of kernels: indices, the time, a fence, an end. */
#include <stdio.h>
#include <string.h>

#include "base/exit.h"
#include "machine/hooks.h"
#include "machine/machine.h"
#include "machine/reports.h"

void simt_fence_as(unsigned int ordering)
{
    if (simt_tracing && (ordering != SIMT_OF_LAUNCHES || simt_grid.launch->early)) {
        simt_trace_fence(__builtin_return_address(0), ordering);
    }
}

void simt_launch_bounds(unsigned int most_threads)
{
    char reason[128];
    if (simt_grid.threads > most_threads) {
        snprintf(reason, sizeof reason, "%u threads in a block, __launch_bounds__ says %u at most",
                 simt_grid.threads, most_threads);
        simt_abandon_launch(cudaErrorInvalidValue, reason);
    }
}

/* Host code called a kernel through a pointer (simt_rewrite refuses direct calls). */
__attribute__((noreturn, noinline, cold)) static void refuse_host(void)
{
    fprintf(stderr,
            "simt: the host calls a kernel like a function, or a function that only a kernel "
            "can call: launch it, kernel<<<blocks, threads>>>(...)\n");
    simt_exit();
}

static inline void need_kernel(void)
{
    if (__builtin_expect(!simt_in_kernel(), 0)) {
        refuse_host();
    }
}

/* Two numbers in one register, as they are returned. On the way over the stack, the load would wait
 * for both stores. */
struct uint3 simt_thread_index(void)
{
    const struct simt_thread *self = simt_current;
    struct {
        uint64_t xy;
        uint32_t z;
    } packed;
    struct uint3 index;
    _Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "x comes first");
    need_kernel();
    packed.xy = self->index.x | (uint64_t)self->index.y << 32;
    packed.z = self->index.z;
    memcpy(&index, &packed, sizeof index);
    return index;
}

struct uint3 simt_block_index(void)
{
    need_kernel();
    return simt_block->index;
}

struct uint3 simt_block_dimensions(void)
{
    need_kernel();
    return simt_grid.launch->block;
}

struct uint3 simt_grid_dimensions(void)
{
    need_kernel();
    return simt_grid.launch->grid;
}

bool simt_is_in_kernel(void)
{
    return simt_in_kernel();
}

int simt_is_cooperative(void)
{
    return simt_grid.launch->cooperative;
}

void simt_trap(const char *file, int line)
{
    simt_report_place();
    fprintf(stderr, ": __trap() at %s:%d\n", file, line);
    simt_exit();
}
/* SPDX-License-Identifier: MIT */
