/* Numbers and names of CUDA 13.0's runtime: errors, attributes and properties of the device.
 * cuda_runtime_api.h includes this. */
#ifndef SIMT_DEVICE_H
#define SIMT_DEVICE_H

#include <stddef.h>

/* Guards of the toolkit's headers, which helpers of NVIDIA's samples ask for. */
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define __HOST_DEFINES_H__

/* ERROR(name, number) for each. */
#define SIMT_ERRORS(ERROR)                                                                         \
    ERROR(cudaSuccess, 0)                                                                          \
    ERROR(cudaErrorInvalidValue, 1)                                                                \
    ERROR(cudaErrorMemoryAllocation, 2)                                                            \
    ERROR(cudaErrorInitializationError, 3)                                                         \
    ERROR(cudaErrorCudartUnloading, 4)                                                             \
    ERROR(cudaErrorProfilerDisabled, 5)                                                            \
    ERROR(cudaErrorProfilerNotInitialized, 6)                                                      \
    ERROR(cudaErrorProfilerAlreadyStarted, 7)                                                      \
    ERROR(cudaErrorProfilerAlreadyStopped, 8)                                                      \
    ERROR(cudaErrorInvalidConfiguration, 9)                                                        \
    ERROR(cudaErrorInvalidPitchValue, 12)                                                          \
    ERROR(cudaErrorInvalidSymbol, 13)                                                              \
    ERROR(cudaErrorInvalidHostPointer, 16)                                                         \
    ERROR(cudaErrorInvalidDevicePointer, 17)                                                       \
    ERROR(cudaErrorInvalidTexture, 18)                                                             \
    ERROR(cudaErrorInvalidTextureBinding, 19)                                                      \
    ERROR(cudaErrorInvalidChannelDescriptor, 20)                                                   \
    ERROR(cudaErrorInvalidMemcpyDirection, 21)                                                     \
    ERROR(cudaErrorAddressOfConstant, 22)                                                          \
    ERROR(cudaErrorTextureFetchFailed, 23)                                                         \
    ERROR(cudaErrorTextureNotBound, 24)                                                            \
    ERROR(cudaErrorSynchronizationError, 25)                                                       \
    ERROR(cudaErrorInvalidFilterSetting, 26)                                                       \
    ERROR(cudaErrorInvalidNormSetting, 27)                                                         \
    ERROR(cudaErrorMixedDeviceExecution, 28)                                                       \
    ERROR(cudaErrorNotYetImplemented, 31)                                                          \
    ERROR(cudaErrorMemoryValueTooLarge, 32)                                                        \
    ERROR(cudaErrorStubLibrary, 34)                                                                \
    ERROR(cudaErrorInsufficientDriver, 35)                                                         \
    ERROR(cudaErrorCallRequiresNewerDriver, 36)                                                    \
    ERROR(cudaErrorInvalidSurface, 37)                                                             \
    ERROR(cudaErrorDuplicateVariableName, 43)                                                      \
    ERROR(cudaErrorDuplicateTextureName, 44)                                                       \
    ERROR(cudaErrorDuplicateSurfaceName, 45)                                                       \
    ERROR(cudaErrorDevicesUnavailable, 46)                                                         \
    ERROR(cudaErrorIncompatibleDriverContext, 49)                                                  \
    ERROR(cudaErrorMissingConfiguration, 52)                                                       \
    ERROR(cudaErrorPriorLaunchFailure, 53)                                                         \
    ERROR(cudaErrorLaunchMaxDepthExceeded, 65)                                                     \
    ERROR(cudaErrorLaunchFileScopedTex, 66)                                                        \
    ERROR(cudaErrorLaunchFileScopedSurf, 67)                                                       \
    ERROR(cudaErrorSyncDepthExceeded, 68)                                                          \
    ERROR(cudaErrorLaunchPendingCountExceeded, 69)                                                 \
    ERROR(cudaErrorInvalidDeviceFunction, 98)                                                      \
    ERROR(cudaErrorNoDevice, 100)                                                                  \
    ERROR(cudaErrorInvalidDevice, 101)                                                             \
    ERROR(cudaErrorDeviceNotLicensed, 102)                                                         \
    ERROR(cudaErrorSoftwareValidityNotEstablished, 103)                                            \
    ERROR(cudaErrorStartupFailure, 127)                                                            \
    ERROR(cudaErrorInvalidKernelImage, 200)                                                        \
    ERROR(cudaErrorDeviceUninitialized, 201)                                                       \
    ERROR(cudaErrorMapBufferObjectFailed, 205)                                                     \
    ERROR(cudaErrorUnmapBufferObjectFailed, 206)                                                   \
    ERROR(cudaErrorArrayIsMapped, 207)                                                             \
    ERROR(cudaErrorAlreadyMapped, 208)                                                             \
    ERROR(cudaErrorNoKernelImageForDevice, 209)                                                    \
    ERROR(cudaErrorAlreadyAcquired, 210)                                                           \
    ERROR(cudaErrorNotMapped, 211)                                                                 \
    ERROR(cudaErrorNotMappedAsArray, 212)                                                          \
    ERROR(cudaErrorNotMappedAsPointer, 213)                                                        \
    ERROR(cudaErrorECCUncorrectable, 214)                                                          \
    ERROR(cudaErrorUnsupportedLimit, 215)                                                          \
    ERROR(cudaErrorDeviceAlreadyInUse, 216)                                                        \
    ERROR(cudaErrorPeerAccessUnsupported, 217)                                                     \
    ERROR(cudaErrorInvalidPtx, 218)                                                                \
    ERROR(cudaErrorInvalidGraphicsContext, 219)                                                    \
    ERROR(cudaErrorNvlinkUncorrectable, 220)                                                       \
    ERROR(cudaErrorJitCompilerNotFound, 221)                                                       \
    ERROR(cudaErrorUnsupportedPtxVersion, 222)                                                     \
    ERROR(cudaErrorJitCompilationDisabled, 223)                                                    \
    ERROR(cudaErrorUnsupportedExecAffinity, 224)                                                   \
    ERROR(cudaErrorUnsupportedDevSideSync, 225)                                                    \
    ERROR(cudaErrorContained, 226)                                                                 \
    ERROR(cudaErrorInvalidSource, 300)                                                             \
    ERROR(cudaErrorFileNotFound, 301)                                                              \
    ERROR(cudaErrorSharedObjectSymbolNotFound, 302)                                                \
    ERROR(cudaErrorSharedObjectInitFailed, 303)                                                    \
    ERROR(cudaErrorOperatingSystem, 304)                                                           \
    ERROR(cudaErrorInvalidResourceHandle, 400)                                                     \
    ERROR(cudaErrorIllegalState, 401)                                                              \
    ERROR(cudaErrorLossyQuery, 402)                                                                \
    ERROR(cudaErrorSymbolNotFound, 500)                                                            \
    ERROR(cudaErrorNotReady, 600)                                                                  \
    ERROR(cudaErrorIllegalAddress, 700)                                                            \
    ERROR(cudaErrorLaunchOutOfResources, 701)                                                      \
    ERROR(cudaErrorLaunchTimeout, 702)                                                             \
    ERROR(cudaErrorLaunchIncompatibleTexturing, 703)                                               \
    ERROR(cudaErrorPeerAccessAlreadyEnabled, 704)                                                  \
    ERROR(cudaErrorPeerAccessNotEnabled, 705)                                                      \
    ERROR(cudaErrorSetOnActiveProcess, 708)                                                        \
    ERROR(cudaErrorContextIsDestroyed, 709)                                                        \
    ERROR(cudaErrorAssert, 710)                                                                    \
    ERROR(cudaErrorTooManyPeers, 711)                                                              \
    ERROR(cudaErrorHostMemoryAlreadyRegistered, 712)                                               \
    ERROR(cudaErrorHostMemoryNotRegistered, 713)                                                   \
    ERROR(cudaErrorHardwareStackError, 714)                                                        \
    ERROR(cudaErrorIllegalInstruction, 715)                                                        \
    ERROR(cudaErrorMisalignedAddress, 716)                                                         \
    ERROR(cudaErrorInvalidAddressSpace, 717)                                                       \
    ERROR(cudaErrorInvalidPc, 718)                                                                 \
    ERROR(cudaErrorLaunchFailure, 719)                                                             \
    ERROR(cudaErrorCooperativeLaunchTooLarge, 720)                                                 \
    ERROR(cudaErrorTensorMemoryLeak, 721)                                                          \
    ERROR(cudaErrorNotPermitted, 800)                                                              \
    ERROR(cudaErrorNotSupported, 801)                                                              \
    ERROR(cudaErrorSystemNotReady, 802)                                                            \
    ERROR(cudaErrorSystemDriverMismatch, 803)                                                      \
    ERROR(cudaErrorCompatNotSupportedOnDevice, 804)                                                \
    ERROR(cudaErrorMpsConnectionFailed, 805)                                                       \
    ERROR(cudaErrorMpsRpcFailure, 806)                                                             \
    ERROR(cudaErrorMpsServerNotReady, 807)                                                         \
    ERROR(cudaErrorMpsMaxClientsReached, 808)                                                      \
    ERROR(cudaErrorMpsMaxConnectionsReached, 809)                                                  \
    ERROR(cudaErrorMpsClientTerminated, 810)                                                       \
    ERROR(cudaErrorCdpNotSupported, 811)                                                           \
    ERROR(cudaErrorCdpVersionMismatch, 812)                                                        \
    ERROR(cudaErrorStreamCaptureUnsupported, 900)                                                  \
    ERROR(cudaErrorStreamCaptureInvalidated, 901)                                                  \
    ERROR(cudaErrorStreamCaptureMerge, 902)                                                        \
    ERROR(cudaErrorStreamCaptureUnmatched, 903)                                                    \
    ERROR(cudaErrorStreamCaptureUnjoined, 904)                                                     \
    ERROR(cudaErrorStreamCaptureIsolation, 905)                                                    \
    ERROR(cudaErrorStreamCaptureImplicit, 906)                                                     \
    ERROR(cudaErrorCapturedEvent, 907)                                                             \
    ERROR(cudaErrorStreamCaptureWrongThread, 908)                                                  \
    ERROR(cudaErrorTimeout, 909)                                                                   \
    ERROR(cudaErrorGraphExecUpdateFailure, 910)                                                    \
    ERROR(cudaErrorExternalDevice, 911)                                                            \
    ERROR(cudaErrorInvalidClusterSize, 912)                                                        \
    ERROR(cudaErrorFunctionNotLoaded, 913)                                                         \
    ERROR(cudaErrorInvalidResourceType, 914)                                                       \
    ERROR(cudaErrorInvalidResourceConfiguration, 915)                                              \
    ERROR(cudaErrorUnknown, 999)                                                                   \
    ERROR(cudaErrorApiFailureBase, 10000)

enum cudaError {
#define SIMT_ERROR(name, number) name = number,
    SIMT_ERRORS(SIMT_ERROR)
#undef SIMT_ERROR
};
typedef enum cudaError cudaError_t;

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxBlockDimY = 3,
    cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxGridDimY = 6,
    cudaDevAttrMaxGridDimZ = 7,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxPitch = 11,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrClockRate = 13,
    cudaDevAttrTextureAlignment = 14,
    cudaDevAttrGpuOverlap = 15,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrKernelExecTimeout = 17,
    cudaDevAttrIntegrated = 18,
    cudaDevAttrCanMapHostMemory = 19,
    cudaDevAttrComputeMode = 20,
    cudaDevAttrMaxTexture1DWidth = 21,
    cudaDevAttrMaxTexture2DWidth = 22,
    cudaDevAttrMaxTexture2DHeight = 23,
    cudaDevAttrMaxTexture3DWidth = 24,
    cudaDevAttrMaxTexture3DHeight = 25,
    cudaDevAttrMaxTexture3DDepth = 26,
    cudaDevAttrMaxTexture2DLayeredWidth = 27,
    cudaDevAttrMaxTexture2DLayeredHeight = 28,
    cudaDevAttrMaxTexture2DLayeredLayers = 29,
    cudaDevAttrSurfaceAlignment = 30,
    cudaDevAttrConcurrentKernels = 31,
    cudaDevAttrEccEnabled = 32,
    cudaDevAttrPciBusId = 33,
    cudaDevAttrPciDeviceId = 34,
    cudaDevAttrTccDriver = 35,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrAsyncEngineCount = 40,
    cudaDevAttrUnifiedAddressing = 41,
    cudaDevAttrMaxTexture1DLayeredWidth = 42,
    cudaDevAttrMaxTexture1DLayeredLayers = 43,
    cudaDevAttrMaxTexture2DGatherWidth = 45,
    cudaDevAttrMaxTexture2DGatherHeight = 46,
    cudaDevAttrMaxTexture3DWidthAlt = 47,
    cudaDevAttrMaxTexture3DHeightAlt = 48,
    cudaDevAttrMaxTexture3DDepthAlt = 49,
    cudaDevAttrPciDomainId = 50,
    cudaDevAttrTexturePitchAlignment = 51,
    cudaDevAttrMaxTextureCubemapWidth = 52,
    cudaDevAttrMaxTextureCubemapLayeredWidth = 53,
    cudaDevAttrMaxTextureCubemapLayeredLayers = 54,
    cudaDevAttrMaxSurface1DWidth = 55,
    cudaDevAttrMaxSurface2DWidth = 56,
    cudaDevAttrMaxSurface2DHeight = 57,
    cudaDevAttrMaxSurface3DWidth = 58,
    cudaDevAttrMaxSurface3DHeight = 59,
    cudaDevAttrMaxSurface3DDepth = 60,
    cudaDevAttrMaxSurface1DLayeredWidth = 61,
    cudaDevAttrMaxSurface1DLayeredLayers = 62,
    cudaDevAttrMaxSurface2DLayeredWidth = 63,
    cudaDevAttrMaxSurface2DLayeredHeight = 64,
    cudaDevAttrMaxSurface2DLayeredLayers = 65,
    cudaDevAttrMaxSurfaceCubemapWidth = 66,
    cudaDevAttrMaxSurfaceCubemapLayeredWidth = 67,
    cudaDevAttrMaxSurfaceCubemapLayeredLayers = 68,
    cudaDevAttrMaxTexture1DLinearWidth = 69,
    cudaDevAttrMaxTexture2DLinearWidth = 70,
    cudaDevAttrMaxTexture2DLinearHeight = 71,
    cudaDevAttrMaxTexture2DLinearPitch = 72,
    cudaDevAttrMaxTexture2DMipmappedWidth = 73,
    cudaDevAttrMaxTexture2DMipmappedHeight = 74,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxTexture1DMipmappedWidth = 77,
    cudaDevAttrStreamPrioritiesSupported = 78,
    cudaDevAttrGlobalL1CacheSupported = 79,
    cudaDevAttrLocalL1CacheSupported = 80,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxRegistersPerMultiprocessor = 82,
    cudaDevAttrManagedMemory = 83,
    cudaDevAttrIsMultiGpuBoard = 84,
    cudaDevAttrMultiGpuBoardGroupID = 85,
    cudaDevAttrHostNativeAtomicSupported = 86,
    cudaDevAttrSingleToDoublePrecisionPerfRatio = 87,
    cudaDevAttrPageableMemoryAccess = 88,
    cudaDevAttrConcurrentManagedAccess = 89,
    cudaDevAttrComputePreemptionSupported = 90,
    cudaDevAttrCanUseHostPointerForRegisteredMem = 91,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrCanFlushRemoteWrites = 98,
    cudaDevAttrHostRegisterSupported = 99,
    cudaDevAttrPageableMemoryAccessUsesHostPageTables = 100,
    cudaDevAttrDirectManagedMemAccessFromHost = 101,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrMaxPersistingL2CacheSize = 108,
    cudaDevAttrMaxAccessPolicyWindowSize = 109,
    cudaDevAttrReservedSharedMemoryPerBlock = 111,
    cudaDevAttrSparseCudaArraySupported = 112,
    cudaDevAttrHostRegisterReadOnlySupported = 113,
    cudaDevAttrTimelineSemaphoreInteropSupported = 114,
    cudaDevAttrMemoryPoolsSupported = 115,
    cudaDevAttrGPUDirectRDMASupported = 116,
    cudaDevAttrGPUDirectRDMAFlushWritesOptions = 117,
    cudaDevAttrGPUDirectRDMAWritesOrdering = 118,
    cudaDevAttrMemoryPoolSupportedHandleTypes = 119,
    cudaDevAttrClusterLaunch = 120,
    cudaDevAttrDeferredMappingCudaArraySupported = 121,
    cudaDevAttrIpcEventSupport = 125,
    cudaDevAttrMemSyncDomainCount = 126,
    cudaDevAttrNumaConfig = 130,
    cudaDevAttrNumaId = 131,
    cudaDevAttrMpsEnabled = 133,
    cudaDevAttrHostNumaId = 134,
    cudaDevAttrD3D12CigSupported = 135,
    cudaDevAttrVulkanCigSupported = 138,
    cudaDevAttrGpuPciDeviceId = 139,
    cudaDevAttrGpuPciSubsystemId = 140,
    cudaDevAttrHostNumaMemoryPoolsSupported = 142,
    cudaDevAttrHostNumaMultinodeIpcSupported = 143,
    cudaDevAttrHostMemoryPoolsSupported = 144,
    cudaDevAttrOnlyPartialHostNativeAtomicSupported = 147,
    /* Of no meaning: */
    cudaDevAttrReserved92 = 92,
    cudaDevAttrReserved93 = 93,
    cudaDevAttrReserved94 = 94,
    cudaDevAttrReserved96 = 96,
    cudaDevAttrReserved122 = 122,
    cudaDevAttrReserved123 = 123,
    cudaDevAttrReserved124 = 124,
    cudaDevAttrReserved127 = 127,
    cudaDevAttrReserved128 = 128,
    cudaDevAttrReserved129 = 129,
    cudaDevAttrReserved132 = 132,
    cudaDevAttrReserved141 = 141,
    cudaDevAttrReserved145 = 145
};

/* For cudaDeviceGetP2PAttribute(). */
enum cudaDeviceP2PAttr {
    cudaDevP2PAttrPerformanceRank = 1,
    cudaDevP2PAttrAccessSupported = 2,
    cudaDevP2PAttrNativeAtomicSupported = 3,
    cudaDevP2PAttrCudaArrayAccessSupported = 4,
    cudaDevP2PAttrOnlyPartialNativeAtomicSupported = 5
};

enum cudaComputeMode {
    cudaComputeModeDefault = 0,
    cudaComputeModeExclusive = 1,
    cudaComputeModeProhibited = 2,
    cudaComputeModeExclusiveProcess = 3
};

typedef struct CUuuid_st {
    char bytes[16];
} CUuuid;
typedef CUuuid cudaUUID_t;

struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned int luidDeviceNodeMask;
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    size_t totalConstMem;
    int major;
    int minor;
    size_t textureAlignment;
    size_t texturePitchAlignment;
    int multiProcessorCount;
    int integrated;
    int canMapHostMemory;
    int maxTexture1D;
    int maxTexture1DMipmap;
    int maxTexture2D[2];
    int maxTexture2DMipmap[2];
    int maxTexture2DLinear[3];
    int maxTexture2DGather[2];
    int maxTexture3D[3];
    int maxTexture3DAlt[3];
    int maxTextureCubemap;
    int maxTexture1DLayered[2];
    int maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2];
    int maxSurface1D;
    int maxSurface2D[2];
    int maxSurface3D[3];
    int maxSurface1DLayered[2];
    int maxSurface2DLayered[3];
    int maxSurfaceCubemap;
    int maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    int tccDriver;
    int asyncEngineCount;
    int unifiedAddressing;
    int memoryBusWidth;
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    int isMultiGpuBoard;
    int multiGpuBoardGroupID;
    int hostNativeAtomicSupported;
    int pageableMemoryAccess;
    int concurrentManagedAccess;
    int computePreemptionSupported;
    int canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported;
    int sparseCudaArraySupported;
    int hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported;
    int memoryPoolsSupported;
    int gpuDirectRDMASupported;
    unsigned int gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned int memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported;
    int ipcEventSupported;
    int clusterLaunch;
    int unifiedFunctionPointers;
    int deviceNumaConfig;
    int deviceNumaId;
    int mpsEnabled;
    int hostNumaId;
    unsigned int gpuPciDeviceID;
    unsigned int gpuPciSubsystemID;
    int hostNumaMultinodeIpcSupported;
    int reserved[56];
    /* What CUDA 13 has no longer, for programs that are older: each use is a warning. */
#define SIMT_FORMER(instead)                                                                       \
    __attribute__((                                                                                \
        deprecated("CUDA 13 has it no longer: ask cudaDeviceGetAttribute() for " instead)))
    int clockRate SIMT_FORMER("cudaDevAttrClockRate");
    int memoryClockRate SIMT_FORMER("cudaDevAttrMemoryClockRate");
    int deviceOverlap SIMT_FORMER("cudaDevAttrGpuOverlap");
    int computeMode SIMT_FORMER("cudaDevAttrComputeMode");
    int kernelExecTimeoutEnabled SIMT_FORMER("cudaDevAttrKernelExecTimeout");
    int maxTexture1DLinear SIMT_FORMER("cudaDevAttrMaxTexture1DLinearWidth");
    int singleToDoublePrecisionPerfRatio SIMT_FORMER("cudaDevAttrSingleToDoublePrecisionPerfRatio");
#undef SIMT_FORMER
};

#endif
