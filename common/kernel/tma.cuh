/* Bulk copies by the TMA (tensor memory accelerator) of Hopper (sm_90) and later GPUs. Source: PTX
 * ISA, cp.async.bulk. */
#ifndef RUNGS_TMA_CUH
#define RUNGS_TMA_CUH

#include <cuda.h> /* only types: nothing of the driver library is linked */

#include "kernel/mbarrier.cuh"

/* Starts an asynchronous copy of `bytes` bytes from global to shared memory. The barrier counts the
 * bytes as they arrive. `to`, `from` and `bytes` must be multiples of 16. */
static inline __device__ void copy_bulk(void *to, const void *from, unsigned bytes,
                                        phase_barrier *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

/* Brings a map near, so that the first copy need not wait for it. It must be a parameter of the
 * kernel: then this may be done before the wait for the kernel before (dependent_launch.cuh). */
static inline __device__ void prefetch_map(const CUtensorMap *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/* Starts a copy of a box of a matrix from element (row, column) on. The box's size is the map's;
 * outside the matrix it is filled with zeros. `to` must be a multiple of 128. */
static inline __device__ void copy_box(void *to, const CUtensorMap *map, int column, int row,
                                       phase_barrier *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
                 "l"(map), "r"(column), "r"(row), "r"(shared_address(barrier))
                 : "memory");
}

/* The same with a hint to L2 (l2_hints.cuh). */
static inline __device__ void copy_box_hinted(void *to, const CUtensorMap *map, int column, int row,
                                              phase_barrier *barrier, uint64_t hint)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
                 "l"(map), "r"(column), "r"(row), "r"(shared_address(barrier)), "l"(hint)
                 : "memory");
}

#endif
/* SPDX-License-Identifier: MIT */
