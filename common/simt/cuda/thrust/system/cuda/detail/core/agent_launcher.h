/* Thrust's header: kernels with their bodies, which the host's own code goes without. What the
 * header needs comes first, as it is. */
#pragma once
#pragma GCC system_header
#include <thrust/system/cuda/detail/core/triple_chevron_launch.h>
#include <thrust/system/cuda/detail/core/util.h>

#include <cassert>

#include <nv/target>

#include <simt_nv_kernels.h>

#include_next <thrust/system/cuda/detail/core/agent_launcher.h>

#include <simt_nv_no_kernels.h>
