/* Wraps Thrust's header: a kernel that reads through a device_ptr loads the value itself. The
 * header's own includes come first, unchanged. */
#pragma once
#pragma GCC system_header
#include <thrust/system/cuda/detail/cross_system.h>

#include <simt_nv_both.h>

#include_next <thrust/system/cuda/detail/get_value.h>

#include <simt_nv_one.h>
