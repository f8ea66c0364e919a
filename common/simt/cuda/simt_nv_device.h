/* From here to simt_nv_host.h, selects the device versions in libcu++'s headers. Functions are
 * inlined, so that reports name the line of the caller. */
#include <cuda/std/detail/__config>
#include <nv/target>
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 900
#define SIMT_NV_DEVICE
#undef _NV__TARGET_MACROS
#include <nv/detail/__target_macros>
#endif
#pragma push_macro("_CCCL_DEVICE")
#undef _CCCL_DEVICE
#define _CCCL_DEVICE __device__ __attribute__((always_inline))
