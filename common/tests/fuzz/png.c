/* Fuzz target: the reader of PNG files. An input is a file. Mutations get correct checksums,
 * because libpng stops at a wrong one. */
#include <string.h>

#include "base/picture.h"
#include "fuzz.h"

enum {
    SIGNATURE = 8,
    AROUND = 12
}; /* of a chunk: length and type before the data, a CRC after it */

static uint32_t number_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Whether the file has millions of pixels that still fit in memory. Such a file takes seconds and
 * finds no more than a file with few pixels. */
static bool is_slow(const uint8_t *data, size_t size)
{
    if (size < SIGNATURE + AROUND + 8)
        return false;
    const double pixels = (double)number_at(data + 16) * number_at(data + 20);
    return pixels > 1e6 && pixels < 1e12;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct npy array;
    struct error error = {EXIT_ALL_VERIFIED, ""};

    if (is_slow(data, size))
        return 0;
    if (!picture_read(file_with(data, size), &array, &error)) {
        require_error(&error, EXIT_FILE_ERROR, EXIT_DEVICE_ERROR);
        require(array.data == NULL, "nothing after a failure");
        return 0;
    }
    require(array.dimensions == 4 && array.shape[0] == 3 && array.shape[1] == 1, "three colours");
    require(array.count == 3 * array.shape[2] * array.shape[3], "the count is the shape's product");
    for (size_t i = 0; i < array.count; i++) {
        const float value = ((const float *)array.data)[i];
        require(value >= 0 && value <= 255, "values are 0 to 255");
    }
    npy_free(&array);
    return 0;
}

/* ---- mutations ------------------------------------------------------------------------------- */

static uint32_t crc_of(const uint8_t *bytes, size_t size)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

static void correct_checksums(uint8_t *data, size_t size)
{
    size_t at = SIGNATURE;
    while (size >= AROUND && at <= size - AROUND) {
        const size_t length = number_at(data + at);
        if (length > size - AROUND - at)
            break;
        uint8_t *const end = data + at + 8 + length;
        const uint32_t crc = crc_of(data + at + 4, length + 4);
        for (int i = 0; i < 4; i++)
            end[i] = (uint8_t)(crc >> (24 - 8 * i));
        at += AROUND + length;
    }
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    static const uint8_t signature[SIGNATURE] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    const size_t changed = LLVMFuzzerMutate(data, size, most);

    if (seed % 16 == 0) /* keep wrong checksums */
        return changed;
    if (changed >= SIGNATURE)
        memcpy(data, signature, SIGNATURE);
    correct_checksums(data, changed);
    return changed;
}
/* SPDX-License-Identifier: MIT */
