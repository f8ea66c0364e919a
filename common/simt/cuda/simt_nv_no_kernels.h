/* Ends what simt_nv_kernels.h has begun. */
#ifdef SIMT_NV_KERNELS
#undef SIMT_NV_KERNELS
#undef __CUDA_ARCH__
#endif
