/* Drop-in for the header of the same name: all of it is in nvtx3/nvToolsExt.h. */
#ifndef SIMT_NVTX_NVTOOLSEXTCUDA_H
#define SIMT_NVTX_NVTOOLSEXTCUDA_H

#include "nvtx3/nvToolsExt.h"

#endif
