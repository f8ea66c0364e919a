#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/clock.h"
#include "base/memory.h"
#include "device/back_end.h"
#include "device/pool.h"
#include "device/read_probe.h"

static void read_name(char *name, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");

    snprintf(name, size, "CPU");
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL) {
        const char *const colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    fclose(file);
}

static bool cpu_open(int device, struct machine *machine, struct error *error)
{
    if (device != 0)
        return error_set(error, EXIT_DEVICE_ERROR,
                         "--device %d: this step runs on the CPU, device 0", device);
    machine->processors = usable_processors();
    read_name(machine->name, sizeof machine->name);
    snprintf(machine->details, sizeof machine->details, "%d processor%s", machine->processors,
             machine->processors == 1 ? "" : "s");
    return true;
}

static bool cpu_peak(size_t bytes, double *gb_per_s, struct error *error)
{
    return read_probe(usable_processors(), bytes, gb_per_s, error);
}

static bool cpu_copy(void *to, const void *from, size_t bytes, struct error *error)
{
    (void)error;
    memcpy(to, from, bytes);
    return true;
}

static bool cpu_fill(void *to, int byte, size_t bytes, struct error *error)
{
    (void)error;
    memset(to, byte, bytes);
    return true;
}

static bool cpu_finish(struct error *error)
{
    (void)error;
    return true; /* CPU rungs are synchronous: they return when their work is done */
}

static double started_s;

static bool cpu_timer_start(struct error *error)
{
    (void)error;
    started_s = now_s();
    return true;
}

static bool cpu_timer_stop(double *microseconds, struct error *error)
{
    (void)error;
    *microseconds = 1e6 * (now_s() - started_s);
    return true;
}

static bool cpu_evict(const void *memory, size_t bytes, struct error *error)
{
    (void)error;
    const size_t line = 64;
    const char *const start = memory;
#if defined(__x86_64__)
    for (size_t i = 0; i < bytes; i += line)
        _mm_clflush(start + i);
    _mm_mfence();
#elif defined(__aarch64__)
    for (size_t i = 0; i < bytes; i += line)
        __asm__ volatile("dc civac, %0" ::"r"(start + i) : "memory");
    __asm__ volatile("dsb sy" ::: "memory");
#else
#error "--cold needs an instruction that flushes a cache line"
#endif
    return true;
}

const struct back_end cpu_back_end = {
    .name = "cpu",
    .host_memory = true,
    .clocks = true,
    .open = cpu_open,
    .peak = cpu_peak,
    .measures_peak = true,
    .allocate = host_allocate,
    .release = free,
    .upload = cpu_copy,
    .download = cpu_copy,
    .fill = cpu_fill,
    .finish = cpu_finish,
    .timer_start = cpu_timer_start,
    .timer_stop = cpu_timer_stop,
    .evict = cpu_evict,
};
/* SPDX-License-Identifier: MIT */
