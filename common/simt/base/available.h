/* The amount of available memory. */
#ifndef SIMT_AVAILABLE_H
#define SIMT_AVAILABLE_H

#include <stddef.h>

/* The bytes that Linux reports as available; 0: unknown. */
size_t simt_available_memory(void);

#endif
/* SPDX-License-Identifier: MIT */
