/* The kernels launched since the last reset, for programs that must know what ran. */
#include "machine/launched.h"

#include <stdlib.h>

#include "base/need.h"
#include "cuda/simt.h"
#include "program/elf.h"

static struct simt_launched *kernels;
static size_t count, room;

/* If the kernel's address is unknown: the function that calls it with the launch's arguments. */
static const void *start_of(const struct simt_launch *launch)
{
    return launch->function ? launch->function : (const void *)(uintptr_t)launch->invoke;
}

void simt_note_launched(const struct simt_launch *launch)
{
    const void *function = start_of(launch);
    for (size_t i = 0; i < count; i++) {
        if (kernels[i].function == function) {
            return;
        }
    }
    if (count == room) {
        room = 2 * room + 16;
        kernels = simt_needed(realloc(kernels, room * sizeof *kernels), "the list of kernels");
    }
    kernels[count++] = (struct simt_launched){.function = function, .name = launch->name};
}

void simt_launched_reset(void)
{
    count = 0;
}

size_t simt_launched_read(const struct simt_launched **launched)
{
    simt_symbols_read();
    for (size_t i = 0; i < count; i++) {
        const struct simt_symbol *symbol = simt_symbol_of_function(kernels[i].function);
        kernels[i].symbol = symbol ? symbol->name : "";
    }
    *launched = kernels;
    return count;
}
/* SPDX-License-Identifier: MIT */
