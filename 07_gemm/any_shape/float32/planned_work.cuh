/* Step 07: tiles of C that blocks share as a plan says. */
#ifndef RUNGS_07_PLANNED_WORK_CUH
#define RUNGS_07_PLANNED_WORK_CUH

#include "any_shape/float32/plan.h"
#include "float32/parts/stream_k_kernel.cuh"
#include "kernel/overlap.cuh"
#include "parts/workspace.h"

/* launch<T> for the tiles of tiles_of_c, in any_shape/float32/plan.h's order: TILE_128X256 to
 * TILE_64X64. */
#define LAUNCHES_OF_TILES(launch)                                                                  \
    launch<Large>, launch<Tile<2, 4, 1, 32, 4, 48>>, launch<Tile<4, 2, 1, 32, 4>>,                 \
        launch<Tile<2, 2, 2, 32, 4>>, launch<Tile<1, 2, 4, 32, 4>>, launch<Tile<2, 1, 4, 32, 4>>,  \
        launch<Tile<1, 1, 8, 64, 3>>

template <typename T>
static inline struct work planned_work(const struct gemm *call, const struct plan *plan)
{
    struct work work = work_for<T>(call);

    work.blocks = plan->blocks;
    work.added_later = plan->added_later;
    work.last = (unsigned)(call->k - (size_t)(work.k_steps - 1) * T::DEPTH + T::UNROLL - 1) /
                T::UNROLL * T::UNROLL;
    work.parts = workspace_parts();
    work.sent = workspace_flags();
    return work;
}

/* Adds up the partial sums, if the plan leaves that for later. */
template <typename T>
static inline void launch_add_parts(const struct gemm *call, const struct work &work)
{
    const unsigned tiles = work.row_tiles * work.column_tiles;
    const unsigned parts = (work.blocks + tiles - 1) / tiles;
    const unsigned together = parts <= 6 ? 1 : parts <= 12 ? 2 : parts <= 32 ? 4 : 8;

    if (work.added_later)
        launch_dependent(add_parts<T>, dim3(tiles, T::M * T::N * together / 1024), ADD_THREADS, 0,
                         *call, work, together);
}

#endif
/* SPDX-License-Identifier: MIT */
