/* wgmma: MMAs of 64 x K by K x N that the four warps of a group start and later wait for. Each
 * warp's part is 16 rows of the result.
 *
 * An MMA is made as late as possible: when one of the warps waits for it. It is then made for all
 * of them. Until a warp has itself waited, its accumulator registers hold NaNs, so an early read is
 * noticed. The addresses of registers are those of the kernel's variables. */
#include "machine/wgmma.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit.h"
#include "base/need.h"
#include "machine/reports.h"
#include "machine/turns.h"
#include "observe/observer.h"

enum { MOST_COLUMNS = 256, UNSET = 0x7fc0dead };

struct simt_wgmmas *simt_wgmmas_of(unsigned int warp)
{
    struct simt_wgmmas **all = &simt_block->warps[warp].wgmmas;
    if (!*all) {
        *all = simt_needed(calloc(1, sizeof **all), "wgmma");
        (*all)->last = &(*all)->first;
    }
    return *all;
}

static bool were_used;

static void forget(struct simt_wgmma *wgmma)
{
    if (wgmma) {
        free(wgmma->sums);
        free(wgmma->registers);
        free(wgmma);
    }
}

void simt_wgmma_forget(struct simt_block *block)
{
    for (unsigned int i = 0; i < SIMT_MAX_WARPS; i++) {
        struct simt_wgmmas *all = block->warps[i].wgmmas;
        if (!all) {
            continue;
        }
        while (all->first) {
            struct simt_wgmma *next = all->first->next;
            forget(all->first);
            all->first = next;
        }
        for (unsigned int j = 0; j < SIMT_WGMMAS_KEPT; j++) {
            forget(all->done[j]);
        }
        if (all->ended) {
            simt_observer.forget_clock(&all->ended);
        }
        free(all);
        block->warps[i].wgmmas = NULL;
    }
}

/* ---- starting an MMA ---- */

static struct simt_wgmma *new_wgmma(const struct simt_thread *lanes,
                                    struct lane_matrix *const *mine)
{
    const struct simt_wgmma_call *call = mine[0]->wgmma;
    struct simt_wgmma *wgmma = simt_needed(calloc(1, sizeof *wgmma), "wgmma");
    wgmma->call = *call;
    wgmma->file = lanes[0].file;
    wgmma->line = lanes[0].line;
    wgmma->caller = lanes[0].caller;
    wgmma->count = call->columns / (call->d == SIMT_PTX_F16 ? 4 : 2);
    wgmma->side_by_side = true;
    wgmma->registers =
        simt_needed(malloc(SIMT_WARP_SIZE * wgmma->count * sizeof *wgmma->registers), "wgmma");
    for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
        const struct simt_wgmma_call *other = mine[lane]->wgmma;
        memcpy(wgmma->a_registers[lane], other->a_registers, sizeof other->a_registers);
        memcpy(&wgmma->registers[lane * wgmma->count], mine[lane]->sums,
               wgmma->count * sizeof *wgmma->registers);
        for (unsigned int i = 0; i < wgmma->count; i++) {
            wgmma->side_by_side &= wgmma->registers[lane * wgmma->count + i] ==
                                   wgmma->registers[lane * wgmma->count] + i;
        }
        if (other->a != call->a || other->b != call->b || other->adds != call->adds) {
            simt_wgmma_refuse(
                wgmma, "the lanes of a warp have different descriptors, or different scales");
        }
    }
    return wgmma;
}

static void read_tile(struct simt_wgmma *wgmma, struct simt_tile *tile, bool is_a)
{
    const struct simt_wgmma_call *call = &wgmma->call;
    const char *wrong = simt_tile_read(tile, is_a ? call->a : call->b);
    if (wrong) {
        simt_wgmma_refuse(wgmma, wrong);
    }
    tile->type = is_a ? call->type_a : call->type_b;
    tile->rows = is_a ? SIMT_GROUP_WARPS * SIMT_GROUP_ROWS : call->columns;
    tile->depth = 256 / simt_element_bits(tile->type);
    tile->transposed = is_a ? call->transposed_a : call->transposed_b;
    simt_tile_bound(tile);
}

/* Its start values: from the registers, or from the earlier MMA that writes them. */
static void take_sums(const struct simt_wgmmas *all, struct simt_wgmma *wgmma)
{
    const size_t count = SIMT_WARP_SIZE * wgmma->count;
    struct simt_wgmma *before = NULL;
    for (struct simt_wgmma *other = all->first; other; other = other->next) {
        if (simt_wgmma_same_registers(other, wgmma)) {
            before = other;
        } else if (simt_wgmma_has_register(other, 0, (uintptr_t)wgmma->registers[0]) ||
                   simt_wgmma_has_register(wgmma, 0, (uintptr_t)other->registers[0])) {
            simt_wgmma_refuse(wgmma, "a product of another shape still uses some of its registers\n"
                                     "  hint: wgmma.wait_group comes between the two.");
        }
    }
    if (before) {
        wgmma->sums = before->made ? before->sums : NULL;
        before->sums = before->made ? NULL : before->sums;
        return;
    }
    wgmma->sums = simt_needed(malloc(count * sizeof *wgmma->sums), "wgmma");
    for (size_t i = 0; i < count; i++) {
        wgmma->sums[i] = *wgmma->registers[i];
        *wgmma->registers[i] = UNSET;
    }
}

static void begin(const struct simt_thread *lanes, struct lane_matrix *const *mine)
{
    const unsigned int warp = simt_linear(lanes) / SIMT_WARP_SIZE;
    struct simt_wgmmas *all = simt_wgmmas_of(warp);
    struct simt_wgmma *wgmma = new_wgmma(lanes, mine);
    if ((warp / SIMT_GROUP_WARPS + 1) * SIMT_GROUP_WARPS > simt_grid.warps) {
        simt_wgmma_refuse(wgmma, "the block has no four warps for it: a warpgroup is four, "
                                 "beginning at a multiple of four");
    }
    if (!wgmma->call.a_in_registers) {
        read_tile(wgmma, &wgmma->a, true);
    }
    read_tile(wgmma, &wgmma->b, false);
    simt_wgmma_check_begin(all, wgmma);
    take_sums(all, wgmma);
    if (simt_tracing) {
        simt_wgmma_note_begin(wgmma, warp);
    }
    wgmma->number = all->started++;
    were_used = simt_ends_matter = true;
    wgmma->group = all->group;
    *all->last = wgmma;
    all->last = &wgmma->next;
    simt_note_progress();
}

/* ---- making an MMA ---- */

/* The rows of A that lanes hold in registers: same layout as in mma.sync. */
static void gather(const struct simt_wgmma *wgmma, struct simt_factors *rows)
{
    const unsigned int type = wgmma->call.type_a, bits = simt_element_bits(type), parts = 32 / bits;
    memset(rows, 0, SIMT_GROUP_ROWS * sizeof *rows);
    for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
        for (unsigned int i = 0; i < 4; i++) {
            for (unsigned int j = 0; j < parts; j++) {
                const unsigned int k = lane % 4 * parts + i / 2 * 4 * parts + j;
                const uint32_t word = wgmma->a_registers[lane][i] >> bits % 32 * j;
                simt_set_factor(&rows[lane / 4 + i % 2 * 8], k, type,
                                bits == 32 ? word : word & ((1u << bits) - 1));
            }
        }
    }
}

/* For a row, eight columns of the accumulators. Each of four lanes has two of them: in consecutive
 * registers or, in half precision, in one register. */
static void take_sums_of(const struct simt_wgmma *wgmma, unsigned int row, unsigned int group,
                         uint32_t c[SIMT_COLUMNS])
{
    const bool in_halves = wgmma->call.d == SIMT_PTX_F16;
    for (unsigned int j = 0; j < SIMT_COLUMNS; j++) {
        const unsigned int at = group * 4 + row / 8 * 2 + j % 2;
        const uint32_t *sums = &wgmma->sums[(row % 8 * 4 + j / 2) * wgmma->count];
        c[j] = !wgmma->call.adds ? 0 : in_halves ? sums[at / 2] >> j % 2 * 16 & 0xffff : sums[at];
    }
}

static void give_sums_of(const struct simt_wgmma *wgmma, unsigned int row, unsigned int group,
                         const uint32_t c[SIMT_COLUMNS])
{
    const bool in_halves = wgmma->call.d == SIMT_PTX_F16;
    for (unsigned int j = 0; j < SIMT_COLUMNS; j += 2) {
        const unsigned int at = group * 4 + row / 8 * 2;
        uint32_t *sums = &wgmma->sums[(row % 8 * 4 + j / 2) * wgmma->count];
        if (in_halves) {
            sums[at / 2] = c[j] | c[j + 1] << 16;
        } else {
            sums[at] = c[j];
            sums[at + 1] = c[j + 1];
        }
    }
}

static void multiply(const struct simt_wgmma *wgmma, unsigned int warp,
                     const struct simt_columns *columns)
{
    static struct simt_factors rows[SIMT_GROUP_ROWS];
    const struct simt_wgmma_call *call = &wgmma->call;
    const struct simt_sum_kind kind = {call->d, call->type_a, call->type_b, call->finite, true};
    const unsigned int depth = 256 / simt_element_bits(call->type_a);
    if (call->a_in_registers) {
        gather(wgmma, rows);
    } else {
        simt_tile_load(&wgmma->a, warp % SIMT_GROUP_WARPS * SIMT_GROUP_ROWS, SIMT_GROUP_ROWS, rows);
    }
    for (unsigned int i = 0; i < SIMT_GROUP_ROWS; i++) {
        if (call->negate_a != call->negate_b) {
            simt_negate_factors(&rows[i], depth);
        }
        for (unsigned int group = 0; group < call->columns / SIMT_COLUMNS; group++) {
            uint32_t sums[SIMT_COLUMNS];
            take_sums_of(wgmma, i, group, sums);
            simt_sum(&kind, &rows[i], &columns[group], depth, sums);
            give_sums_of(wgmma, i, group, sums);
        }
    }
}

static struct simt_wgmma *find(unsigned int warp, size_t number)
{
    const struct simt_wgmmas *all = simt_block->warps[warp].wgmmas;
    struct simt_wgmma *wgmma = all ? all->first : NULL;
    while (wgmma && wgmma->number != number) {
        wgmma = wgmma->next;
    }
    return wgmma;
}

/* A warp's part has been made: the next MMA on the same registers adds to it. */
static void hand_on(struct simt_wgmma *wgmma)
{
    wgmma->made = true;
    for (struct simt_wgmma *next = wgmma->next; next; next = next->next) {
        if (simt_wgmma_same_registers(next, wgmma)) {
            next->sums = wgmma->sums;
            wgmma->sums = NULL;
            return;
        }
    }
}

static bool is_same_product(const struct simt_wgmma_call *x, const struct simt_wgmma_call *y)
{
    return x->columns == y->columns && x->d == y->d && x->type_a == y->type_a &&
           x->type_b == y->type_b && x->a == y->a && x->b == y->b && x->adds == y->adds;
}

/* Makes MMA `number` of the group, for all its warps; false if a warp has not reached it. */
static bool make(unsigned int first, size_t number)
{
    static struct simt_factors factors[MOST_COLUMNS];
    static struct simt_columns columns[MOST_COLUMNS / SIMT_COLUMNS];
    struct simt_wgmma *parts[SIMT_GROUP_WARPS];
    for (unsigned int i = 0; i < SIMT_GROUP_WARPS; i++) {
        parts[i] = find(first + i, number);
        if (!parts[i]) {
            return false;
        }
        if (!is_same_product(&parts[i]->call, &parts[0]->call)) {
            simt_wgmma_refuse(parts[i], "another warp of its group makes another product");
        }
    }
    simt_tile_load(&parts[0]->b, 0, parts[0]->call.columns, factors);
    for (unsigned int i = 0; i < parts[0]->call.columns / SIMT_COLUMNS; i++) {
        simt_set_columns(&columns[i], &factors[i * SIMT_COLUMNS], parts[0]->b.depth);
    }
    for (unsigned int i = 0; i < SIMT_GROUP_WARPS; i++) {
        multiply(parts[i], first + i, columns);
        hand_on(parts[i]);
        if (simt_tracing) {
            simt_wgmma_note_end(parts[i], first + i);
        }
    }
    simt_note_progress();
    return true;
}

/* ---- after a warp has waited ---- */

/* Its registers are defined from now on. */
static void keep(struct simt_wgmmas *all, struct simt_wgmma *wgmma)
{
    unsigned int place = SIMT_WGMMAS_KEPT;
    for (unsigned int i = 0; i < SIMT_WGMMAS_KEPT; i++) {
        if (all->done[i] && simt_wgmma_same_registers(all->done[i], wgmma)) {
            place = i;
            wgmma->touched = all->done[i]->touched;
        }
    }
    if (place == SIMT_WGMMAS_KEPT) {
        place = all->next_done++ % SIMT_WGMMAS_KEPT;
    }
    forget(all->done[place]);
    all->done[place] = wgmma;
}

static void deliver(struct simt_wgmmas *all)
{
    struct simt_wgmma *wgmma = all->first;
    for (size_t i = 0; wgmma->sums && i < SIMT_WARP_SIZE * wgmma->count; i++) {
        *wgmma->registers[i] = wgmma->sums[i];
    }
    all->first = wgmma->next;
    all->last = all->first ? all->last : &all->first;
    keep(all, wgmma);
}

/* Makes MMAs until at most `kept` groups of the warp are pending; false: another of its four warps
 * has not come so far. */
static bool wait_for(unsigned int warp, unsigned int kept)
{
    struct simt_wgmmas *all = simt_wgmmas_of(warp);
    const unsigned int first = warp / SIMT_GROUP_WARPS * SIMT_GROUP_WARPS;
    const size_t end = all->group > kept ? all->group - kept : 0;
    while (all->first && all->first->group < end) {
        if (!all->first->made && !make(first, all->first->number)) {
            return false;
        }
        deliver(all);
    }
    if (simt_tracing && simt_wgmmas_of(first)->ended) {
        for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
            simt_observer.acquire(warp * SIMT_WARP_SIZE + lane, simt_wgmmas_of(first)->ended);
        }
    }
    return true;
}

static void fence(struct simt_wgmmas *all)
{
    all->fenced = true;
    for (unsigned int i = 0; i < SIMT_WGMMAS_KEPT; i++) {
        if (all->done[i]) {
            all->done[i]->touched = 0;
        }
    }
}

void simt_wgmma_do(const struct simt_thread *lanes, struct lane_matrix *const *mine)
{
    const unsigned int warp = simt_linear(lanes) / SIMT_WARP_SIZE;
    bool done = true;
    switch (mine[0]->what) {
    case WGMMA:
        begin(lanes, mine);
        break;
    case WGMMA_FENCE:
        fence(simt_wgmmas_of(warp));
        break;
    case WGMMA_COMMIT:
        simt_wgmmas_of(warp)->group++;
        break;
    default:
        done = wait_for(warp, mine[0]->groups);
        break;
    }
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        mine[i]->result[0] = done;
    }
}

/* ---- a warp leaves the kernel ---- */

/* The four warps of a group must start the same MMAs. */
static void check_group(unsigned int warp)
{
    const struct simt_wgmmas *all = simt_block->warps[warp].wgmmas;
    const unsigned int first = warp / SIMT_GROUP_WARPS * SIMT_GROUP_WARPS;
    for (unsigned int i = first; i < first + SIMT_GROUP_WARPS && i < simt_grid.warps; i++) {
        const struct simt_wgmmas *other = simt_block->warps[i].wgmmas;
        if ((other ? other->started : 0) > (all ? all->started : 0)) {
            simt_report_block();
            fprintf(stderr,
                    ": warp %u returns, having executed wgmma.mma_async %zu times, and warp %u "
                    "%zu times\n"
                    "  hint: the four warps of a group make each product together.\n",
                    warp, all ? all->started : 0, i, other->started);
            simt_exit();
        }
    }
}

void simt_wgmma_thread_exited(void)
{
    const struct simt_warp *warp = simt_warp_of(simt_current);
    if (warp->wgmmas && warp->wgmmas->first) {
        simt_wgmma_refuse(warp->wgmmas->first,
                          "it is still under way when its threads return\n"
                          "  hint: wgmma.commit_group and wgmma.wait_group are missing after it.");
    }
    if (were_used) {
        check_group((unsigned int)(warp - simt_block->warps));
    }
}
/* SPDX-License-Identifier: MIT */
