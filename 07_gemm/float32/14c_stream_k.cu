/* Step 07: every streaming multiprocessor (SM) gets an equal number of iterations (stream-K). */
#include "float32/parts/stream_k_kernel.cuh"
#include "parts/workspace.h"
#include "rungs.h"

/* The number of blocks that share the work: one per SM, or fewer if blocks would get so few k-steps
 * that passing on partial sums costs more than it saves. */
static unsigned blocks_for(const struct gemm *call, const struct work &work)
{
    const unsigned least_steps = 8;
    const unsigned long long tiles = (unsigned long long)work.row_tiles * work.column_tiles;
    const unsigned long long most = max(tiles, tiles * work.k_steps / least_steps);

    return (unsigned)min(most, (unsigned long long)call->multiprocessors);
}

/* Better than one block per tile: no partial wave leaves SMs idle, and a block's producers copy for
 * the next tile while its consumers store this one. Still bad: tiles of 128 x 256 are large for a
 * small C, and the TMA does not copy unaligned rows. */
extern "C" void launch_stream_k(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    struct work work = work_for<Large>(call);

    work.blocks = blocks_for(call, work);
    work.parts = workspace_parts();
    work.sent = workspace_flags();
    cudaFuncSetAttribute(tiles_of_c<Large, false>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         Large::SHARED_BYTES);
    launch_dependent(tiles_of_c<Large, false>, work.blocks, Large::CONSUMERS + PRODUCERS,
                     Large::SHARED_BYTES, *call, describe_b(call, Large::DEPTH, Large::N), work);
}
/* SPDX-License-Identifier: MIT */
