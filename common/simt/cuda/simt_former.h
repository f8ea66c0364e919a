/* For older programs: functions that CUDA 13 has removed. Each use gives a warning.
 * cuda_runtime_api.h includes this. */
#ifndef SIMT_FORMER_H
#define SIMT_FORMER_H

#define SIMT_FORMER(instead)                                                                       \
    __attribute__((deprecated("CUDA 13 has it no longer: use " instead), unused))

SIMT_FORMER("cudaDeviceSynchronize()") static inline cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

SIMT_FORMER("cudaDeviceReset()") static inline cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

#undef SIMT_FORMER

#endif
