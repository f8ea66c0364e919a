/* wgmma: products of 64 x K by K x N that the four warps of a group start, and later wait for. Each
 * warp makes 16 rows of the result.
 *
 * A product is made as late as possible: when its warp waits for its group. Until then the
 * registers of its sum hold NaNs, so that who reads them too early notices; the addresses of the
 * registers are those of the kernel's variables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit.h"
#include "base/need.h"
#include "machine/hooks.h"
#include "machine/ptx.h"
#include "machine/reports.h"
#include "machine/wgmma_tiles.h"
#include "observe/observer.h"

enum { ROWS = 16, MOST_COLUMNS = 256, UNSET = 0x7fc0dead, KEPT = SIMT_WGMMAS_KEPT };

struct simt_wgmma {
    struct simt_wgmma *next;
    struct simt_wgmma_call call;
    struct simt_tile a, b;
    const char *file;
    int line;
    const void *caller;
    size_t group;
    unsigned int count; /* registers of the sum, of each lane */
    uint32_t touched;   /* since the last wgmma.fence: the place; 0: not */
    uint32_t a_registers[SIMT_WARP_SIZE][4];
    uint32_t *sums;     /* what they are added to, lane by lane; NULL: what an earlier one makes */
    uint32_t **registers;
};

static const char *const NAME = "wgmma.mma_async";

__attribute__((noreturn)) static void refuse(const struct simt_wgmma *wgmma, const char *wrong)
{
    simt_report_place();
    fprintf(stderr, ": %s at %s:%d: %s\n", NAME, wgmma->file, wgmma->line, wrong);
    if (simt_tracing) {
        simt_observer.tell_place(stderr, wgmma->caller);
    }
    simt_exit();
}

struct simt_wgmmas *simt_wgmmas_of(unsigned int warp)
{
    struct simt_wgmmas **all = &simt_block->warps[warp].wgmmas;
    if (!*all) {
        *all = simt_needed(calloc(1, sizeof **all), "wgmma");
        (*all)->last = &(*all)->first;
    }
    return *all;
}

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
        for (unsigned int j = 0; j < KEPT; j++) {
            forget(all->done[j]);
        }
        free(all);
        block->warps[i].wgmmas = NULL;
    }
}

/* ---- registers ---- */

static bool same_registers(const struct simt_wgmma *x, const struct simt_wgmma *y)
{
    return x->count == y->count && x->registers[0] == y->registers[0];
}

/* Whether the address is one of the lane's. */
static bool has_register(const struct simt_wgmma *wgmma, unsigned int lane, uint64_t address)
{
    uint32_t *const *registers = &wgmma->registers[lane * wgmma->count];
    for (unsigned int i = 0; i < wgmma->count; i++) {
        if (address - (uintptr_t)registers[i] < sizeof(uint32_t)) {
            return true;
        }
    }
    return false;
}

const void *simt_wgmma_register(unsigned int thread, uint64_t address, uint32_t place)
{
    struct simt_wgmmas *all = simt_block->warps[thread / SIMT_WARP_SIZE].wgmmas;
    if (!all) {
        return NULL;
    }
    for (const struct simt_wgmma *wgmma = all->first; wgmma; wgmma = wgmma->next) {
        if (has_register(wgmma, thread % SIMT_WARP_SIZE, address)) {
            return wgmma->caller;
        }
    }
    for (unsigned int i = 0; i < KEPT; i++) {
        if (all->done[i] && !all->done[i]->touched &&
            has_register(all->done[i], thread % SIMT_WARP_SIZE, address)) {
            all->done[i]->touched = place;
        }
    }
    return NULL;
}

/* At least so many a thread needs: those of the sums that are under way, and of A. */
static void check_registers(const struct simt_wgmmas *all, const struct simt_wgmma *new)
{
    unsigned int count = new->count + (new->call.a_in_registers ? 4 : 0);
    char wrong[160];
    for (const struct simt_wgmma *other = all->first; other; other = other->next) {
        bool counted = same_registers(other, new);
        for (const struct simt_wgmma *before = all->first; before != other; before = before->next) {
            counted = counted || same_registers(before, other);
        }
        count += counted ? 0 : other->count;
    }
    if (all->most_registers && count > all->most_registers) {
        snprintf(wrong, sizeof wrong,
                 "its operands alone take %u registers a thread, of which setmaxnreg has left %u",
                 count, all->most_registers);
        refuse(new, wrong);
    }
}

/* ---- what memory it reads ---- */

static void note_tile(const struct simt_wgmma *wgmma, const struct simt_tile *tile,
                      unsigned int warp, bool is_a, bool ends)
{
    const unsigned int first = is_a ? warp % 4 * ROWS : 0, rows = is_a ? ROWS : tile->rows;
    for (unsigned int chunk = 0; chunk < simt_tile_chunks(tile); chunk++) {
        unsigned int row, k;
        const uint32_t offset = simt_tile_chunk(tile, chunk, &row, &k);
        if (row >= first && row < first + rows) {
            simt_observer.wgmma_reads(wgmma->caller, warp * SIMT_WARP_SIZE, simt_shared_at(offset),
                                      ends);
        }
    }
}

static void note_reads(const struct simt_wgmma *wgmma, unsigned int warp, bool ends)
{
    if (!wgmma->call.a_in_registers) {
        note_tile(wgmma, &wgmma->a, warp, true, ends);
    }
    note_tile(wgmma, &wgmma->b, warp, false, ends);
}

bool simt_wgmma_reader(const void *address, unsigned int *thread, const void **caller)
{
    const uint32_t offset = (uint32_t)simt_shared_offset(address);
    for (unsigned int i = 0; i < simt_grid.warps; i++) {
        const struct simt_wgmmas *all = simt_block->warps[i].wgmmas;
        for (const struct simt_wgmma *wgmma = all ? all->first : NULL; wgmma; wgmma = wgmma->next) {
            if ((!wgmma->call.a_in_registers && simt_tile_has(&wgmma->a, offset)) ||
                simt_tile_has(&wgmma->b, offset)) {
                *thread = i * SIMT_WARP_SIZE;
                *caller = wgmma->caller;
                return true;
            }
        }
    }
    return false;
}

/* The tile, as the tensor copy that made it laid it out. */
static void check_swizzle(const struct simt_wgmma *wgmma, const struct simt_tile *tile)
{
    unsigned int row, k, span;
    const void *first = simt_shared_at(simt_tile_chunk(tile, 0, &row, &k));
    char wrong[160];
    if (simt_tracing && simt_tensor_span(first, &span) && span != tile->span &&
        simt_observer.bulk_wrote(first)) {
        snprintf(wrong, sizeof wrong,
                 "its matrix descriptor says that the swizzle spans %u bytes (0: none), and the "
                 "tensor map of the copy that made the tile: %u",
                 tile->span, span);
        refuse(wgmma, wrong);
    }
}

static void read_tile(struct simt_wgmma *wgmma, struct simt_tile *tile, bool is_a)
{
    const struct simt_wgmma_call *call = &wgmma->call;
    const unsigned int type = is_a ? call->type_a : call->type_b;
    const char *wrong = simt_tile_read(tile, is_a ? call->a : call->b);
    if (wrong) {
        refuse(wgmma, wrong);
    }
    tile->type = type;
    tile->rows = is_a ? 4 * ROWS : call->columns;
    tile->depth = 256 / simt_element_bits(type);
    tile->transposed = is_a ? call->transposed_a : call->transposed_b;
    check_swizzle(wgmma, tile);
}

/* ---- a product begins ---- */

static struct simt_wgmma *new_wgmma(struct simt_thread *lanes, struct lane_matrix *const *mine)
{
    const struct simt_wgmma_call *call = mine[0]->wgmma;
    struct simt_wgmma *wgmma = simt_needed(calloc(1, sizeof *wgmma), "wgmma");
    wgmma->call = *call;
    wgmma->file = lanes[0].file;
    wgmma->line = lanes[0].line;
    wgmma->caller = lanes[0].caller;
    wgmma->count = call->columns / (call->d == SIMT_PTX_F16 ? 4 : 2);
    wgmma->registers = simt_needed(
        malloc(SIMT_WARP_SIZE * wgmma->count * sizeof *wgmma->registers), "wgmma");
    for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
        const struct simt_wgmma_call *other = mine[lane]->wgmma;
        memcpy(wgmma->a_registers[lane], other->a_registers, sizeof other->a_registers);
        memcpy(&wgmma->registers[lane * wgmma->count], mine[lane]->sums,
               wgmma->count * sizeof *wgmma->registers);
        if (other->a != call->a || other->b != call->b || other->adds != call->adds) {
            refuse(wgmma, "the lanes of a warp have different descriptors, or different scales");
        }
    }
    return wgmma;
}

static void check_fence(const struct simt_wgmmas *all, const struct simt_wgmma *wgmma)
{
    if (!all->fenced) {
        refuse(wgmma, "no wgmma.fence comes before it\n"
                      "  hint: wgmma.fence orders what the thread has done with the registers "
                      "before the product that uses them.");
    }
    for (unsigned int i = 0; i < KEPT; i++) {
        const struct simt_wgmma *done = all->done[i];
        if (done && done->touched && same_registers(done, wgmma)) {
            simt_report_place();
            fprintf(stderr,
                    ": %s at %s:%d: the thread has used registers of its sum since the last "
                    "wgmma.fence\n",
                    NAME, wgmma->file, wgmma->line);
            simt_observer.tell_place_number(stderr, done->touched);
            fputs("  hint: wgmma.fence orders what the thread has done with the registers before "
                  "the product that uses them.\n",
                  stderr);
            simt_observer.tell_place(stderr, wgmma->caller);
            simt_exit();
        }
    }
}

/* What it adds to: what is in the registers, or what an earlier product is going to leave there. */
static void take_sums(const struct simt_wgmmas *all, struct simt_wgmma *wgmma)
{
    const size_t count = SIMT_WARP_SIZE * wgmma->count;
    bool continues = false;
    for (const struct simt_wgmma *other = all->first; other; other = other->next) {
        if (same_registers(other, wgmma)) {
            continues = true;
        } else if (has_register(other, 0, (uintptr_t)wgmma->registers[0]) ||
                   has_register(wgmma, 0, (uintptr_t)other->registers[0])) {
            refuse(wgmma, "a product of another shape still uses some of its registers\n"
                          "  hint: wgmma.wait_group comes between the two.");
        }
    }
    if (continues) {
        return;
    }
    wgmma->sums = simt_needed(malloc(count * sizeof *wgmma->sums), "wgmma");
    for (size_t i = 0; i < count; i++) {
        wgmma->sums[i] = *wgmma->registers[i];
        *wgmma->registers[i] = UNSET;
    }
}

static void begin(struct simt_thread *lanes, struct lane_matrix *const *mine)
{
    const unsigned int warp = simt_linear(lanes) / SIMT_WARP_SIZE;
    struct simt_wgmmas *all = simt_wgmmas_of(warp);
    struct simt_wgmma *wgmma = new_wgmma(lanes, mine);
    if ((warp / 4 + 1) * 4 > simt_grid.warps) {
        refuse(wgmma, "the block has no four warps for it: a warpgroup is four, beginning at a "
                      "multiple of four");
    }
    if (!wgmma->call.a_in_registers) {
        read_tile(wgmma, &wgmma->a, true);
    }
    read_tile(wgmma, &wgmma->b, false);
    check_fence(all, wgmma);
    check_registers(all, wgmma);
    take_sums(all, wgmma);
    if (simt_tracing) {
        note_reads(wgmma, warp, false);
    }
    all->started++;
    wgmma->group = all->group;
    *all->last = wgmma;
    all->last = &wgmma->next;
}

/* ---- it is made ---- */

/* The rows of A that lanes hold in registers: as those of mma.sync. */
static void gather(const struct simt_wgmma *wgmma, struct simt_factors *rows)
{
    const unsigned int type = wgmma->call.type_a, bits = simt_element_bits(type), parts = 32 / bits;
    memset(rows, 0, ROWS * sizeof *rows);
    for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
        for (unsigned int i = 0; i < 4; i++) {
            for (unsigned int j = 0; j < parts; j++) {
                const unsigned int k = lane % 4 * parts + i / 2 * 4 * parts + j;
                simt_set_factor(&rows[lane / 4 + i % 2 * 8], k, type,
                                bits == 32 ? wgmma->a_registers[lane][i]
                                           : wgmma->a_registers[lane][i] >> bits * j &
                                                 ((1u << bits) - 1));
            }
        }
    }
}

static void multiply(const struct simt_wgmma *wgmma, unsigned int warp)
{
    static struct simt_factors a[ROWS], b[MOST_COLUMNS];
    const struct simt_wgmma_call *call = &wgmma->call;
    const struct simt_sum_kind kind = {call->d, call->type_a, call->type_b, call->finite, true};
    const unsigned int depth = 256 / simt_element_bits(call->type_a);
    const unsigned int in_register = call->d == SIMT_PTX_F16 ? 2 : 1;
    if (call->a_in_registers) {
        gather(wgmma, a);
    } else {
        simt_tile_load(&wgmma->a, warp % 4 * ROWS, ROWS, a);
    }
    simt_tile_load(&wgmma->b, 0, call->columns, b);
    for (unsigned int i = 0; i < (call->negate_a != call->negate_b ? ROWS : 0); i++) {
        simt_negate_factors(&a[i], depth);
    }
    for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
        for (unsigned int i = 0; i < wgmma->count; i++) {
            uint32_t *sum = &wgmma->sums[lane * wgmma->count + i], result = 0;
            for (unsigned int j = 0; j < in_register; j++) {
                const unsigned int at = i * in_register + j; /* of the lane's results */
                const uint32_t c = !call->adds        ? 0
                                   : in_register == 2 ? *sum >> 16 * j & 0xffff
                                                      : *sum;
                result |= simt_sum(&kind, &a[lane / 4 + at % 4 / 2 * 8],
                                   &b[at / 4 * 8 + lane % 4 * 2 + at % 2], depth, c)
                          << 16 * j;
            }
            *sum = result;
        }
    }
}

/* The result goes to the next product on the same registers or, if there is none, into them. */
static void hand_on(struct simt_wgmma *wgmma)
{
    for (struct simt_wgmma *next = wgmma->next; next; next = next->next) {
        if (same_registers(next, wgmma)) {
            next->sums = wgmma->sums;
            wgmma->sums = NULL;
            return;
        }
    }
    for (size_t i = 0; i < SIMT_WARP_SIZE * wgmma->count; i++) {
        *wgmma->registers[i] = wgmma->sums[i];
    }
}

/* Its registers are known from now on. */
static void keep(struct simt_wgmmas *all, struct simt_wgmma *wgmma)
{
    unsigned int place = all->next_done;
    for (unsigned int i = 0; i < KEPT; i++) {
        if (all->done[i] && same_registers(all->done[i], wgmma)) {
            place = i;
        }
    }
    all->next_done = place == all->next_done ? (place + 1) % KEPT : all->next_done;
    wgmma->touched = all->done[place] && same_registers(all->done[place], wgmma)
                         ? all->done[place]->touched
                         : 0;
    forget(all->done[place]);
    all->done[place] = wgmma;
}

static void wait_for(unsigned int warp, unsigned int kept)
{
    struct simt_wgmmas *all = simt_wgmmas_of(warp);
    const size_t end = all->group > kept ? all->group - kept : 0;
    while (all->first && all->first->group < end) {
        struct simt_wgmma *wgmma = all->first;
        multiply(wgmma, warp);
        hand_on(wgmma);
        if (simt_tracing) {
            note_reads(wgmma, warp, true);
        }
        all->first = wgmma->next;
        all->last = all->first ? all->last : &all->first;
        keep(all, wgmma);
    }
}

void simt_wgmma_do(struct simt_thread *lanes, struct lane_matrix *const *mine)
{
    const unsigned int warp = simt_linear(lanes) / SIMT_WARP_SIZE;
    struct simt_wgmmas *all = simt_wgmmas_of(warp);
    switch (mine[0]->what) {
    case WGMMA:
        begin(lanes, mine);
        break;
    case WGMMA_FENCE:
        all->fenced = true;
        for (unsigned int i = 0; i < KEPT; i++) {
            if (all->done[i]) {
                all->done[i]->touched = 0;
            }
        }
        break;
    case WGMMA_COMMIT:
        all->group++;
        break;
    default:
        wait_for(warp, mine[0]->groups);
        break;
    }
}

/* ---- a warp leaves the kernel ---- */

void simt_wgmma_thread_exited(void)
{
    const struct simt_wgmmas *all = simt_warp_of(simt_current)->wgmmas;
    if (all && all->first) {
        refuse(all->first, "it is still under way when its threads return\n"
                           "  hint: wgmma.commit_group and wgmma.wait_group are missing behind "
                           "it.");
    }
}

/* The four warps of a group do the same. */
void simt_wgmma_block_ended(void)
{
    for (unsigned int i = 0; i < simt_grid.warps; i++) {
        const struct simt_wgmmas *all = simt_block->warps[i].wgmmas;
        for (unsigned int j = i / 4 * 4; all && all->started && j < i / 4 * 4 + 4; j++) {
            const struct simt_wgmmas *other = simt_block->warps[j].wgmmas;
            if (!other || other->started != all->started) {
                simt_report_block();
                fprintf(stderr,
                        ": wgmma.mma_async was executed %zu times by warp %u and %zu times by warp "
                        "%u\n"
                        "  hint: the four warps of a group make each product together.\n",
                        all->started, i, other ? other->started : 0, j);
                simt_exit();
            }
        }
    }
    simt_wgmma_forget(simt_block);
}
