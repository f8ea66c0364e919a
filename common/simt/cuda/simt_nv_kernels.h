/* Of what Thrust has for the host and for a device, the latter from here on, up to
 * simt_nv_no_kernels.h; for 8.0, as simtcc says. */
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 800
#define SIMT_NV_KERNELS
#endif
