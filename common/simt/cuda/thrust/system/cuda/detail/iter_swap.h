/* Thrust's header: a kernel that swaps what a device_ptr leads to does it itself. What the header
 * needs comes first, as it is. */
#pragma once
#pragma GCC system_header
#include <cuda/std/utility>
#include <thrust/swap.h>

#include <simt_nv_both.h>

#include_next <thrust/system/cuda/detail/iter_swap.h>

#include <simt_nv_one.h>
