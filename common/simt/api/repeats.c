/* Repeated launches.
 *
 * Benchmarks launch a kernel many times with the same arguments. Here the result of a kernel
 * depends only on the memory that it uses. If an earlier launch left that memory unchanged, then an
 * equal launch on the same contents also leaves it unchanged. Such a launch does not run.
 * Everything else is still done: its operation in its stream, its counts, its effect on the checks.
 *
 * The second of equal launches is recorded: the rows of memory that it uses (check/used.h), and
 * their contents at its end (check/snapshot.h). If it reads no row that it writes, then a launch on
 * these contents leaves them unchanged. If the third launch does not clearly start with these
 * contents, it is recorded also, now with the rows' contents before it. A launch is not recorded if
 * it does more than access tracked memory (simt_not_repeatable). Nor is it if it changes how the
 * next launch is checked.
 *
 * A later launch is a repeat if all these rows match, byte by byte, what it leaves unchanged. It is
 * also a repeat if they match the contents before it; the contents after it then replace them. (The
 * checks already treat these rows as written. Freeing memory drops its repeats.) The comparison is
 * skipped if that device memory could not be written in between. All work in flight must be ordered
 * before the repeat. An operation that is not ordered after it may race with it. The checks then
 * learn what the launch would have left in the shadow (check/again.h).
 *
 * The rows that an unchecked launch (enough.h) uses are unknown. All memory that it could use is
 * recorded, before it and after it.
 *
 * SIMT_REPEATED=run runs all launches. =tell prints the number of repeats at the end. */
#include "api/repeats.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/available.h"
#include "base/counters.h"
#include "base/need.h"
#include "base/own.h"
#include "base/printed.h"
#include "base/setting.h"
#include "check/again.h"
#include "check/kept.h"
#include "check/skips.h"
#include "check/snapshot.h"
#include "check/used.h"
#include "count/listing.h"
#include "explore/explore.h"
#include "machine/machine.h"
#include "machine/schedule.h"
#include "memory/memory.h"
#include "memory/streams.h"
#include "model/order.h"
#include "model/requests.h"
#include "model/sites.h"

enum {
    MOST_REPEATS = 64,
    MOST_ARGUMENTS = 4096, /* bytes */
    MOST_FAILURES = 10,
    UNKNOWN_SIZE = 1 << 30
};

struct repeat {
    struct simt_launch launch; /* its closure is a copy */
    int device;
    uint64_t last_used;
    uint64_t launches, next; /* launches so far; number of the one to record */
    unsigned int failures;   /* to record or repeat it, in a row */

    bool known;   /* the fields below are valid */
    bool settled; /* the launch leaves the snapshot unchanged */
    struct simt_snapshot snapshot;
    char *before;     /* contents of its pieces before; or NULL */
    uint64_t changes; /* simt_memory_changes when memory matched the snapshot */
    unsigned int version;
    struct simt_counters counts;
    struct simt_site *sites;
    unsigned int site_count;
    struct simt_skips *ways;
    struct simt_again again;
    bool unseen;        /* unchecked: the snapshot has all memory; the rest is unset */
    uint64_t operation; /* the latest repeat if the checks do not know it; else 0 */
};
static struct repeat repeats[MOST_REPEATS];
static size_t repeat_count;
static uint64_t asked, repeated;

static struct repeat *current; /* of the current launch; or NULL */
static char *found;            /* contents of the pieces before it; or NULL */
static bool recording, unseen;
static unsigned int version_before;
static struct simt_counters counts_before;

/* ---- settings ---- */

static enum { RUN, SKIP, TELL } setting;

static void tell(void)
{
    fflush(stdout);
    fprintf(stderr, "simt: %" PRIu64 " of %" PRIu64 " launches repeated others and were not run\n",
            repeated, asked);
}

static void read_setting(void)
{
    static bool read;
    if (!read) {
        read = true;
        const int asked_for = simt_choice("SIMT_REPEATED"); /* -1: not set */
        setting = asked_for < 0 ? SKIP : (unsigned int)asked_for;
        if (setting == TELL) {
            atexit(tell);
        }
    }
}

static bool may_repeat(const struct simt_launch *launch)
{
    read_setting();
    asked++;
    return setting != RUN && !launch->interleaved && !launch->cooperative &&
           launch->cluster.x * launch->cluster.y * launch->cluster.z <= 1 &&
           launch->closure_bytes > 0 && launch->closure_bytes <= MOST_ARGUMENTS && !simt_shuffled &&
           !simt_explore_is_on() && !simt_requests_wanted;
}

/* ---- equal launches ---- */

static bool same_size(struct uint3 a, struct uint3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool equals(const struct repeat *repeat, const struct simt_launch *launch)
{
    const struct simt_launch *other = &repeat->launch;
    return other->invoke == launch->invoke && other->function == launch->function &&
           repeat->device == simt_own.device && same_size(other->grid, launch->grid) &&
           same_size(other->block, launch->block) && same_size(other->cluster, launch->cluster) &&
           other->shared_bytes == launch->shared_bytes && other->together == launch->together &&
           other->closure_bytes == launch->closure_bytes &&
           memcmp(other->closure, launch->closure, launch->closure_bytes) == 0;
}

/* Tells the checks about the latest repeat. */
static void tell_checks(struct repeat *repeat)
{
    simt_again_tell(&repeat->again, &repeat->snapshot, repeat->operation, simt_operations_first());
    repeat->operation = 0;
}

static void forget(struct repeat *repeat)
{
    if (repeat->operation && simt_operation_find(repeat->operation)) {
        tell_checks(repeat); /* it may still be in flight */
    }
    simt_snapshot_forget(&repeat->snapshot);
    free(repeat->before);
    repeat->before = NULL;
    free(repeat->sites);
    repeat->sites = NULL;
    simt_skips_drop(repeat->ways);
    repeat->ways = NULL;
    simt_again_drop(&repeat->again);
    repeat->operation = 0;
    repeat->known = false;
}

/* Adds an entry. If the table is full, it replaces the least recently used entry. */
static struct repeat *add(const struct simt_launch *launch)
{
    struct repeat *repeat = &repeats[0];
    if (repeat_count < MOST_REPEATS) {
        repeat = &repeats[repeat_count++];
    } else {
        for (size_t i = 1; i < repeat_count; i++) {
            repeat = repeats[i].last_used < repeat->last_used ? &repeats[i] : repeat;
        }
        forget(repeat);
        free(repeat->launch.closure);
    }
    *repeat = (struct repeat){.launch = *launch, .device = simt_own.device, .next = 2};
    repeat->launch.closure = simt_needed(malloc(launch->closure_bytes), "repeats");
    memcpy(repeat->launch.closure, launch->closure, launch->closure_bytes);
    return repeat;
}

static struct repeat *find(const struct simt_launch *launch)
{
    for (size_t i = 0; i < repeat_count; i++) {
        if (equals(&repeats[i], launch)) {
            return &repeats[i];
        }
    }
    return add(launch);
}

/* Plans the next recording: soon after the first failure, later after each further one. */
static void failed(struct repeat *repeat)
{
    forget(repeat);
    repeat->failures += repeat->failures < MOST_FAILURES;
    repeat->next = repeat->launches + ((uint64_t)1 << repeat->failures) / 2;
}

void simt_repeats_forget(const void *address, size_t size)
{
    for (size_t i = 0; i < repeat_count; i++) {
        if (simt_snapshot_meets(&repeats[i].snapshot, address, size)) {
            forget(&repeats[i]);
            repeats[i].next = repeats[i].launches + 1;
        }
    }
}

/* ---- recording ---- */

/* The limit for all recorded contents: an eighth of the available memory. (Twice that for one
 * unchecked launch that changes memory.) */
static size_t most_bytes(void)
{
    const size_t available = simt_available_memory();
    return (available ? available : UNKNOWN_SIZE) / 8;
}

static size_t kept_by(const struct repeat *repeat)
{
    return repeat->snapshot.bytes * (repeat->before ? 2 : 1);
}

/* Forgets the least recently used contents until the newest fit. */
static void make_room(const struct repeat *newest, size_t most)
{
    for (;;) {
        struct repeat *oldest = NULL;
        size_t kept = kept_by(newest);
        for (size_t i = 0; i < repeat_count; i++) {
            struct repeat *other = &repeats[i];
            if (other != newest && other->snapshot.bytes > 0) {
                kept += kept_by(other);
                oldest = !oldest || other->last_used < oldest->last_used ? other : oldest;
            }
        }
        if (!oldest || kept <= most) {
            return;
        }
        forget(oldest);
        oldest->next = oldest->launches + 1;
    }
}

void simt_repeats_start_launch(void)
{
    recording = current && current->launches >= current->next;
    unseen = false;
    if (recording) {
        version_before = simt_order_version();
        counts_before = simt_counts;
        simt_is_repeatable = true;
        simt_used_begin();
        simt_printed_begin();
    }
}

/* The rows of an unchecked launch are unknown, so all memory is recorded. */
void simt_repeats_start_unseen(void)
{
    simt_repeats_start_launch();
    unseen = recording;
}

static void keep_sites(struct repeat *repeat, const unsigned int *sites, unsigned int count)
{
    repeat->sites = simt_needed(malloc((count + 1) * sizeof *repeat->sites), "repeats");
    repeat->site_count = count;
    for (unsigned int i = 0; i < count; i++) {
        repeat->sites[i] = *simt_site(sites[i]);
    }
}

static void keep_counts(struct repeat *repeat)
{
    uint64_t *counts = (uint64_t *)&repeat->counts;
    const uint64_t *before = (const uint64_t *)&counts_before;
    repeat->counts = simt_counts;
    for (size_t i = 0; i < sizeof repeat->counts / sizeof *counts; i++) {
        counts[i] -= before[i];
    }
}

static void end_recording(const unsigned int *sites, unsigned int count)
{
    struct repeat *repeat = current;
    struct simt_snapshot snapshot;
    char *before = found;
    const size_t most = most_bytes();
    const bool fits =
        unseen ? simt_snapshot_take_all(&snapshot, most) : simt_snapshot_take(&snapshot, most);
    found = NULL;
    if (!fits || !simt_is_repeatable || simt_grid.abandoned != cudaSuccess ||
        simt_order_version() != version_before ||
        (before && !simt_snapshot_has_pieces_of(&repeat->snapshot, &snapshot))) {
        simt_snapshot_forget(&snapshot);
        free(before);
        failed(repeat);
        return;
    }
    forget(repeat);
    repeat->known = true;
    repeat->settled =
        !snapshot.rewrites || (before && memcmp(before, snapshot.contents, snapshot.bytes) == 0);
    repeat->snapshot = snapshot;
    repeat->before = before;
    if (before) {
        simt_snapshot_compare(&repeat->snapshot, before);
    }
    repeat->changes = simt_memory_changes;
    repeat->version = version_before;
    repeat->unseen = unseen;
    repeat->ways = unseen ? NULL : simt_skips_keep();
    keep_sites(repeat, sites, count);
    keep_counts(repeat);
    if (!unseen) {
        simt_again_keep(&repeat->again, &repeat->snapshot);
    }
    make_room(repeat, most);
}

void simt_repeats_end_launch(const unsigned int *sites, unsigned int count)
{
    if (recording) {
        simt_printed_end();
        end_recording(sites, count);
    }
    recording = false;
    current = NULL;
}

/* ---- repeating ---- */

/* Whether all other operations are ordered before the latest one. */
static bool is_ordered_behind_all(void)
{
    const struct simt_operation *other = simt_operations_of_several() ? simt_operations() : NULL;
    while (other && !simt_operation_unordered(other)) {
        other = other->next;
    }
    return !other;
}

static bool is_only_thread(void)
{
    DIR *const folder = opendir("/proc/self/task");
    int threads = 0;
    for (struct dirent *entry; folder && threads < 2 && (entry = readdir(folder));) {
        threads += entry->d_name[0] != '.';
    }
    if (folder) {
        closedir(folder);
    }
    return threads == 1;
}

/* False if another host thread may write to the rows of an unchecked launch. Its writes during the
 * launch would count as the launch's, and its writes now would be lost. */
static bool may_be_put(const struct simt_snapshot *snapshot)
{
    return !snapshot->unseen || is_only_thread();
}

/* Whether memory has what the launch leaves, or what was there before it and is then replaced. */
static bool is_as_it_leaves_it(struct repeat *repeat)
{
    struct simt_snapshot *snapshot = &repeat->snapshot;
    bool same;
    if (simt_snapshot_since(snapshot, repeat->changes) && repeat->settled) {
        return true;
    }
    simt_snapshot_open(snapshot, true);
    same = repeat->settled && simt_snapshot_is_there(snapshot, snapshot->contents);
    if (!same && repeat->before && may_be_put(snapshot) &&
        simt_snapshot_is_there(snapshot, repeat->before)) {
        simt_snapshot_put(snapshot, repeat->before);
        same = true;
    }
    simt_snapshot_open(snapshot, false);
    repeat->changes = same ? simt_memory_changes : repeat->changes;
    return same;
}

/* Whether everything except the memory's contents allows a repeat. */
static bool may_be_made_again(const struct repeat *repeat)
{
    return simt_order_version() == repeat->version &&
           (repeat->unseen || !simt_again_is_lost(&repeat->again)) && is_ordered_behind_all();
}

static void make_again(struct repeat *repeat, const struct simt_launch *launch)
{
    unsigned int count;
    const unsigned int *sites;
    simt_listing_prepare();
    simt_add_counters(&simt_counts, &repeat->counts, sizeof simt_counts);
    for (unsigned int i = 0; i < repeat->site_count; i++) {
        simt_line_counters_add(&simt_site(simt_site_number(repeat->sites[i].place))->counters,
                               &repeat->sites[i].counters);
    }
    sites = simt_sites_touched(&count);
    simt_listing_add(launch, sites, count);
    simt_sites_clear();
    if (repeat->unseen) {
        simt_add_unchecked(launch, simt_grid.blocks);
    } else {
        simt_skips_repeat(launch, repeat->ways);
        repeat->operation = simt_operations()->number;
        simt_again_now(&repeat->again);
    }
    repeat->failures = 0;
    repeated++;
}

bool simt_repeats(const struct simt_launch *launch)
{
    current = NULL;
    free(found); /* from a launch that did not run */
    found = NULL;
    if (!may_repeat(launch)) {
        return false;
    }
    current = find(launch);
    current->last_used = asked;
    if (current->known) {
        const bool may = may_be_made_again(current);
        if (may && is_as_it_leaves_it(current)) {
            make_again(current, launch);
            current = NULL;
            return true;
        }
        if (may && !current->before && may_be_put(&current->snapshot)) {
            simt_memory_look(true);
            found = simt_snapshot_look(&current->snapshot);
            simt_memory_look(false);
        } else {
            failed(current);
        }
    }
    current->launches++;
    return false;
}

/* ---- operations that are not ordered after a repeat ---- */

void simt_repeats_come_first(void)
{
    for (size_t i = 0; simt_operations_of_several() && i < repeat_count; i++) {
        struct repeat *repeat = &repeats[i];
        const struct simt_operation *operation =
            repeat->operation ? simt_operation_find(repeat->operation) : NULL;
        if (operation && simt_operation_unordered(operation)) {
            tell_checks(repeat);
        }
    }
}
/* SPDX-License-Identifier: MIT */
