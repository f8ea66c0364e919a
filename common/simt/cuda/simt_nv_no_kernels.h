/* Ends the part that simt_nv_kernels.h begins. */
#ifdef SIMT_NV_KERNELS
#undef SIMT_NV_KERNELS
#undef __CUDA_ARCH__
#endif
