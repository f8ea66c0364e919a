/* Wraps Thrust's header: a kernel that assigns through a device_ptr stores the value itself. The
 * header's own includes come first, unchanged. */
#pragma once
#pragma GCC system_header
#include <thrust/system/cuda/detail/copy.h>

#include <simt_nv_both.h>

#include_next <thrust/system/cuda/detail/assign_value.h>

#include <simt_nv_one.h>
