/* What the program's own symbols tell: of shared memory, which variables it consists of; of a
 * kernel, how much of it is its own; of the program's data, which is the device's.
 *
 * __shared__ is thread_local here (cuda_runtime.h), so that the compiler knows, as nvcc does, that
 * shared and global memory are not the same. The program's own symbols tell its variables apart: an
 * access past the end of one is known as such, and how much a kernel takes. A program without
 * symbols is one variable.
 *
 * A class with a constructor, be it empty, has the compiler ask at each use whether it has run: by
 * a flag that lies among the variables, but is none of the program's. */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "cuda/simt_analysis.h"
#include "program/elf.h"
#include "program/symbols.h"

/* The last of the thread_local variables, since the library is linked last: what runs past the end
 * of shared memory does not meet the C library's. */
__thread struct simt_own simt_own;

static struct simt_range block; /* of the thread that launches: up to the runtime's own */

/* ---- names ---- */

/* Names that sources declare, each between spaces: of kernels and of the device's variables. */
static char *kernel_names, *device_names;
static bool names_missing; /* a source could not tell */

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

/* ---- addresses ---- */

/* What names of the running kernel's own variables begin with; "" if not known. */
static char own_prefix[1024];

/* Of another kernel: the running one has none such. */
static bool is_foreign(const struct simt_symbol *variable)
{
    char function[256];
    if (!own_prefix[0] || strncmp(variable->name, own_prefix, strlen(own_prefix)) == 0) {
        return false;
    }
    simt_enclosing_function(variable->name, function, sizeof function);
    return is_among(kernel_names, function);
}

static int find_block(struct dl_phdr_info *information, size_t size, void *data)
{
    (void)size;
    (void)data;
    for (int i = 0; i < information->dlpi_phnum; i++) {
        if (information->dlpi_phdr[i].p_type == PT_TLS) {
            uint64_t base = (uintptr_t)information->dlpi_tls_data;
            block = (struct simt_range){base, (size_t)((uintptr_t)&simt_own - base), SPACE_SHARED,
                                        false};
        }
    }
    return 1; /* the first entry is the program */
}

void *simt_static_shared(size_t *size)
{
    dl_iterate_phdr(find_block, NULL); /* a thread's variables are its own */
    *size = block.size;
    return (void *)(uintptr_t)block.base;
}

/* What the names of a function's variables begin with; false if the function is not known. */
static bool prefix_of(const void *function, char *prefix, size_t size)
{
    extern const char __executable_start[];
    uintptr_t address = (uintptr_t)function;
    const struct simt_symbol *kernel =
        simt_symbol_below(simt_symbols.functions, simt_symbols.function_count, address);
    if (!kernel || kernel->offset != address) {
        /* Addresses in a position-independent file start from zero. */
        address -= (uintptr_t)__executable_start;
        kernel = simt_symbol_below(simt_symbols.functions, simt_symbols.function_count, address);
    }
    prefix[0] = '\0';
    if (!function || !kernel || kernel->offset != address || strncmp(kernel->name, "_Z", 2) != 0 ||
        strlen(kernel->name) + 4 > size) {
        return false;
    }
    snprintf(prefix, size, "_ZZ%sE", kernel->name + 2);
    return true;
}

void simt_shared_start_launch(const void *function)
{
    simt_symbols_read();
    dl_iterate_phdr(find_block, NULL);
    prefix_of(function, own_prefix, sizeof own_prefix);
}

/* The variable that the offset lies in, or the one before; none of another kernel. */
static const struct simt_symbol *find_variable(uint64_t offset)
{
    const struct simt_symbol *variable =
        simt_symbol_below(simt_symbols.variables, simt_symbols.variable_count, (size_t)offset);
    while (variable && is_foreign(variable)) {
        variable = variable > simt_symbols.variables ? variable - 1 : NULL;
    }
    return variable;
}

bool simt_shared_range(uint64_t address, struct simt_range *range)
{
    uint64_t offset = address - block.base;
    const struct simt_symbol *variable;
    if (offset >= block.size + sizeof simt_own) {
        return false;
    }
    variable = find_variable(offset);
    *range = (struct simt_range){address, 1, SPACE_SHARED, true};
    if (variable && offset - variable->offset < variable->size) {
        *range = (struct simt_range){block.base + variable->offset, variable->size,
                                     variable->guard ? SPACE_LOCAL : SPACE_SHARED, false};
    } else if (simt_symbols.variable_count == 0 && offset < block.size) {
        *range = block;
    }
    return true;
}

bool simt_shared_describe(uint64_t address, char *text, size_t size)
{
    uint64_t offset = address - block.base;
    const struct simt_symbol *variable = find_variable(offset);
    char name[64];
    if (offset >= block.size + sizeof simt_own || !variable) {
        return false;
    }
    simt_plain_name(variable->name, name, sizeof name);
    if (offset - variable->offset < variable->size) {
        snprintf(text, size, "it begins in %s, %zu bytes, and ends past it", name, variable->size);
    } else {
        snprintf(text, size, "%zu bytes past the end of %s, which has %zu bytes",
                 (size_t)(offset - variable->offset) - variable->size, name, variable->size);
    }
    return true;
}

bool simt_shared_name(uint64_t address, char *text, size_t size)
{
    const struct simt_symbol *variable = find_variable(address - block.base);
    if (address - block.base >= block.size || !variable) {
        return false;
    }
    simt_plain_name(variable->name, text, size);
    return true;
}

/* ---- the program's data ---- */

static bool is_of_device(const struct simt_symbol *object)
{
    char name[256];
    simt_plain_name(object->name, name, sizeof name);
    return is_among(device_names, name);
}

/* The variable that the address lies in, or the one before. */
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
        /* Just past the end of a variable of the device. */
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

/* ---- kernels ---- */

size_t simt_static_shared_of(const void *function)
{
    static const void *last;
    static size_t total;
    char prefix[sizeof own_prefix];
    if (last && function == last) {
        return total;
    }
    last = function;
    total = 0;
    simt_symbols_read();
    if (!prefix_of(function, prefix, sizeof prefix)) {
        return 0;
    }
    for (size_t i = 0; i < simt_symbols.variable_count; i++) {
        if (!simt_symbols.variables[i].guard &&
            strncmp(simt_symbols.variables[i].name, prefix, strlen(prefix)) == 0) {
            total += simt_symbols.variables[i].size;
        }
    }
    return total;
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
