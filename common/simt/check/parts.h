/* Takes over the checks of blocks that another process has run (machine/workers.c). */
#ifndef SIMT_PARTS_H
#define SIMT_PARTS_H

#include "observe/part.h"

void simt_check_parts_start_launch(void);
size_t simt_check_part_may_begin(unsigned int parts, size_t wanted, double seconds);
void simt_check_part_begins(unsigned int number);
void simt_check_part_ends(struct simt_part *part);
/* False if it touched what this process has written since the fork, or the reverse. */
bool simt_check_part_fits(struct simt_part part, unsigned int number);
/* After this, the data it wrote is in memory. */
void simt_check_part_take(struct simt_part *part, unsigned int number);

#endif
/* SPDX-License-Identifier: MIT */
