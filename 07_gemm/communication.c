/* Step 07, several GPUs: what communication costs a rung. Its call is timed three times: as it is,
 * without the copies, and without the products. What the first takes longer than the second is
 * communication that nothing hid. */
#include <stdio.h>

#include "library/peer_access.h"
#include "several_gpus.h"

/* Microseconds for a call, the shortest of some. */
static double time_of(const struct gemm *call, void (*rung)(const struct gemm *call))
{
    enum { TRIES = 5 };
    struct error error;
    double best = 0, each = 0;

    for (int i = 0; i <= TRIES; i++) { /* the first to warm up */
        if (!gpu_back_end.timer_start(&error))
            return 0; /* the runner's next call fails, too, and says so */
        rung(call);
        if (!gpu_back_end.timer_stop(&each, &error))
            return 0;
        best = i <= 1 || each < best ? each : best;
    }
    return best;
}

static void *link_to, *link_from;
enum { LINK_BYTES = 256 << 20 };

static void copy_over_link(const struct gemm *call)
{
    (void)call;
    CHECK(cudaMemcpyPeerAsync(link_to, 0, link_from, 1, LINK_BYTES, 0));
}

/* Bytes a microsecond of one long copy from the second GPU to the first. */
static double rate_of_link(const struct gemm *call)
{
    static double rate;

    if (rate > 0)
        return rate;
    enable_peer_access(call->gpus);
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&link_from, LINK_BYTES));
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&link_to, LINK_BYTES));
    rate = LINK_BYTES / time_of(call, copy_over_link);
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
    const double all = time_of(call, shares.rung);
    shares.without_copies = true;
    const double products = time_of(call, shares.rung);
    shares.without_copies = false;
    shares.without_products = true;
    const double copies = time_of(call, shares.rung);
    shares.without_products = false;
    snprintf(text, RUNG_HOW_SIZE, "%.1f%% unhidden, bus %.0f GB/s, %.0f%% of the link",
             all > products ? 100 * (all - products) / all : 0, bytes / copies * 1e-3,
             100 * bytes / copies / rate_of_link(call));
}
