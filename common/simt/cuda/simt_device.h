/* Numbers and names of the CUDA 13.0 runtime: errors, attributes and properties of the device.
 * cuda_runtime_api.h includes this. */
#ifndef SIMT_DEVICE_H
#define SIMT_DEVICE_H

#include <stddef.h>

/* Include guards of the toolkit's headers. Helpers of NVIDIA's samples test them. */
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define __HOST_DEFINES_H__

/* ERROR(name, number) for each error. */
/* clang-format off */
#define SIMT_ERRORS(ERROR)                                                                         \
    ERROR(cudaSuccess, 0) ERROR(cudaErrorInvalidValue, 1) ERROR(cudaErrorMemoryAllocation, 2)      \
    ERROR(cudaErrorInitializationError, 3) ERROR(cudaErrorCudartUnloading, 4)                      \
    ERROR(cudaErrorProfilerDisabled, 5) ERROR(cudaErrorProfilerNotInitialized, 6)                  \
    ERROR(cudaErrorProfilerAlreadyStarted, 7) ERROR(cudaErrorProfilerAlreadyStopped, 8)            \
    ERROR(cudaErrorInvalidConfiguration, 9) ERROR(cudaErrorInvalidPitchValue, 12)                  \
    ERROR(cudaErrorInvalidSymbol, 13) ERROR(cudaErrorInvalidHostPointer, 16)                       \
    ERROR(cudaErrorInvalidDevicePointer, 17) ERROR(cudaErrorInvalidTexture, 18)                    \
    ERROR(cudaErrorInvalidTextureBinding, 19) ERROR(cudaErrorInvalidChannelDescriptor, 20)         \
    ERROR(cudaErrorInvalidMemcpyDirection, 21) ERROR(cudaErrorAddressOfConstant, 22)               \
    ERROR(cudaErrorTextureFetchFailed, 23) ERROR(cudaErrorTextureNotBound, 24)                     \
    ERROR(cudaErrorSynchronizationError, 25) ERROR(cudaErrorInvalidFilterSetting, 26)              \
    ERROR(cudaErrorInvalidNormSetting, 27) ERROR(cudaErrorMixedDeviceExecution, 28)                \
    ERROR(cudaErrorNotYetImplemented, 31) ERROR(cudaErrorMemoryValueTooLarge, 32)                  \
    ERROR(cudaErrorStubLibrary, 34) ERROR(cudaErrorInsufficientDriver, 35)                         \
    ERROR(cudaErrorCallRequiresNewerDriver, 36) ERROR(cudaErrorInvalidSurface, 37)                 \
    ERROR(cudaErrorDuplicateVariableName, 43) ERROR(cudaErrorDuplicateTextureName, 44)             \
    ERROR(cudaErrorDuplicateSurfaceName, 45) ERROR(cudaErrorDevicesUnavailable, 46)                \
    ERROR(cudaErrorIncompatibleDriverContext, 49) ERROR(cudaErrorMissingConfiguration, 52)         \
    ERROR(cudaErrorPriorLaunchFailure, 53) ERROR(cudaErrorLaunchMaxDepthExceeded, 65)              \
    ERROR(cudaErrorLaunchFileScopedTex, 66) ERROR(cudaErrorLaunchFileScopedSurf, 67)               \
    ERROR(cudaErrorSyncDepthExceeded, 68) ERROR(cudaErrorLaunchPendingCountExceeded, 69)           \
    ERROR(cudaErrorInvalidDeviceFunction, 98) ERROR(cudaErrorNoDevice, 100)                        \
    ERROR(cudaErrorInvalidDevice, 101) ERROR(cudaErrorDeviceNotLicensed, 102)                      \
    ERROR(cudaErrorSoftwareValidityNotEstablished, 103) ERROR(cudaErrorStartupFailure, 127)        \
    ERROR(cudaErrorInvalidKernelImage, 200) ERROR(cudaErrorDeviceUninitialized, 201)               \
    ERROR(cudaErrorMapBufferObjectFailed, 205) ERROR(cudaErrorUnmapBufferObjectFailed, 206)        \
    ERROR(cudaErrorArrayIsMapped, 207) ERROR(cudaErrorAlreadyMapped, 208)                          \
    ERROR(cudaErrorNoKernelImageForDevice, 209) ERROR(cudaErrorAlreadyAcquired, 210)               \
    ERROR(cudaErrorNotMapped, 211) ERROR(cudaErrorNotMappedAsArray, 212)                           \
    ERROR(cudaErrorNotMappedAsPointer, 213) ERROR(cudaErrorECCUncorrectable, 214)                  \
    ERROR(cudaErrorUnsupportedLimit, 215) ERROR(cudaErrorDeviceAlreadyInUse, 216)                  \
    ERROR(cudaErrorPeerAccessUnsupported, 217) ERROR(cudaErrorInvalidPtx, 218)                     \
    ERROR(cudaErrorInvalidGraphicsContext, 219) ERROR(cudaErrorNvlinkUncorrectable, 220)           \
    ERROR(cudaErrorJitCompilerNotFound, 221) ERROR(cudaErrorUnsupportedPtxVersion, 222)            \
    ERROR(cudaErrorJitCompilationDisabled, 223) ERROR(cudaErrorUnsupportedExecAffinity, 224)       \
    ERROR(cudaErrorUnsupportedDevSideSync, 225) ERROR(cudaErrorContained, 226)                     \
    ERROR(cudaErrorInvalidSource, 300) ERROR(cudaErrorFileNotFound, 301)                           \
    ERROR(cudaErrorSharedObjectSymbolNotFound, 302) ERROR(cudaErrorSharedObjectInitFailed, 303)    \
    ERROR(cudaErrorOperatingSystem, 304) ERROR(cudaErrorInvalidResourceHandle, 400)                \
    ERROR(cudaErrorIllegalState, 401) ERROR(cudaErrorLossyQuery, 402)                              \
    ERROR(cudaErrorSymbolNotFound, 500) ERROR(cudaErrorNotReady, 600)                              \
    ERROR(cudaErrorIllegalAddress, 700) ERROR(cudaErrorLaunchOutOfResources, 701)                  \
    ERROR(cudaErrorLaunchTimeout, 702) ERROR(cudaErrorLaunchIncompatibleTexturing, 703)            \
    ERROR(cudaErrorPeerAccessAlreadyEnabled, 704) ERROR(cudaErrorPeerAccessNotEnabled, 705)        \
    ERROR(cudaErrorSetOnActiveProcess, 708) ERROR(cudaErrorContextIsDestroyed, 709)                \
    ERROR(cudaErrorAssert, 710) ERROR(cudaErrorTooManyPeers, 711)                                  \
    ERROR(cudaErrorHostMemoryAlreadyRegistered, 712) ERROR(cudaErrorHostMemoryNotRegistered, 713)  \
    ERROR(cudaErrorHardwareStackError, 714) ERROR(cudaErrorIllegalInstruction, 715)                \
    ERROR(cudaErrorMisalignedAddress, 716) ERROR(cudaErrorInvalidAddressSpace, 717)                \
    ERROR(cudaErrorInvalidPc, 718) ERROR(cudaErrorLaunchFailure, 719)                              \
    ERROR(cudaErrorCooperativeLaunchTooLarge, 720) ERROR(cudaErrorTensorMemoryLeak, 721)           \
    ERROR(cudaErrorNotPermitted, 800) ERROR(cudaErrorNotSupported, 801)                            \
    ERROR(cudaErrorSystemNotReady, 802) ERROR(cudaErrorSystemDriverMismatch, 803)                  \
    ERROR(cudaErrorCompatNotSupportedOnDevice, 804) ERROR(cudaErrorMpsConnectionFailed, 805)       \
    ERROR(cudaErrorMpsRpcFailure, 806) ERROR(cudaErrorMpsServerNotReady, 807)                      \
    ERROR(cudaErrorMpsMaxClientsReached, 808) ERROR(cudaErrorMpsMaxConnectionsReached, 809)        \
    ERROR(cudaErrorMpsClientTerminated, 810) ERROR(cudaErrorCdpNotSupported, 811)                  \
    ERROR(cudaErrorCdpVersionMismatch, 812) ERROR(cudaErrorStreamCaptureUnsupported, 900)          \
    ERROR(cudaErrorStreamCaptureInvalidated, 901) ERROR(cudaErrorStreamCaptureMerge, 902)          \
    ERROR(cudaErrorStreamCaptureUnmatched, 903) ERROR(cudaErrorStreamCaptureUnjoined, 904)         \
    ERROR(cudaErrorStreamCaptureIsolation, 905) ERROR(cudaErrorStreamCaptureImplicit, 906)         \
    ERROR(cudaErrorCapturedEvent, 907) ERROR(cudaErrorStreamCaptureWrongThread, 908)               \
    ERROR(cudaErrorTimeout, 909) ERROR(cudaErrorGraphExecUpdateFailure, 910)                       \
    ERROR(cudaErrorExternalDevice, 911) ERROR(cudaErrorInvalidClusterSize, 912)                    \
    ERROR(cudaErrorFunctionNotLoaded, 913) ERROR(cudaErrorInvalidResourceType, 914)                \
    ERROR(cudaErrorInvalidResourceConfiguration, 915) ERROR(cudaErrorUnknown, 999)                 \
    ERROR(cudaErrorApiFailureBase, 10000)
/* clang-format on */

enum cudaError {
#define SIMT_ERROR(name, number) name = number,
    SIMT_ERRORS(SIMT_ERROR)
#undef SIMT_ERROR
};
typedef enum cudaError cudaError_t;

/* clang-format off */
#define SIMT_ATTRIBUTES(VALUE)                                                                     \
    VALUE(MaxThreadsPerBlock, 1) VALUE(MaxBlockDimX, 2) VALUE(MaxBlockDimY, 3)                     \
    VALUE(MaxBlockDimZ, 4) VALUE(MaxGridDimX, 5) VALUE(MaxGridDimY, 6) VALUE(MaxGridDimZ, 7)       \
    VALUE(MaxSharedMemoryPerBlock, 8) VALUE(TotalConstantMemory, 9) VALUE(WarpSize, 10)            \
    VALUE(MaxPitch, 11) VALUE(MaxRegistersPerBlock, 12) VALUE(ClockRate, 13)                       \
    VALUE(TextureAlignment, 14) VALUE(GpuOverlap, 15) VALUE(MultiProcessorCount, 16)               \
    VALUE(KernelExecTimeout, 17) VALUE(Integrated, 18) VALUE(CanMapHostMemory, 19)                 \
    VALUE(ComputeMode, 20) VALUE(MaxTexture1DWidth, 21) VALUE(MaxTexture2DWidth, 22)               \
    VALUE(MaxTexture2DHeight, 23) VALUE(MaxTexture3DWidth, 24) VALUE(MaxTexture3DHeight, 25)       \
    VALUE(MaxTexture3DDepth, 26) VALUE(MaxTexture2DLayeredWidth, 27)                               \
    VALUE(MaxTexture2DLayeredHeight, 28) VALUE(MaxTexture2DLayeredLayers, 29)                      \
    VALUE(SurfaceAlignment, 30) VALUE(ConcurrentKernels, 31) VALUE(EccEnabled, 32)                 \
    VALUE(PciBusId, 33) VALUE(PciDeviceId, 34) VALUE(TccDriver, 35) VALUE(MemoryClockRate, 36)     \
    VALUE(GlobalMemoryBusWidth, 37) VALUE(L2CacheSize, 38) VALUE(MaxThreadsPerMultiProcessor, 39)  \
    VALUE(AsyncEngineCount, 40) VALUE(UnifiedAddressing, 41) VALUE(MaxTexture1DLayeredWidth, 42)   \
    VALUE(MaxTexture1DLayeredLayers, 43) VALUE(MaxTexture2DGatherWidth, 45)                        \
    VALUE(MaxTexture2DGatherHeight, 46) VALUE(MaxTexture3DWidthAlt, 47)                            \
    VALUE(MaxTexture3DHeightAlt, 48) VALUE(MaxTexture3DDepthAlt, 49) VALUE(PciDomainId, 50)        \
    VALUE(TexturePitchAlignment, 51) VALUE(MaxTextureCubemapWidth, 52)                             \
    VALUE(MaxTextureCubemapLayeredWidth, 53) VALUE(MaxTextureCubemapLayeredLayers, 54)             \
    VALUE(MaxSurface1DWidth, 55) VALUE(MaxSurface2DWidth, 56) VALUE(MaxSurface2DHeight, 57)        \
    VALUE(MaxSurface3DWidth, 58) VALUE(MaxSurface3DHeight, 59) VALUE(MaxSurface3DDepth, 60)        \
    VALUE(MaxSurface1DLayeredWidth, 61) VALUE(MaxSurface1DLayeredLayers, 62)                       \
    VALUE(MaxSurface2DLayeredWidth, 63) VALUE(MaxSurface2DLayeredHeight, 64)                       \
    VALUE(MaxSurface2DLayeredLayers, 65) VALUE(MaxSurfaceCubemapWidth, 66)                         \
    VALUE(MaxSurfaceCubemapLayeredWidth, 67) VALUE(MaxSurfaceCubemapLayeredLayers, 68)             \
    VALUE(MaxTexture1DLinearWidth, 69) VALUE(MaxTexture2DLinearWidth, 70)                          \
    VALUE(MaxTexture2DLinearHeight, 71) VALUE(MaxTexture2DLinearPitch, 72)                         \
    VALUE(MaxTexture2DMipmappedWidth, 73) VALUE(MaxTexture2DMipmappedHeight, 74)                   \
    VALUE(ComputeCapabilityMajor, 75) VALUE(ComputeCapabilityMinor, 76)                            \
    VALUE(MaxTexture1DMipmappedWidth, 77) VALUE(StreamPrioritiesSupported, 78)                     \
    VALUE(GlobalL1CacheSupported, 79) VALUE(LocalL1CacheSupported, 80)                             \
    VALUE(MaxSharedMemoryPerMultiprocessor, 81) VALUE(MaxRegistersPerMultiprocessor, 82)           \
    VALUE(ManagedMemory, 83) VALUE(IsMultiGpuBoard, 84) VALUE(MultiGpuBoardGroupID, 85)            \
    VALUE(HostNativeAtomicSupported, 86) VALUE(SingleToDoublePrecisionPerfRatio, 87)               \
    VALUE(PageableMemoryAccess, 88) VALUE(ConcurrentManagedAccess, 89)                             \
    VALUE(ComputePreemptionSupported, 90) VALUE(CanUseHostPointerForRegisteredMem, 91)             \
    VALUE(CooperativeLaunch, 95) VALUE(MaxSharedMemoryPerBlockOptin, 97)                           \
    VALUE(CanFlushRemoteWrites, 98) VALUE(HostRegisterSupported, 99)                               \
    VALUE(PageableMemoryAccessUsesHostPageTables, 100) VALUE(DirectManagedMemAccessFromHost, 101)  \
    VALUE(MaxBlocksPerMultiprocessor, 106) VALUE(MaxPersistingL2CacheSize, 108)                    \
    VALUE(MaxAccessPolicyWindowSize, 109) VALUE(ReservedSharedMemoryPerBlock, 111)                 \
    VALUE(SparseCudaArraySupported, 112) VALUE(HostRegisterReadOnlySupported, 113)                 \
    VALUE(TimelineSemaphoreInteropSupported, 114) VALUE(MemoryPoolsSupported, 115)                 \
    VALUE(GPUDirectRDMASupported, 116) VALUE(GPUDirectRDMAFlushWritesOptions, 117)                 \
    VALUE(GPUDirectRDMAWritesOrdering, 118) VALUE(MemoryPoolSupportedHandleTypes, 119)             \
    VALUE(ClusterLaunch, 120) VALUE(DeferredMappingCudaArraySupported, 121)                        \
    VALUE(IpcEventSupport, 125) VALUE(MemSyncDomainCount, 126) VALUE(NumaConfig, 130)              \
    VALUE(NumaId, 131) VALUE(MpsEnabled, 133) VALUE(HostNumaId, 134)                               \
    VALUE(D3D12CigSupported, 135) VALUE(VulkanCigSupported, 138) VALUE(GpuPciDeviceId, 139)        \
    VALUE(GpuPciSubsystemId, 140) VALUE(HostNumaMemoryPoolsSupported, 142)                         \
    VALUE(HostNumaMultinodeIpcSupported, 143) VALUE(HostMemoryPoolsSupported, 144)                 \
    VALUE(OnlyPartialHostNativeAtomicSupported, 147) VALUE(Reserved92, 92) VALUE(Reserved93, 93)   \
    VALUE(Reserved94, 94) VALUE(Reserved96, 96) VALUE(Reserved122, 122) VALUE(Reserved123, 123)    \
    VALUE(Reserved124, 124) VALUE(Reserved127, 127) VALUE(Reserved128, 128)                        \
    VALUE(Reserved129, 129) VALUE(Reserved132, 132) VALUE(Reserved141, 141)                        \
    VALUE(Reserved145, 145)
/* clang-format on */
enum cudaDeviceAttr {
#define SIMT_VALUE(name, number) cudaDevAttr##name = number,
    SIMT_ATTRIBUTES(SIMT_VALUE)
#undef SIMT_VALUE
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
    /* For older programs: marks names that CUDA 13 has removed. Each use gives a warning. */
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
