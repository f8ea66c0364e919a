/* Ends the part that simt_nv_device.h begins. */
#pragma pop_macro("_CCCL_DEVICE")
#ifdef SIMT_NV_DEVICE
#undef SIMT_NV_DEVICE
#undef __CUDA_ARCH__
#undef _NV_TARGET_VAL
#undef NV_TARGET_MINIMUM_SM_SELECTOR
#undef NV_TARGET_MINIMUM_SM_INTEGER
#undef __CUDA_MINIMUM_ARCH__
#undef _NV__TARGET_MACROS
#include <nv/detail/__target_macros>
#endif
