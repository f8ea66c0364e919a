/* The contents of unwritten memory. */
#ifndef SIMT_UNWRITTEN_H
#define SIMT_UNWRITTEN_H

#include <stdbool.h>
#include <stddef.h>

/* Fills whole pages with it. Large memory also gets this protection. False if that fails. */
bool simt_unwritten_fill(bool of_device, char *memory, size_t size, int protection);
/* Tells the checks what the host has since written, unobserved, to such memory of the host. */
void simt_unwritten_look(const char *memory, size_t size);

#endif
/* SPDX-License-Identifier: MIT */
