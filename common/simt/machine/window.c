/* Shared memory at a kernel's 32-bit addresses: dynamic shared memory from byte 1,024 on (the bytes
 * below belong to the system, also on a GPU), then the kernel's variables, then those of all
 * functions. Offsets and addresses are equal modulo 1,024, as alignments and swizzles need it, or
 * modulo twice a larger requested alignment (a pointer bit may choose a buffer). Dynamic shared
 * memory is only aligned as on a GPU, after the kernel's variables.
 *
 * On a GPU, a pointer to shared memory has the lowest bits of its 32-bit address, and some kernels
 * make matrix descriptors from pointers. Here the two differ. But the window begins where no
 * address in it has the lowest bits of a pointer, so they can be told apart. */
#include <stdio.h>

#include "base/exit.h"
#include "machine/reports.h"
#include "machine/shared.h"
#include "observe/observer.h"
#include "program/layout.h"

enum { SYSTEM_BYTES = 1024, UNIT = 1024, ALIGNMENT = 16 /* of dynamic shared memory */ };

static uint64_t dynamic_alignment = ALIGNMENT;

int simt_dynamic_alignment(size_t alignment)
{
    dynamic_alignment = alignment > dynamic_alignment ? alignment : dynamic_alignment;
    return 0;
}

static uint64_t round_up(uint64_t bytes, uint64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Its offset on a GPU. */
static uint64_t dynamic_place(void)
{
    return round_up(SYSTEM_BYTES + simt_layout->own_bytes, dynamic_alignment);
}

uint64_t simt_shared_unit(void)
{
    const uint64_t most =
        dynamic_alignment < SIMT_MOST_UNIT / 2 ? dynamic_alignment : SIMT_MOST_UNIT / 2;
    return most > UNIT ? 2 * most : UNIT;
}

uint64_t simt_dynamic_offset(void)
{
    return SYSTEM_BYTES + (dynamic_place() - SYSTEM_BYTES) % simt_shared_unit();
}

enum { DESCRIBED = 1 << 18 }; /* the range of a matrix descriptor */

/* Parts of the window. */
struct stretch {
    uint64_t offset;
    char *memory;
    size_t bytes;
};
enum { DYNAMIC, OWN, ALL, STRETCHES };
static struct stretch window[STRETCHES];

/* The distance from a pointer to an address in a descriptor. */
static uint64_t behind(const struct stretch *stretch, uint64_t address)
{
    return (address - (uintptr_t)stretch->memory) % DESCRIBED;
}

/* Whether an address of one part in the window has the lowest bits of a pointer to the other. */
static bool may_be_taken_for(const struct stretch *window_of, const struct stretch *pointers)
{
    return window_of->bytes > 0 && pointers->bytes > 0 &&
           (behind(pointers, window_of->offset) < pointers->bytes ||
            (DESCRIBED - behind(pointers, window_of->offset)) % DESCRIBED < window_of->bytes);
}

uint64_t simt_described_offset(uint64_t address)
{
    for (unsigned int i = 0; i < ALL; i++) {
        if (address - window[i].offset < window[i].bytes) {
            return address;
        }
    }
    for (unsigned int i = 0; i < ALL; i++) {
        if (behind(&window[i], address) < window[i].bytes) {
            return window[i].offset + behind(&window[i], address);
        }
    }
    return address;
}

/* A gap after each: an overrun must not reach the next part. */
static struct stretch stretch_behind(const struct stretch *before, char *memory, size_t bytes)
{
    return (struct stretch){
        round_up(before->offset + before->bytes, UNIT) + (uintptr_t)memory % UNIT, memory, bytes};
}

/* Moves the window to the first unit at which no address looks like a pointer, if there is one. */
static void begin_apart(void)
{
    const uint64_t end = window[OWN].offset + window[OWN].bytes;
    for (uint64_t shift = 0; end + shift <= DESCRIBED; shift += simt_shared_unit()) {
        bool apart = true;
        for (unsigned int i = 0; i < ALL; i++) {
            struct stretch moved = window[i];
            moved.offset += shift;
            apart = apart && !may_be_taken_for(&moved, &window[DYNAMIC]) &&
                    !may_be_taken_for(&moved, &window[OWN]);
        }
        if (apart) {
            window[DYNAMIC].offset += shift;
            window[OWN].offset += shift;
            return;
        }
    }
}

void simt_window_start_launch(void)
{
    size_t bytes;
    char *memory = simt_static_shared(&bytes);
    const size_t own = simt_layout->own_end - simt_layout->own_begin;
    window[DYNAMIC] = (struct stretch){simt_dynamic_offset(), simt_dynamic_shared(),
                                       (size_t)round_up(simt_shared_bytes(), UNIT) + UNIT};
    window[OWN] = stretch_behind(&window[DYNAMIC], memory + simt_layout->own_begin,
                                 own ? own + SIMT_GAP_BYTES : 0);
    begin_apart();
    window[ALL] = stretch_behind(&window[OWN], memory, bytes + SIMT_PAST_SHARED);
}

void *simt_shared_find(uint64_t offset)
{
    for (unsigned int i = 0; i < STRETCHES; i++) {
        if (offset - window[i].offset < window[i].bytes) {
            return window[i].memory + (offset - window[i].offset);
        }
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
    for (unsigned int i = 0; i < STRETCHES; i++) {
        const uintptr_t in_it = (uintptr_t)address - (uintptr_t)window[i].memory;
        if (in_it < window[i].bytes) {
            return window[i].offset + in_it;
        }
    }
    return (uint64_t)(uintptr_t)address; /* not in shared memory: its use is reported */
}

uint64_t simt_shared_place(uint64_t address)
{
    const uint64_t in_dynamic = address - (uintptr_t)simt_dynamic_shared();
    const struct simt_placed *placed = simt_placed_below(address);
    size_t bytes;
    if (in_dynamic < simt_shared_bytes() || !placed) {
        return dynamic_place() + in_dynamic;
    }
    return address - (uintptr_t)simt_static_shared(&bytes) - placed->at + placed->offset +
           (placed->own ? SYSTEM_BYTES : round_up(dynamic_place() + simt_shared_bytes(), UNIT));
}

bool simt_in_shared(const void *address)
{
    size_t bytes;
    const char *memory = simt_static_shared(&bytes);
    return (uintptr_t)address - (uintptr_t)simt_dynamic_shared() < simt_shared_bytes() ||
           (uintptr_t)address - (uintptr_t)memory < bytes;
}

unsigned int simt_dynamic_shared_bytes(void)
{
    return (unsigned int)simt_shared_bytes();
}
/* SPDX-License-Identifier: MIT */
