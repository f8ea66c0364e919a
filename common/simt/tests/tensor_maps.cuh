// Tensor maps for these tests.
#ifndef TENSOR_MAPS_CUH
#define TENSOR_MAPS_CUH

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>

#include <cstdlib>

// A function of the driver (to make tensor maps), found without linking with the driver.
template <class F>
static F driver_function(const char *name)
{
    void *found = NULL;
    cudaDriverEntryPointQueryResult result;
    if (cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result) !=
        cudaSuccess)
        exit(3);
    return (F)found;
}

// An ordinary map: no interleaving, no promotion of L2 sectors.
static inline CUresult tile_map(CUtensorMap *map, CUtensorMapDataType type, unsigned rank,
                                void *data, const cuuint64_t *size, const cuuint64_t *stride,
                                const cuuint32_t *box, const cuuint32_t *steps,
                                CUtensorMapSwizzle swizzle,
                                CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
{
    return driver_function<PFN_cuTensorMapEncodeTiled_v12000>("cuTensorMapEncodeTiled")(
        map, type, rank, data, size, stride, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);
}

static inline CUresult column_map(CUtensorMap *map, void *data, const cuuint64_t *size,
                                  const cuuint64_t *stride, const int *lower, const int *upper,
                                  unsigned pixels, const cuuint32_t *steps)
{
    return driver_function<PFN_cuTensorMapEncodeIm2col_v12000>("cuTensorMapEncodeIm2col")(
        map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, data, size, stride, lower, upper, 8, pixels, steps,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

#endif
