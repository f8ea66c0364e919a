/* What --version prints. */
#ifndef RUNGS_VERSION_H
#define RUNGS_VERSION_H

#define RUNGS_VERSION "3.0.0"

#endif
/* SPDX-License-Identifier: MIT */
