#include "device/guarded.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool guarded_create(struct guarded *array, size_t count, size_t offset, size_t after,
                    const struct back_end *back_end, struct error *error)
{
    const size_t margins = MARGIN_BEFORE + offset + after;
    /* On overflow, use a size that no machine has, so that the allocation fails. */
    const size_t total = count > SIZE_MAX - margins ? SIZE_MAX : count + margins;

    *array = (struct guarded){.before = MARGIN_BEFORE + offset, .count = count, .total = total};
    array->host = host_allocate(total, error);
    if (array->host == NULL)
        return false;
    array->memory = back_end->host_memory ? array->host : back_end->allocate(total, error);
    return array->memory != NULL;
}

void guarded_destroy(struct guarded *array, const struct back_end *back_end)
{
    if (array->memory != array->host)
        back_end->release(array->memory);
    free(array->host);
    *array = (struct guarded){0};
}

void *guarded_host(const struct guarded *array)
{
    return array->host + array->before;
}

void *guarded_memory(const struct guarded *array)
{
    return array->memory + array->before;
}

bool guarded_upload(const struct guarded *array, const struct back_end *back_end,
                    struct error *error)
{
    return array->memory == array->host ||
           back_end->upload(array->memory, array->host, array->total, error);
}

bool guarded_download(const struct guarded *array, const struct back_end *back_end,
                      struct error *error)
{
    return array->memory == array->host ||
           back_end->download(array->host, array->memory, array->total, error);
}

/* The pattern repeats from the start of the memory, not from the start of the array. */
static void fill(unsigned char *bytes, size_t from, size_t end, float value)
{
    unsigned char pattern[sizeof value];

    memcpy(pattern, &value, sizeof pattern);
    for (size_t i = from; i < end; i++)
        bytes[i] = pattern[i % sizeof pattern];
}

void guarded_fill(const struct guarded *array, float value)
{
    fill(array->host, 0, array->total, value);
}

void guarded_fill_margins(const struct guarded *array, float value)
{
    fill(array->host, 0, array->before, value);
    fill(array->host, array->before + array->count, array->total, value);
}

bool guarded_margins_hold(const struct guarded *array, float value, ptrdiff_t *place)
{
    unsigned char pattern[sizeof value];

    memcpy(pattern, &value, sizeof pattern);
    for (size_t i = 0; i < array->total; i++) {
        if (i == array->before) {
            i += array->count;
            if (i == array->total)
                break;
        }
        if (array->host[i] != pattern[i % sizeof pattern]) {
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
/* SPDX-License-Identifier: MIT */
