/* Launches by kernels: what is ordered before them. */
#ifndef SIMT_ORIGINS_H
#define SIMT_ORIGINS_H

#include <stdbool.h>
#include <stdint.h>

struct simt_origin;

/* The thread launches a kernel now. */
struct simt_origin *simt_origin_make(unsigned int thread);
void simt_origin_drop(struct simt_origin *origin);
/* What it has launched begins; NULL: a launch of the host's. */
void simt_origin_begins(const struct simt_origin *origin);
/* Of the launch that runs: the one whose kernel has launched it, 0: none; and whether what the tag,
 * of that one, stands for is ordered before. */
uint64_t simt_origin_launch(void);
bool simt_origin_covers(uint32_t tag);
void simt_origins_renumber(void (*apply)(uint32_t *tag, bool change), bool change);

#endif
/* SPDX-License-Identifier: MIT */
