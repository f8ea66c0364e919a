/* What the program's symbols say about its data: which variables are the device's. */
#include "program/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/simt.h"
#include "cuda/simt_analysis.h"
#include "program/elf.h"

/* ---- names ---- */

/* Names of kernels and of device variables that the sources declare, each between spaces. */
static char *kernel_names, *device_names;
static bool names_missing; /* the names of one source are unknown */

static void add_names(char **known, const char *names)
{
    size_t length = *known ? strlen(*known) : 0, more = strlen(names);
    char *larger = realloc(*known, length + more + 2);
    if (larger) {
        *known = larger;
        snprintf(larger + length, more + 2, "%s ", names);
    }
}

int simt_device_names(const char *kernels, const char *of_variables)
{
    add_names(&kernel_names, kernels);
    names_missing = names_missing || !of_variables;
    add_names(&device_names, of_variables ? of_variables : "");
    return 0;
}

static bool is_among(const char *names, const char *name)
{
    char word[256];
    snprintf(word, sizeof word, " %.250s ", name);
    return names && strstr(names, word);
}

bool simt_is_kernel_name(const char *name)
{
    return is_among(kernel_names, name);
}

/* ---- the program's data ---- */

static bool is_of_device(const struct simt_symbol *object)
{
    char name[256];
    simt_plain_name(object->name, name, sizeof name);
    return is_among(device_names, name);
}

/* The variable that contains the address, or else the one before it. */
static const struct simt_symbol *find_object(uint64_t address, uint64_t *base)
{
    extern const char __executable_start[];
    const struct simt_symbol *found =
        simt_symbol_below(simt_symbols.objects, simt_symbols.object_count, (size_t)address);
    *base = 0;
    /* Addresses in a position-independent file start from zero. */
    if (!found || address - found->offset > SIMT_PAST_SHARED) {
        *base = (uintptr_t)__executable_start;
        found = simt_symbol_below(simt_symbols.objects, simt_symbols.object_count,
                                  (size_t)(address - *base));
    }
    *base += found ? found->offset : 0;
    return found && address - *base < found->size + SIMT_PAST_SHARED ? found : NULL;
}

bool simt_data_range(uint64_t address, struct simt_range *range)
{
    uint64_t base;
    const struct simt_symbol *object =
        device_names && !names_missing ? find_object(address, &base) : NULL;
    bool inside = object && address - base < object->size;
    if (!object || (!inside && address - base - object->size > 4096)) {
        return false;
    }
    if (inside && object > simt_symbols.objects && !is_of_device(object) &&
        is_of_device(object - 1) &&
        address - base + object->offset - object[-1].offset - object[-1].size < 64) {
        /* This address is just past the end of a device variable. */
        *range = (struct simt_range){address, 1, SPACE_GLOBAL, true};
    } else if (!is_of_device(object)) {
        *range = (struct simt_range){inside ? base : address, inside ? object->size : 1,
                                     inside ? SPACE_HOST : SPACE_GLOBAL, false};
    } else {
        *range = (struct simt_range){inside ? base : address, inside ? object->size : 1,
                                     SPACE_GLOBAL, !inside};
    }
    return true;
}

bool simt_is_variable(uint64_t address, bool managed)
{
    uint64_t base;
    const struct simt_symbol *object;
    char name[256] = "&"; /* a managed variable is also listed as "&NAME" */
    if (!simt_is_of_program(address) || !device_names || names_missing) {
        return false;
    }
    simt_symbols_read();
    object = find_object(address, &base);
    if (object) {
        simt_plain_name(object->name, name + 1, sizeof name - 1);
    }
    return object && address - base < object->size && is_among(device_names, name + 1) &&
           is_among(device_names, name) == managed;
}

bool simt_data_describe(uint64_t address, bool past, char *text, size_t size)
{
    uint64_t base;
    const struct simt_symbol *object =
        device_names && !names_missing ? find_object(address, &base) : NULL;
    char name[64];
    if (!object) {
        return false;
    }
    if (past && object > simt_symbols.objects && !is_of_device(object)) {
        base -= object->offset - object[-1].offset;
        object--;
    }
    simt_plain_name(object->name, name, sizeof name);
    if (address - base < object->size) {
        snprintf(text, size, "%s", name);
    } else {
        snprintf(text, size, "%zu bytes past the end of %s, which has %zu bytes",
                 (size_t)(address - base) - object->size, name, object->size);
    }
    return true;
}

bool simt_device_data(void (*call)(void *context, char *base, size_t size), void *context)
{
    extern const char __executable_start[];
    const uint64_t start = (uintptr_t)__executable_start;
    for (size_t i = 0; i < simt_symbols.object_count && !names_missing; i++) {
        const struct simt_symbol *object = &simt_symbols.objects[i];
        if (is_of_device(object)) {
            const uint64_t base = (object->offset < start ? start : 0) + object->offset;
            call(context, (char *)(uintptr_t)base, object->size);
        }
    }
    return !names_missing;
}

/* ---- instrumentation ---- */

static bool instrumented;

int simt_mark_instrumented(void)
{
    instrumented = true;
    return 0;
}

bool simt_instrumented(void)
{
    return instrumented;
}
/* SPDX-License-Identifier: MIT */
