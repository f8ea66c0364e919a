#include "base/available.h"

#include <inttypes.h>
#include <stdio.h>

size_t simt_available_memory(void)
{
    char line[128];
    uint64_t kilobytes = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "MemAvailable: %" SCNu64, &kilobytes) == 1) {
            break;
        }
    }
    if (file) {
        fclose(file);
    }
    return (size_t)kilobytes << 10;
}
/* SPDX-License-Identifier: MIT */
