/* Shared memory as a kernel's 32-bit addresses see it: dynamic shared memory from byte 1024 on
 * (what is below is the system's, on a GPU, too), then static. Offsets and addresses are the same
 * modulo 1024, which is what alignments and the swizzling of tiles go by. */
#include <stdio.h>

#include "base/exit.h"
#include "machine/reports.h"
#include "machine/shared.h"
#include "observe/observer.h"
#include "program/symbols.h"

enum { SYSTEM_BYTES = 1024, UNIT = 1024 };

static uint64_t rounded_up(uint64_t bytes)
{
    return (bytes + UNIT - 1) / UNIT * UNIT;
}

/* Where static shared memory begins in the window; *memory: where it is. */
static uint64_t static_offset(char **memory, size_t *bytes)
{
    static size_t known; /* the same in every thread, before its simt_own */
    if (!known) {
        simt_static_shared(&known);
    }
    *bytes = known;
    *memory = (char *)&simt_own - known;
    /* A gap between the two: what runs past dynamic shared memory is not taken for a variable. */
    return SYSTEM_BYTES + rounded_up(simt_shared_bytes()) + UNIT + (uintptr_t)*memory % UNIT;
}

void *simt_shared_find(uint64_t offset)
{
    char *memory, *dynamic = simt_dynamic_shared();
    size_t bytes;
    uint64_t start;
    if (offset >= SYSTEM_BYTES && offset - SYSTEM_BYTES < rounded_up(simt_shared_bytes()) + UNIT) {
        return dynamic + (offset - SYSTEM_BYTES);
    }
    start = static_offset(&memory, &bytes);
    if (offset >= start && offset - start < bytes + SIMT_PAST_SHARED) {
        return memory + (offset - start);
    }
    return NULL;
}

void *simt_shared_at(uint64_t offset)
{
    void *address = simt_shared_find(offset);
    if (address) {
        return address;
    }
    simt_report_place();
    fprintf(stderr,
            ": %#llx is no address in shared memory\n"
            "  hint: .shared takes what __cvta_generic_to_shared() gives, not a pointer.\n",
            (unsigned long long)offset);
    if (simt_tracing) {
        simt_observer.tell_last(stderr);
    }
    simt_exit();
}

uint64_t simt_shared_offset(const void *address)
{
    char *memory, *dynamic = simt_dynamic_shared();
    size_t bytes;
    uint64_t start = static_offset(&memory, &bytes);
    uint64_t in_dynamic = (uintptr_t)address - (uintptr_t)dynamic;
    uint64_t in_static = (uintptr_t)address - (uintptr_t)memory;
    if (in_dynamic < rounded_up(simt_shared_bytes()) + UNIT) {
        return SYSTEM_BYTES + in_dynamic;
    }
    if (in_static < bytes + SIMT_PAST_SHARED) {
        return start + in_static;
    }
    return (uint64_t)(uintptr_t)address; /* no shared memory: who uses it, is told */
}

bool simt_in_shared(const void *address)
{
    char *memory;
    size_t bytes;
    static_offset(&memory, &bytes);
    return (uintptr_t)address - (uintptr_t)simt_dynamic_shared() < simt_shared_bytes() ||
           (uintptr_t)address - (uintptr_t)memory < bytes;
}

unsigned int simt_dynamic_shared_bytes(void)
{
    return (unsigned int)simt_shared_bytes();
}
