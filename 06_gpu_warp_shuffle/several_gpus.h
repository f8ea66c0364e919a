/* Step 06: the rungs on several GPUs, in ladder order, and what they share. */
#ifndef RUNGS_06_SEVERAL_GPUS_H
#define RUNGS_06_SEVERAL_GPUS_H

#include "shares.h"

/* In several_gpus.c and, those on NCCL, in all_reduce.c. */
void launch_one_gpu(const struct reduction *call);
/* With several ranks, of which none has all GPUs. */
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

/* Every GPU is asked for its share, by this thread, one after the other: launches do not wait. */
void reduce_shares(void);

/* How much of the rung's time is communication that nothing hides; where there are no clocks,
 * nothing (unhidden.c). */
void how_host_copies(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_peer_copies(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_peer_access(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_graph(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_nccl(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_nccl_threads(const struct reduction *call, char text[RUNG_HOW_SIZE]);

#endif
/* SPDX-License-Identifier: MIT */
