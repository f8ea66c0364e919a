/* Dynamic shared memory of the running block, and the addresses that the machine knows. */
#ifndef SIMT_SHARED_H
#define SIMT_SHARED_H

#include "machine/machine.h"

void simt_shared_prepare(void);
/* simt_grid.launch begins. */
void simt_shared_start_launch(void);
/* All shared memory that its kernel may have is copied to `kept`, or from there: so many bytes. */
size_t simt_kept_bytes(void);
void simt_copy_shared(char *kept, bool keep);

/* What the launch that runs asked for. */
size_t simt_shared_bytes(void);
enum simt_guard { SIMT_NO_GUARD, SIMT_STACK_GUARD, SIMT_SHARED_GUARD };
/* Which guard area of the runtime, if any, an address lies in. */
enum simt_guard simt_guard_of(const void *address);
/* Stacks, arguments of the kernel, and dynamic shared memory: as much of it as the launch asked
 * for. */
bool simt_machine_range(uint64_t address, struct simt_range *range);
/* Of a thread that has run: its stack. */
struct simt_range simt_machine_stack(unsigned int thread);
/* False if it lies in the stack of another thread of the kernel. */
bool simt_machine_is_own(unsigned int thread, uint64_t address);

/* Where an offset in the shared window lies; NULL: nowhere. */
void *simt_shared_find(uint64_t offset);
/* The 32-bit address that a matrix descriptor means, which may have been made of a pointer. */
uint64_t simt_described_offset(uint64_t address);
/* Where dynamic shared memory begins there; modulo what it agrees with the address, and at most. */
uint64_t simt_dynamic_offset(void);
uint64_t simt_shared_unit(void);
enum { SIMT_MOST_UNIT = 1 << 16 };
void simt_window_start_launch(void);
/* Where an address of shared memory lies on a GPU. */
uint64_t simt_shared_place(uint64_t address);

#endif
/* SPDX-License-Identifier: MIT */
