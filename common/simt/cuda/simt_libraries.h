/* What is known of kernels. cuda_runtime_api.h includes this. */
#ifndef SIMT_LIBRARIES_H
#define SIMT_LIBRARIES_H

#ifdef __cplusplus
extern "C" {
#endif

/* Of kernels that are known by their address: the name as it stands in the source. */

#ifdef __cplusplus
}
#endif

#endif
