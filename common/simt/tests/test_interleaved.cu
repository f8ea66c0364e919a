// Tensors with interleaved channel slices: which chunks copies by such maps moved on an H200
// (interleaved_h200.csv). nvcc (sm_90a) also compiles it.
#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "cmocka_all.h"
#include "ptx_helpers.cuh"
#include "tensor_maps.cuh"

enum { SHARED = 4096, MOST = 5 };
static const size_t GLOBAL = (size_t)1 << 24;

// A line of the file.
struct Case {
    char way[16];
    int bytes, rank, interleave, swizzle, to, counted;
    cuuint64_t dims[MOST], strides[MOST];
    cuuint32_t box[MOST], steps[MOST];
    int at[MOST], lower[MOST], upper[MOST];
    unsigned short offsets[MOST];
    std::string image;
};

struct Place {
    int at[MOST];
    unsigned short offsets[3];
};

#define LOAD(dimensions, way) "cp.async.bulk.tensor." #dimensions "d.shared::cluster.global" way
#define TILES ".mbarrier::complete_tx::bytes [%0], "
#define COLUMNS ".im2col.mbarrier::complete_tx::bytes [%0], "
#define TO "r"(to), "l"(map), "r"(barrier)
#define AT_3 "r"(place.at[0]), "r"(place.at[1]), "r"(place.at[2])
#define AT_4 AT_3, "r"(place.at[3])
#define AT_5 AT_4, "r"(place.at[4])
#define BY_1 "h"(place.offsets[0])
#define BY_2 BY_1, "h"(place.offsets[1])
#define BY_3 BY_2, "h"(place.offsets[2])

static __device__ void load(uint32_t to, const CUtensorMap *map, uint32_t barrier, int rank,
                            bool columns, const Place &place)
{
    if (rank == 3 && columns)
        asm volatile(LOAD(3, COLUMNS) "[%1, {%3, %4, %5}], [%2], {%6};" ::TO, AT_3, BY_1
                     : "memory");
    else if (rank == 4 && columns)
        asm volatile(LOAD(4, COLUMNS) "[%1, {%3, %4, %5, %6}], [%2], {%7, %8};" ::TO, AT_4, BY_2
                     : "memory");
    else if (columns)
        asm volatile(LOAD(5, COLUMNS) "[%1, {%3, %4, %5, %6, %7}], [%2], {%8, %9, %10};" ::TO, AT_5,
                     BY_3
                     : "memory");
    else if (rank == 3)
        asm volatile(LOAD(3, TILES) "[%1, {%3, %4, %5}], [%2];" ::TO, AT_3 : "memory");
    else if (rank == 4)
        asm volatile(LOAD(4, TILES) "[%1, {%3, %4, %5, %6}], [%2];" ::TO, AT_4 : "memory");
    else
        asm volatile(LOAD(5, TILES) "[%1, {%3, %4, %5, %6, %7}], [%2];" ::TO, AT_5 : "memory");
}

// `bytes` is the number that the mbarrier expects. Memory that is not written stays all ones.
__global__ void copy(const __grid_constant__ CUtensorMap map, int rank, bool columns, Place place,
                     int to, int bytes, uint32_t *out)
{
    __shared__ alignas(1024) uint32_t box[SHARED / 4];
    __shared__ barrier_t barrier;
    for (int i = threadIdx.x; i < SHARED / 4; i += blockDim.x)
        box[i] = ~0u;
    if (threadIdx.x == 0)
        init(&barrier, 1);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(&barrier, bytes);
        load(shared(box) + to, &map, shared(&barrier), rank, columns, place);
    }
    wait(&barrier, 0);
    for (int i = threadIdx.x; i < SHARED / 4; i += blockDim.x)
        out[i] = box[i];
}

template <class T>
static void numbers(const std::string &text, T *to)
{
    const char *at = text.c_str();
    for (int i = 0; i < MOST && *at; i++) {
        char *end;
        to[i] = (T)strtoll(at, &end, 10);
        at = end;
    }
}

// A line has cells that all its cases share. Each ';' then starts the cells of one case.
static bool read_case(FILE *file, Case *c)
{
    static char line[1 << 14], *at;
    static std::vector<std::string> common;
    while (!at || *at != ';') {
        if (!fgets(line, sizeof line, file))
            return false;
        common.assign(1, "");
        for (at = line; *at && *at != ';'; at++)
            if (*at == ',')
                common.emplace_back();
            else
                common.back() += *at;
    }
    std::vector<std::string> cells = common;
    cells.emplace_back();
    for (at++; *at && *at != '\n' && *at != ';'; at++)
        if (*at == ',')
            cells.emplace_back();
        else
            cells.back() += *at;
    assert_int_equal(cells.size(), 16);
    *c = {};
    snprintf(c->way, sizeof c->way, "%s", cells[0].c_str());
    c->bytes = atoi(cells[1].c_str());
    c->rank = atoi(cells[2].c_str());
    c->interleave = atoi(cells[3].c_str());
    c->swizzle = atoi(cells[4].c_str());
    c->to = atoi(cells[5].c_str());
    numbers(cells[6], c->dims);
    numbers(cells[7], c->strides);
    numbers(cells[8], c->box);
    numbers(cells[9], c->steps);
    numbers(cells[10], c->at);
    numbers(cells[11], c->lower);
    numbers(cells[12], c->upper);
    numbers(cells[13], c->offsets);
    c->counted = atoi(cells[14].c_str());
    c->image = cells[15];
    return true;
}

static CUresult encode(CUtensorMap *map, const Case &c, void *data)
{
    const CUtensorMapDataType type = c.bytes == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                                     : c.bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                                     : c.bytes == 4 ? CU_TENSOR_MAP_DATA_TYPE_UINT32
                                                    : CU_TENSOR_MAP_DATA_TYPE_UINT64;
    const CUtensorMapInterleave interleave = (CUtensorMapInterleave)c.interleave;
    const CUtensorMapSwizzle swizzle = (CUtensorMapSwizzle)c.swizzle;
    if (strcmp(c.way, "im2col") == 0)
        return driver_function<PFN_cuTensorMapEncodeIm2col_v12000>("cuTensorMapEncodeIm2col")(
            map, type, c.rank, data, c.dims, c.strides, c.lower, c.upper, c.box[0], c.box[1],
            c.steps, interleave, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return driver_function<PFN_cuTensorMapEncodeTiled_v12000>("cuTensorMapEncodeTiled")(
        map, type, c.rank, data, c.dims, c.strides, c.box, c.steps, interleave, swizzle,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

// "chunk=byte": the source of each chunk of 16 bytes; z means zeros.
static std::string described(const std::vector<uint32_t> &image)
{
    std::string text;
    for (size_t i = 0; i < image.size(); i += 4) {
        const uint32_t *word = &image[i];
        if ((word[0] & word[1] & word[2] & word[3]) == ~0u)
            continue;
        text += (text.empty() ? "" : " ") + std::to_string(i / 4) + "=";
        if (word[0] && word[1] == word[0] + 1 && word[2] == word[0] + 2 && word[3] == word[0] + 3)
            text += std::to_string((word[0] - 1) * 4);
        else
            text += word[0] | word[1] | word[2] | word[3] ? "?" : "z";
    }
    return text;
}

static void test_as_on_an_h200(void **)
{
    std::vector<uint32_t> words(GLOBAL / 4), image(SHARED / 4);
    uint32_t *data, *out;
    char header[256];
    int count = 0;
    Case c;
    FILE *file = fopen(CASES_FILE, "r");
    assert_non_null(file);
    assert_non_null(fgets(header, sizeof header, file));
    for (size_t i = 0; i < words.size(); i++)
        words[i] = (uint32_t)i + 1;
    cudaMalloc((void **)&data, GLOBAL);
    cudaMalloc((void **)&out, SHARED);
    cudaMemcpy(data, words.data(), GLOBAL, cudaMemcpyHostToDevice);
    for (; read_case(file, &c); count++) {
        alignas(64) CUtensorMap map;
        Place place = {};
        memcpy(place.at, c.at, sizeof place.at);
        memcpy(place.offsets, c.offsets, sizeof place.offsets);
        assert_int_equal(encode(&map, c, data), CUDA_SUCCESS);
        copy<<<1, 32>>>(map, c.rank, strcmp(c.way, "im2col") == 0, place, c.to, c.counted, out);
        assert_int_equal(cudaMemcpy(image.data(), out, SHARED, cudaMemcpyDeviceToHost),
                         cudaSuccess);
        if (described(image) != c.image)
            fail_msg("case %d: %s, not %s", count, described(image).c_str(), c.image.c_str());
    }
    fclose(file);
    assert_true(count >= 300 && count <= 2000);
    cudaFree(data);
    cudaFree(out);
}

// Maps that the driver rejects.
static void test_refused(void **)
{
    alignas(64) CUtensorMap map;
    Case c = {};
    void *data;
    cudaMalloc(&data, 1 << 16);
    c.bytes = 2;
    c.rank = 3;
    c.interleave = 1;
    for (int i = 0; i < 3; i++)
        c.dims[i] = 4, c.steps[i] = 1, c.box[i] = 8, c.strides[i] = 1024;
    assert_int_equal(encode(&map, c, data), CUDA_SUCCESS);
    c.box[0] = 4; // not a multiple of 16 bytes
    assert_int_equal(encode(&map, c, data), CUDA_ERROR_INVALID_VALUE);
    c.box[0] = 8;
    c.rank = 2; // W, slices and N are three dimensions
    assert_int_equal(encode(&map, c, data), CUDA_ERROR_INVALID_VALUE);
    cudaFree(data);
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_on_an_h200),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
