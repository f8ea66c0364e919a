/* Device memory: one reserved address range, inaccessible except where an allocation is open. */
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
    REGION_SYMBOL, /* a variable of the program's */
    REGION_REGISTERED
};

/* The program's call that the runtime is in: of several, the outermost. */
struct simt_call {
    const char *function;
    const void *caller; /* a return address */
};
extern struct simt_call simt_call_now;
/* " (FUNCTION() at FILE:LINE)", or nothing where the line is not known. */
void simt_call_describe(const struct simt_call *call, char *text, size_t size);

struct simt_region {
    char *base;
    size_t size;
    enum simt_region_kind kind;
    char *map; /* its pages, if they are the runtime's */
    size_t map_size;
    uint64_t changed;              /* simt_memory_changes when it could be written last */
    struct simt_call made, filled; /* by which call; and the last copy or fill of a part, */
    size_t filled_bytes;           /* of so many bytes */
    int device;    /* that was current when it was allocated; REGION_DEVICE: whose memory it is */
    bool of_graph; /* a node has allocated it */
    /* memory/opening.c: how all of it can be touched (PROT_READ...), or how large the piece was
     * that the last fault has opened. */
    int open;
    bool guarded; /* some of it is closed to the host */
    bool opens_at_faults;
    size_t window;
};

/* The region that an address lies in, or begins at, or NULL; valid until there is another one. */
struct simt_region *simt_region_find(const void *address);
struct simt_region *simt_region_find_base(const void *address);
/* All of them, one after the other, in no order; NULL behind the last. */
const struct simt_region *simt_region_number(size_t number);
/* Whether a region other than a variable has any of these bytes. */
bool simt_regions_overlap(const char *address, size_t size);
/* False if there is no memory for it. */
bool simt_region_add(struct simt_region region);
/* Its memory is given back, if it is the runtime's. */
void simt_region_release(struct simt_region *region);
/* Device memory at an address can be touched, or no more. */
void simt_region_open(const void *address, bool open);
/* The same of some of its bytes, more or less. */
void simt_region_open_part(const void *address, size_t size, enum simt_region_access access);
/* Managed and pinned memory, as far as launches and copies that the host has not waited for use it,
 * is closed to the host; it is all open to the runtime, and when nothing is pending. */
void simt_memory_guard(void);
void simt_memory_unguard(void);
/* The host waited, for some of it at least. */
void simt_memory_host_waited(void);
/* Managed or pinned memory, to which the host writes unseen: tells the checks what it has. */
void simt_region_look(const struct simt_region *region);

/* New regions' memory, of the current device and of the host; NULL if there is none. */
void *simt_memory_allocate(size_t size);
/* An address for so much, as long as nobody comes round to it; and memory there, that it had before
 * or never: false if there is none. */
void *simt_memory_reserve(size_t size);
bool simt_memory_allocate_at(void *base, size_t size);
void *simt_memory_allocate_host(size_t size, enum simt_region_kind kind);

size_t simt_memory_available(void);
size_t simt_memory_total(void);
/* Device memory that the current device reaches can be touched between the two: while a kernel
 * runs. */
void simt_memory_open(void);
void simt_memory_close(void);
/* Behind a kernel; where programs launch one after the other, memory stays open in between. What
 * may give the host a reason to look at it closes it first: simt_memory_settle(). */
void simt_memory_close_behind_kernel(void);
void simt_memory_settle(void);
/* Where code's access was stopped at that address: false if it is a fault. */
bool simt_memory_open_at(const void *address, bool writes, const void *code);
/* What handles SIGSEGV, and asks that. */
extern void (*simt_memory_fault_handler)(int number, siginfo_t *information, void *context);
/* Device memory that the current device reaches can be read, but not written; or no more. */
void simt_memory_look(bool look);
/* When device memory could be written last: the region of that address, and any. As long as that
 * stays, it has not changed. */
uint64_t simt_memory_changed(const void *address);
extern uint64_t simt_memory_changes;
/* Gives all memory of a device back; of the last one, the kernels' heap, too. */
void simt_memory_reset(int device);
bool simt_memory_is_device(const void *address);
/* There is managed, pinned or registered memory, which the host sees without a copy. */
bool simt_memory_host_has_any(void);
/* Managed or pinned, or between such regions. */
bool simt_memory_is_of_host(const void *address);
enum cudaMemoryType simt_memory_type(const void *address);
/* Whether it is memory of a device that the current one has no access to. */
bool simt_memory_is_foreign(const void *address);
/* Where the host has a variable of the device whose own address it has not asked for. Here the two
 * are the same. */
bool simt_memory_is_address_of_host(const void *address);
/* Says in words where an address of the device's memory lies, or of the host's that kernels use;
 * false if the address is in neither, nor close behind memory that is registered. */
bool simt_memory_describe(const void *address, char *text, size_t size);

/* Bytes of address space that device memory is given out of. */
size_t simt_memory_address_space(void);
/* The region that an address lies in, or false. */
bool simt_memory_range(uint64_t address, struct simt_range *range);

#endif
/* SPDX-License-Identifier: MIT */
