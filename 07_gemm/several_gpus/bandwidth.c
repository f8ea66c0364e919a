/* Step 07, several GPUs: measures what communication costs a rung. It times the rung's call three
 * times: as it is, without the copies, and without the products. The first time minus the second is
 * the communication that no computation hides. */
#include <stdio.h>

#include "device/gpu.h"
#include "device/ranks.h"
#include "library/peer_access.h"
#include "several_gpus/several_gpus.h"

static void call_rung(const void *call)
{
    shares.rung(call);
}

static void *link_to, *link_from;
enum { LINK_BYTES = 256 << 20 };

static void copy_over_link(const void *unused)
{
    (void)unused;
    CHECK(cudaMemcpyPeerAsync(link_to, 0, link_from, 1, LINK_BYTES, 0));
}

/* Bytes per microsecond of one long copy from the second GPU to the first. */
static double rate_of_link(int gpus)
{
    static double rate;

    if (rate > 0)
        return rate;
    enable_peer_access(gpus);
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&link_from, LINK_BYTES));
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&link_to, LINK_BYTES));
    rate = LINK_BYTES / gpu_shortest_time(copy_over_link, NULL);
    CHECK(cudaFree(link_from));
    CHECK(cudaFree(link_to));
    return rate;
}

void how_several_gpus(const struct gemm *call, char text[RUNG_HOW_SIZE])
{
    const double bytes = (double)bytes_received();

    if (bytes == 0)
        return;
    if (!gpu_back_end.clocks) {
        snprintf(text, RUNG_HOW_SIZE, "%.1f KiB to each GPU", bytes / 1024);
        return;
    }
    const double all = gpu_shortest_time(call_rung, call);
    shares.without_copies = true;
    const double products = gpu_shortest_time(call_rung, call);
    shares.without_copies = false;
    shares.without_products = true;
    const double copies = gpu_shortest_time(call_rung, call);
    shares.without_products = false;
    const int used =
        snprintf(text, RUNG_HOW_SIZE, "%.1f%% unhidden, bus %.0f GB/s",
                 all > products ? 100 * (all - products) / all : 0, bytes / copies * 1e-3);
    if (ranks_count() == 1) /* NCCL chooses the links between processes */
        snprintf(text + used, RUNG_HOW_SIZE - (size_t)used, ", %.0f%% of the link",
                 100 * bytes / copies / rate_of_link(call->gpus));
}
/* SPDX-License-Identifier: MIT */
