/* Drop-in for the header of the same name: all of it is in cublas_v2.h. */
#include "cublas_v2.h"
