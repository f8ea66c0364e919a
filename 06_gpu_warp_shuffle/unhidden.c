/* Step 06, several GPUs: how much of a rung's time is communication that is not hidden. That is the
 * rung's time minus the time of the shares alone. */
#include <stdio.h>

#include "device/gpu.h"
#include "several_gpus.h"

static void (*rung)(const struct reduction *call);

static void call_rung(const void *call)
{
    rung(call);
}

static void reduce_only(const void *unused)
{
    (void)unused;
    fork_gpus();
    reduce_shares();
    join_gpus();
}

static void describe(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    if (!gpu_back_end.clocks)
        return;
    const double all = gpu_shortest_time(call_rung, call);
    const double shares_only = gpu_shortest_time(reduce_only, NULL);
    snprintf(text, RUNG_HOW_SIZE, "%.1f%% unhidden",
             all > shares_only ? 100 * (all - shares_only) / all : 0);
}

#define HOW(name)                                                                                  \
    void how_##name(const struct reduction *call, char text[RUNG_HOW_SIZE])                        \
    {                                                                                              \
        rung = launch_##name;                                                                      \
        describe(call, text);                                                                      \
    }

HOW(host_copies)
HOW(peer_copies)
HOW(peer_access)
HOW(graph)
#ifdef RUNGS_NCCL
HOW(nccl)
HOW(nccl_threads)
#endif
/* SPDX-License-Identifier: MIT */
