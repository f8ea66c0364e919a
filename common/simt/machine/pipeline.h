/* Asynchronous copies to shared memory. */
#ifndef SIMT_PIPELINE_H
#define SIMT_PIPELINE_H

#include "machine/machine.h"

/* Makes the copies of all groups below this one. */
void simt_pipeline_drain(struct simt_pipeline *pipeline, size_t first_kept_group);

#endif
/* SPDX-License-Identifier: MIT */
