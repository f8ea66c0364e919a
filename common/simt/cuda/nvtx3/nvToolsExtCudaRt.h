/* Drop-in for the header of the same name: all of it is in nvtx3/nvToolsExt.h. */
#ifndef SIMT_NVTX3_NVTOOLSEXTCUDART_H
#define SIMT_NVTX3_NVTOOLSEXTCUDART_H

#include "nvToolsExt.h"

#endif
