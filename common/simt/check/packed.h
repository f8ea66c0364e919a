/* Cells of a page that fewer bytes describe: neighbours are mostly alike, or of neighbouring
 * threads. */
#ifndef SIMT_PACKED_H
#define SIMT_PACKED_H

#include <stddef.h>

#include "check/shadow.h"

struct simt_packed;

/* NULL if a quarter of the bytes does not do (or there is no memory for them). To be freed by
 * free(). */
struct simt_packed *simt_cells_pack(const struct simt_cell *cells, size_t count);
/* As many cells as were packed. */
void simt_cells_unpack(const struct simt_packed *packed, struct simt_cell *cells);

#endif
/* SPDX-License-Identifier: MIT */
