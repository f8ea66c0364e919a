#include "count/wavefronts.h"

#include "base/bits.h"
#include "cuda/simt.h"

enum { SECTOR_BYTES = 32, BANKS = 32, WORD_BYTES = 4, ROW_BYTES = BANKS * WORD_BYTES };

/* Sorts the set's addresses in ascending order into `sorted`; returns how many. Most form a few
 * ascending runs, one per row of a block: each run is merged into those before it. */
static unsigned int sort_addresses(uint32_t lanes, const uint64_t *addresses, uint64_t *sorted)
{
    uint64_t run[SIMT_WARP_SIZE];
    unsigned int count = 0;
    while (lanes) {
        unsigned int length = 0, left = count;
        do {
            run[length++] = addresses[simt_lowest(lanes)];
            lanes &= lanes - 1;
        } while (lanes && addresses[simt_lowest(lanes)] >= run[length - 1]);
        count += length;
        for (unsigned int to = count; length > 0;) {
            sorted[--to] =
                left > 0 && sorted[left - 1] > run[length - 1] ? sorted[--left] : run[--length];
        }
    }
    return count;
}

/* The usual case: all lanes side by side, or all at one address. */
static bool is_row(uint32_t lanes, const uint64_t *addresses, uint64_t step)
{
    uint64_t wrong = 0;
    if (lanes != ~(uint32_t)0) {
        return false;
    }
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        wrong |= addresses[i] ^ (addresses[0] + i * step);
    }
    return wrong == 0;
}

/* Each sector that any lane touches is transferred once. */
static void count_sectors(unsigned int size, uint32_t lanes, const uint64_t *addresses,
                          struct simt_access_counters *counters)
{
    uint64_t sorted[SIMT_WARP_SIZE], next_sector = 0, next_byte = 0;
    if (is_row(lanes, addresses, size)) {
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

/* Wavefronts of lanes that go together: the largest number of different words in one bank. */
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

/* Whether lanes 2 i and 2 i + 1 are both active with the same address, or both inactive. */
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

/* Whether all words are in different banks. */
static bool are_in_own_banks(uint32_t lanes, const uint64_t *addresses)
{
    uint32_t banks = 0;
    for (uint32_t set = lanes; set; set &= set - 1) {
        uint64_t address = addresses[simt_lowest(set)];
        uint32_t bank = 1u << address / WORD_BYTES % BANKS;
        if (banks & bank || address % WORD_BYTES != 0) {
            return false;
        }
        banks |= bank;
    }
    return true;
}

/* As an H200 counts (tests/bank_conflicts_h200.csv; docs/results/counters_simt_h200.csv): accesses
 * of 8 bytes go by half warps, of 16 bytes by quarters. For loads by pairs of lanes, these parts
 * are twice as large. Loads need one wavefront per 128 bytes, stores one per part with an active
 * lane. */
void simt_count_banks(bool store, unsigned int size, unsigned int lanes, const uint64_t *addresses,
                      unsigned int *wavefronts, unsigned int *conflicts)
{
    unsigned int together = size <= 4 ? 32 : size == 8 ? 16 : 8;
    unsigned int needed = 0;
    *wavefronts = 0;
    if (!store && size > 4 && are_pairs(lanes, addresses)) {
        together *= 2;
    }
    if (size == 4 && (is_row(lanes, addresses, size) || is_row(lanes, addresses, 0) ||
                      are_in_own_banks(lanes, addresses))) {
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
        needed = (simt_size_of(lanes) * size + ROW_BYTES - 1) / ROW_BYTES;
    }
    *conflicts = *wavefronts > needed ? *wavefronts - needed : 0;
}

/* The largest number of lanes at one address. Adds the same number per sector to `sectors`, as an
 * H200 counts them. */
static unsigned int crowd_of(uint32_t lanes, const uint64_t *addresses, uint64_t *sectors)
{
    uint64_t sorted[SIMT_WARP_SIZE], sector = UINT64_MAX;
    unsigned int most = 0, here = 0, in_sector = 0;
    for (unsigned int i = 0, count = sort_addresses(lanes, addresses, sorted); i < count; i++) {
        here = i > 0 && sorted[i] == sorted[i - 1] ? here + 1 : 1;
        most = here > most ? here : most;
        in_sector = sorted[i] / SECTOR_BYTES == sector ? in_sector : 0;
        sector = sorted[i] / SECTOR_BYTES;
        if (here > in_sector) {
            in_sector = here;
            ++*sectors;
        }
    }
    return most;
}

void simt_count_access(struct simt_site *site, enum simt_space space, enum simt_event_kind kind,
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
    const uint64_t before = counters->units;
    counters->requests++;
    counters->lanes += simt_size_of(lanes);
    if (space == SPACE_SHARED) {
        unsigned int wavefronts, conflicts;
        simt_count_banks(kind == EVENT_STORE, size, lanes, addresses, &wavefronts, &conflicts);
        counters->units += wavefronts;
        counters->conflicts += conflicts;
    } else {
        count_sectors(size, lanes, addresses, counters);
    }
    if (kind == EVENT_ATOMIC) {
        uint64_t sectors = 0;
        counters->crowd += crowd_of(lanes, addresses, &sectors);
        counters->units = space == SPACE_SHARED ? counters->units : before + sectors;
    }
}

void simt_count_row(struct simt_site *site, enum simt_space space, enum simt_event_kind kind,
                    uint64_t first, uint64_t end)
{
    struct simt_access_counters *counters = site->counters.access;
    bool store = kind == EVENT_STORE;
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
}
/* SPDX-License-Identifier: MIT */
