/* Fuzz target: the reader of .npy files. An input is a file. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/npy.h"
#include "fuzz.h"

static void check_values(const struct npy *array)
{
    for (size_t i = 0; i < array->count; i++) {
        const unsigned char byte = ((const unsigned char *)array->data)[i];
        if (array->type == NPY_BOOL)
            require(byte <= 1, "a bool is 0 or 1");
        if (array->type == NPY_FLOAT32) {
            const float value = ((const float *)array->data)[i], quiet = NAN;
            require(!isnan(value) || memcmp(&value, &quiet, sizeof value) == 0, "one NaN only");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct npy array;
    struct error error = {EXIT_ALL_VERIFIED, ""};

    if (!npy_read(file_with(data, size), &array, &error)) {
        const struct npy nothing = {0};
        require_error(&error, EXIT_FILE_ERROR, EXIT_DEVICE_ERROR);
        require(array.data == NULL && array.count == nothing.count, "nothing after a failure");
        return 0;
    }
    size_t count = 1;
    require(array.dimensions <= NPY_MAX_DIMENSIONS, "at most four dimensions");
    for (size_t i = 0; i < NPY_MAX_DIMENSIONS; i++) {
        require(i < array.dimensions || array.shape[i] == 0, "unused dimensions are 0");
        count *= i < array.dimensions ? array.shape[i] : 1;
    }
    require(array.count == count, "the count is the shape's product");
    require(array.data != NULL && (uintptr_t)array.data % NPY_ALIGNMENT == 0, "aligned data");
    const size_t bytes = count * npy_element_size(array.type);
    require(bytes <= size, "no more data than the file has");
    if (array.type == NPY_UINT8)
        require(memcmp(array.data, data + size - bytes, bytes) == 0, "the file's last bytes");
    check_values(&array);
    npy_free(&array);
    return 0;
}
/* SPDX-License-Identifier: MIT */
