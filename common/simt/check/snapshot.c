#include "check/snapshot.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/need.h"
#include "base/own.h"
#include "check/used.h"
#include "memory/memory.h"
#include "model/spaces.h"
#include "program/symbols.h"

/* Not in a region of device memory. */
static const unsigned int OUTSIDE = UINT_MAX;

static void add_piece(struct simt_snapshot *snapshot, size_t *capacity, char *address)
{
    struct simt_memory_piece *last =
        snapshot->count > 0 ? &snapshot->pieces[snapshot->count - 1] : NULL;
    snapshot->bytes += SIMT_ROW_BYTES;
    if (last && last->address + last->size == address) {
        last->size += SIMT_ROW_BYTES;
        return;
    }
    snapshot->pieces = simt_with_room(snapshot->pieces, snapshot->count, capacity,
                                      sizeof *snapshot->pieces, "repeats");
    snapshot->pieces[snapshot->count++] =
        (struct simt_memory_piece){.address = address, .size = SIMT_ROW_BYTES};
}

/* Pages come in ascending order. */
static void add_region(struct simt_snapshot *snapshot, const struct simt_region *region)
{
    struct simt_snapshot_region *regions = snapshot->regions;
    if (snapshot->region_count == 0 ||
        regions[snapshot->region_count - 1].address != region->base) {
        regions = simt_needed(realloc(regions, (snapshot->region_count + 1) * sizeof *regions),
                              "repeats");
        regions[snapshot->region_count++] = (struct simt_snapshot_region){.address = region->base};
        snapshot->regions = regions;
    }
}

/* The pieces from `first` on lie at `address`. */
static void note_region(struct simt_snapshot *snapshot, size_t first, const void *address)
{
    const struct simt_region *region = simt_region_find(address);
    const bool is_device = region && region->kind == REGION_DEVICE;
    for (size_t i = first; i < snapshot->count; i++) {
        snapshot->pieces[i].region = is_device ? (unsigned int)snapshot->region_count - 1 : OUTSIDE;
    }
}

/* Whether the memory exists until the runtime is told, or until the program ends. */
static bool is_kept(struct simt_snapshot *snapshot, const void *address)
{
    const struct simt_region *region = simt_region_find(address);
    if (region && region->kind == REGION_DEVICE) {
        add_region(snapshot, region);
        return region->device == simt_own.device;
    }
    snapshot->unseen = true;
    return region ? region->kind != REGION_REGISTERED : simt_in_program((uintptr_t)address);
}

/* Regions share no page, and begin at a row. The last row may end past the region, but in the same
 * page. */
static bool add_page(struct simt_snapshot *snapshot, size_t *capacity, const struct simt_page *page)
{
    char *start = (char *)(uintptr_t)(page->number << SIMT_PAGE_SHIFT);
    const uint32_t rows = page->read | page->stored;
    const size_t first = snapshot->count;
    const void *const last = start + simt_lowest(rows) * SIMT_ROW_BYTES;
    bool kept;
    snapshot->rewrites = snapshot->rewrites || (page->read & page->stored);
    for (uint32_t set = rows; set; set &= set - 1) {
        add_piece(snapshot, capacity, start + simt_lowest(set) * SIMT_ROW_BYTES);
    }
    kept = is_kept(snapshot, last);
    note_region(snapshot, first, last);
    return kept;
}

char *simt_snapshot_look(const struct simt_snapshot *snapshot)
{
    char *const contents = simt_needed(malloc(snapshot->bytes + 1), "repeats"), *to = contents;
    for (size_t i = 0; i < snapshot->count; i++) {
        memcpy(to, snapshot->pieces[i].address, snapshot->pieces[i].size);
        to += snapshot->pieces[i].size;
    }
    return contents;
}

bool simt_snapshot_take(struct simt_snapshot *snapshot, size_t most)
{
    size_t capacity = 0, count;
    struct simt_page *const *pages = simt_used_pages(&count);
    bool kept = true;
    *snapshot = (struct simt_snapshot){0};
    for (size_t i = 0; i < count && kept; i++) {
        kept = add_page(snapshot, &capacity, pages[i]) && snapshot->bytes <= most;
    }
    simt_used_end();
    if (kept) {
        snapshot->contents = simt_snapshot_look(snapshot);
    } else {
        simt_snapshot_forget(snapshot);
    }
    return kept;
}

/* In whole rows, because its contents are written that way. */
static void add_whole(void *context, char *base, size_t size)
{
    struct simt_snapshot *snapshot = context;
    char *const begin = (char *)((uintptr_t)base / SIMT_ROW_BYTES * SIMT_ROW_BYTES);
    const size_t bytes =
        (size_t)(base + size - begin + SIMT_ROW_BYTES - 1) / SIMT_ROW_BYTES * SIMT_ROW_BYTES;
    snapshot->pieces = simt_needed(
        realloc(snapshot->pieces, (snapshot->count + 1) * sizeof *snapshot->pieces), "repeats");
    snapshot->pieces[snapshot->count++] =
        (struct simt_memory_piece){.address = begin, .size = bytes, .region = OUTSIDE};
    snapshot->bytes += bytes;
}

bool simt_snapshot_take_all(struct simt_snapshot *snapshot, size_t most)
{
    const struct simt_region *region;
    size_t regions;
    bool kept = true;
    *snapshot = (struct simt_snapshot){.rewrites = true};
    simt_used_end();
    for (size_t i = 0; kept && (region = simt_region_number(i)); i++) {
        if (region->kind != REGION_SYMBOL) {
            kept = is_kept(snapshot, region->base) && snapshot->bytes + region->size <= most;
            add_whole(snapshot, region->base, region->size);
            note_region(snapshot, snapshot->count - 1, region->base);
        }
    }
    regions = snapshot->count;
    kept = kept && simt_device_data(add_whole, snapshot) && snapshot->bytes <= most;
    snapshot->unseen = snapshot->unseen || snapshot->count > regions;
    if (kept) {
        snapshot->contents = simt_snapshot_look(snapshot);
    } else {
        simt_snapshot_forget(snapshot);
    }
    return kept;
}

void simt_snapshot_compare(struct simt_snapshot *snapshot, const char *before)
{
    const char *after = snapshot->contents;
    for (size_t i = 0; i < snapshot->region_count; i++) {
        snapshot->regions[i].stays = true;
    }
    for (size_t i = 0; i < snapshot->count; i++) {
        struct simt_memory_piece *piece = &snapshot->pieces[i];
        piece->stays = memcmp(before, after, piece->size) == 0;
        if (!piece->stays && piece->region != OUTSIDE) {
            snapshot->regions[piece->region].stays = false;
        }
        before += piece->size;
        after += piece->size;
    }
}

bool simt_snapshot_since(struct simt_snapshot *snapshot, uint64_t changes)
{
    bool untouched = !snapshot->unseen;
    for (size_t i = 0; i < snapshot->region_count; i++) {
        struct simt_snapshot_region *region = &snapshot->regions[i];
        region->untouched = simt_memory_changed(region->address) <= changes;
        untouched = untouched && region->untouched;
    }
    return untouched;
}

void simt_snapshot_open(const struct simt_snapshot *snapshot, bool open)
{
    for (size_t i = 0; i < snapshot->region_count; i++) {
        if (!snapshot->regions[i].untouched) {
            const struct simt_region *region = simt_region_find(snapshot->regions[i].address);
            simt_region_open_part(region->base, region->size, open ? SIMT_READ : SIMT_CLOSED);
        }
    }
}

bool simt_snapshot_is_there(const struct simt_snapshot *snapshot, const char *contents)
{
    const bool is_own = contents == snapshot->contents;
    for (size_t i = 0; i < snapshot->count; i++) {
        const struct simt_memory_piece *piece = &snapshot->pieces[i];
        const bool untouched =
            piece->region != OUTSIDE && snapshot->regions[piece->region].untouched;
        if (untouched ? !is_own && !piece->stays
                      : memcmp(piece->address, contents, piece->size) != 0) {
            return false;
        }
        contents += piece->size;
    }
    return true;
}

/* Skips unchanged rows: they may be read-only. */
static void put_piece(const struct simt_memory_piece *piece, const char *before, const char *after)
{
    for (size_t at = 0; at < piece->size; at += SIMT_ROW_BYTES) {
        if (memcmp(before + at, after + at, SIMT_ROW_BYTES) != 0) {
            memcpy(piece->address + at, after + at, SIMT_ROW_BYTES);
        }
    }
}

void simt_snapshot_put(const struct simt_snapshot *snapshot, const char *before)
{
    const char *after = snapshot->contents;
    for (size_t i = 0; i < snapshot->region_count; i++) {
        if (!snapshot->regions[i].stays) {
            simt_region_open(snapshot->regions[i].address, true);
        }
    }
    for (size_t i = 0; i < snapshot->count; i++) {
        if (!snapshot->pieces[i].stays) {
            put_piece(&snapshot->pieces[i], before, after);
        }
        before += snapshot->pieces[i].size;
        after += snapshot->pieces[i].size;
    }
    for (size_t i = 0; i < snapshot->region_count; i++) {
        if (!snapshot->regions[i].stays) {
            simt_region_open(snapshot->regions[i].address, false);
        }
    }
}

bool simt_snapshot_has_pieces_of(const struct simt_snapshot *snapshot,
                                 const struct simt_snapshot *other)
{
    if (snapshot->count != other->count || snapshot->bytes != other->bytes) {
        return false;
    }
    for (size_t i = 0; i < snapshot->count; i++) {
        if (snapshot->pieces[i].address != other->pieces[i].address ||
            snapshot->pieces[i].size != other->pieces[i].size) {
            return false;
        }
    }
    return true;
}

bool simt_snapshot_meets(const struct simt_snapshot *snapshot, const char *address, size_t size)
{
    for (size_t i = 0; i < snapshot->count; i++) {
        const struct simt_memory_piece *piece = &snapshot->pieces[i];
        if (piece->address < address + size && address < piece->address + piece->size) {
            return true;
        }
    }
    return false;
}

void simt_snapshot_forget(struct simt_snapshot *snapshot)
{
    free(snapshot->pieces);
    free(snapshot->regions);
    free(snapshot->contents);
    *snapshot = (struct simt_snapshot){0};
}
/* SPDX-License-Identifier: MIT */
