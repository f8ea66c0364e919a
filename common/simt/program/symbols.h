/* What the program's own symbols tell of the device's variables. */
#ifndef SIMT_SYMBOLS_H
#define SIMT_SYMBOLS_H

#include "base/space.h"

/* A kernel of this name is declared somewhere. */
bool simt_is_kernel_name(const char *name);
/* A variable of the program's data: the device's, or SPACE_HOST; its name, or (`past`) of the
 * device's that the address comes after. */
bool simt_data_range(uint64_t address, struct simt_range *range);
/* Calls it for each of the device's variables; false if not all are known. */
bool simt_device_data(void (*call)(void *context, char *base, size_t size), void *context);
/* In the program's code or data. */
static inline bool simt_is_of_program(uint64_t address)
{
    extern const char __executable_start[], _end[];
    return address - (uintptr_t)__executable_start < (uintptr_t)(_end - __executable_start);
}
/* In a variable of the device that is managed, or is not. */
bool simt_is_variable(uint64_t address, bool managed);
bool simt_data_describe(uint64_t address, bool past, char *text, size_t size);

#endif
/* SPDX-License-Identifier: MIT */
