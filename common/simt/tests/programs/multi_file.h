/* Shared by the three files of this program. One of them is C code. */
#ifndef MULTI_FILE_H
#define MULTI_FILE_H

#include <cuda_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

void launch_scale(float *data, int n, float factor);
int check_result(const float *data, int n);

#ifdef __cplusplus
}
#endif

#endif
