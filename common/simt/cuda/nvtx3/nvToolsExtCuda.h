/* Drop-in for the header of the same name: all of it is in nvtx3/nvToolsExt.h. */
#ifndef SIMT_NVTX3_NVTOOLSEXTCUDA_H
#define SIMT_NVTX3_NVTOOLSEXTCUDA_H

#include "nvToolsExt.h"

#endif
