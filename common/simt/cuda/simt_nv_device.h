/* Of what libcu++'s headers have for the host and for a device, the latter from here on, up to
 * simt_nv_host.h. */
#include <nv/target>
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 900
#define SIMT_NV_DEVICE
#undef _NV__TARGET_MACROS
#include <nv/detail/__target_macros>
#endif
