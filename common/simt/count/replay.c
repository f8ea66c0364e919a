/* Pairs the traces of a warp's lanes into warp-level instructions, and counts them.
 *
 * A warp's lanes share one instruction stream; where they part, the hardware runs one part after
 * the other and brings them together again. The replay does the same: of all the lanes' next events
 * it takes the one in the deepest call, and of those in the same call depth the one that comes
 * first in the flow of control (order.c); every lane whose next event is that one takes part. Lanes
 * behind thus catch up, and lanes meet again where their ways join. (Pairing the n-th event of one
 * lane with the n-th of another would be wrong as soon as a lane skips a turn of a loop.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "check/causality.h"
#include "observe/trace.h"

enum { SECTOR_BYTES = 32, BANKS = 32, WORD_BYTES = 4, ROW_BYTES = BANKS * WORD_BYTES };

static unsigned int lowest(uint32_t set)
{
    return (unsigned int)__builtin_ctz(set);
}

static unsigned int size_of(uint32_t set)
{
    return (unsigned int)__builtin_popcount(set);
}

/* ---- the rules of the memory system ---- */

/* The set's addresses in ascending order, in `sorted`; returns how many. */
static unsigned int sort_addresses(uint32_t lanes, const uint64_t *addresses, uint64_t *sorted)
{
    unsigned int count = 0;
    for (uint32_t set = lanes; set; set &= set - 1) {
        uint64_t address = addresses[lowest(set)];
        unsigned int i = count++;
        for (; i > 0 && sorted[i - 1] > address; i--) {
            sorted[i] = sorted[i - 1];
        }
        sorted[i] = address;
    }
    return count;
}

/* The usual case: all lanes, one neighbour after the other, or all on one address. */
static bool is_row(uint32_t lanes, unsigned int size, const uint64_t *addresses, uint64_t step)
{
    uint64_t wrong = 0;
    if (lanes != ~(uint32_t)0) {
        return false;
    }
    (void)size;
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        wrong |= addresses[i] ^ (addresses[0] + i * step);
    }
    return wrong == 0;
}

/* Each sector that any lane touches is moved once. */
static void count_sectors(unsigned int size, uint32_t lanes, const uint64_t *addresses,
                          struct simt_access_counters *counters)
{
    uint64_t sorted[SIMT_WARP_SIZE], next_sector = 0, next_byte = 0;
    if (is_row(lanes, size, addresses, size)) {
        counters->units += (addresses[SIMT_WARP_SIZE - 1] + size - 1) / SECTOR_BYTES -
                           addresses[0] / SECTOR_BYTES + 1;
        counters->bytes += (uint64_t)SIMT_WARP_SIZE * size;
        return;
    }
    for (unsigned int i = 0, count = sort_addresses(lanes, addresses, sorted); i < count; i++) {
        uint64_t first = sorted[i] / SECTOR_BYTES, last = (sorted[i] + size - 1) / SECTOR_BYTES;
        uint64_t from = sorted[i] > next_byte ? sorted[i] : next_byte, to = sorted[i] + size;
        first = first > next_sector ? first : next_sector;
        counters->units += last + 1 - first;
        next_sector = last + 1;
        counters->bytes += to - from;
        next_byte = to;
    }
}

/* Wavefronts of lanes that go together: the most different words in one bank. */
static unsigned int wavefronts_of(unsigned int size, uint32_t lanes, const uint64_t *addresses)
{
    uint64_t sorted[SIMT_WARP_SIZE], next_word = 0;
    unsigned char words[BANKS] = {0};
    unsigned int most = 0;
    for (unsigned int i = 0, count = sort_addresses(lanes, addresses, sorted); i < count; i++) {
        uint64_t word = sorted[i] / WORD_BYTES, end = (sorted[i] + size - 1) / WORD_BYTES + 1;
        for (word = word > next_word ? word : next_word; word < end; word++) {
            unsigned int here = ++words[word % BANKS];
            most = here > most ? here : most;
        }
        next_word = end;
    }
    return most;
}

/* Whether lanes 2 i and 2 i + 1 are both active, or both not, and want the same. */
static bool are_pairs(uint32_t lanes, const uint64_t *addresses)
{
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i += 2) {
        if ((lanes >> i & 1) != (lanes >> (i + 1) & 1) ||
            (lanes >> i & 1 && addresses[i] != addresses[i + 1])) {
            return false;
        }
    }
    return true;
}

/* Whether no two words lie in one bank. */
static bool are_in_own_banks(uint32_t lanes, const uint64_t *addresses)
{
    uint32_t banks = 0;
    for (uint32_t set = lanes; set; set &= set - 1) {
        uint64_t address = addresses[lowest(set)];
        uint32_t bank = 1u << address / WORD_BYTES % BANKS;
        if (banks & bank || address % WORD_BYTES != 0) {
            return false;
        }
        banks |= bank;
    }
    return true;
}

/* As an H200 counts (tests/bank_conflicts_h200.csv; docs/results/counters_simt_h200.csv): accesses
 * of 8 bytes go by half warps, of 16 by quarters; loads of pairs of lanes by parts twice as large.
 * Loads need as many wavefronts as their bytes fill rows of banks, stores as many as there are such
 * parts with an active lane. */
void simt_count_banks(bool store, unsigned int size, unsigned int lanes, const uint64_t *addresses,
                      unsigned int *wavefronts, unsigned int *conflicts)
{
    unsigned int together = size <= 4 ? 32 : size == 8 ? 16 : 8;
    unsigned int needed = 0;
    *wavefronts = 0;
    if (!store && size > 4 && are_pairs(lanes, addresses)) {
        together *= 2;
    }
    if (size == 4 && (is_row(lanes, size, addresses, size) || is_row(lanes, size, addresses, 0))) {
        *wavefronts = 1;
        *conflicts = 0;
        return;
    }
    if (size == 4 && are_in_own_banks(lanes, addresses)) {
        *wavefronts = 1;
        *conflicts = 0;
        return;
    }
    for (unsigned int first = 0; first < SIMT_WARP_SIZE; first += together) {
        uint32_t part = lanes & (uint32_t)(((uint64_t)1 << together) - 1) << first;
        if (part) {
            *wavefronts += wavefronts_of(size, part, addresses);
            needed++;
        }
    }
    if (!store) {
        needed = (size_of(lanes) * size + ROW_BYTES - 1) / ROW_BYTES;
    }
    *conflicts = *wavefronts > needed ? *wavefronts - needed : 0;
}

/* The most lanes that hit one address. */
static unsigned int crowd_of(uint32_t lanes, const uint64_t *addresses)
{
    uint64_t sorted[SIMT_WARP_SIZE];
    unsigned int most = 0, here = 0;
    for (unsigned int i = 0, count = sort_addresses(lanes, addresses, sorted); i < count; i++) {
        here = i > 0 && sorted[i] == sorted[i - 1] ? here + 1 : 1;
        most = here > most ? here : most;
    }
    return most;
}

static void count_access(struct simt_site *site, enum simt_space space, enum simt_event_kind kind,
                         unsigned int size, uint32_t lanes, const uint64_t *addresses)
{
    static const enum simt_access global[] = {[EVENT_LOAD] = SIMT_GLOBAL_LOAD,
                                              [EVENT_STORE] = SIMT_GLOBAL_STORE,
                                              [EVENT_ATOMIC] = SIMT_GLOBAL_ATOMIC};
    static const enum simt_access shared[] = {[EVENT_LOAD] = SIMT_SHARED_LOAD,
                                              [EVENT_STORE] = SIMT_SHARED_STORE,
                                              [EVENT_ATOMIC] = SIMT_SHARED_ATOMIC};
    enum simt_access access = space == SPACE_SHARED     ? shared[kind]
                              : space == SPACE_CONSTANT ? SIMT_CONSTANT_LOAD
                                                        : global[kind];
    struct simt_access_counters *counters = &site->counters.access[access];
    counters->requests++;
    counters->lanes += size_of(lanes);
    if (space == SPACE_SHARED) {
        unsigned int wavefronts, conflicts;
        simt_count_banks(kind == EVENT_STORE, size, lanes, addresses, &wavefronts, &conflicts);
        counters->units += wavefronts;
        counters->conflicts += conflicts;
    } else {
        count_sectors(size, lanes, addresses, counters);
    }
    if (kind == EVENT_ATOMIC) {
        counters->crowd += crowd_of(lanes, addresses);
    }
}

/* ---- where ways part ---- */

/* Lanes that came to the end of a basic block together, until all of them have entered another. */
struct crossing {
    uint32_t lanes, place, next_place;
    bool split;
};

/* One for each lane at most, and one more while lanes change over. */
static struct crossing crossings[SIMT_MAX_BLOCK_THREADS / SIMT_WARP_SIZE][SIMT_WARP_SIZE + 1];
static unsigned char crossing_of[SIMT_MAX_BLOCK_THREADS]; /* SIMT_WARP_SIZE + 1: none */

static void enter_block(unsigned int warp, uint32_t lanes, uint32_t place)
{
    struct crossing *of_warp = crossings[warp];
    unsigned char *at = &crossing_of[warp * SIMT_WARP_SIZE];
    unsigned int slot = at[lowest(lanes)];
    if (slot > SIMT_WARP_SIZE || of_warp[slot].lanes != lanes || of_warp[slot].next_place) {
        for (uint32_t set = lanes, together; set; set &= ~together) {
            struct crossing *from = &of_warp[at[lowest(set)]];
            if (at[lowest(set)] > SIMT_WARP_SIZE) {
                together = 1u << lowest(set);
                continue;
            }
            if (!from->next_place) {
                from->next_place = place;
            } else if (from->next_place != place && !from->split) {
                from->split = true;
                unsigned int number = simt_site_number(from->place); /* may move sites */
                simt_site(number)->counters.splits++;
            }
            together = from->lanes; /* that is, all whose slot this is */
            from->lanes &= ~lanes;
        }
        for (slot = 0; of_warp[slot].lanes; slot++) {
        }
        for (uint32_t set = lanes; set; set &= set - 1) {
            at[lowest(set)] = (unsigned char)slot;
        }
    }
    of_warp[slot] = (struct crossing){.lanes = lanes, .place = place};
}

/* ---- checks in order of execution ---- */

/* Replay pairs what lanes do without an order between them. Where they order themselves, by a fence
 * and an atomic (a lock, a counter of blocks) or by a __syncwarp of some of them, the checks must
 * see accesses as they were made: stretch by stretch. From then on, a warp is checked so, before
 * the replay, which only counts. */
static bool in_order[SIMT_MAX_BLOCK_THREADS / SIMT_WARP_SIZE];
static const struct simt_event *checked[SIMT_WARP_SIZE]; /* events before this are checked */
static bool counts_only;

bool simt_replay_is_in_order(unsigned int warp)
{
    return in_order[warp];
}

/* What is no access. */
static void check_other(const struct simt_event *event, unsigned int warp, uint32_t lanes,
                        const uint64_t *addresses)
{
    enum simt_scope scope =
        event_how(event) & EVENT_OF_BLOCK ? SIMT_SCOPE_BLOCK : SIMT_SCOPE_DEVICE;
    if (event_kind(event) == EVENT_FREE) {
        simt_check_free(simt_site_number(event_place(event)), warp, lanes, addresses);
    } else if (event_kind(event) == EVENT_READ_ONLY) {
        simt_check_read_only(simt_site_number(event_place(event)), event_size(event), warp, lanes,
                             addresses);
    } else if (event_kind(event) == EVENT_FENCE) {
        for (uint32_t set = lanes; set; set &= set - 1) {
            simt_causality_fence(warp * SIMT_WARP_SIZE + lowest(set), scope);
        }
    }
}

static void check_one(const struct simt_event *event, unsigned int warp, unsigned int lane)
{
    uint64_t addresses[SIMT_WARP_SIZE];
    enum simt_event_kind kind = event_kind(event);
    if (kind == EVENT_BLOCK) {
        return;
    }
    addresses[lane] = event->address;
    if (!event_is_access(event)) {
        check_other(event, warp, 1u << lane, addresses);
    } else {
        enum simt_space space = simt_range_of(event->address)->space;
        if (space != SPACE_LOCAL) {
            simt_check_access(space, kind, event_how(event), simt_site_number(event_place(event)),
                              event_size(event), warp, 1u << lane, addresses);
        }
    }
}

void simt_replay_check(const struct simt_traces *traces, unsigned int warp)
{
    in_order[warp] = true;
    for (unsigned int i = 0; i < traces->stretch_count; i++) {
        const struct simt_event *end = traces->stretches[i];
        unsigned int lane = (unsigned int)((end - simt_trace_events) / TRACE_STRIDE);
        for (; checked[lane] < end; checked[lane]++) {
            check_one(checked[lane], warp, lane);
        }
    }
    for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
        for (; checked[lane] < traces->end[lane]; checked[lane]++) {
            check_one(checked[lane], warp, lane);
        }
    }
}

/* ---- replay ---- */

/* Of these lanes, those whose addresses lie in the range. */
static uint32_t in_range(const struct simt_range *range, uint32_t lanes, const uint64_t *addresses)
{
    uint32_t inside = 0;
    if (lanes == ~(uint32_t)0) {
        uint64_t outside = 0;
        for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
            outside |= addresses[i] - range->base >= range->size;
        }
        if (!outside) {
            return lanes;
        }
    }
    for (uint32_t set = lanes; set; set &= set - 1) {
        if (addresses[lowest(set)] - range->base < range->size) {
            inside |= 1u << lowest(set);
        }
    }
    return inside;
}

/* A request may touch several spaces, through a pointer that differs from lane to lane: one request
 * each. */
static void access_memory(const struct simt_event *event, unsigned int warp, uint32_t lanes,
                          const uint64_t *addresses)
{
    enum simt_event_kind kind = event_kind(event);
    bool counted = kind < EVENT_COPIED;
    unsigned int number = simt_site_number(event_place(event)), size = event_size(event);
    kind = kind > EVENT_ATOMIC ? EVENT_STORE : kind;
    while (lanes) {
        const struct simt_range range = *simt_range_of(addresses[lowest(lanes)]);
        uint32_t here = in_range(&range, lanes, addresses);
        lanes &= ~here;
        if (range.space == SPACE_LOCAL) {
            continue;
        }
        for (uint32_t set = lanes; set; set &= set - 1) {
            /* Another allocation, the same space: still one request. */
            if (simt_range_of(addresses[lowest(set)])->space == range.space) {
                here |= 1u << lowest(set);
            }
        }
        lanes &= ~here;
        if (range.space != SPACE_HOST && counted) {
            count_access(simt_site(number), range.space, kind, size, here, addresses);
            if (simt_requests_wanted) {
                simt_requests_add(event_place(event), range.space, kind, size, warp, here,
                                  addresses);
            }
        }
        if (!counts_only) {
            simt_check_access(range.space, event_kind(event), event_how(event), number, size, warp,
                              here, addresses);
        }
    }
}

/* What the lanes do next: whether all 32 do the same, and the distance from one lane's address to
 * the next one's, if that is the same between all; else -1. */
struct row {
    bool alike;
    uint64_t distance;
};

static struct row look_at(const struct simt_event *const *at, size_t ahead)
{
    /* An event is a key and an address: both at once. */
    typedef uint64_t pair __attribute__((vector_size(16)));
    const struct simt_event *event = at[0] + ahead;
    uint64_t distance = at[1][ahead].address - event->address;
    pair expected = {event->key, event->address}, next = {0, distance}, wrong = {0, 0}, found;
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        memcpy(&found, at[i] + ahead, sizeof found);
        wrong |= found ^ expected;
        expected += next;
    }
    return (struct row){wrong[0] == 0, wrong[1] == 0 ? distance : UINT64_MAX};
}

/* The same as access_memory, faster, for the usual access: 32 lanes side by side or on one address.
 * False if this is another. */
static bool access_row(const struct simt_event *event, unsigned int warp, uint64_t distance)
{
    bool store = event_kind(event) == EVENT_STORE;
    unsigned int size = event_size(event), number;
    uint64_t first = event->address, end = first + (SIMT_WARP_SIZE - 1) * distance + size;
    uint64_t addresses[SIMT_WARP_SIZE];
    const struct simt_range *range = simt_range_of(first);
    struct simt_access_counters *counters;
    enum simt_space space = range->space;
    if ((distance != size && distance != 0) || range->illegal || end - range->base > range->size ||
        !is_aligned(first, size)) {
        return false;
    }
    if (space == SPACE_LOCAL) {
        return true;
    }
    if (space != SPACE_GLOBAL && (space != SPACE_SHARED || size != WORD_BYTES)) {
        return false;
    }
    number = simt_site_number(event_place(event));
    counters = simt_site(number)->counters.access;
    if (space == SPACE_SHARED) {
        counters += store ? SIMT_SHARED_STORE : SIMT_SHARED_LOAD;
        counters->units++;
    } else {
        counters += store ? SIMT_GLOBAL_STORE : SIMT_GLOBAL_LOAD;
        counters->units += (end - 1) / SECTOR_BYTES - first / SECTOR_BYTES + 1;
        counters->bytes += end - first;
    }
    counters->requests++;
    counters->lanes += SIMT_WARP_SIZE;
    if (!simt_requests_wanted &&
        (counts_only || (!store && size == WORD_BYTES &&
                         simt_check_simple_load(space, number, warp, first, distance)))) {
        return true;
    }
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        addresses[i] = first + i * distance;
    }
    if (simt_requests_wanted) {
        simt_requests_add(event_place(event), space, event_kind(event), size, warp, ~0u, addresses);
    }
    if (!counts_only) {
        simt_check_access(space, event_kind(event), 0, number, size, warp, ~0u, addresses);
    }
    return true;
}

/* The lanes do their events `ahead` of at[] together. `distance` of all 32: see look_at. */
static void step(const struct simt_event *const *at, size_t ahead, unsigned int warp,
                 uint32_t lanes, uint64_t distance)
{
    const struct simt_event *event = at[lowest(lanes)] + ahead;
    enum simt_event_kind kind = event_kind(event);
    uint64_t addresses[SIMT_WARP_SIZE];
    if (kind == EVENT_BLOCK) {
        enter_block(warp, lanes, event_place(event));
        return;
    }
    if (kind <= EVENT_STORE && distance != UINT64_MAX && !event_how(event) &&
        access_row(event, warp, distance)) {
        return;
    }
    if (lanes == ~(uint32_t)0) {
        for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
            addresses[i] = at[i][ahead].address;
        }
    } else {
        for (uint32_t set = lanes; set; set &= set - 1) {
            addresses[lowest(set)] = at[lowest(set)][ahead].address;
        }
    }
    if (event_is_access(event)) {
        access_memory(event, warp, lanes, addresses);
    } else if (!counts_only) {
        check_other(event, warp, lanes, addresses);
    }
}

/* ---- who goes first ---- */

/* Events before this one are known to order.c; of a lane's events in the buffer, from the one it
 * does next on, the nodes, and the nodes before in the same call. */
static const struct simt_event *observed[SIMT_WARP_SIZE];
static struct {
    unsigned int node, before;
} flow[SIMT_WARP_SIZE][TRACE_STRIDE];

/* By warp: to order.c all lanes have the past that it keeps for the first one. */
static bool one_past[SIMT_MAX_BLOCK_THREADS / SIMT_WARP_SIZE];

/* Lanes that do the same up to the end of their traces, once some have parted: the first stands for
 * all. */
struct group {
    uint32_t lanes;
    unsigned int first;
};
static struct group groups[SIMT_WARP_SIZE];
static unsigned int group_count;
/* The last replay looked ahead, and left events behind. */
static bool cut_short;

static size_t count_observed(const struct simt_event *const *at, unsigned int lane)
{
    return observed[lane] > at[lane] ? (size_t)(observed[lane] - at[lane]) : 0;
}

/* Whether two lanes have the same events left, and to order.c the same past. */
static bool do_the_same(const struct simt_event *const *at, const struct simt_traces *traces,
                        unsigned int warp, unsigned int a, unsigned int b)
{
    size_t count = (size_t)(traces->end[a] - at[a]), before = count_observed(at, a);
    if ((size_t)(traces->end[b] - at[b]) != count || count_observed(at, b) != before) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (at[a][i].key != at[b][i].key) {
            return false;
        }
    }
    for (size_t i = 0; i < before; i++) {
        if (flow[a][at[a] - simt_trace_buffer(a) + (ptrdiff_t)i].before !=
            flow[b][at[b] - simt_trace_buffer(b) + (ptrdiff_t)i].before) {
            return false;
        }
    }
    return one_past[warp] || simt_order_same(warp * SIMT_WARP_SIZE + a, warp * SIMT_WARP_SIZE + b);
}

static void find_groups(const struct simt_event *const *at, const struct simt_traces *traces,
                        unsigned int warp)
{
    group_count = 0;
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        unsigned int number = 0;
        if (at[i] == traces->end[i]) {
            continue;
        }
        while (number < group_count && !do_the_same(at, traces, warp, groups[number].first, i)) {
            number++;
        }
        if (number == group_count) {
            groups[group_count++] = (struct group){0, i};
        }
        groups[number].lanes |= 1u << i;
    }
}

/* The lanes of a group are cut short: they are taken to come to where the others are. */
static void assume_meetings(const struct simt_event *const *at, const struct simt_traces *traces,
                            const struct group *short_one)
{
    unsigned int first = short_one->first;
    const struct simt_event *last = traces->end[first] - 1;
    for (const struct group *group = groups; group < groups + group_count; group++) {
        const struct simt_event *next = at[group->first];
        if (group != short_one && next->key >> 48 == last->key >> 48) {
            simt_order_assume(flow[first][last - simt_trace_buffer(first)].node,
                              flow[group->first][next - simt_trace_buffer(group->first)].node);
        }
    }
}

/* Lanes part: what they will do tells who goes first. */
static void look_ahead(const struct simt_event *const *at, const struct simt_traces *traces,
                       unsigned int warp, uint32_t cut)
{
    find_groups(at, traces, warp);
    if (one_past[warp]) {
        uint32_t lanes = ~(uint32_t)0;
        for (const struct group *group = groups; group < groups + group_count; group++) {
            lanes &= ~(group->lanes & (group->lanes - 1)); /* these get theirs below */
        }
        simt_order_copy(warp, lanes & ~1u, 0);
        one_past[warp] = false;
    }
    for (const struct group *group = groups; group < groups + group_count; group++) {
        unsigned int first = group->first, thread = warp * SIMT_WARP_SIZE + first;
        for (const struct simt_event *event = at[first] + count_observed(at, first);
             event < traces->end[first]; event++) {
            size_t index = (size_t)(event - simt_trace_buffer(first));
            flow[first][index].before = simt_order_observe(thread, event, &flow[first][index].node);
        }
        for (uint32_t set = group->lanes; set; set &= set - 1) {
            observed[lowest(set)] = traces->end[lowest(set)];
        }
        simt_order_copy(warp, group->lanes & (group->lanes - 1), first);
    }
    for (const struct group *group = groups; group < groups + group_count; group++) {
        if (group->lanes & cut) {
            assume_meetings(at, traces, group);
        }
    }
    simt_order_rank();
}

/* Of the lanes of a set, made of groups, those whose next event comes first. */
static uint32_t first_of(const struct simt_event *const *at, uint32_t lanes)
{
    uint64_t first = UINT64_MAX;
    uint32_t found = 0;
    for (const struct group *group = groups; group < groups + group_count; group++) {
        unsigned int i = group->first;
        size_t index = (size_t)(at[i] - simt_trace_buffer(i));
        uint64_t order;
        if (!(lanes & group->lanes)) {
            continue;
        }
        order = at[i]->key >> 48 << 32 | simt_order_of(flow[i][index].before, flow[i][index].node);
        if (order < first) {
            first = order;
            found = 0;
        }
        if (order == first) {
            found |= group->lanes;
        }
    }
    return found;
}

/* Whether all groups, none of which is at its end, do the same next. */
static bool groups_meet(const struct simt_event *const *at)
{
    for (unsigned int i = 1; i < group_count; i++) {
        if (at[groups[i].first]->key != at[groups[0].first]->key) {
            return false;
        }
    }
    return true;
}

/* What order.c told of each group's first lane is of use to the others after a replay that was cut
 * short. */
static void keep_flow(const struct simt_event *const *at)
{
    for (const struct group *group = groups; group < groups + group_count; group++) {
        unsigned int first = group->first;
        for (uint32_t set = group->lanes & (group->lanes - 1); set; set &= set - 1) {
            memcpy(flow[lowest(set)] + (at[lowest(set)] - simt_trace_buffer(lowest(set))),
                   flow[first] + (at[first] - simt_trace_buffer(first)),
                   count_observed(at, first) * sizeof *flow[first]);
        }
    }
}

/* All 32 lanes' next events are alike, as `row` tells: takes these and those behind them as long as
 * they are. Returns the lanes that have events left. `observe`: one lane tells order.c for all. */
static uint32_t walk_together(const struct simt_event **at, const struct simt_traces *traces,
                              unsigned int warp, struct row row, bool observe)
{
    size_t least = SIZE_MAX, most = 0, steps = 0;
    uint32_t left = 0;
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        size_t here = (size_t)(traces->end[i] - at[i]);
        least = here < least ? here : least;
        most = here > most ? here : most;
    }
    do {
        if (observe) {
            unsigned int node;
            simt_order_observe(warp * SIMT_WARP_SIZE, at[0] + steps, &node);
        }
        simt_plan_add_step(~(uint32_t)0, true);
        step(at, steps++, warp, ~(uint32_t)0, row.distance);
    } while (steps < least && (row = look_at(at, steps)).alike);
    if (observe) {
        one_past[warp] = true;
    }
    if (steps == most) {
        return 0;
    }
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        at[i] += steps;
        left |= (uint32_t)(at[i] != traces->end[i]) << i;
        observed[i] = observe ? at[i] : observed[i];
    }
    return left;
}

/* Lanes that make up whole groups have done their next event. Returns those of them that are at
 * their end. */
static uint32_t advance(const struct simt_event **at, const struct simt_traces *traces,
                        uint32_t lanes)
{
    uint32_t ended = 0;
    for (uint32_t set = lanes; set; set &= set - 1) {
        at[lowest(set)]++;
    }
    for (const struct group *group = groups; group < groups + group_count; group++) {
        if (at[group->first] == traces->end[group->first]) {
            ended |= group->lanes;
        }
    }
    return ended;
}

/* What is left moves to the front of the buffers (simt_trace_drain). */
static void keep_rest(const struct simt_event *const *at, struct simt_traces *traces)
{
    if (cut_short) {
        keep_flow(at);
    }
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        traces->begin[i] += at[i] - traces->begin[i];
        checked[i] -= at[i] - simt_trace_buffer(i);
        checked[i] = checked[i] > simt_trace_buffer(i) ? checked[i] : simt_trace_buffer(i);
        observed[i] -= at[i] - simt_trace_buffer(i);
        observed[i] = observed[i] > simt_trace_buffer(i) ? observed[i] : simt_trace_buffer(i);
        if (observed[i] > simt_trace_buffer(i)) {
            memmove(flow[i], flow[i] + (at[i] - simt_trace_buffer(i)),
                    (size_t)(observed[i] - simt_trace_buffer(i)) * sizeof *flow[i]);
        }
    }
}

/* Replays all of the traces as a plan tells, if there is one. */
static bool follow_plan(const struct simt_traces *traces, unsigned int warp)
{
    size_t count;
    const struct simt_step *steps = simt_plan_find(traces, warp, &count);
    const struct simt_event *at[SIMT_WARP_SIZE];
    if (!steps) {
        return false;
    }
    memcpy(at, traces->begin, sizeof at);
    for (size_t i = 0; i < count; i++) {
        size_t ahead = 0;
        for (; i < count && steps[i].lanes == ~(uint32_t)0; i++, ahead++) {
            bool row = steps[i].row && event_kind(at[0] + ahead) != EVENT_BLOCK;
            step(at, ahead, warp, ~(uint32_t)0, row ? look_at(at, ahead).distance : UINT64_MAX);
        }
        if (i == count) {
            break;
        }
        for (unsigned int lane = 0; ahead > 0 && lane < SIMT_WARP_SIZE; lane++) {
            at[lane] += ahead;
        }
        step(at, 0, warp, steps[i].lanes, UINT64_MAX);
        for (uint32_t set = steps[i].lanes; set; set &= set - 1) {
            at[lowest(set)]++;
        }
    }
    return true;
}

/* The buffers are empty. */
static void start_checked(void)
{
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        checked[i] = observed[i] = simt_trace_buffer(i);
    }
}

void simt_replay(struct simt_traces *traces, unsigned int warp, unsigned int cut)
{
    const struct simt_event *at[SIMT_WARP_SIZE];
    uint32_t left = traces->filled;
    bool looked_ahead = cut_short, can_plan = !cut && !cut_short;
    struct row row;
    counts_only = in_order[warp];
    if (counts_only) {
        simt_replay_check(traces, warp);
    }
    if (can_plan && follow_plan(traces, warp)) {
        traces->filled = 0;
        start_checked();
        return;
    }
    if (simt_plan_start(warp, can_plan)) {
        one_past[warp] = false;
    }
    memcpy(at, traces->begin, sizeof at);
    if (looked_ahead) {
        look_ahead(at, traces, warp, cut);
    }
    while (left && !(cut & ~left)) {
        if (left == ~(uint32_t)0 && (!looked_ahead || groups_meet(at)) &&
            (row = look_at(at, 0)).alike) {
            left = walk_together(at, traces, warp, row, !looked_ahead);
        } else {
            uint32_t lanes;
            if (!looked_ahead) {
                look_ahead(at, traces, warp, cut);
                looked_ahead = true;
            }
            lanes = first_of(at, left);
            simt_plan_add_step(lanes, false);
            step(at, 0, warp, lanes, UINT64_MAX);
            left &= ~advance(at, traces, lanes);
        }
    }
    simt_plan_end(traces, warp, one_past[warp]);
    cut_short = left && looked_ahead;
    traces->filled = left;
    if (left) {
        keep_rest(at, traces);
    } else {
        start_checked();
    }
}

struct simt_replayed {
    struct crossing crossings[SIMT_MAX_BLOCK_THREADS / SIMT_WARP_SIZE][SIMT_WARP_SIZE + 1];
    unsigned char crossing_of[SIMT_MAX_BLOCK_THREADS];
    bool one_past[SIMT_MAX_BLOCK_THREADS / SIMT_WARP_SIZE];
    bool in_order[SIMT_MAX_BLOCK_THREADS / SIMT_WARP_SIZE];
    unsigned int plans[SIMT_MAX_BLOCK_THREADS / SIMT_WARP_SIZE];
    struct simt_past pasts[];
};

struct simt_replayed *simt_replay_suspend(unsigned int threads)
{
    unsigned int warps = (threads + SIMT_WARP_SIZE - 1) / SIMT_WARP_SIZE;
    struct simt_replayed *kept =
        malloc(sizeof *kept + (size_t)warps * SIMT_WARP_SIZE * sizeof *kept->pasts);
    if (!kept) {
        perror("simt: no memory for the analysis");
        simt_exit_without_memory();
    }
    memcpy(kept->crossings, crossings, warps * sizeof *crossings);
    memcpy(kept->crossing_of, crossing_of, sizeof crossing_of);
    memcpy(kept->one_past, one_past, sizeof one_past);
    memcpy(kept->in_order, in_order, sizeof in_order);
    simt_plans_keep(kept->plans, warps, false);
    simt_order_keep(kept->pasts, warps * SIMT_WARP_SIZE, false);
    return kept;
}

void simt_replay_resume(struct simt_replayed *kept, unsigned int threads)
{
    unsigned int warps = (threads + SIMT_WARP_SIZE - 1) / SIMT_WARP_SIZE;
    memcpy(crossings, kept->crossings, warps * sizeof *crossings);
    memcpy(crossing_of, kept->crossing_of, sizeof crossing_of);
    memcpy(one_past, kept->one_past, sizeof one_past);
    memcpy(in_order, kept->in_order, sizeof in_order);
    simt_plans_keep(kept->plans, warps, true);
    simt_order_keep(kept->pasts, warps * SIMT_WARP_SIZE, true);
    free(kept);
}

void simt_replay_start_block(unsigned int threads)
{
    size_t warps = (threads + SIMT_WARP_SIZE - 1) / SIMT_WARP_SIZE;
    memset(in_order, 0, warps * sizeof *in_order);
    cut_short = false;
    memset(crossings, 0, warps * sizeof *crossings);
    memset(crossing_of, SIMT_WARP_SIZE + 1, warps * SIMT_WARP_SIZE);
    start_checked();
    memset(one_past, true, warps * sizeof *one_past);
    simt_plans_start_block(warps);
}
