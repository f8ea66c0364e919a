/* Dynamic shared memory of the running block, and address ranges of the machine. */
#ifndef SIMT_SHARED_H
#define SIMT_SHARED_H

#include "machine/machine.h"

void simt_shared_prepare(void);
/* simt_grid.launch begins. */
void simt_shared_start_launch(void);
/* Copies all shared memory of the kernel to `kept`, or back; its size in bytes. */
size_t simt_kept_bytes(void);
void simt_copy_shared(char *kept, bool keep);

/* The size that the running launch requested. */
size_t simt_shared_bytes(void);
enum simt_guard { SIMT_NO_GUARD, SIMT_STACK_GUARD, SIMT_SHARED_GUARD };
/* The guard area of the runtime that contains an address, if any. */
enum simt_guard simt_guard_of(const void *address);
/* Stacks, arguments of the kernel, and dynamic shared memory up to the requested size. */
bool simt_machine_range(uint64_t address, struct simt_range *range);
/* The stack of a thread that has run. */
struct simt_range simt_machine_stack(unsigned int thread);
/* False if it is in the stack of another thread of the kernel. */
bool simt_machine_is_own(unsigned int thread, uint64_t address);

/* The address of an offset in the shared window; NULL: none. */
void *simt_shared_find(uint64_t offset);
/* The 32-bit address in a matrix descriptor, which may have been made from a pointer. */
uint64_t simt_described_offset(uint64_t address);
/* The window offset of dynamic shared memory; the unit modulo which it equals the address; the
 * largest unit. */
uint64_t simt_dynamic_offset(void);
uint64_t simt_shared_unit(void);
enum { SIMT_MOST_UNIT = 1 << 16 };
void simt_window_start_launch(void);
/* The address on a GPU of an address in shared memory. */
uint64_t simt_shared_place(uint64_t address);

#endif
/* SPDX-License-Identifier: MIT */
