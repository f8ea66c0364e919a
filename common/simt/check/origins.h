/* Launches by kernels: the actions ordered before them. */
#ifndef SIMT_ORIGINS_H
#define SIMT_ORIGINS_H

#include <stdbool.h>
#include <stdint.h>

struct simt_origin;

/* The thread launches a kernel now. */
struct simt_origin *simt_origin_make(unsigned int thread);
void simt_origin_drop(struct simt_origin *origin);
/* The launched kernel begins; NULL: the host launched it. */
void simt_origin_begins(const struct simt_origin *origin);
/* For the running launch: the launch whose kernel launched it, 0: none; and whether the action of
 * that launch's tag is ordered before. */
uint64_t simt_origin_launch(void);
bool simt_origin_covers(uint32_t tag);
void simt_origins_renumber(void (*apply)(uint32_t *tag, bool change), bool change);

#endif
/* SPDX-License-Identifier: MIT */
