#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Formats bytes like "12.3 GiB". */
static void format_bytes(double bytes, char text[static 32])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t unit = 0;
    while (bytes >= 1024 && unit < 6) {
        bytes /= 1024;
        unit++;
    }
    snprintf(text, 32, "%.*f %s", unit == 0 ? 0 : 1, bytes, units[unit]);
}

/* How much Linux can provide without swapping; SIZE_MAX if it does not say. */
static size_t available_bytes(void)
{
    size_t kibibytes = 0;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "r");
    if (file == NULL)
        return SIZE_MAX;
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemAvailable: %zu kB", &kibibytes) == 1)
            break;
    fclose(file);
    return kibibytes == 0 ? SIZE_MAX : kibibytes * 1024;
}

bool memory_available(size_t bytes, struct error *error)
{
    const size_t small = (size_t)64 << 20; /* too little to read /proc/meminfo for */
    char wanted[32], free_now[32];

    if (bytes <= small)
        return true;
    const size_t available = available_bytes();
    if (bytes <= available)
        return true;
    format_bytes((double)bytes, wanted);
    format_bytes((double)available, free_now);
    return error_set(error, EXIT_DEVICE_ERROR, "out of memory: %s wanted, %s available", wanted,
                     free_now);
}

void *host_allocate(size_t bytes, struct error *error)
{
    const size_t huge_page = (size_t)2 << 20;
    const size_t alignment = bytes < huge_page ? 256 : huge_page;
    void *memory = NULL;

    if (!memory_available(bytes, error))
        return NULL;
    if (bytes <= SIZE_MAX - alignment)
        memory = aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
    if (memory == NULL) {
        char wanted[32];
        format_bytes((double)bytes, wanted);
        error_set(error, EXIT_DEVICE_ERROR, "out of memory: %s wanted", wanted);
    } else if (bytes >= huge_page) {
        /* Huge pages cause fewer TLB misses. This is only a hint, so a failure does not matter. */
        madvise(memory, (bytes + alignment) / alignment * alignment, MADV_HUGEPAGE);
    }
    return memory;
}

bool checked_bytes(size_t a, size_t b, size_t c, size_t *bytes, struct error *error)
{
    if (b != 0 && a > SIZE_MAX / b)
        return error_set(error, EXIT_DEVICE_ERROR,
                         "out of memory: the size exceeds the address space");
    if (c != 0 && a * b > SIZE_MAX / c)
        return error_set(error, EXIT_DEVICE_ERROR,
                         "out of memory: the size exceeds the address space");
    *bytes = a * b * c;
    return true;
}

void *host_allocate_array(size_t rows, size_t columns, size_t element, struct error *error)
{
    size_t bytes = 0;

    if (!checked_bytes(rows, columns, element, &bytes, error))
        return NULL;
    return host_allocate(bytes, error);
}
/* SPDX-License-Identifier: MIT */
