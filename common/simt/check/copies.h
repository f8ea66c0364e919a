/* Copies and fills that may be pending while a launch runs. */
#ifndef SIMT_COPIES_H
#define SIMT_COPIES_H

#include "check/races.h"

/* For the operation that begins: finds the pending ones that are not ordered before it. */
void simt_copies_find(void);
extern size_t simt_copy_count;
static inline bool simt_has_copies(enum simt_space space)
{
    return __builtin_expect(simt_copy_count > 0, 0) && space == SPACE_GLOBAL;
}
/* Checks whether the lanes access memory of such a copy or fill. */
void simt_check_copies(const struct simt_act *act, unsigned int size, unsigned int warp,
                       uint32_t lanes, const uint64_t *addresses);

#endif
/* SPDX-License-Identifier: MIT */
