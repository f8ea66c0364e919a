/* How much memory there is. */
#ifndef SIMT_AVAILABLE_H
#define SIMT_AVAILABLE_H

#include <stddef.h>

/* What Linux calls available, in bytes; 0: not known. */
size_t simt_available_memory(void);

#endif
/* SPDX-License-Identifier: MIT */
