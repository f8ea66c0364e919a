#include "device/guarded.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool guarded_create(struct guarded *array, size_t rows, size_t leading, size_t offset, size_t after,
                    const struct back_end *back_end, struct error *error)
{
    const size_t margins = MARGIN_BEFORE + offset + after;
    size_t bytes;

    *array = (struct guarded){0};
    if (!checked_bytes(rows, leading, sizeof(float), &bytes, error))
        return false;
    array->before = MARGIN_BEFORE + offset;
    array->count = rows * leading;
    array->total = array->count + margins;
    /* A sum that wraps around becomes a size that no machine has. */
    bytes = bytes > SIZE_MAX - margins * sizeof(float) ? SIZE_MAX : bytes + margins * sizeof(float);

    array->host = host_allocate(bytes, error);
    if (array->host == NULL)
        return false;
    array->memory = back_end->host_memory ? array->host : back_end->allocate(bytes, error);
    return array->memory != NULL;
}

void guarded_destroy(struct guarded *array, const struct back_end *back_end)
{
    if (array->memory != array->host)
        back_end->release(array->memory);
    free(array->host);
    *array = (struct guarded){0};
}

float *guarded_host(const struct guarded *array)
{
    return array->host + array->before;
}

float *guarded_memory(const struct guarded *array)
{
    return array->memory + array->before;
}

bool guarded_upload(const struct guarded *array, const struct back_end *back_end,
                    struct error *error)
{
    return array->memory == array->host ||
           back_end->upload(array->memory, array->host, array->total * sizeof(float), error);
}

bool guarded_download(const struct guarded *array, const struct back_end *back_end,
                      struct error *error)
{
    return array->memory == array->host ||
           back_end->download(array->host, array->memory, array->total * sizeof(float), error);
}

void guarded_fill(const struct guarded *array, float value)
{
    for (size_t i = 0; i < array->total; i++)
        array->host[i] = value;
}

bool guarded_margins_hold(const struct guarded *array, float value, ptrdiff_t *place)
{
    for (size_t i = 0; i < array->total; i++) {
        if (i == array->before) {
            i += array->count;
            if (i == array->total)
                break;
        }
        if (!same_bits(array->host[i], value)) {
            *place = (ptrdiff_t)i - (ptrdiff_t)array->before;
            return false;
        }
    }
    return true;
}

static float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float guard_value(void)
{
    return float_of_bits(0x7FC0BAD0u);
}

float poison_value(void)
{
    return float_of_bits(0xFFFFFFFFu);
}

bool same_bits(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}
