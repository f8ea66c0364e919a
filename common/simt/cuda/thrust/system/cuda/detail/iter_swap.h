/* Wraps Thrust's header: a kernel that swaps through device_ptrs does it itself. The header's own
 * includes come first, unchanged. */
#pragma once
#pragma GCC system_header
#include <cuda/std/utility>
#include <thrust/swap.h>

#include <simt_nv_both.h>

#include_next <thrust/system/cuda/detail/iter_swap.h>

#include <simt_nv_one.h>
