#include "cc/simt_unavailable.h"

#include <fnmatch.h>
#include <string.h>

#define LIBCUDACXX ": SIMTCC_CCCL can name the folder of a CUDA toolkit's include/cccl"

#define NO_CODE ": PTX and cubins cannot be loaded; link kernels that simtcc has compiled"

/* The first pattern that matches applies. */
static const struct {
    const char *pattern, *feature;
    bool unless_found; /* the real header provides the feature */
} headers[] = {
    {"thrust/*", "Thrust" LIBCUDACXX, true},
    {"cub/*", "CUB" LIBCUDACXX, true},
    {"cuda/atomic", "cuda::atomic (libcu++)" LIBCUDACXX, true},
    {"cuda/semaphore", "cuda::counting_semaphore (libcu++)", false},
    {"cuda/latch", "cuda::latch (libcu++)", false},
    {"cuda/std/*", "cuda::std (libcu++)" LIBCUDACXX, true},
    {"nv/target", "NV_IF_TARGET (libcu++)" LIBCUDACXX, true},
    {"cutlass/*", "CUTLASS", false},
    {"cute/*", "CuTe (CUTLASS)", false},
    {"curand_mtgp32*.h", "cuRAND's MTGP32 (curand.h and curand_kernel.h are there)", false},
    {"cublas.h", "cuBLAS's first API (cublas.h): cublas_v2.h is there", false},
    {"cublasXt.h", "cuBLASXt", false},
    {"cufft*.h", "cuFFT", false},
    {"cusparse*.h", "cuSPARSE", false},
    {"cusolver*.h", "cuSOLVER", false},
    {"cudnn*.h", "cuDNN", false},
    {"npp*.h", "NPP", false},
    {"nvrtc.h", "compilation at run time (NVRTC)" NO_CODE, false},
    {"nvml.h", "NVML", false},
    {"cupti*.h", "CUPTI", false},
    {"cudaGL.h", "OpenGL interoperability", false},
    {"cuda_gl_interop.h", "OpenGL interoperability", false},
};

/* CALL: only if a call or template arguments follow. The word alone may be a name of the
 * program. */
enum match { WHOLE, PREFIX, CALL };

static const struct {
    const char *word;
    enum match match;
    const char *feature;
} words[] = {
    {"texCubemap", CALL, "cubemap textures (texCubemap)"},
    {"texCubemapLayered", CALL, "cubemap textures (texCubemapLayered)"},
    {"cudaBindTexture", PREFIX,
     "texture references (cudaBindTexture), which CUDA 12 has dropped: use texture objects "
     "(cudaCreateTextureObject)"},
    {"__shfl", CALL, "__shfl(): use __shfl_sync()"},
    {"__shfl_up", CALL, "__shfl_up(): use __shfl_up_sync()"},
    {"__shfl_down", CALL, "__shfl_down(): use __shfl_down_sync()"},
    {"__shfl_xor", CALL, "__shfl_xor(): use __shfl_xor_sync()"},
    {"__ballot", CALL, "__ballot(): use __ballot_sync()"},
    {"__any", CALL, "__any(): use __any_sync()"},
    {"__all", CALL, "__all(): use __all_sync()"},
    {"cublasLtMatrixTransform", PREFIX, "cuBLASLt's transforms (cublasLtMatrixTransform)"},
    {"CUmodule", WHOLE, "modules of the driver API (CUmodule)" NO_CODE},
    {"CUlibrary", WHOLE, "modules of the driver API (CUlibrary)" NO_CODE},
    {"CUfunction", WHOLE, "modules of the driver API (CUfunction)" NO_CODE},
    {"CUmemGenericAllocationHandle", WHOLE,
     "virtual memory of the driver API (CUmemGenericAllocationHandle)"},
    {"cudaKernel_t", WHOLE, "handles of kernels (cudaKernel_t)" NO_CODE},
    {"cudaFunction_t", WHOLE, "handles of kernels (cudaFunction_t)" NO_CODE},
    {"cudaLibrary_t", WHOLE, "libraries of device code (cudaLibrary_t)" NO_CODE},
    {"cudaDeviceRegisterAsyncNotification", CALL, "notifications of a device"},
    {"cudaDeviceFlushGPUDirectRDMAWrites", CALL, "writes of other devices to device memory"},
    {"cudaGraphConditionalHandle", WHOLE, "conditional nodes of graphs"},
    {"cudaMemPoolExport", PREFIX, "memory pools of other processes"},
    {"cudaMemPoolImport", PREFIX, "memory pools of other processes"},
    {"cudaLogs", PREFIX, "CUDA's log (cudaLogsCurrent and its kin)"},
    {"cudaUserObject_t", WHOLE, "objects that graphs keep (cudaUserObject_t)"},
    {"cudaArrayGetSparseProperties", CALL, "sparse arrays"},
    {"cudaGraphics", PREFIX, "graphics (cudaGraphicsMapResources and its kin)"},
    {"cudaExternal", PREFIX, "memory and semaphores of Vulkan, Direct3D or NvSci"},
    {"cudaImportExternal", PREFIX, "memory and semaphores of Vulkan, Direct3D or NvSci"},
};

/* Whether the pattern matches the whole path or the part after one of its slashes. */
static bool fits(const char *pattern, const char *path)
{
    const char *slash = path;
    if (fnmatch(pattern, path, 0) == 0) {
        return true;
    }
    while ((slash = strchr(slash, '/')) != NULL) {
        if (fnmatch(pattern, ++slash, 0) == 0) {
            return true;
        }
    }
    return false;
}

const char *simt_unavailable_header(const char *header, bool found)
{
    const char *slash = strrchr(header, '/');
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        if (fits(headers[i].pattern, header)) {
            return found && headers[i].unless_found ? NULL : headers[i].feature;
        }
    }
    /* libcu++ headers have no extension. Other projects may also have a folder cuda. */
    return !found && fits("cuda/*", header) && slash && !strchr(slash, '.') ? "libcu++" : NULL;
}

const char *simt_unavailable_word(const char *word, size_t length, bool called)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t known = strlen(words[i].word);
        if ((words[i].match == PREFIX ? length >= known : length == known) &&
            strncmp(word, words[i].word, known) == 0 && (called || words[i].match != CALL)) {
            return words[i].feature;
        }
    }
    return NULL;
}
/* SPDX-License-Identifier: MIT */
