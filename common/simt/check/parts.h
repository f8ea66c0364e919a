/* Blocks that another process has run (machine/workers.c): what the checks know of them. */
#ifndef SIMT_PARTS_H
#define SIMT_PARTS_H

#include "observe/part.h"

void simt_check_parts_start_launch(void);
/* See struct simt_observer. */
size_t simt_check_part_may_begin(unsigned int parts, size_t wanted, double seconds);
void simt_check_part_begins(unsigned int number);
void simt_check_part_ends(struct simt_part *part);
/* Not if it touched what has been written here since, or the other way round. */
bool simt_check_part_fits(struct simt_part part, unsigned int number);
/* What it wrote is in memory after this. */
void simt_check_part_take(struct simt_part *part, unsigned int number);

#endif
/* SPDX-License-Identifier: MIT */
