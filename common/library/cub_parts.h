/* Shared by the two sources of the library CUB: cub.cu, for the host, and cub_reduction.cu, which
 * is compiled for each operator and type. */
#ifndef RUNGS_CUB_PARTS_H
#define RUNGS_CUB_PARTS_H

#include "problem/reduction/reduction.h"

/* CUB's temporary memory, kept from call to call. */
extern void *cub_temporary;
extern size_t cub_temporary_bytes;

#ifdef __cplusplus
extern "C" {
#endif

/* The number of bytes of it that the reduction needs; and the reduction. */
size_t cub_bytes_of(const struct reduction *call);
void cub_reduce(const struct reduction *call);

#ifdef __cplusplus
}
#endif

#endif
/* SPDX-License-Identifier: MIT */
