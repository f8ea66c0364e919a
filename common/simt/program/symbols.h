/* What the program's own symbols tell of shared memory, of kernels and of the device's
 * variables. */
#ifndef SIMT_SYMBOLS_H
#define SIMT_SYMBOLS_H

#include "base/space.h"

/* The program's static shared memory, in the thread that calls. */
void *simt_static_shared(size_t *size);
/* How much of it a kernel declares, by its address. */
size_t simt_static_shared_of(const void *function);

void simt_shared_start_launch(const void *function);
bool simt_shared_range(uint64_t address, struct simt_range *range);
/* Says which variable an address that is out of bounds comes after; false if it is none of static
 * shared memory's. */
bool simt_shared_describe(uint64_t address, char *text, size_t size);
/* Its name. */
bool simt_shared_name(uint64_t address, char *text, size_t size);
/* A variable of the program's data: the device's, or SPACE_HOST; its name, or (`past`) of the
 * device's that the address comes after. */
bool simt_data_range(uint64_t address, struct simt_range *range);
bool simt_data_describe(uint64_t address, bool past, char *text, size_t size);

#endif
