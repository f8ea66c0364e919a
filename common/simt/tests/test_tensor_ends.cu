// Tensor rows whose ends are not multiples of 16 bytes: how many bytes within and behind a row the
// tensor copies wrote on an H200 (tensor_ends_h200.csv). nvcc (sm_90a) also compiles it.
#include <cuda.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "cmocka_all.h"
#include "ptx_helpers.cuh"
#include "tensor_maps.cuh"

enum { PITCH = 512, ROWS = 3, ROW = 128, BOX = 2 * ROW };

// One case in a line of the file. `inside` and `beyond` are numbers of bytes.
struct Case {
    char way[8], type[8];
    int swizzle, columns, first, inside, beyond;
};

static const struct Type {
    const char *name;
    CUtensorMapDataType type;
    int bytes;
} types[] = {
    {"u8", CU_TENSOR_MAP_DATA_TYPE_UINT8, 1},      {"u16", CU_TENSOR_MAP_DATA_TYPE_UINT16, 2},
    {"bf16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2}, {"u32", CU_TENSOR_MAP_DATA_TYPE_UINT32, 4},
    {"f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4},   {"u64", CU_TENSOR_MAP_DATA_TYPE_UINT64, 8},
};

// Stores bytes of 1 to a tensor of zeros.
__global__ void give(const __grid_constant__ CUtensorMap map, int x, bool reduces)
{
    __shared__ alignas(1024) unsigned char box[BOX];
    for (int i = threadIdx.x; i < BOX; i += blockDim.x)
        box[i] = 1;
    fence_proxy();
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    if (reduces)
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.or.bulk_group "
                     "[%0, {%1, 0}], [%2];" ::"l"(&map),
                     "r"(x), "r"(shared(box))
                     : "memory");
    else
        asm volatile(
            "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, 0}], [%2];" ::"l"(
                &map),
            "r"(x), "r"(shared(box))
            : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

__global__ void take(const __grid_constant__ CUtensorMap map, int x, unsigned char *out)
{
    __shared__ alignas(1024) unsigned char box[BOX];
    __shared__ barrier_t full;
    if (threadIdx.x == 0) {
        init_one(&full);
        expect(&full, BOX);
        load_box(box, &map, x, 0, &full);
    }
    __syncthreads();
    wait(&full, 0);
    for (int i = threadIdx.x; i < BOX; i += blockDim.x)
        out[i] = box[i];
}

static const Type *type_of(const Case &c)
{
    for (const Type &type : types)
        if (strcmp(type.name, c.type) == 0)
            return &type;
    fail_msg("no type: %s", c.type);
    return nullptr;
}

static CUtensorMap map_of(const Case &c, const Type &type, void *data)
{
    const cuuint64_t size[] = {(cuuint64_t)c.columns, ROWS}, stride[] = {PITCH};
    const cuuint32_t box[] = {(cuuint32_t)(ROW / type.bytes), 2}, steps[] = {1, 1};
    alignas(64) CUtensorMap map;
    assert_int_equal(tile_map(&map, type.type, 2, data, size, stride, box, steps,
                              c.swizzle ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE),
                     CUDA_SUCCESS);
    return map;
}

// Counts the bytes of the first row that are not 0, before and behind the end of the tensor.
static void check(const Case &c, unsigned char *data)
{
    const Type &type = *type_of(c);
    const bool load = strcmp(c.way, "load") == 0;
    const CUtensorMap map = map_of(c, type, data);
    const int end = (c.columns - (load ? c.first : 0)) * type.bytes;
    std::vector<unsigned char> row(load ? ROW : PITCH);
    unsigned char *const out = data + ROWS * PITCH;
    int inside = 0, beyond = 0;
    assert_int_equal(cudaMemset(data, load ? 7 : 0, ROWS * PITCH), cudaSuccess);
    if (load)
        take<<<1, 32>>>(map, c.first, out);
    else
        give<<<1, 32>>>(map, c.first, strcmp(c.way, "or") == 0);
    assert_int_equal(cudaMemcpy(row.data(), load ? out : data, row.size(), cudaMemcpyDeviceToHost),
                     cudaSuccess);
    for (int i = 0; i < (int)row.size(); i++)
        (i < end ? inside : beyond) += row[i] != 0;
    if (inside != c.inside || beyond != c.beyond)
        fail_msg("%s of %d %s from %d on, swizzle %d: %d bytes and %d beyond, not %d and %d", c.way,
                 c.columns, c.type, c.first, c.swizzle, inside, beyond, c.inside, c.beyond);
}

static void test_as_on_an_h200(void **)
{
    unsigned char *data;
    char header[128], end;
    int count = 0, beyond = 0;
    Case c;
    FILE *file = fopen(CASES_FILE, "r");
    assert_non_null(file);
    assert_non_null(fgets(header, sizeof header, file));
    assert_int_equal(cudaMalloc((void **)&data, ROWS * PITCH + BOX), cudaSuccess);
    while (fscanf(file, "%7[^,],%7[^,],%d,", c.way, c.type, &c.swizzle) == 3)
        do {
            assert_int_equal(
                fscanf(file, "%d:%d:%d:%d%c", &c.columns, &c.first, &c.inside, &c.beyond, &end), 5);
            check(c, data);
            count++;
            beyond += c.beyond > 0;
        } while (end == ' ');
    assert_true(feof(file));
    fclose(file);
    assert_true(count >= 500 && count <= 5000);
    assert_true(beyond > 100);
    cudaFree(data);
}

int main()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_on_an_h200)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
