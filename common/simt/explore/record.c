/* Records the launches, and the requested blocks of each. The records are kept until the page is
 * written, because source lines are looked up all at once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit.h"
#include "check/findings.h"
#include "check/wording.h"
#include "explore/explore.h"
#include "machine/machine.h"
#include "machine/reports.h"
#include "model/sites.h"
#include "model/spaces.h"
#include "observe/watcher.h"

struct explored_launch *explored_launches;
size_t explored_launch_count;

static size_t launch_capacity;
static struct explored_launch *launch; /* the running launch; NULL: it is not recorded */
struct explored_block *explore_block;
size_t explore_kept_bytes;
static struct simt_counters counts_before;
static char *part;

/* ---- which blocks ---- */

static const char *wanted; /* NULL: nothing is recorded */

bool simt_explore_is_on(void)
{
    return wanted != NULL;
}

/* Whether the list contains the number. Sets `wrong` if it is not a valid list. */
static bool has_number(const char *list, size_t number, bool *wrong)
{
    bool found = false;
    *wrong = false;
    if (strcmp(list, "all") == 0) {
        return true;
    }
    for (const char *at = list;; at++) {
        char *end;
        errno = 0;
        unsigned long long first = strtoull(at, &end, 10), last = first;
        if (*at < '0' || *at > '9') {
            break;
        }
        if (*end == '-' && end[1] >= '0' && end[1] <= '9') {
            last = strtoull(end + 1, &end, 10);
        }
        found = found || (number >= first && number <= last);
        if (errno != 0 || last < first || (*end != ',' && *end != '\0')) {
            break;
        }
        if (*end == '\0') {
            return found;
        }
        at = end;
    }
    *wrong = true;
    return false;
}

void explore_part(const char *name)
{
    free(part);
    part = name ? explore_need(strdup(name)) : NULL;
}

/* ---- launches and blocks ---- */

/* The arguments are contiguous, at offsets that the compiler chooses (simt_launch.h). */
static void find_pointers(const struct simt_launch *started)
{
    launch->argument_bytes = started->closure_bytes;
    for (size_t offset = 0; offset + sizeof(uint64_t) <= started->closure_bytes &&
                            launch->pointer_count < EXPLORE_MOST_POINTERS;
         offset += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, (const char *)started->closure + offset, sizeof word);
        const struct simt_range *range = simt_range_of(word);
        if (range->space == SPACE_GLOBAL && !range->illegal) {
            launch->pointers[launch->pointer_count++] = (struct explored_pointer){word, offset};
        }
    }
}

void simt_explore_start_launch(const struct simt_launch *started)
{
    launch = NULL;
    explore_block = NULL;
    simt_watched = false;
    if (!wanted) {
        return;
    }
    explored_launches = explore_room(explored_launches, explored_launch_count, &launch_capacity,
                                     sizeof *explored_launches);
    launch = &explored_launches[explored_launch_count++];
    *launch = (struct explored_launch){.part = part ? explore_need(strdup(part)) : NULL,
                                       .name = explore_need(strdup(started->name)),
                                       .file = started->file,
                                       .line = started->line,
                                       .grid = started->grid,
                                       .block = started->block,
                                       .shared_bytes = started->shared_bytes,
                                       .kept_before = explore_kept_bytes};
    find_pointers(started);
    simt_counters_read(&counts_before);
    counts_before.launches--; /* this launch is already counted */
}

/* Every member of struct simt_counters is a counter. */
static struct simt_counters counts_since(void)
{
    struct simt_counters now;
    uint64_t *value = (uint64_t *)(void *)&now;
    const uint64_t *before = (const uint64_t *)(const void *)&counts_before;
    simt_counters_read(&now);
    for (size_t i = 0; i < sizeof now / sizeof *value; i++) {
        value[i] -= before[i];
    }
    return now;
}

/* The running block stops. Another block may run next. */
static void leave_block(void)
{
    explore_values_leave();
    explore_block = NULL;
    simt_watched = false;
}

void simt_explore_end_launch(const unsigned int *sites, size_t count)
{
    leave_block();
    if (!launch) {
        return;
    }
    launch->counts = counts_since();
    launch->sites = explore_need(malloc((count + 1) * sizeof *launch->sites));
    for (size_t i = 0; i < count; i++) {
        const struct simt_site *site = simt_site(sites[i]);
        launch->sites[launch->site_count++] = (struct explored_site){site->place, site->counters};
    }
    launch->ended = !launch->stopped;
    launch = NULL;
}

/* Counts along x, then y, then z, because blocks of a cluster start in another order. */
static size_t number_of_running(void)
{
    const struct uint3 at = simt_running_block();
    return at.x + (size_t)launch->grid.x * (at.y + (size_t)launch->grid.y * at.z);
}

static void record_block(unsigned int threads)
{
    explore_block = explore_need(calloc(1, sizeof *explore_block));
    launch->blocks =
        explore_need(realloc(launch->blocks, (launch->block_count + 1) * sizeof *launch->blocks));
    launch->blocks[launch->block_count++] = explore_block;
    explore_block->number = number_of_running();
    explore_block->index = simt_running_block();
    explore_block->threads = threads;
    explore_steps_start();
    simt_watched = true;
}

void simt_explore_start_block(unsigned int threads)
{
    bool wrong;
    leave_block();
    if (!launch || !has_number(wanted, number_of_running(), &wrong)) {
        return;
    }
    if (launch->block_count > 0 &&
        (explore_kept_bytes >= EXPLORE_KEPT_BYTES ||
         explore_kept_bytes - launch->kept_before >= EXPLORE_PAGE_BYTES ||
         launch->block_count >= EXPLORE_MOST_BLOCKS)) {
        launch->not_kept++;
        return;
    }
    record_block(threads);
}

static void is_first(unsigned int threads)
{
    if (explore_block) {
        explore_block->number = 0;
        explore_block->index = simt_running_block();
    } else {
        simt_explore_start_block(threads);
    }
}

void explore_join_block(void)
{
    if (launch && !explore_block) {
        record_block(launch->block.x * launch->block.y * launch->block.z);
        explore_block->joined_late = true;
    }
}

struct explored_block *explore_block_of(const struct simt_block *block)
{
    for (size_t i = 0; launch && i < launch->block_count; i++) {
        const struct uint3 of = launch->blocks[i]->index;
        if (of.x == block->index.x && of.y == block->index.y && of.z == block->index.z) {
            return launch->blocks[i];
        }
    }
    return NULL;
}

void simt_explore_resume_block(void)
{
    leave_block();
    if (!wanted) {
        return;
    }
    explore_block = explore_block_of(simt_block);
    simt_watched = explore_block != NULL;
    explore_steps_start();
}

/* Adds it to the running launch, or to the last one. Takes ownership of the text. */
static void add_finding(struct explored_finding finding)
{
    struct explored_launch *of = launch ? launch
                                 : explored_launch_count > 0
                                     ? &explored_launches[explored_launch_count - 1]
                                     : NULL;
    if (!of) {
        free(finding.text);
        return;
    }
    of->findings =
        explore_need(realloc(of->findings, (of->finding_count + 1) * sizeof *of->findings));
    of->findings[of->finding_count++] = finding;
}

static void take_finding(const struct finding *finding)
{
    char *text = NULL;
    size_t size;
    FILE *file = explore_need(open_memstream(&text, &size));
    simt_tell_finding(file, finding);
    fclose(file);
    add_finding((struct explored_finding){
        finding->site ? simt_site(finding->site)->place : 0,
        finding->wrong == RACE && finding->other_site ? simt_site(finding->other_site)->place : 0,
        explore_need(text)});
}

void explore_take_report(uint32_t place, const char *text)
{
    add_finding((struct explored_finding){place, 0, explore_need(strdup(text))});
    if (launch) {
        launch->stopped = true;
        launch->stopped_in = simt_running_block();
    }
}

/* ---- on and off ---- */

bool explore_record(const char *blocks)
{
    bool wrong;
    has_number(blocks, 0, &wrong);
    if (wrong) {
        return false;
    }
    wanted = blocks;
    simt_watcher = (struct simt_watcher){.event = explore_values_event,
                                         .pause = explore_values_pause,
                                         .step = explore_step,
                                         .mbarrier = explore_values_mbarrier,
                                         .copy_begins = explore_values_copy,
                                         .copy_ends = explore_values_copied,
                                         .named = explore_values_named,
                                         .deed = explore_values_deed,
                                         .far_mbarrier = explore_far_mbarrier,
                                         .far_copy = explore_far_copy,
                                         .cluster_meets = explore_cluster_meets,
                                         .is_first = is_first};
    simt_finding_told = take_finding;
    simt_before_report = explore_begin_report;
    simt_after_report = explore_end_report;
    simt_before_exit = explore_exit;
    return true;
}
/* SPDX-License-Identifier: MIT */
