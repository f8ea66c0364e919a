/* Checks at the begin and end of an MMA of four warps. */
#include <stdio.h>
#include <string.h>

#include "base/exit.h"
#include "machine/cluster.h"
#include "machine/reports.h"
#include "machine/shared.h"
#include "machine/wgmma.h"
#include "observe/observer.h"

enum { MOST_ROWS = 256 }; /* of a tile, or columns */

static const char FENCE_HINT[] = "  hint: wgmma.fence orders what the thread has done with the "
                                 "registers before the product that uses them.\n";

void simt_wgmma_refuse(const struct simt_wgmma *wgmma, const char *wrong)
{
    simt_report_place();
    fprintf(stderr, ": wgmma.mma_async at %s:%d: %s\n", wgmma->file, wgmma->line, wrong);
    if (simt_tracing) {
        simt_observer.tell_place(stderr, wgmma->caller);
    }
    simt_exit();
}

/* ---- registers ---- */

bool simt_wgmma_same_registers(const struct simt_wgmma *x, const struct simt_wgmma *y)
{
    return x->count == y->count && x->registers[0] == y->registers[0];
}

bool simt_wgmma_has_register(const struct simt_wgmma *wgmma, unsigned int lane, uint64_t address)
{
    uint32_t *const *registers = &wgmma->registers[lane * wgmma->count];
    if (wgmma->side_by_side) {
        return address - (uintptr_t)registers[0] < wgmma->count * sizeof(uint32_t);
    }
    for (unsigned int i = 0; i < wgmma->count; i++) {
        if (address - (uintptr_t)registers[i] < sizeof(uint32_t)) {
            return true;
        }
    }
    return false;
}

bool simt_warp_has_wgmma(unsigned int warp)
{
    return simt_block->warps[warp].wgmmas != NULL;
}

static void include(struct simt_range *range, const struct simt_wgmma *wgmma, unsigned int lane)
{
    const uint64_t first = (uintptr_t)wgmma->registers[lane * wgmma->count];
    const uint64_t past = first + wgmma->count * sizeof(uint32_t), end = range->base + range->size;
    if (!wgmma->side_by_side) {
        *range = (struct simt_range){0, SIZE_MAX, SPACE_LOCAL, false};
    } else if (!range->size) {
        *range = (struct simt_range){first, past - first, SPACE_LOCAL, false};
    } else {
        range->base = first < range->base ? first : range->base;
        range->size = (past > end ? past : end) - range->base;
    }
}

struct simt_range simt_wgmma_registers(unsigned int thread)
{
    const struct simt_wgmmas *all = simt_block->warps[thread / SIMT_WARP_SIZE].wgmmas;
    struct simt_range range = {0, 0, SPACE_LOCAL, false};
    for (const struct simt_wgmma *wgmma = all ? all->first : NULL; wgmma; wgmma = wgmma->next) {
        include(&range, wgmma, thread % SIMT_WARP_SIZE);
    }
    for (unsigned int i = 0; all && i < SIMT_WGMMAS_KEPT; i++) {
        if (all->done[i] && !all->done[i]->touched) {
            include(&range, all->done[i], thread % SIMT_WARP_SIZE);
        }
    }
    return range;
}

const void *simt_wgmma_register(unsigned int thread, uint64_t address, uint32_t place)
{
    const struct simt_wgmmas *all = simt_block->warps[thread / SIMT_WARP_SIZE].wgmmas;
    const unsigned int lane = thread % SIMT_WARP_SIZE;
    if (!all) {
        return NULL;
    }
    for (const struct simt_wgmma *wgmma = all->first; wgmma; wgmma = wgmma->next) {
        if (simt_wgmma_has_register(wgmma, lane, address)) {
            return wgmma->caller;
        }
    }
    for (unsigned int i = 0; i < SIMT_WGMMAS_KEPT; i++) {
        struct simt_wgmma *done = all->done[i];
        if (done && !done->touched && simt_wgmma_has_register(done, lane, address)) {
            done->touched = place;
        }
    }
    return NULL;
}

/* Checks the least number of registers per thread: for pending accumulators and for A. */
static void check_registers(const struct simt_wgmmas *all, const struct simt_wgmma *new)
{
    unsigned int count = new->count + (new->call.a_in_registers ? 4 : 0);
    char wrong[160];
    for (const struct simt_wgmma *other = all->first; other; other = other->next) {
        bool counted = simt_wgmma_same_registers(other, new);
        for (const struct simt_wgmma *before = all->first; before != other; before = before->next) {
            counted = counted || simt_wgmma_same_registers(before, other);
        }
        count += counted ? 0 : other->count;
    }
    if (all->most_registers && count > all->most_registers) {
        snprintf(wrong, sizeof wrong,
                 "its operands alone take %u registers a thread, of which setmaxnreg has left %u",
                 count, all->most_registers);
        simt_wgmma_refuse(new, wrong);
    }
}

static void check_fence(const struct simt_wgmmas *all, const struct simt_wgmma *wgmma)
{
    if (!all->fenced) {
        char wrong[256];
        snprintf(wrong, sizeof wrong, "no wgmma.fence comes before it\n%.*s",
                 (int)sizeof FENCE_HINT - 2, FENCE_HINT);
        simt_wgmma_refuse(wgmma, wrong);
    }
    for (unsigned int i = 0; i < SIMT_WGMMAS_KEPT; i++) {
        const struct simt_wgmma *done = all->done[i];
        if (done && done->touched && simt_wgmma_same_registers(done, wgmma)) {
            simt_report_place();
            fprintf(stderr,
                    ": wgmma.mma_async at %s:%d: the thread has used registers of its sum since "
                    "the last wgmma.fence\n",
                    wgmma->file, wgmma->line);
            simt_observer.tell_place_number(stderr, done->touched);
            fputs(FENCE_HINT, stderr);
            simt_observer.tell_place(stderr, wgmma->caller);
            simt_exit();
        }
    }
}

/* ---- tiles ---- */

/* Checks that the layout is that of the tensor copy that made the tile: its pattern depends on the
 * address. Without such a copy, the pattern must begin with the tile. */
static void check_swizzle(const struct simt_wgmma *wgmma, const struct simt_tile *tile)
{
    const unsigned int mask = tile->span ? tile->span / SIMT_TILE_CHUNK - 1 : 0;
    const unsigned int behind = tile->start >> 7 & mask, shifted = tile->base_offset & mask;
    unsigned int row, k, span;
    const void *first = simt_shared_at(simt_tile_chunk(tile, 0, &row, &k));
    const bool copied =
        simt_tracing && simt_tensor_span(first, &span) && simt_observer.bulk_wrote(first);
    char wrong[256];
    if (simt_tracing && (copied ? shifted != 0 : shifted != behind)) {
        snprintf(wrong, sizeof wrong,
                 "its matrix descriptor names a tile that does not begin where the pattern of its "
                 "swizzle does, but %u times 128 bytes behind, and its base offset is %u%s",
                 behind, tile->base_offset,
                 copied ? ": a tensor copy goes by the address, and needs 0" : "");
        simt_wgmma_refuse(wgmma, wrong);
    }
    if (copied && span != tile->span) {
        snprintf(wrong, sizeof wrong,
                 "its matrix descriptor says that the swizzle spans %u bytes (0: none), and the "
                 "tensor map of the copy that made the tile: %u",
                 tile->span, span);
        simt_wgmma_refuse(wgmma, wrong);
    }
}

static void check_place(const struct simt_wgmma *wgmma, const struct simt_tile *tile)
{
    for (unsigned int chunk = 0; chunk < simt_tile_chunks(tile); chunk++) {
        unsigned int row, k;
        const uint32_t offset = simt_tile_chunk(tile, chunk, &row, &k);
        const void *at = simt_shared_find(offset);
        char wrong[160];
        if (!at || !simt_in_shared(at)) {
            snprintf(wrong, sizeof wrong,
                     "its matrix descriptor leads out of shared memory: %s %u, K %u would lie at "
                     "%#x",
                     tile == &wgmma->a ? "row" : "column", row, k, offset);
            simt_wgmma_refuse(wgmma, wrong);
        }
    }
}

void simt_wgmma_check_begin(const struct simt_wgmmas *all, const struct simt_wgmma *wgmma)
{
    if (!wgmma->call.a_in_registers) {
        check_place(wgmma, &wgmma->a);
        check_swizzle(wgmma, &wgmma->a);
    }
    check_place(wgmma, &wgmma->b);
    check_swizzle(wgmma, &wgmma->b);
    check_fence(all, wgmma);
    check_registers(all, wgmma);
}

/* Finds unwritten rows of a tile; whether it has written rows, and whether bulk copies wrote
 * any. */
static bool find_rows(const struct simt_tile *tile, bool missing[MOST_ROWS], bool *copied)
{
    bool finds = false;
    memset(missing, true, MOST_ROWS);
    for (unsigned int chunk = 0; chunk < simt_tile_chunks(tile); chunk++) {
        unsigned int row, k;
        const uint32_t offset = simt_tile_chunk(tile, chunk, &row, &k);
        if (missing[row] && simt_observer.wgmma_finds(simt_shared_at(offset))) {
            missing[row] = false;
            *copied = *copied || (!finds && simt_observer.bulk_wrote(simt_shared_at(offset)));
            finds = true;
        }
    }
    return finds;
}

/* Notes each chunk that the warp reads, except for `missing` rows. Of A, it reads its own rows. */
static void note_tile(const struct simt_wgmma *wgmma, const struct simt_tile *tile,
                      unsigned int warp, const bool *missing, uint32_t tag)
{
    const unsigned int mine = warp % SIMT_GROUP_WARPS * SIMT_GROUP_ROWS;
    const bool is_a = tile == &wgmma->a;
    for (unsigned int chunk = 0; chunk < simt_tile_chunks(tile); chunk++) {
        unsigned int row, k;
        const uint32_t offset = simt_tile_chunk(tile, chunk, &row, &k);
        if ((is_a && row / SIMT_GROUP_ROWS * SIMT_GROUP_ROWS != mine) ||
            (missing && missing[row])) {
            continue;
        }
        if (tag) {
            simt_observer.wgmma_ends(wgmma->caller, tag, simt_shared_at(offset));
        } else {
            simt_observer.wgmma_begins(wgmma->caller, warp * SIMT_WARP_SIZE,
                                       simt_shared_at(offset));
        }
    }
}

/* Rows of A and columns of B outside the matrices need not be loaded: they only affect unused
 * results. So completely unwritten rows do not count as read in two cases. The tile has other rows
 * that are written. Or the whole tile is outside, and bulk copies wrote the other operand's
 * tile. */
void simt_wgmma_note_begin(const struct simt_wgmma *wgmma, unsigned int warp)
{
    const bool in_registers = wgmma->call.a_in_registers;
    bool missing_a[MOST_ROWS], missing_b[MOST_ROWS], copied_a = false, copied_b = false;
    const bool finds_a = !in_registers && find_rows(&wgmma->a, missing_a, &copied_a);
    const bool finds_b = find_rows(&wgmma->b, missing_b, &copied_b);
    if (!in_registers) {
        note_tile(wgmma, &wgmma->a, warp, finds_a || copied_b ? missing_a : NULL, 0);
    }
    note_tile(wgmma, &wgmma->b, warp, finds_b || copied_a ? missing_b : NULL, 0);
    if (warp % SIMT_GROUP_WARPS == 0) {
        const unsigned int chunks =
            simt_tile_chunks(&wgmma->b) + (in_registers ? 0 : simt_tile_chunks(&wgmma->a));
        simt_observer.wgmma_reads(wgmma->caller, chunks * SIMT_TILE_CHUNK);
    }
}

/* The reader is the group's agent, which threads that wait in its warps know. */
void simt_wgmma_note_end(const struct simt_wgmma *wgmma, unsigned int warp)
{
    struct simt_wgmmas *first = simt_wgmmas_of(warp / SIMT_GROUP_WARPS * SIMT_GROUP_WARPS);
    const uint32_t tag = simt_observer.bulk_tag(&first->agent, &first->ended);
    if (!tag) {
        simt_wgmma_refuse(wgmma, "is of more warpgroups than the checks can tell apart");
    }
    simt_bulk_agent_is(first->agent, warp * SIMT_WARP_SIZE);
    if (!wgmma->call.a_in_registers) {
        note_tile(wgmma, &wgmma->a, warp, NULL, tag);
    }
    if (warp % SIMT_GROUP_WARPS == 0) { /* B is the same for all of them */
        note_tile(wgmma, &wgmma->b, warp, NULL, tag);
    }
}

bool simt_wgmma_reader(const void *address, unsigned int *thread, const void **caller)
{
    const struct simt_block *block = simt_block;
    const char *state;
    unsigned int rank;
    uint32_t offset;
    void *own = (void *)(uintptr_t)address;
    if (simt_cluster_find(address, &rank, &own)) {
        block = simt_cluster_block(rank, &state);
    }
    offset = (uint32_t)simt_shared_offset(own);
    for (unsigned int i = 0; block && i < simt_grid.warps; i++) {
        const struct simt_wgmmas *all = block->warps[i].wgmmas;
        for (const struct simt_wgmma *wgmma = all ? all->first : NULL; wgmma; wgmma = wgmma->next) {
            if (!wgmma->made &&
                ((!wgmma->call.a_in_registers && simt_tile_has(&wgmma->a, offset)) ||
                 simt_tile_has(&wgmma->b, offset))) {
                *thread = i * SIMT_WARP_SIZE;
                *caller = wgmma->caller;
                return true;
            }
        }
    }
    return false;
}
/* SPDX-License-Identifier: MIT */
