/* Drop-in for the header of the same name: all of it is in cublas_v2.h. */
#ifndef SIMT_CUBLAS_API_H
#define SIMT_CUBLAS_API_H

#include "cublas_v2.h"

#endif
