/* The allowed accesses to memory. */
#ifndef SIMT_ACCESS_H
#define SIMT_ACCESS_H

enum simt_region_access { SIMT_CLOSED, SIMT_READ, SIMT_WRITTEN };
struct simt_region;

#endif
/* SPDX-License-Identifier: MIT */
