/* Checks of what kernels do with memory: data races, accesses out of bounds or misaligned, and
 * reads of what nobody wrote.
 *
 * Races. Of every word the shadow memory knows who wrote it last and two of those who read it. An
 * access races with an earlier one by another thread, if one of the two writes, not both are
 * atomic, and nothing orders them: no barrier of the block, no __syncwarp of lanes that include
 * both, no fence with an atomic that the other side has seen, no end of a launch. Time is counted
 * in segments: a number that grows with every such event. A tag is the segment in which a thread
 * acted and the thread's number; tags of one thread grow with time, and those of a later block or
 * launch are larger than all before.
 *
 * Reading a word that others change by atomics is taken to be meant so: it begins every loop around
 * atomicCAS. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "findings.h"
#include "internal.h"
#include "written.h"

enum {
    PAGE_SHIFT = 12,
    PAGE_BYTES = 1 << PAGE_SHIFT,
    THREAD_BITS = 10,
    THREADS = 1 << THREAD_BITS,
    MOST_SEGMENTS = 1 << 22,
    LOCATIONS = 64
};

static void *need(void *memory)
{
    if (!memory) {
        perror("simt: no memory for the checks");
        simt_exit_without_memory();
    }
    return memory;
}

static unsigned int lowest(uint32_t set)
{
    return (unsigned int)__builtin_ctz(set);
}

/* ---- address spaces ---- */

static struct simt_range image;

/* __constant__ variables, by simt_constant. */
static struct simt_range *constants;
static size_t constant_count;

static void find_image(void)
{
    extern const char __executable_start[], _end[];
    image = (struct simt_range){(uintptr_t)__executable_start, (size_t)(_end - __executable_start),
                                SPACE_GLOBAL, false};
}

static bool in_range(const struct simt_range *range, uint64_t address)
{
    return address - range->base < range->size;
}

int simt_constant(const void *address, size_t size)
{
    constants = need(realloc(constants, (constant_count + 1) * sizeof *constants));
    constants[constant_count++] =
        (struct simt_range){(uintptr_t)address, size, SPACE_CONSTANT, false};
    return 0;
}

/* A constant, or what lies between two of them. */
static struct simt_range find_in_image(uint64_t address)
{
    uint64_t from = image.base, to = image.base + image.size;
    for (size_t i = 0; i < constant_count; i++) {
        uint64_t end = constants[i].base + constants[i].size;
        if (in_range(&constants[i], address)) {
            return constants[i];
        }
        from = end <= address && end > from ? end : from;
        to = constants[i].base > address && constants[i].base < to ? constants[i].base : to;
    }
    return (struct simt_range){from, (size_t)(to - from), SPACE_GLOBAL, false};
}

static struct simt_range find_range(uint64_t address)
{
    struct simt_range found;
    if (simt_exec_range(address, &found) || simt_memory_range(address, &found) ||
        simt_shared_range(address, &found)) {
        return found;
    }
    if (in_range(&image, address)) {
        found = find_in_image(address);
        if (found.space != SPACE_CONSTANT) {
            simt_data_range(address, &found);
        }
        return found;
    }
    return (struct simt_range){address, 1, SPACE_HOST, false};
}

/* The ranges used last. Allocations come and go between launches only. */
enum { RANGES_KEPT = 8 };
static struct simt_range ranges[RANGES_KEPT];
static unsigned int next_range;

const struct simt_range *simt_range_of(uint64_t address)
{
    for (unsigned int i = 0; i < RANGES_KEPT; i++) {
        if (in_range(&ranges[i], address)) {
            return &ranges[i];
        }
    }
    next_range = (next_range + 1) % RANGES_KEPT;
    ranges[next_range] = find_range(address);
    return &ranges[next_range];
}

/* ---- shadow memory ---- */

/* A tag of 0 is nobody. */
struct cell {
    uint32_t writer, reader, reader_before;
    uint16_t writer_site, reader_site, reader_before_site;
    bool atomic; /* the writer */
};

struct page {
    uint64_t number;    /* address >> PAGE_SHIFT */
    struct cell *cells; /* NULL: no kernel has been here */
    unsigned int shift; /* a cell is 4 bytes, or 1 once a smaller piece has been touched */
    bool tracked;       /* whether `written` means anything */
    bool all_written;
    uint8_t written[PAGE_BYTES / 8];
};

static struct page **pages; /* open addressing */
static size_t page_count, page_capacity;
static struct page *recent[256];
static struct page **shared_pages;
static size_t shared_page_count, shared_page_capacity;

static size_t page_slot(uint64_t number)
{
    size_t slot = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 20) % page_capacity;
    while (pages[slot] && pages[slot]->number != number) {
        slot = (slot + 1) % page_capacity;
    }
    return slot;
}

/* In place of a page that is no more; no address has this number. */
static struct page removed = {.number = UINT64_MAX};

/* Makes room for more pages than there are, and forgets those removed. */
static void rehash(void)
{
    struct page **old = pages;
    size_t old_capacity = page_capacity, kept = 0;
    for (size_t i = 0; i < old_capacity; i++) {
        kept += old[i] && old[i] != &removed;
    }
    page_capacity = 1024;
    while (page_capacity < 4 * kept) {
        page_capacity *= 2;
    }
    pages = need(calloc(page_capacity, sizeof(struct page *)));
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i] && old[i] != &removed) {
            pages[page_slot(old[i]->number)] = old[i];
        }
    }
    page_count = kept;
    free(old);
}

static struct page *add_page(uint64_t number)
{
    struct page *page = need(calloc(1, sizeof *page));
    if (2 * page_count >= page_capacity) {
        rehash();
    }
    page->number = number;
    page->shift = 2;
    page->tracked = simt_written_knows(number);
    page->all_written = simt_written_get(number);
    pages[page_slot(number)] = page;
    page_count++;
    return page;
}

static void remove_page(struct page *page)
{
    pages[page_slot(page->number)] = &removed;
    if (recent[page->number % 256] == page) {
        recent[page->number % 256] = NULL;
    }
    free(page->cells);
    free(page);
}

static struct page *find_page(uint64_t address)
{
    uint64_t number = address >> PAGE_SHIFT;
    struct page *page = recent[number % 256];
    if (page && page->number == number) {
        return page;
    }
    page = page_capacity ? pages[page_slot(number)] : NULL;
    if (page) {
        recent[number % 256] = page;
    }
    return page;
}

static struct page *get_page(uint64_t address)
{
    struct page *page = find_page(address);
    return page ? page : add_page(address >> PAGE_SHIFT);
}

/* The page as a kernel uses it. */
static struct page *kernel_page(uint64_t address, enum simt_space space)
{
    struct page *page = get_page(address);
    if (!page->cells) {
        page->cells = need(calloc(PAGE_BYTES / 4, sizeof *page->cells));
        if (space == SPACE_SHARED) {
            page->tracked = true;
            if (shared_page_count == shared_page_capacity) {
                shared_page_capacity = shared_page_capacity ? 2 * shared_page_capacity : 64;
                shared_pages =
                    need(realloc(shared_pages, shared_page_capacity * sizeof(struct page *)));
            }
            shared_pages[shared_page_count++] = page;
        }
    }
    return page;
}

/* Neighbours of less than 4 bytes may belong to different threads. */
static void refine(struct page *page)
{
    struct cell *fine = need(calloc(PAGE_BYTES, sizeof *fine));
    for (unsigned int i = 0; i < PAGE_BYTES; i++) {
        fine[i] = page->cells[i / 4];
    }
    free(page->cells);
    page->cells = fine;
    page->shift = 0;
}

static void set_written(struct page *page, unsigned int first, unsigned int end)
{
    if (first == 0 && end == PAGE_BYTES) {
        page->all_written = true;
        return;
    }
    if (first % 4 == 0 && end == first + 4) {
        page->written[first / 8] |= (uint8_t)(0xf << first % 8);
        return;
    }
    for (unsigned int i = first; i < end;) {
        if (i % 8 == 0 && i + 8 <= end) {
            page->written[i / 8] = 0xff;
            i += 8;
        } else {
            page->written[i / 8] |= (uint8_t)(1 << i % 8);
            i++;
        }
    }
}

/* Every byte. */
static bool has_written(const struct page *page, unsigned int first, unsigned int size)
{
    if (page->all_written || !page->tracked) {
        return true;
    }
    for (unsigned int i = first; i < first + size; i++) {
        if (!(page->written[i / 8] >> i % 8 & 1)) {
            return false;
        }
    }
    return true;
}

/* What a kernel may read. Of a structure that is copied as a whole nobody has written the padding:
 * some bytes of each 8 will do. */
static inline bool is_written(const struct page *page, unsigned int first, unsigned int size)
{
    if (page->all_written || !page->tracked) {
        return true;
    }
    if (size == 4 && first % 4 == 0) {
        return (page->written[first / 8] >> first % 8 & 0xf) != 0;
    }
    for (unsigned int i = first, any = 0; i < first + size; i++) {
        any |= page->written[i / 8] >> i % 8 & 1;
        if ((i - first) % 8 == 7 || i + 1 == first + size) {
            if (!any) {
                return false;
            }
            any = 0;
        }
    }
    return true;
}

/* ---- what the host does with device memory ---- */

/* Of every page, and of no page since. */
static bool all_are_written;

/* Whether all of a piece of memory is written, or not known not to be. */
static bool source_is_written(uint64_t from, size_t size)
{
    for (uint64_t end = from + size; from < end; from = (from | (PAGE_BYTES - 1)) + 1) {
        const struct page *page = find_page(from);
        uint64_t number = from >> PAGE_SHIFT;
        if (page ? page->tracked && !page->all_written
                 : simt_written_knows(number) && !simt_written_get(number)) {
            return false;
        }
    }
    return true;
}

/* Up to the end of a page. */
static void host_writes(uint64_t address, size_t size, uint64_t from)
{
    unsigned int first = (unsigned int)(address % PAGE_BYTES);
    struct page *page = find_page(address);
    if (from && !source_is_written(from, size)) {
        page = get_page(address);
        for (unsigned int i = first; i < first + size; i++, from++) {
            const struct page *source = get_page(from);
            if (has_written(source, (unsigned int)(from % PAGE_BYTES), 1)) {
                set_written(page, i, i + 1);
            }
        }
    } else if (page || size < PAGE_BYTES || !simt_written_set(address >> PAGE_SHIFT)) {
        set_written(get_page(address), first, first + (unsigned int)size);
    }
}

static size_t pages_of(uint64_t address, size_t size)
{
    return (size_t)(((address + size - 1) >> PAGE_SHIFT) - (address >> PAGE_SHIFT)) + 1;
}

void simt_check_allocated(const void *address, size_t size)
{
    if (simt_instrumented()) {
        all_are_written = false;
        simt_written_add((uintptr_t)address >> PAGE_SHIFT, pages_of((uintptr_t)address, size));
    }
}

/* Allocations share no page. */
void simt_check_freed(const void *address, size_t size)
{
    uint64_t first = (uintptr_t)address >> PAGE_SHIFT;
    if (!simt_instrumented()) {
        return;
    }
    for (size_t i = 0, count = pages_of((uintptr_t)address, size); i < count; i++) {
        struct page *page = find_page((first + i) << PAGE_SHIFT);
        if (page) {
            remove_page(page);
        }
    }
    simt_written_remove(first);
}

void simt_check_written(const void *address, size_t size, const void *from)
{
    uint64_t at = (uintptr_t)address, source = simt_memory_is_device(from) ? (uintptr_t)from : 0;
    if (!simt_instrumented() || !simt_memory_is_device(address)) {
        return;
    }
    for (uint64_t end = at + size; at < end;) {
        uint64_t next = (at | (PAGE_BYTES - 1)) + 1;
        size_t piece = (size_t)((next < end ? next : end) - at);
        host_writes(at, piece, source);
        source += source ? piece : 0;
        at += piece;
    }
}

void simt_check_heap_allocated(const void *address, size_t size)
{
    uint64_t end = (uintptr_t)address + size;
    if (simt_tracing) {
        all_are_written = false;
        for (uint64_t at = (uintptr_t)address; at < end; at = (at | (PAGE_BYTES - 1)) + 1) {
            get_page(at)->tracked = true;
        }
    }
}

/* What a launch writes that is not looked at is not known: from then on, all may be written. */
void simt_check_not_looked(void)
{
    if (all_are_written) {
        return;
    }
    all_are_written = true;
    simt_written_set_all();
    for (size_t i = 0; i < page_capacity; i++) {
        if (pages[i]) {
            pages[i]->all_written = true;
        }
    }
}

/* ---- time ---- */

static uint32_t segment;                              /* the last one given out */
static uint32_t launch_start;                         /* tags below belong to earlier launches */
static uint32_t block_start;                          /* to earlier blocks */
static uint32_t barrier_start;                        /* to before the block's last barrier */
static uint32_t warp_start[THREADS / SIMT_WARP_SIZE]; /* to before a __syncwarp of the whole warp */
static uint32_t tags[THREADS];
static unsigned int block_threads;

static uint32_t *block_starts; /* of the launch's blocks, to find a tag's block by */
static size_t block_number, block_capacity;

/* known[a][b]: what b did before this tag is ordered before what a does now. Only where partial
 * masks or fences make an order that the numbers above do not tell. */
static uint32_t *known[THREADS];
static uint32_t known_in[THREADS]; /* the block that the row belongs to, by its first tag */

static uint32_t *known_row(unsigned int thread)
{
    if (!known[thread]) {
        known[thread] = need(calloc(THREADS, sizeof **known));
    }
    if (known_in[thread] != block_start) {
        memset(known[thread], 0, THREADS * sizeof **known);
        known_in[thread] = block_start;
    }
    return known[thread];
}

static bool has_row(unsigned int thread)
{
    return known[thread] && known_in[thread] == block_start;
}

static void forget_all_tags(void)
{
    for (size_t i = 0; i < page_capacity; i++) {
        if (pages[i] && pages[i]->cells) {
            memset(pages[i]->cells, 0,
                   ((size_t)PAGE_BYTES >> pages[i]->shift) * sizeof *pages[i]->cells);
        }
    }
    segment = 0;
}

/* The first tag of a new segment. When numbers run out, the past is forgotten, at a moment when all
 * of the block's is ordered. */
static uint32_t new_segment(void)
{
    return ++segment << THREAD_BITS;
}

static void give_tags(unsigned int first, unsigned int end, uint32_t start)
{
    for (unsigned int i = first; i < end; i++) {
        tags[i] = start | i;
    }
}

/* ---- fences and atomics as order ---- */

/* Places that a thread changed atomically after a fence: what it did before the fence is there for
 * whoever changes the place later. The last one stands for all that do not fit. */
struct location {
    uint64_t address;
    uint64_t implies;           /* locations whose releases came with these */
    uint32_t released[THREADS]; /* within the block: as known[][] */
    uint32_t released_in;
};
static struct location *locations;
static unsigned int location_count;

/* By blocks: what happened before `floor` in the whole block, and before `fence` in the thread. */
struct release {
    uint32_t block, thread, fence, floor;
    unsigned int location;
    struct release *next; /* of the same block */
};
static struct release **releases; /* by block */
static size_t releases_capacity;
static uint32_t fences[THREADS]; /* 0: none in this block */
static uint64_t acquired, acquired_new;
static bool has_new[THREADS];

void simt_check_fence(unsigned int warp, unsigned int lanes)
{
    for (uint32_t set = lanes; set; set &= set - 1) {
        unsigned int thread = warp * SIMT_WARP_SIZE + lowest(set);
        fences[thread] = new_segment();
        tags[thread] = fences[thread] | thread;
    }
}

static unsigned int find_location(uint64_t address)
{
    for (unsigned int i = 0; i < location_count; i++) {
        if (locations[i].address == address) {
            return i;
        }
    }
    return location_count == LOCATIONS ? LOCATIONS - 1 : LOCATIONS;
}

static unsigned int get_location(uint64_t address)
{
    unsigned int place = find_location(address);
    if (place < LOCATIONS) {
        return place;
    }
    if (!locations) {
        locations = need(calloc(LOCATIONS, sizeof *locations));
    }
    locations[location_count].address = address;
    locations[location_count].implies = 0;
    locations[location_count].released_in = 0;
    return location_count++;
}

static void acquire(unsigned int thread, unsigned int place)
{
    const struct location *location = &locations[place];
    acquired_new |= UINT64_C(1) << place | location->implies;
    has_new[thread] = true;
    if (location->released_in == block_start) {
        uint32_t *row = known_row(thread);
        for (unsigned int i = 0; i < block_threads; i++) {
            row[i] = row[i] > location->released[i] ? row[i] : location->released[i];
        }
    }
}

static void release(unsigned int thread, unsigned int place)
{
    struct location *location = &locations[place];
    struct release *new = need(malloc(sizeof *new));
    if (location->released_in != block_start) {
        memset(location->released, 0, sizeof location->released);
        location->released_in = block_start;
    }
    if (has_row(thread)) {
        for (unsigned int i = 0; i < block_threads; i++) {
            uint32_t theirs = known[thread][i];
            location->released[i] = location->released[i] > theirs ? location->released[i] : theirs;
        }
    }
    location->released[thread] = fences[thread];
    location->implies |= acquired | (has_new[thread] ? acquired_new : 0);

    if (block_number > releases_capacity) {
        size_t capacity = 2 * block_number;
        releases = need(realloc(releases, capacity * sizeof(struct release *)));
        memset(releases + releases_capacity, 0,
               (capacity - releases_capacity) * sizeof(struct release *));
        releases_capacity = capacity;
    }
    *new =
        (struct release){(uint32_t)block_number - 1, thread, fences[thread], barrier_start, place,
                         releases[block_number - 1]};
    releases[block_number - 1] = new;
}

static void order_by_atomic(unsigned int thread, uint64_t address)
{
    unsigned int place = find_location(address);
    if (place < location_count) {
        acquire(thread, place);
    }
    if (fences[thread]) {
        release(thread, get_location(address));
    }
}

static size_t block_of(uint32_t tag)
{
    size_t low = 0, high = block_number;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (block_starts[middle] <= tag) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Whether what another block did is ordered before what the thread does now. */
static bool other_block_ordered(uint32_t tag, unsigned int thread)
{
    uint64_t seen = acquired | (has_new[thread] ? acquired_new : 0);
    size_t block;
    if (!seen) {
        return false;
    }
    block = block_of(tag);
    for (const struct release *r = block < releases_capacity ? releases[block] : NULL; r;
         r = r->next) {
        if (seen >> r->location & 1 &&
            (tag < r->floor || (tag % THREADS == r->thread && tag < r->fence))) {
            return true;
        }
    }
    return false;
}

/* ---- barriers ---- */

void simt_check_barrier(void)
{
    if (segment > MOST_SEGMENTS - THREADS * 64u) {
        forget_all_tags();
        launch_start = block_start = 0;
        block_number = 0;
    }
    barrier_start = new_segment();
    give_tags(0, block_threads, barrier_start);
    acquired |= acquired_new;
}

/* What each of the lanes knows, all of them know; and what lane i did before from[i]. */
static void share_rows(unsigned int warp, uint32_t lanes, const uint32_t *from)
{
    static uint32_t joined[THREADS];
    unsigned int first = warp * SIMT_WARP_SIZE;
    memset(joined, 0, sizeof joined);
    for (uint32_t set = lanes; set; set &= set - 1) {
        unsigned int thread = first + lowest(set);
        if (has_row(thread)) {
            for (unsigned int i = 0; i < block_threads; i++) {
                joined[i] = joined[i] > known[thread][i] ? joined[i] : known[thread][i];
            }
        }
    }
    for (uint32_t set = lanes; set; set &= set - 1) {
        unsigned int lane = lowest(set);
        joined[first + lane] =
            joined[first + lane] > from[lane] ? joined[first + lane] : from[lane];
    }
    for (uint32_t set = lanes; set; set &= set - 1) {
        memcpy(known_row(first + lowest(set)), joined, block_threads * sizeof *joined);
    }
}

/* __syncwarp: all that the lanes did is ordered before all that they do. */
static void sync_lanes(unsigned int warp, uint32_t lanes, uint32_t whole_warp)
{
    unsigned int first = warp * SIMT_WARP_SIZE;
    uint32_t start = new_segment(), from[SIMT_WARP_SIZE] = {0};
    bool rows = lanes != whole_warp, new = false;
    for (uint32_t set = lanes; set; set &= set - 1) {
        unsigned int thread = first + lowest(set);
        from[lowest(set)] = start;
        rows = rows || has_row(thread);
        new = new || has_new[thread];
    }
    if (rows) {
        share_rows(warp, lanes, from);
    }
    if (lanes == whole_warp) {
        warp_start[warp] = start;
    }
    for (uint32_t set = lanes; set; set &= set - 1) {
        unsigned int thread = first + lowest(set);
        tags[thread] = start | thread;
        has_new[thread] = new;
    }
}

/* A shuffle or a vote passes values, and orders memory no more than an atomic does: what a lane did
 * before a fence. */
static void pass_values(unsigned int warp, uint32_t lanes)
{
    unsigned int first = warp * SIMT_WARP_SIZE;
    uint32_t from[SIMT_WARP_SIZE] = {0}, any = 0;
    bool new = false;
    for (uint32_t set = lanes; set; set &= set - 1) {
        unsigned int thread = first + lowest(set);
        from[lowest(set)] = fences[thread];
        any |= fences[thread];
        new = new || (fences[thread] && has_new[thread]);
    }
    if (!any) {
        return;
    }
    share_rows(warp, lanes, from);
    for (uint32_t set = lanes; new &&set; set &= set - 1) {
        has_new[first + lowest(set)] = true;
    }
}

/* Lanes that have come to a meeting whose mask names others, too. */
static struct {
    uint32_t mask, come;
    bool syncs;
} gathering[SIMT_WARP_SIZE];
static unsigned int gathering_count;

static void meet(unsigned int warp, uint32_t lanes, bool syncs, uint32_t whole_warp)
{
    if (syncs) {
        sync_lanes(warp, lanes, whole_warp);
    } else {
        pass_values(warp, lanes);
    }
}

/* Lanes that had not returned when the warp's traces were last at their end. */
static uint32_t alive[THREADS / SIMT_WARP_SIZE];

void simt_check_meeting(unsigned int warp, unsigned int lanes, const uint64_t *masks, bool syncs)
{
    uint32_t members = alive[warp];
    for (uint32_t set = lanes; set; set &= set - 1) {
        uint32_t mask = (uint32_t)masks[lowest(set)] & members;
        unsigned int i = 0;
        while (i < gathering_count && (gathering[i].mask != mask || gathering[i].syncs != syncs)) {
            i++;
        }
        if (i == gathering_count) {
            gathering[i].mask = mask;
            gathering[i].come = 0;
            gathering[i].syncs = syncs;
            gathering_count += gathering_count < SIMT_WARP_SIZE - 1;
        }
        gathering[i].come |= 1u << lowest(set);
        if (!(mask & ~gathering[i].come)) {
            meet(warp, mask, syncs, members);
            gathering[i] = gathering[--gathering_count];
        }
    }
}

/* The warp's traces are at their end: whom a mask names and who has returned from the kernel will
 * not come. */
void simt_check_end_of_traces(unsigned int warp)
{
    for (unsigned int i = 0; i < gathering_count; i++) {
        meet(warp, gathering[i].come, gathering[i].syncs, simt_warp_alive(warp));
    }
    gathering_count = 0;
    alive[warp] = simt_warp_alive(warp);
}

void simt_check_start_block(unsigned int threads)
{
    if (segment > MOST_SEGMENTS / 2) {
        forget_all_tags();
        launch_start = 0;
        block_number = 0;
    }
    block_threads = threads;
    block_start = barrier_start = new_segment();
    give_tags(0, threads, block_start);
    memset(warp_start, 0, sizeof warp_start);
    memset(fences, 0, threads * sizeof *fences);
    memset(has_new, 0, threads * sizeof *has_new);
    acquired = acquired_new = 0;
    gathering_count = 0;
    for (unsigned int i = 0; i < THREADS / SIMT_WARP_SIZE; i++) {
        alive[i] = simt_warp_alive(i);
    }
    if (block_number == block_capacity) {
        block_capacity = block_capacity ? 2 * block_capacity : 1024;
        block_starts = need(realloc(block_starts, block_capacity * sizeof *block_starts));
    }
    block_starts[block_number++] = block_start;
    for (size_t i = 0; i < shared_page_count; i++) {
        shared_pages[i]->all_written = false;
        memset(shared_pages[i]->written, 0, sizeof shared_pages[i]->written);
    }
}

void simt_check_start_launch(const void *function)
{
    find_image();
    simt_shared_start_launch(function);
    memset(ranges, 0, sizeof ranges);
    for (size_t i = 0; i < releases_capacity; i++) {
        while (releases[i]) {
            struct release *next = releases[i]->next;
            free(releases[i]);
            releases[i] = next;
        }
    }
    location_count = 0;
    block_number = 0;
    launch_start = (segment + 1) << THREAD_BITS;
}

/* ---- the checks ---- */

/* Whether what the tag stands for may happen at the same time as what the thread does now. */
static bool unordered(uint32_t tag, unsigned int thread)
{
    unsigned int other = tag % THREADS;
    if (tag < block_start) {
        return !other_block_ordered(tag, thread);
    }
    if (tag < barrier_start || other == thread) {
        return false;
    }
    if (other / SIMT_WARP_SIZE == thread / SIMT_WARP_SIZE &&
        tag < warp_start[thread / SIMT_WARP_SIZE]) {
        return false;
    }
    return !(has_row(thread) && tag < known[thread][other]);
}

/* The same, at once where the block's last barrier is the order. */
static inline bool may_race(uint32_t tag, unsigned int thread)
{
    return (tag < block_start || tag >= barrier_start) && unordered(tag, thread);
}

/* The store that is being checked is a free(): it ends with the memory all that others do there. */
static bool freeing;

static void add_race(const struct cell *cell, bool with_writer, uint32_t other,
                     unsigned int other_site, enum simt_space space, enum simt_event_kind kind,
                     unsigned int site, unsigned int thread, uint64_t address)
{
    unsigned int other_thread = other % THREADS;
    bool other_block = other < block_start;
    bool same_warp = !other_block && other_thread / SIMT_WARP_SIZE == thread / SIMT_WARP_SIZE;
    simt_add_finding((struct finding){
        .wrong = RACE,
        .space = space,
        .kind = freeing ? EVENT_FREE : kind,
        .other_kind = !with_writer   ? EVENT_LOAD
                      : cell->atomic ? EVENT_ATOMIC
                                     : EVENT_STORE,
        .site = site,
        .other_site = other_site,
        .thread = thread,
        .other_thread = other_thread,
        .other_block = other_block,
        .same_warp = same_warp,
        .same_instruction = same_warp && site == other_site && kind == EVENT_STORE && with_writer,
        .address = address,
    });
}

static inline void visit(struct cell *cell, uint32_t oldest, enum simt_space space,
                         enum simt_event_kind kind, unsigned int site, unsigned int thread,
                         uint64_t address)
{
    uint32_t tag = tags[thread];
    /* A plain access and an atomic one race only if the plain one writes. */
    bool atomic_pair = cell->atomic && kind != EVENT_STORE;
    if (cell->writer >= oldest && !atomic_pair && cell->writer != tag &&
        may_race(cell->writer, thread)) {
        add_race(cell, true, cell->writer, cell->writer_site, space, kind, site, thread, address);
    }
    if (kind == EVENT_LOAD) {
        if (cell->reader != tag) {
            if (cell->reader >= oldest &&
                (cell->reader % THREADS != thread || cell->reader < block_start)) {
                cell->reader_before = cell->reader;
                cell->reader_before_site = cell->reader_site;
            }
            cell->reader = tag;
        }
        cell->reader_site = (uint16_t)site;
        return;
    }
    if (kind == EVENT_STORE) {
        if (cell->reader >= oldest && may_race(cell->reader, thread)) {
            add_race(cell, false, cell->reader, cell->reader_site, space, kind, site, thread,
                     address);
        } else if (cell->reader_before >= oldest && may_race(cell->reader_before, thread)) {
            add_race(cell, false, cell->reader_before, cell->reader_before_site, space, kind, site,
                     thread, address);
        }
    }
    if (kind == EVENT_ATOMIC && cell->writer == tag && !cell->atomic) {
        return; /* the thread's plain write matters more to others */
    }
    cell->writer = tag;
    cell->writer_site = (uint16_t)site;
    cell->atomic = kind == EVENT_ATOMIC;
}

static void check_bounds(const struct simt_range *range, enum simt_space space,
                         enum simt_event_kind kind, unsigned int site, unsigned int size,
                         unsigned int thread, uint64_t address)
{
    struct finding *new;
    if (!is_aligned(address, size)) {
        simt_add_finding((struct finding){.wrong = MISALIGNED,
                                          .space = space,
                                          .kind = kind,
                                          .site = site,
                                          .thread = thread,
                                          .address = address,
                                          .size = size});
    }
    if (space == SPACE_HOST) {
        new = simt_add_finding(
            (struct finding){.wrong = HOST_POINTER, .kind = kind, .site = site, .thread = thread});
        if (new &&in_range(&image, address)) {
            simt_data_describe(address, false, new->text, sizeof new->text);
        }
    } else if (range->illegal || address + size > range->base + range->size) {
        new = simt_add_finding((struct finding){
            .wrong = OUT_OF_BOUNDS, .space = space, .kind = kind, .site = site, .thread = thread});
        if (new &&space == SPACE_SHARED &&
            !simt_shared_describe(address, new->text, sizeof new->text)) {
            snprintf(new->text, sizeof new->text, "the launch asked for %zu bytes of it",
                     simt_shared_bytes());
        } else if (new &&space != SPACE_SHARED &&
                   !(in_range(&image, address) &&
                     simt_data_describe(address, true, new->text, sizeof new->text))) {
            simt_memory_describe((const void *)(uintptr_t)address, new->text, sizeof new->text);
        }
    }
}

bool simt_check_simple_load(enum simt_space space, unsigned int site, unsigned int warp,
                            uint64_t first, uint64_t distance)
{
    uint32_t oldest = space == SPACE_SHARED ? block_start : launch_start;
    unsigned int thread = warp * SIMT_WARP_SIZE, offset = (unsigned int)(first % PAGE_BYTES);
    struct page *page = find_page(first);
    struct cell *cell;
    if (!page || !page->cells || page->shift == 0 ||
        offset + (SIMT_WARP_SIZE - 1) * distance > PAGE_BYTES - 4) {
        return false;
    }
    if (page->tracked && !page->all_written) {
        for (unsigned int i = 0; i < (distance ? SIMT_WARP_SIZE : 1); i++) {
            if (!is_written(page, offset + 4 * i, 4)) {
                return false;
            }
        }
    }
    cell = &page->cells[offset / 4];
    if (distance == 0) { /* two readers are remembered: the first and the last lane will do */
        visit(cell, oldest, space, EVENT_LOAD, site, thread, first);
        visit(cell, oldest, space, EVENT_LOAD, site, thread + SIMT_WARP_SIZE - 1, first);
        return true;
    }
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        visit(&cell[i], oldest, space, EVENT_LOAD, site, thread + i, first + 4 * i);
    }
    return true;
}

/* The usual case: loads, or stores, of words in one range and one page. False, and nothing is done,
 * if an address is not so, or a word that is loaded may not have been written. */
static bool check_words(const struct simt_range *range, enum simt_space space,
                        enum simt_event_kind kind, unsigned int site, unsigned int warp,
                        uint32_t lanes, const uint64_t *addresses)
{
    uint32_t oldest = space == SPACE_SHARED ? block_start : launch_start;
    uint64_t base = addresses[lowest(lanes)] & ~(uint64_t)(PAGE_BYTES - 1);
    struct page *page = find_page(base);
    bool tracked;
    if (!page || !page->cells || page->shift == 0 || range->illegal || range->size < 4) {
        return false;
    }
    tracked = page->tracked && !page->all_written;
    for (uint32_t set = lanes; set; set &= set - 1) {
        uint64_t address = addresses[lowest(set)], offset = address - base;
        if (offset >= PAGE_BYTES || offset % 4 != 0 || address - range->base > range->size - 4 ||
            (kind == EVENT_LOAD && tracked && !is_written(page, (unsigned int)offset, 4))) {
            return false;
        }
    }
    for (uint32_t set = lanes; set; set &= set - 1) {
        unsigned int lane = lowest(set), offset = (unsigned int)(addresses[lane] - base);
        if (kind == EVENT_STORE && tracked) {
            page->written[offset / 8] |= (uint8_t)(0xf << offset % 8);
        }
        visit(&page->cells[offset / 4], oldest, space, kind, site, warp * SIMT_WARP_SIZE + lane,
              addresses[lane]);
    }
    return true;
}

void simt_check_access(enum simt_space space, enum simt_event_kind kind, unsigned int site,
                       unsigned int size, unsigned int warp, unsigned int lanes,
                       const uint64_t *addresses)
{
    uint32_t oldest = space == SPACE_SHARED ? block_start : launch_start;
    const struct simt_range *range = simt_range_of(addresses[lowest(lanes)]);
    struct page *page = NULL;
    if (size == 4 && kind <= EVENT_STORE && (space == SPACE_SHARED || space == SPACE_GLOBAL) &&
        check_words(range, space, kind, site, warp, lanes, addresses)) {
        return;
    }
    for (uint32_t set = lanes; set; set &= set - 1) {
        unsigned int lane = lowest(set), thread = warp * SIMT_WARP_SIZE + lane;
        uint64_t address = addresses[lane];
        if (!in_range(range, address)) {
            range = simt_range_of(address);
        }
        if (!is_aligned(address, size) || range->illegal ||
            address + size > range->base + range->size || space == SPACE_HOST) {
            check_bounds(range, space, kind, site, size, thread, address);
            continue;
        }
        if (space == SPACE_CONSTANT) {
            continue;
        }
        if (!page || page->number != address >> PAGE_SHIFT) {
            page = kernel_page(address, space);
        }
        if (page->tracked) {
            unsigned int offset = (unsigned int)(address % PAGE_BYTES);
            if (kind != EVENT_STORE && !page->all_written && !is_written(page, offset, size)) {
                simt_add_finding((struct finding){.wrong = UNINITIALISED,
                                                  .space = space,
                                                  .kind = kind,
                                                  .site = site,
                                                  .thread = thread});
            }
            if (kind != EVENT_LOAD && !page->all_written) {
                set_written(page, offset, offset + size);
            }
        }
        if (size < 4 && page->shift != 0) {
            refine(page);
        }
        for (unsigned int i = (unsigned int)(address % PAGE_BYTES) >> page->shift,
                          end = (unsigned int)(address % PAGE_BYTES + size - 1) >> page->shift;
             i <= end; i++) {
            visit(&page->cells[i], oldest, space, kind, site, thread, address);
        }
        if (kind == EVENT_ATOMIC) {
            order_by_atomic(thread, address);
        }
    }
}

void simt_check_free(unsigned int site, unsigned int warp, unsigned int lanes,
                     const uint64_t *addresses)
{
    freeing = true;
    for (uint32_t set = lanes; set; set &= set - 1) {
        uint64_t address = addresses[lowest(set)];
        uint64_t end = address + simt_heap_size(address);
        for (uint64_t at = address; at < end;) {
            struct page *page = find_page(at);
            if (!page || !page->cells) {
                at = (at | (PAGE_BYTES - 1)) + 1;
                continue;
            }
            visit(&page->cells[at % PAGE_BYTES >> page->shift], launch_start, SPACE_GLOBAL,
                  EVENT_STORE, site, warp * SIMT_WARP_SIZE + lowest(set), at);
            at += (uint64_t)1 << page->shift;
        }
        simt_heap_bury(address);
    }
    freeing = false;
    memset(ranges, 0, sizeof ranges); /* they may lie in it */
}

/* ---- -fsanitize=bounds ---- */

/* As the compilers lay it out. */
struct bounds_data {
    const char *file;
    uint32_t line, column;
    const struct {
        uint16_t kind, information;
        char name[];
    } * array, *index;
};

void simt_check_index(const struct bounds_data *data, uint64_t index, const void *caller)
{
    uint32_t place = simt_place_of(caller);
    struct finding *new;
    if (!simt_tracing || !simt_in_kernel()) {
        return;
    }
    new = simt_add_finding((struct finding){
        .wrong = BAD_INDEX, .site = simt_site_number(place), .thread = simt_running_thread()});
    if (new) {
        snprintf(new->text, sizeof new->text, "index %" PRId64 " of %s", (int64_t)index,
                 data->array->name);
    }
}

void __ubsan_handle_out_of_bounds(const struct bounds_data *data, uint64_t index);
void __ubsan_handle_out_of_bounds(const struct bounds_data *data, uint64_t index)
{
    simt_check_index(data, index, __builtin_return_address(0));
}

void __ubsan_handle_out_of_bounds_abort(const struct bounds_data *data, uint64_t index);
void __ubsan_handle_out_of_bounds_abort(const struct bounds_data *data, uint64_t index)
{
    simt_check_index(data, index, __builtin_return_address(0));
}
