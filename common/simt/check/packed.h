/* Compresses the cells of a page: neighbours are mostly equal, or belong to neighbouring
 * threads. */
#ifndef SIMT_PACKED_H
#define SIMT_PACKED_H

#include <stddef.h>

#include "check/shadow.h"

struct simt_packed;

/* NULL if the result is larger than a quarter (or there is no memory). Use free() to free it. */
struct simt_packed *simt_cells_pack(const struct simt_cell *cells, size_t count);
/* Restores all cells that were packed. */
void simt_cells_unpack(const struct simt_packed *packed, struct simt_cell *cells);

#endif
/* SPDX-License-Identifier: MIT */
