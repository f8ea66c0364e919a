/* Device memory: one reserved address range. Only open allocations in it are accessible. */
#ifndef SIMT_MEMORY_H
#define SIMT_MEMORY_H

#include <signal.h>

#include "base/space.h"
#include "cuda/cuda_runtime_api.h"
#include "observe/access.h"

enum simt_region_kind {
    REGION_DEVICE,
    REGION_HOST, /* pinned */
    REGION_MANAGED,
    REGION_SYMBOL, /* a variable of the program */
    REGION_REGISTERED
};

/* The running API call of the program; if calls are nested, the outermost. */
struct simt_call {
    const char *function;
    const void *caller; /* a return address */
};
extern struct simt_call simt_call_now;
/* " (FUNCTION() at FILE:LINE)", or "" if the line is unknown. */
void simt_call_describe(const struct simt_call *call, char *text, size_t size);

struct simt_region {
    char *base;
    size_t size;
    enum simt_region_kind kind;
    char *map; /* its pages, if the runtime owns them */
    size_t map_size;
    uint64_t changed;              /* the value of simt_memory_changes at the last possible write */
    struct simt_call made, filled; /* the call that made it; the last copy or fill of a part, */
    size_t filled_bytes;           /* of this number of bytes */
    int device;    /* the current device at its allocation; REGION_DEVICE: its owner */
    bool of_graph; /* a graph node has allocated it */
    /* memory/opening.c: the protection of the whole region (PROT_READ...); the size of the piece
     * that the last fault opened. */
    int open;
    bool guarded; /* part of it is closed to the host */
    bool opens_at_faults;
    size_t window;
};

/* The region that contains an address, or begins there, or NULL. Valid until a region is added. */
struct simt_region *simt_region_find(const void *address);
struct simt_region *simt_region_find_base(const void *address);
/* All regions by number, in no order; NULL after the last. */
const struct simt_region *simt_region_number(size_t number);
/* Whether a region other than a variable contains any of these bytes. */
bool simt_regions_overlap(const char *address, size_t size);
/* False if there is no memory for the entry. */
bool simt_region_add(struct simt_region region);
/* Frees its memory, if the runtime owns it. */
void simt_region_release(struct simt_region *region);
/* Makes device memory at an address accessible, or closes it. */
void simt_region_open(const void *address, bool open);
/* The same for some of its bytes, rounded to pages. */
void simt_region_open_part(const void *address, size_t size, enum simt_region_access access);
/* Closes managed and pinned memory to the host, as far as pending launches and copies use it; and
 * opens it, for the runtime, or when nothing is pending. */
void simt_memory_guard(void);
void simt_memory_unguard(void);
/* The host has waited for at least some pending work. */
void simt_memory_host_waited(void);
/* Managed or pinned memory, to which the host writes unobserved: tells the checks what it holds. */
void simt_region_look(const struct simt_region *region);

/* Allocate memory on the current device or the host; NULL if there is none. */
void *simt_memory_allocate(size_t size);
/* An address range that is not reused until addresses run out; and memory there, again or for the
 * first time: false if there is none. */
void *simt_memory_reserve(size_t size);
bool simt_memory_allocate_at(void *base, size_t size);
void *simt_memory_allocate_host(size_t size, enum simt_region_kind kind);

size_t simt_memory_available(void);
size_t simt_memory_total(void);
/* Between these calls, while a kernel runs, the device memory that the current device reaches is
 * accessible. */
void simt_memory_open(void);
void simt_memory_close(void);
/* Call it after a kernel. In programs with many launches, memory stays open. Anything that may lead
 * the host to access memory calls simt_memory_settle() first to close it. */
void simt_memory_close_behind_kernel(void);
void simt_memory_settle(void);
/* Code at `code` was stopped at that address: opens it, or returns false for a real fault. */
bool simt_memory_open_at(const void *address, bool writes, const void *code);
/* The SIGSEGV handler, which calls that. */
extern void (*simt_memory_fault_handler)(int number, siginfo_t *information, void *context);
/* Makes the device memory that the current device reaches read-only; or closes it again. */
void simt_memory_look(bool look);
/* Changes whenever device memory can be written: of the region at that address, and of any. While
 * the value stays the same, the memory has not changed. */
uint64_t simt_memory_changed(const void *address);
extern uint64_t simt_memory_changes;
/* Frees all memory of a device; with the last device, also the kernels' heap. */
void simt_memory_reset(int device);
bool simt_memory_is_device(const void *address);
/* There is managed, pinned or registered memory, which the host accesses without a copy. */
bool simt_memory_host_has_any(void);
/* Managed or pinned, or between such regions. */
bool simt_memory_is_of_host(const void *address);
enum cudaMemoryType simt_memory_type(const void *address);
/* Whether it is memory of a device that the current one cannot access. */
bool simt_memory_is_foreign(const void *address);
/* The host address of a device variable, used without asking for the device address. Here the two
 * are equal. */
bool simt_memory_is_address_of_host(const void *address);
/* Describes an address in device memory, or in host memory that kernels use. False if it is in
 * neither, and not just past registered memory. */
bool simt_memory_describe(const void *address, char *text, size_t size);

/* The size in bytes of the address space for device memory. */
size_t simt_memory_address_space(void);
/* The region that contains an address, or false. */
bool simt_memory_range(uint64_t address, struct simt_range *range);

#endif
/* SPDX-License-Identifier: MIT */
