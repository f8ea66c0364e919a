/* Wraps Thrust's header: kernels get their bodies, which the host's version leaves out. The
 * header's own includes come first, unchanged. */
#pragma once
#pragma GCC system_header
#include <thrust/system/cuda/detail/core/triple_chevron_launch.h>
#include <thrust/system/cuda/detail/core/util.h>

#include <cassert>

#include <nv/target>

#include <simt_nv_kernels.h>

#include_next <thrust/system/cuda/detail/core/agent_launcher.h>

#include <simt_nv_no_kernels.h>
