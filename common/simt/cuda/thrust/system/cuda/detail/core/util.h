/* Wraps Thrust's header: kernels are those for compute capability 8.0, which the host also selects.
 * The header's own includes come first, unchanged. */
#pragma once
#pragma GCC system_header
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/util_temporary_storage.cuh>
#if __has_include(<cuda/std/__type_traits/void_t.h>)
#include <cuda/std/__type_traits/void_t.h>
#endif
#include <nv/target>
#include <thrust/detail/config.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/system/cuda/config.h>
#if __has_include(<thrust/system/cuda/detail/core/load_iterator.h>)
#include <thrust/system/cuda/detail/core/load_iterator.h>
#endif
#if __has_include(<thrust/system/cuda/detail/core/make_load_iterator.h>)
#include <thrust/system/cuda/detail/core/make_load_iterator.h>
#endif
#include <thrust/system/cuda/detail/util.h>
#include <thrust/type_traits/is_contiguous_iterator.h>

#include <simt_nv_kernels.h>

#include_next <thrust/system/cuda/detail/core/util.h>

#include <simt_nv_no_kernels.h>
