/* Queries of kernels. cuda_runtime_api.h includes this. */
#ifndef SIMT_LIBRARIES_H
#define SIMT_LIBRARIES_H

#ifdef __cplusplus
extern "C" {
#endif

/* No declarations. */

#ifdef __cplusplus
}
#endif

#endif
