/* What is in memory that nobody has written. */
#ifndef SIMT_UNWRITTEN_H
#define SIMT_UNWRITTEN_H

#include <stdbool.h>
#include <stddef.h>

/* Puts it into whole pages, which get this protection if they are many. False if it cannot. */
bool simt_unwritten_fill(bool of_device, char *memory, size_t size, int protection);
/* Such memory of the host: tells the checks what the host has written since, unseen. */
void simt_unwritten_look(const char *memory, size_t size);

#endif
/* SPDX-License-Identifier: MIT */
