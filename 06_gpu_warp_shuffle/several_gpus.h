/* Step 06: the rungs on several GPUs, in ladder order, and what they share. */
#ifndef RUNGS_06_SEVERAL_GPUS_H
#define RUNGS_06_SEVERAL_GPUS_H

#include "shares.h"

/* In several_gpus.c, except for the rungs that use NCCL, which are in all_reduce.c. */
void launch_one_gpu(const struct reduction *call);
/* Declines if there are several ranks, because then no process has all GPUs. */
const char *declines_ranks(const struct reduction *call);
void launch_host_copies(const struct reduction *call);
void prepare_peers(const struct reduction *call);
void launch_peer_copies(const struct reduction *call);
const char *declines_peer_access(const struct reduction *call);
void launch_peer_access(const struct reduction *call);
void prepare_graph(const struct reduction *call);
void launch_graph(const struct reduction *call);
void prepare_all_reduce(const struct reduction *call);
void launch_nccl(const struct reduction *call);
void launch_nccl_threads(const struct reduction *call);

/* This thread starts the reduction of each share, one GPU after the other. It does not wait. */
void reduce_shares(void);

/* Each describes how much of the rung's time is communication that nothing hides (unhidden.c). If
 * there are no clocks, it writes nothing. */
void how_host_copies(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_peer_copies(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_peer_access(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_graph(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_nccl(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_nccl_threads(const struct reduction *call, char text[RUNG_HOW_SIZE]);

#endif
/* SPDX-License-Identifier: MIT */
