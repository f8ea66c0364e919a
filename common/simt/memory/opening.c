/* Controls access to device memory. It is accessible only while a kernel runs, or while the runtime
 * itself accesses it, so a mistaken access of the host faults.
 *
 * Opening takes time per page. A large region is opened piece by piece, when a fault shows that it
 * is used: a small kernel does not pay for all of it. If there are many launches, memory stays open
 * between them. */
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/exit.h"
#include "base/own.h"
#include "cuda/simt_analysis.h"
#include "memory/heap.h"
#include "memory/regions.h"
#include "memory/unwritten.h"
#include "observe/observer.h"

enum { LARGE_BYTES = 2 << 20, FIRST_WINDOW = 256 << 10 };
/* Approximate time of opening and closing: per call, and per page. Above the total MOST_NS, memory
 * stays open between launches. */
enum { NS_OF_CALL = 900, NS_OF_PAGE = 70, MOST_NS = 20000000 };

uint64_t simt_memory_changes;
void (*simt_memory_fault_handler)(int, siginfo_t *, void *);

static int access_now = PROT_NONE; /* the access to memory that the device reaches */
static uint64_t taken_ns;
static bool left_open; /* although no kernel runs */

uint64_t simt_memory_changed(const void *address)
{
    const struct simt_region *region = simt_region_find(address);
    return region ? region->changed : simt_memory_changes;
}

static size_t page_bytes(void)
{
    static size_t bytes;
    bytes = bytes ? bytes : (size_t)sysconf(_SC_PAGESIZE);
    return bytes;
}

static void protect(struct simt_region *region, char *from, size_t size, int protection)
{
    taken_ns += NS_OF_CALL + size / page_bytes() * NS_OF_PAGE;
    if (protection & PROT_WRITE) {
        region->changed = ++simt_memory_changes;
    }
    if (mprotect(from, size, protection) != 0) {
        perror("simt: cannot change the protection of device memory");
        simt_exit_without_memory();
    }
}

/* ---- a region, or a part of it ---- */

static void open_whole(struct simt_region *region, int access)
{
    if ((region->open & access) != access) {
        protect(region, region->map, region->map_size, access);
        region->open = access;
    } else if (access & PROT_WRITE) {
        region->changed = ++simt_memory_changes;
    }
}

static void close_whole(struct simt_region *region)
{
    if (region->open || region->window > 0) {
        protect(region, region->map, region->map_size, PROT_NONE);
    }
    region->open = PROT_NONE;
    region->opens_at_faults = false;
    region->window = 0;
}

void simt_region_open(const void *address, bool open)
{
    struct simt_region *region = simt_region_find(address);
    if (region && region->kind == REGION_DEVICE && open) {
        open_whole(region, PROT_READ | PROT_WRITE);
    } else if (region && region->kind == REGION_DEVICE) {
        close_whole(region);
    }
}

void simt_region_open_part(const void *address, size_t size, enum simt_region_access access)
{
    static const int protections[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE};
    struct simt_region *region = simt_region_find(address);
    if (!region || region->kind != REGION_DEVICE || size == 0) {
        return;
    }
    if (region->open) { /* after a kernel, in a graph */
        region->changed = ++simt_memory_changes;
    } else {
        const size_t page = page_bytes();
        const size_t first = (size_t)((const char *)address - region->map) / page * page;
        const size_t end = (size_t)((const char *)address + size - region->map);
        protect(region, region->map + first, (end + page - 1) / page * page - first,
                protections[access]);
    }
}

/* ---- piece by piece ---- */

/* Programs may install their own handler, which does not know about this. */
static bool faults_are_ours(void)
{
    struct sigaction now;
    return simt_memory_fault_handler && sigaction(SIGSEGV, NULL, &now) == 0 &&
           (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == simt_memory_fault_handler;
}

/* Each fault opens twice as much as the one before. */
static bool open_piece(const void *address)
{
    struct simt_region *region = access_now ? simt_region_find(address) : NULL;
    size_t at, end;
    if (!region || !region->opens_at_faults || (region->open & access_now) == access_now) {
        return false;
    }
    region->window = region->window > 0 ? 2 * region->window : FIRST_WINDOW;
    at = (size_t)((const char *)address - region->map) / region->window * region->window;
    end = region->window < region->map_size - at ? at + region->window : region->map_size;
    protect(region, region->map + at, end - at, access_now);
    if (at == 0 && end == region->map_size) {
        region->open = access_now;
    }
    return true;
}

/* ---- all memory that the device reaches ---- */

static void open_reached(int access)
{
    const bool may_fault = faults_are_ours();
    for (size_t i = 0; i < simt_region_count; i++) {
        struct simt_region *region = &simt_regions[i];
        if (region->kind != REGION_DEVICE) {
            continue;
        }
        if (simt_region_is_foreign(region)) {
            close_whole(region);
        } else if (region->open || !may_fault || region->map_size < LARGE_BYTES) {
            open_whole(region, access);
        } else {
            region->opens_at_faults = true;
            if (region->window > 0 && access & PROT_WRITE) { /* left open */
                region->changed = ++simt_memory_changes;
            }
        }
    }
    access_now = access;
}

/* Managed or pinned memory, to which the host writes unobserved. */
void simt_region_look(const struct simt_region *region)
{
    if (simt_instrumented() && region->map &&
        (region->kind == REGION_MANAGED || region->kind == REGION_HOST)) {
        simt_unwritten_look(region->map, region->map_size);
    }
}

/* ---- closed to the host ---- */

static bool any_guarded;

static struct simt_region *guarding;

static void set_page(char *page, enum simt_region_access access)
{
    if (access != SIMT_WRITTEN) {
        taken_ns += NS_OF_CALL;
        guarding->guarded = any_guarded = true;
        mprotect(page, page_bytes(), access == SIMT_READ ? PROT_READ : PROT_NONE);
    }
}

void simt_memory_guard(void)
{
    for (size_t i = 0; taken_ns < MOST_NS && faults_are_ours() && i < simt_region_count; i++) {
        guarding = &simt_regions[i];
        if (guarding->map && guarding->kind != REGION_DEVICE) {
            simt_observer.host_pages(guarding, set_page);
        }
    }
}

void simt_memory_unguard(void)
{
    for (size_t i = 0; any_guarded && i < simt_region_count; i++) {
        if (simt_regions[i].guarded) {
            mprotect(simt_regions[i].map, simt_regions[i].map_size, PROT_READ | PROT_WRITE);
            simt_regions[i].guarded = false;
        }
    }
    any_guarded = false;
}

void simt_memory_host_waited(void)
{
    if (any_guarded) {
        simt_memory_unguard();
        simt_memory_guard();
    }
}

/* The host touches such a page. The runtime may do so when nothing is pending there. Otherwise it
 * is a mistake, in a program that continues after findings. */
static bool open_to_host(const void *address, bool writes, const void *at)
{
    struct simt_region *region = simt_region_find(address);
    const size_t page = page_bytes();
    if (!region || !region->guarded) {
        return false;
    }
    if (simt_own.calls > 0) {
        simt_memory_unguard();
        return true;
    }
    simt_observer.host_access(address, writes, at);
    mprotect(region->map + (size_t)((const char *)address - region->map) / page * page, page,
             writes ? PROT_READ | PROT_WRITE : PROT_READ);
    return true;
}

void simt_memory_open(void)
{
    simt_memory_unguard();
    for (size_t i = 0; i < simt_region_count; i++) {
        simt_region_look(&simt_regions[i]);
    }
    open_reached(PROT_READ | PROT_WRITE);
    simt_heap_open(!left_open);
    left_open = false;
}

void simt_memory_close(void)
{
    for (size_t i = 0; i < simt_region_count; i++) {
        if (simt_regions[i].kind == REGION_DEVICE) {
            close_whole(&simt_regions[i]);
        }
    }
    simt_heap_close();
    access_now = PROT_NONE;
    left_open = false;
}

bool simt_memory_open_at(const void *address, bool writes, const void *code)
{
    return open_piece(address) || (!simt_in_kernel() && open_to_host(address, writes, code));
}

void simt_memory_close_behind_kernel(void)
{
    simt_memory_guard();
    if (taken_ns < MOST_NS) {
        simt_memory_close();
    } else {
        access_now = PROT_NONE;
        left_open = true;
    }
}

void simt_memory_settle(void)
{
    if (left_open) {
        simt_memory_close();
    }
}

void simt_memory_look(bool look)
{
    if (look) {
        open_reached(PROT_READ);
        return;
    }
    for (size_t i = 0; i < simt_region_count; i++) {
        struct simt_region *region = &simt_regions[i];
        if (region->kind == REGION_DEVICE && (!left_open || region->open == PROT_READ)) {
            close_whole(region);
        }
    }
    access_now = PROT_NONE;
}
/* SPDX-License-Identifier: MIT */
