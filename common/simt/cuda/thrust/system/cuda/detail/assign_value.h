/* Thrust's header: a kernel that stores what a device_ptr leads to does it itself. What the header
 * needs comes first, as it is. */
#pragma once
#pragma GCC system_header
#include <thrust/system/cuda/detail/copy.h>

#include <simt_nv_both.h>

#include_next <thrust/system/cuda/detail/assign_value.h>

#include <simt_nv_one.h>
