/* Drop-in for NVTX's header of the same name: marks and ranges for a profiler. They do nothing,
 * because there is no profiler here. */
#ifndef SIMT_NV_TOOLS_EXT_H
#define SIMT_NV_TOOLS_EXT_H

#include <stddef.h>
#include <stdint.h>

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0,
    NVTX_MESSAGE_TYPE_ASCII = 1,
    NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN = 0,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_TYPE_INT64 = 2,
    NVTX_PAYLOAD_TYPE_DOUBLE = 3,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
    NVTX_PAYLOAD_TYPE_INT32 = 5,
    NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;

typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;

typedef struct nvtxEventAttributes_v2 {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;

#define SIMT_NVTX(result, name, parameters, value)                                                 \
    __attribute__((unused)) static inline result name parameters                                   \
    {                                                                                              \
        return value;                                                                              \
    }
#define SIMT_NVTX_NOTHING(name, parameters)                                                        \
    __attribute__((unused)) static inline void name parameters                                     \
    {                                                                                              \
    }
/* C requires names for parameters, even for unused ones. */
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
SIMT_NVTX(int, nvtxRangePushA, (const char *message), 0)
SIMT_NVTX(int, nvtxRangePushEx, (const nvtxEventAttributes_t *attributes), 0)
SIMT_NVTX(int, nvtxRangePop, (void), 0)
SIMT_NVTX(nvtxRangeId_t, nvtxRangeStartA, (const char *message), 0)
SIMT_NVTX(nvtxRangeId_t, nvtxRangeStartEx, (const nvtxEventAttributes_t *attributes), 0)
SIMT_NVTX_NOTHING(nvtxRangeEnd, (nvtxRangeId_t range))
SIMT_NVTX_NOTHING(nvtxMarkA, (const char *message))
SIMT_NVTX_NOTHING(nvtxMarkEx, (const nvtxEventAttributes_t *attributes))
SIMT_NVTX_NOTHING(nvtxNameCategoryA, (uint32_t category, const char *name))
SIMT_NVTX_NOTHING(nvtxNameOsThreadA, (uint32_t thread, const char *name))
SIMT_NVTX_NOTHING(nvtxNameCudaStreamA, (struct CUstream_st * stream, const char *name))
SIMT_NVTX_NOTHING(nvtxNameCudaEventA, (struct CUevent_st * event, const char *name))
SIMT_NVTX(nvtxDomainHandle_t, nvtxDomainCreateA, (const char *name), 0)
SIMT_NVTX_NOTHING(nvtxDomainDestroy, (nvtxDomainHandle_t domain))
SIMT_NVTX(int, nvtxDomainRangePushEx,
          (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes), 0)
SIMT_NVTX(int, nvtxDomainRangePop, (nvtxDomainHandle_t domain), 0)
SIMT_NVTX(nvtxStringHandle_t, nvtxDomainRegisterStringA,
          (nvtxDomainHandle_t domain, const char *string), 0)
SIMT_NVTX_NOTHING(nvtxInitialize, (const void *reserved))
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
#undef SIMT_NVTX
#undef SIMT_NVTX_NOTHING

#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxMark nvtxMarkA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxNameCudaStream nvtxNameCudaStreamA
#define nvtxNameCudaEvent nvtxNameCudaEventA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA

#endif
