/* The list of kernels that have been launched (cuda/simt.h reads it). */
#ifndef SIMT_LAUNCHED_H
#define SIMT_LAUNCHED_H

#include "cuda/simt.h"

void simt_note_launched(const struct simt_launch *launch);

#endif
/* SPDX-License-Identifier: MIT */
