/* From here to simt_nv_no_kernels.h, selects the device versions in Thrust's headers, for compute
 * capability 8.0, which simtcc also sets. */
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 800
#define SIMT_NV_KERNELS
#endif
