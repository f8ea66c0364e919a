/* What the program's symbols say about the device's variables. */
#ifndef SIMT_SYMBOLS_H
#define SIMT_SYMBOLS_H

#include "base/space.h"

/* Whether some source declares a kernel of this name. */
bool simt_is_kernel_name(const char *name);
/* Finds a variable of the program's data (SPACE_HOST: not the device's). simt_data_describe(): its
 * name or, if `past`, the name of the device variable before the address. */
bool simt_data_range(uint64_t address, struct simt_range *range);
/* Calls `call` for each device variable. False if not all of them are known. */
bool simt_device_data(void (*call)(void *context, char *base, size_t size), void *context);
/* Whether the address is in the program's code or data. */
static inline bool simt_is_of_program(uint64_t address)
{
    extern const char __executable_start[], _end[];
    return address - (uintptr_t)__executable_start < (uintptr_t)(_end - __executable_start);
}
/* Whether the address is in a device variable that is managed (or, if !managed, is not). */
bool simt_is_variable(uint64_t address, bool managed);
bool simt_data_describe(uint64_t address, bool past, char *text, size_t size);

#endif
/* SPDX-License-Identifier: MIT */
