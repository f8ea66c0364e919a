/* The version that --version prints. */
#ifndef RUNGS_VERSION_H
#define RUNGS_VERSION_H

#define RUNGS_VERSION "3.0.1-dev"

#endif
/* SPDX-License-Identifier: MIT */
