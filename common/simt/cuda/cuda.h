/* Drop-in for CUDA's header of the same name: its version, tensor maps, and the driver API without
 * modules (simt_driver.h). simt_rewrite reports each use of a module. */
#ifndef SIMT_CUDA_H
#define SIMT_CUDA_H

#include <stdint.h>

#define CUDA_VERSION 13000

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

/* clang-format off */
#define SIMT_DRIVER_ERRORS(VALUE)                                                                  \
    VALUE(CUDA_SUCCESS, 0) VALUE(CUDA_ERROR_INVALID_VALUE, 1) VALUE(CUDA_ERROR_OUT_OF_MEMORY, 2)   \
    VALUE(CUDA_ERROR_NOT_INITIALIZED, 3) VALUE(CUDA_ERROR_DEINITIALIZED, 4)                        \
    VALUE(CUDA_ERROR_PROFILER_DISABLED, 5) VALUE(CUDA_ERROR_PROFILER_NOT_INITIALIZED, 6)           \
    VALUE(CUDA_ERROR_PROFILER_ALREADY_STARTED, 7) VALUE(CUDA_ERROR_PROFILER_ALREADY_STOPPED, 8)    \
    VALUE(CUDA_ERROR_STUB_LIBRARY, 34) VALUE(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, 36)            \
    VALUE(CUDA_ERROR_DEVICE_UNAVAILABLE, 46) VALUE(CUDA_ERROR_NO_DEVICE, 100)                      \
    VALUE(CUDA_ERROR_INVALID_DEVICE, 101) VALUE(CUDA_ERROR_DEVICE_NOT_LICENSED, 102)               \
    VALUE(CUDA_ERROR_INVALID_IMAGE, 200) VALUE(CUDA_ERROR_INVALID_CONTEXT, 201)                    \
    VALUE(CUDA_ERROR_CONTEXT_ALREADY_CURRENT, 202) VALUE(CUDA_ERROR_MAP_FAILED, 205)               \
    VALUE(CUDA_ERROR_UNMAP_FAILED, 206) VALUE(CUDA_ERROR_ARRAY_IS_MAPPED, 207)                     \
    VALUE(CUDA_ERROR_ALREADY_MAPPED, 208) VALUE(CUDA_ERROR_NO_BINARY_FOR_GPU, 209)                 \
    VALUE(CUDA_ERROR_ALREADY_ACQUIRED, 210) VALUE(CUDA_ERROR_NOT_MAPPED, 211)                      \
    VALUE(CUDA_ERROR_NOT_MAPPED_AS_ARRAY, 212) VALUE(CUDA_ERROR_NOT_MAPPED_AS_POINTER, 213)        \
    VALUE(CUDA_ERROR_ECC_UNCORRECTABLE, 214) VALUE(CUDA_ERROR_UNSUPPORTED_LIMIT, 215)              \
    VALUE(CUDA_ERROR_CONTEXT_ALREADY_IN_USE, 216) VALUE(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217)   \
    VALUE(CUDA_ERROR_INVALID_PTX, 218) VALUE(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, 219)             \
    VALUE(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220) VALUE(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221)      \
    VALUE(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222)                                                 \
    VALUE(CUDA_ERROR_JIT_COMPILATION_DISABLED, 223)                                                \
    VALUE(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, 224)                                               \
    VALUE(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC, 225) VALUE(CUDA_ERROR_CONTAINED, 226)               \
    VALUE(CUDA_ERROR_INVALID_SOURCE, 300) VALUE(CUDA_ERROR_FILE_NOT_FOUND, 301)                    \
    VALUE(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, 302)                                          \
    VALUE(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, 303) VALUE(CUDA_ERROR_OPERATING_SYSTEM, 304)       \
    VALUE(CUDA_ERROR_INVALID_HANDLE, 400) VALUE(CUDA_ERROR_ILLEGAL_STATE, 401)                     \
    VALUE(CUDA_ERROR_LOSSY_QUERY, 402) VALUE(CUDA_ERROR_NOT_FOUND, 500)                            \
    VALUE(CUDA_ERROR_NOT_READY, 600) VALUE(CUDA_ERROR_ILLEGAL_ADDRESS, 700)                        \
    VALUE(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701) VALUE(CUDA_ERROR_LAUNCH_TIMEOUT, 702)           \
    VALUE(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, 703)                                           \
    VALUE(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704)                                             \
    VALUE(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, 705) VALUE(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708)   \
    VALUE(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709) VALUE(CUDA_ERROR_ASSERT, 710)                      \
    VALUE(CUDA_ERROR_TOO_MANY_PEERS, 711) VALUE(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712)    \
    VALUE(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713) VALUE(CUDA_ERROR_HARDWARE_STACK_ERROR, 714)  \
    VALUE(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715) VALUE(CUDA_ERROR_MISALIGNED_ADDRESS, 716)           \
    VALUE(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717) VALUE(CUDA_ERROR_INVALID_PC, 718)                 \
    VALUE(CUDA_ERROR_LAUNCH_FAILED, 719) VALUE(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720)       \
    VALUE(CUDA_ERROR_TENSOR_MEMORY_LEAK, 721) VALUE(CUDA_ERROR_NOT_PERMITTED, 800)                 \
    VALUE(CUDA_ERROR_NOT_SUPPORTED, 801) VALUE(CUDA_ERROR_SYSTEM_NOT_READY, 802)                   \
    VALUE(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803)                                                  \
    VALUE(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, 804)                                          \
    VALUE(CUDA_ERROR_MPS_CONNECTION_FAILED, 805) VALUE(CUDA_ERROR_MPS_RPC_FAILURE, 806)            \
    VALUE(CUDA_ERROR_MPS_SERVER_NOT_READY, 807) VALUE(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, 808)     \
    VALUE(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, 809)                                             \
    VALUE(CUDA_ERROR_MPS_CLIENT_TERMINATED, 810) VALUE(CUDA_ERROR_CDP_NOT_SUPPORTED, 811)          \
    VALUE(CUDA_ERROR_CDP_VERSION_MISMATCH, 812) VALUE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900)  \
    VALUE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901) VALUE(CUDA_ERROR_STREAM_CAPTURE_MERGE, 902)  \
    VALUE(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903)                                                \
    VALUE(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 904)                                                 \
    VALUE(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, 905)                                                \
    VALUE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906) VALUE(CUDA_ERROR_CAPTURED_EVENT, 907)           \
    VALUE(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908) VALUE(CUDA_ERROR_TIMEOUT, 909)              \
    VALUE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, 910) VALUE(CUDA_ERROR_EXTERNAL_DEVICE, 911)        \
    VALUE(CUDA_ERROR_INVALID_CLUSTER_SIZE, 912) VALUE(CUDA_ERROR_FUNCTION_NOT_LOADED, 913)         \
    VALUE(CUDA_ERROR_INVALID_RESOURCE_TYPE, 914)                                                   \
    VALUE(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, 915) VALUE(CUDA_ERROR_KEY_ROTATION, 916)      \
    VALUE(CUDA_ERROR_UNKNOWN, 999)
/* clang-format on */
typedef enum cudaError_enum {
#define SIMT_VALUE(name, number) name = number,
    SIMT_DRIVER_ERRORS(SIMT_VALUE)
#undef SIMT_VALUE
} CUresult;

#ifdef __cplusplus
} /* extern "C" */
#endif
#include "simt_driver.h"
#ifdef __cplusplus
extern "C" {
#endif

/* The layout of a tensor and the box that one copy moves. Opaque: cuTensorMapEncodeTiled and
 * cuTensorMapEncodeIm2col fill it in. */
typedef struct CUtensorMap_st {
#if defined __cplusplus
    alignas(64)
#else
    _Alignas(64)
#endif
        cuuint64_t opaque[16];
} CUtensorMap;

typedef enum CUtensorMapDataType_enum {
    CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0,
    CU_TENSOR_MAP_DATA_TYPE_UINT16,
    CU_TENSOR_MAP_DATA_TYPE_UINT32,
    CU_TENSOR_MAP_DATA_TYPE_INT32,
    CU_TENSOR_MAP_DATA_TYPE_UINT64,
    CU_TENSOR_MAP_DATA_TYPE_INT64,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
    CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ,
    CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
    CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ
} CUtensorMapDataType;

typedef enum CUtensorMapInterleave_enum {
    CU_TENSOR_MAP_INTERLEAVE_NONE = 0,
    CU_TENSOR_MAP_INTERLEAVE_16B,
    CU_TENSOR_MAP_INTERLEAVE_32B
} CUtensorMapInterleave;

typedef enum CUtensorMapSwizzle_enum {
    CU_TENSOR_MAP_SWIZZLE_NONE = 0,
    CU_TENSOR_MAP_SWIZZLE_32B,
    CU_TENSOR_MAP_SWIZZLE_64B,
    CU_TENSOR_MAP_SWIZZLE_128B
} CUtensorMapSwizzle;

typedef enum CUtensorMapL2promotion_enum {
    CU_TENSOR_MAP_L2_PROMOTION_NONE = 0,
    CU_TENSOR_MAP_L2_PROMOTION_L2_64B,
    CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
    CU_TENSOR_MAP_L2_PROMOTION_L2_256B
} CUtensorMapL2promotion;

typedef enum CUtensorMapFloatOOBfill_enum {
    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0,
    CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
} CUtensorMapFloatOOBfill;

/* Returns CUDA_ERROR_NOT_SUPPORTED for interleaved layouts. */
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                void *address, const cuuint64_t *size, const cuuint64_t *stride,
                                const cuuint32_t *box, const cuuint32_t *element_stride,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);

/* The same restriction. Corners have one number per dimension that exists, in the order W, H, D. */
CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                 void *address, const cuuint64_t *size, const cuuint64_t *stride,
                                 const int *lower, const int *upper, cuuint32_t channels,
                                 cuuint32_t pixels, const cuuint32_t *element_stride,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);

#ifdef __cplusplus
}
#endif

#endif
