/* Connects the model, the checks and the counters to struct simt_observer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "api/enough.h"
#include "api/errors.h"
#include "api/repeats.h"
#include "base/exit.h"
#include "base/need.h"
#include "base/output.h"
#include "base/repeatable.h"
#include "base/setting.h"
#include "check/bulk_checks.h"
#include "check/causality.h"
#include "check/check.h"
#include "check/clocks.h"
#include "check/findings.h"
#include "check/kept.h"
#include "check/origins.h"
#include "check/parts.h"
#include "check/shadow.h"
#include "check/skips.h"
#include "check/used.h"
#include "count/branch.h"
#include "count/listing.h"
#include "count/replay.h"
#include "count/step.h"
#include "explore/explore.h"
#include "machine/machine.h"
#include "machine/progress.h"
#include "memory/memory.h"
#include "model/order.h"
#include "model/plans.h"
#include "model/requests.h"
#include "model/sites.h"
#include "model/spaces.h"
#include "observe/observer.h"
#include "program/source.h"

enum { STOP, REPORT, OFF }; /* values of SIMT_CHECKS */

/* ---- whether to analyse ---- */

static bool decided, analysing, is_off, as_usual; /* as_usual: the settings decide */

void simt_analyse(bool on)
{
    if (analysing && !on && !simt_write_kept(false)) {
        simt_output_failed();
    }
    decided = true;
    analysing = on;
}

static pid_t process;

static void tell_put_off(void);

/* Prints or writes each report due at the program's end. False if a file cannot be written. */
static bool tell_all(void)
{
    fflush(stdout);
    simt_tell_unasked();
    tell_put_off();
    simt_tell_kept(stderr);
    if (!is_off) {
        simt_tell_unchecked(stderr);
    }
    return process != getpid() || simt_write_kept(true);
}

/* A program that continues after a finding still ends with status 1. (The C library then runs the
 * remaining handlers, and uses the last status.) */
static void at_end(int status, void *nothing)
{
    (void)nothing;
    if (as_usual && !tell_all()) {
        simt_output_failed();
    }
    if (simt_goes_on && simt_have_kept() && status == EXIT_SUCCESS) {
        exit(EXIT_FAILURE);
    }
}

static void last_words(void)
{
    if (as_usual && !tell_all()) {
        fflush(NULL);
        _exit(SIMT_EXIT_FILE);
    }
}

/* Registered before the program's own handlers and destructors, so it runs after all of them. */
__attribute__((constructor(102))) static void prepare(void)
{
    on_exit(at_end, NULL);
    simt_last_words = last_words;
}

static bool wanted(void)
{
    if (!decided) {
        const int checks = simt_choice("SIMT_CHECKS");
        is_off = checks == OFF;
        simt_goes_on = checks == REPORT;
        process = getpid();
        simt_write_kept(false);
        simt_analyse(simt_explore_is_on() || simt_asked("SIMT_COUNTERS") || !is_off);
        as_usual = true;
    }
    return analysing;
}

/* ---- findings: printed at once, or kept ---- */

static bool keep;
static char *told;
static size_t told_size;
static FILE *told_file;

void simt_findings_keep(bool on)
{
    const char *path = simt_asked("SIMT_FINDINGS");
    if (on && path && !simt_output_is_regular(path)) { /* the file is rewritten after each rung */
        fprintf(stderr,
                "simt: SIMT_FINDINGS: cannot write %s: in programs of the steps it must be a "
                "regular file\n",
                path);
        exit(SIMT_EXIT_FILE);
    }
    keep = on;
    simt_progress_is_told = !on;
    if (told_file) {
        fclose(told_file);
        free(told);
        told_file = NULL;
        told = NULL;
    }
}

const char *simt_findings(void)
{
    if (told_file) {
        fflush(told_file);
    }
    return told_file && told ? told : "";
}

void simt_analysis_reset(void)
{
    simt_listing_reset();
    simt_requests_reset();
    simt_findings_keep(keep);
}

static char *put_off_text, put_off_note[512];
static size_t put_off_size;

static bool tell_put_off_findings(void)
{
    const bool any = put_off_text;
    if (any) {
        fflush(stdout);
        fputs(put_off_text, stderr);
        put_off_text = NULL;
    }
    return any;
}

static void tell_findings(void)
{
    tell_put_off_findings(); /* these findings may be the reason */
    simt_tell_findings(stderr, simt_tell_failed_calls);
}

/* ---- kernels that read memory that was never written ---- */

/* A loop that only measures time uses no result. If such a kernel is the only finding, it is
 * printed when a result is copied to the host. If none is, one line at the end is enough. */

static bool may_wait(void)
{
    return as_usual && !simt_goes_on && !simt_asked("SIMT_FINDINGS") && !simt_explore_is_on() &&
           !simt_memory_host_has_any() && simt_only_unset_memory(put_off_note, sizeof put_off_note);
}

static void put_off(void)
{
    char *text = NULL;
    FILE *file = simt_needed(open_memstream(&text, &put_off_size), "the checks");
    simt_tell_findings(file, simt_tell_failed_calls);
    fclose(file);
    if (put_off_text) {
        free(text);
    } else {
        put_off_text = text;
    }
}

/* Called before a copy to the host. */
static void results_are_used(void)
{
    if (tell_put_off_findings()) {
        simt_exit();
    }
}

static void tell_put_off(void)
{
    if (put_off_text) {
        fprintf(stderr,
                "simt: note: %s; no result went to the host, as in a loop that only takes time\n",
                put_off_note);
        put_off_text = NULL;
    }
}

/* Findings end the program, unless they are kept. */
static void conclude(void)
{
    if (!simt_have_findings()) {
        return;
    }
    if (keep) {
        simt_judge_strictly();
        if (!simt_have_findings()) {
            return;
        }
        if (!told_file) {
            told_file = simt_needed(open_memstream(&told, &told_size), "the checks");
        }
        simt_tell_findings(told_file, simt_tell_failed_calls);
        return;
    }
    if (may_wait()) {
        put_off();
        return;
    }
    fflush(stdout);
    if (simt_tell_findings(stderr, simt_tell_failed_calls) > 0 && !simt_goes_on) {
        tell_put_off_findings(); /* the new findings may only repeat these */
        simt_exit();
    }
}

/* ---- launches ---- */

static bool repeats(const struct simt_launch *launch)
{
    return launch->instrumented && wanted() && simt_repeats(launch);
}

static bool start_launch(const struct simt_launch *launch)
{
    const size_t blocks = (size_t)launch->grid.x * launch->grid.y * launch->grid.z;
    simt_listing_prepare();
    simt_requests_prepare();
    if (!launch->instrumented || !wanted()) {
        if (as_usual) {
            simt_add_unchecked(launch, blocks);
        }
        simt_check_not_looked();
        return false;
    }
    if (as_usual && simt_enough_start_launch(launch)) {
        simt_add_unchecked(launch, blocks);
        simt_repeats_come_first();
        simt_check_not_looked();
        simt_repeats_start_unseen();
        return false;
    }
    simt_repeats_come_first();
    simt_check_start_launch(blocks, launch->origin);
    simt_functions_start_launch(launch);
    simt_plans_start_launch();
    simt_skips_start_launch(launch);
    simt_requests_launch(launch);
    simt_explore_start_launch(launch);
    simt_repeats_start_launch();
    return true;
}

/* Whether the rest of the launch runs unchecked. */
static bool enough(void)
{
    if (!simt_enough()) {
        return false;
    }
    simt_not_repeatable();
    simt_check_not_looked();
    return true;
}

static void end_launch(const struct simt_launch *launch)
{
    unsigned int count;
    const unsigned int *sites = simt_sites_touched(&count);
    simt_listing_add(launch, sites, count);
    if (simt_tracing) {
        simt_explore_end_launch(sites, count);
        simt_skips_end_launch();
        simt_repeats_end_launch(sites, count);
        conclude();
        simt_enough_end_launch();
    } else {
        simt_repeats_end_launch(NULL, 0);
    }
    simt_sites_clear();
}

/* ---- blocks ---- */

static void start_block(size_t number, unsigned int threads)
{
    simt_replay_start_block(threads);
    simt_check_start_block(number, threads);
    simt_skips_start_block();
    simt_explore_start_block(threads);
}

struct suspended {
    struct simt_order *order;
    struct simt_shared_pages *pages;
    struct simt_replayed *replayed;
    struct simt_ways gone;
    uint64_t depths[];
};

static void *suspend_block(unsigned int threads)
{
    struct suspended *kept =
        simt_needed(malloc(sizeof *kept + threads * sizeof *kept->depths), "the analysis");
    memcpy(kept->depths, simt_trace_depths, threads * sizeof *kept->depths);
    simt_ranges_forget(); /* other blocks of the cluster have other ranges */
    kept->order = simt_causality_suspend();
    kept->pages = simt_shadow_suspend();
    kept->replayed = simt_replay_suspend(threads);
    kept->gone = simt_skips_gone;
    return kept;
}

static void resume_block(void *suspended, unsigned int threads)
{
    struct suspended *kept = suspended;
    memcpy(simt_trace_depths, kept->depths, threads * sizeof *kept->depths);
    simt_ranges_forget();
    simt_causality_resume(kept->order);
    simt_shadow_resume(kept->pages);
    simt_replay_resume(kept->replayed, threads);
    simt_skips_gone = kept->gone;
    simt_explore_resume_block();
    free(kept);
}

static void forget_block(void *suspended)
{
    struct suspended *kept = suspended;
    simt_shadow_resume(kept->pages);
    simt_replay_forget(kept->replayed);
    free(kept);
}

/* ---- blocks that another process runs ---- */

static unsigned int order_version;

static size_t part_may_begin(unsigned int parts, size_t wanted, double seconds)
{
    if (simt_explore_is_on() || simt_requests_wanted) {
        return 0;
    }
    order_version = simt_order_version();
    simt_skips_part_may_begin();
    return simt_check_part_may_begin(parts, wanted, seconds);
}

static void part_begins(unsigned int number)
{
    simt_sites_clear();
    simt_skips_part_begins();
    simt_check_part_begins(number);
}

static void part_ends(struct simt_part *part)
{
    unsigned int count;
    const unsigned int *sites = simt_sites_touched(&count);
    simt_check_part_ends(part);
    simt_skips_part_ends(part);
    simt_used_part_ends(part);
    simt_part_put(part, &count, sizeof count);
    for (unsigned int i = 0; i < count; i++) {
        simt_part_put(part, simt_site(sites[i]), sizeof(struct simt_site));
    }
}

static bool part_fits(struct simt_part part, unsigned int number)
{
    return order_version == simt_order_version() && simt_check_part_fits(part, number);
}

static void part_take(struct simt_part *part, unsigned int number)
{
    unsigned int count;
    simt_check_part_take(part, number);
    simt_skips_part_take(part);
    simt_used_part_take(part);
    simt_part_get(part, &count, sizeof count);
    for (unsigned int i = 0; i < count; i++) {
        struct simt_site site;
        simt_part_get(part, &site, sizeof site);
        simt_line_counters_add(&simt_site(simt_site_number(site.place))->counters, &site.counters);
    }
}

/* ---- barriers, exits, warp collectives ---- */

static void exits(void)
{
    unsigned int lane = simt_recorder.thread % SIMT_WARP_SIZE;
    simt_skips_exit(simt_traces.begin[lane], simt_traces.end[lane]);
}

static void arrives(const void *caller, const char *file, int line)
{
    unsigned int lane = simt_recorder.thread % SIMT_WARP_SIZE;
    simt_skips_arrive(simt_traces.begin[lane], simt_recorder.next, caller, file, line);
}

static void barrier(const void *caller, const char *file, int line, bool all)
{
    simt_causality_barrier();
    simt_requests_barrier();
    simt_explore_barrier(caller);
    simt_count_at(caller)->barriers++;
    if (!all) {
        simt_skips_complete(file, line);
    }
}

static void count_collective(const void *caller, enum simt_collective operation)
{
    struct simt_line_counters *counters = simt_count_at(caller);
    switch (operation) {
    case SIMT_SYNCWARP:
        counters->syncwarps++;
        break;
    case SIMT_SHUFFLE:
    case SIMT_SHUFFLE_UP:
    case SIMT_SHUFFLE_DOWN:
    case SIMT_SHUFFLE_XOR:
        counters->shuffles++;
        break;
    case SIMT_MATRIX:
        counters->matrix++;
        break;
    case SIMT_WGMMA:
    case SIMT_WMMA:
        break;
    default:
        counters->votes++;
        break;
    }
}

static void collective(const void *caller, enum simt_collective operation, uint32_t lanes,
                       bool whole)
{
    bool syncs = operation == SIMT_SYNCWARP;
    count_collective(caller, operation);
    if (whole) {
        simt_trace_pause();
        simt_trace_drain(0);
    } else if (syncs || simt_now.fine) {
        simt_trace_check();
    } else {
        return; /* a shuffle, with no access to order */
    }
    simt_causality_meet(simt_recorder.thread / SIMT_WARP_SIZE, lanes, syncs, whole);
}

/* ---- barriers and copies of inline PTX ---- */

static void named_barrier(const void *caller)
{
    simt_count_at(caller)->barriers++;
}

static void *launches(void)
{
    simt_trace_check();
    return simt_origin_make(simt_recorder.thread);
}

static void forget_origin(void *origin)
{
    simt_origin_drop(origin);
}

static void release(struct simt_clock **clock)
{
    simt_trace_check();
    simt_causality_release(simt_recorder.thread, clock);
}

static void acquire(unsigned int thread, struct simt_clock *clock)
{
    if (simt_recorder.lane >= 0) {
        simt_trace_check();
    }
    simt_causality_acquire(thread, clock);
}

static void join_clock(struct simt_clock **to, struct simt_clock **from)
{
    simt_clock_add(to, *from);
    simt_clock_clear(from);
}

static void proxy_fence(enum simt_proxy proxy, const void *map)
{
    simt_trace_check();
    simt_causality_proxy_fence(simt_recorder.thread, proxy, (uintptr_t)map);
}

static void bulk_begins(const void *caller, size_t bytes, const void *of_barrier)
{
    struct simt_line_counters *counters = simt_count_at(caller);
    simt_not_repeatable(); /* its memory accesses are not recorded */
    counters->bulk_copies++;
    counters->bulk_bytes += bytes;
    simt_trace_check();
    if (of_barrier) {
        simt_check_bulk_barrier((uintptr_t)of_barrier, simt_recorder.thread,
                                simt_site_number(simt_place_of(caller)));
    }
}

static bool bulk_piece(const void *caller, void *to, const void *from, unsigned int size,
                       enum simt_bulk_way way)
{
    unsigned int site = simt_site_number(simt_place_of(caller)), thread = simt_recorder.thread;
    simt_not_repeatable();
    bool inside = !from || simt_check_bulk_read((uintptr_t)from, size, thread, site);
    return simt_check_bulk_write((uintptr_t)to, size, thread, site, way) && inside;
}

static void bulk_beyond(const void *caller, unsigned int bytes, enum simt_bulk_way way)
{
    simt_check_bulk_beyond(bytes, simt_recorder.thread, simt_site_number(simt_place_of(caller)),
                           way);
}

static uint32_t bulk_tag(unsigned int *agent, struct simt_clock **clock)
{
    if (!agent) {
        return simt_now.tags[simt_recorder.thread];
    }
    if (!*agent) {
        *agent = simt_causality_agent();
    }
    return *agent < SIMT_THREADS ? simt_causality_agent_writes(*agent, clock) : 0;
}

static void bulk_written(const void *caller, void *to, unsigned int size, uint32_t tag)
{
    simt_check_bulk_written((uintptr_t)to, size, tag, simt_site_number(simt_place_of(caller)));
}

static void bulk_read(const void *from, unsigned int size)
{
    simt_check_bulk_was_read((uintptr_t)from, size);
}

static void bulk_reduced(const void *caller, void *to, unsigned int size, uint32_t tag)
{
    simt_check_bulk_reduced((uintptr_t)to, size, tag, simt_site_number(simt_place_of(caller)));
}

static void map_read(const void *caller, const void *map, unsigned int size)
{
    simt_not_repeatable();
    simt_trace_check();
    simt_check_map_read((uintptr_t)map, size, simt_recorder.thread,
                        simt_site_number(simt_place_of(caller)));
}

static void wgmma_begins(const void *caller, unsigned int thread, const void *from)
{
    simt_check_wgmma_read((uintptr_t)from, thread, simt_site_number(simt_place_of(caller)));
}

/* wgmma reads its operands 128 bytes at a time, without bank conflicts, whatever their layout. */
static void wgmma_reads(const void *caller, unsigned int bytes)
{
    simt_count_at(caller)->matrix_wavefronts += bytes / 128;
}

static void wgmma_ends(const void *caller, uint32_t tag, const void *from)
{
    simt_check_wgmma_was_read((uintptr_t)from, tag, simt_site_number(simt_place_of(caller)));
}

static bool bulk_wrote(const void *address)
{
    return simt_check_bulk_wrote((uintptr_t)address);
}

static bool wgmma_finds(const void *from)
{
    return simt_check_wgmma_finds((uintptr_t)from);
}

static void polls(const void *caller)
{
    simt_note_guard(simt_site_number(simt_place_of(caller)));
}

static void undefined_stored(const struct simt_event *store, uint64_t value)
{
    const struct simt_outside *from = &simt_outside;
    struct finding *new;
    if (!from->name || !simt_is_undefined(simt_recorder.thread, value, event_size(store)) ||
        simt_is_local((const void *)(uintptr_t)store->address)) { /* it may stay in the thread */
        return;
    }
    new = simt_add_finding((struct finding){.wrong = UNDEFINED,
                                            .space = SPACE_GLOBAL,
                                            .kind = EVENT_STORE,
                                            .site = simt_site_number(event_place(store)),
                                            .thread = simt_recorder.thread});
    if (new && !from->file) {
        snprintf(new->text, sizeof new->text, "the result of %s is that of thread 0 only",
                 from->name);
    } else if (new) {
        snprintf(new->text, sizeof new->text,
                 "%s() at %s:%d read lane %u, which its mask 0x%08x leaves out", from->name,
                 from->file, from->line, from->lane, from->mask);
    }
}

/* ---- memory, and copies ---- */

static void freed(const void *address, size_t size)
{
    simt_repeats_forget(address, size);
    simt_check_freed(address, size);
}

static void operation(void)
{
    simt_not_repeatable(); /* if a kernel started it */
    simt_repeats_come_first();
    if (simt_instrumented() && wanted()) {
        simt_check_operation();
        simt_check_copy();
        conclude();
        if (simt_check_goes_to_host()) {
            results_are_used();
        }
    }
}

static void host_pages(const struct simt_region *region,
                       void (*found)(char *page, enum simt_region_access access))
{
    if (simt_instrumented() && analysing) {
        simt_check_host_pages(region, found);
    }
}

static bool host_access(const void *address, bool writes, const void *at)
{
    const bool found = simt_check_host_access(address, writes, at);
    conclude();
    return found;
}

/* ---- reports ---- */

static void tell_place(FILE *file, const void *caller)
{
    if (simt_instrumented()) {
        simt_explore_told(simt_place_of(caller));
        simt_tell_place(file, simt_place_of(caller));
    }
}

static void tell_place_number(FILE *file, uint32_t place)
{
    if (simt_instrumented()) {
        simt_tell_place(file, place);
    }
}

const struct simt_observer simt_observer = {
    .repeats = repeats,
    .start_launch = start_launch,
    .end_launch = end_launch,
    .enough = enough,
    .start_block = start_block,
    .end_cluster_block = simt_shadow_end_block,
    .suspend_block = suspend_block,
    .resume_block = resume_block,
    .forget_block = forget_block,
    .part_may_begin = part_may_begin,
    .part_begins = part_begins,
    .part_ends = part_ends,
    .part_fits = part_fits,
    .part_take = part_take,
    .replay = simt_replay,
    .check_in_order = simt_step_check,
    .exits = exits,
    .arrives = arrives,
    .barrier = barrier,
    .launches = launches,
    .forget_origin = forget_origin,
    .went_less = simt_skips_went_less,
    .grid_barrier = simt_causality_grid_barrier,
    .collective = collective,
    .named_barrier = named_barrier,
    .release = release,
    .acquire = acquire,
    .join_clock = join_clock,
    .forget_clock = simt_clock_clear,
    .proxy_fence = proxy_fence,
    .bulk_begins = bulk_begins,
    .bulk_piece = bulk_piece,
    .bulk_beyond = bulk_beyond,
    .bulk_tag = bulk_tag,
    .bulk_written = bulk_written,
    .bulk_read = bulk_read,
    .bulk_reduced = bulk_reduced,
    .map_read = map_read,
    .wgmma_begins = wgmma_begins,
    .wgmma_reads = wgmma_reads,
    .wgmma_ends = wgmma_ends,
    .bulk_wrote = bulk_wrote,
    .wgmma_finds = wgmma_finds,
    .polls = polls,
    .undefined_stored = undefined_stored,
    .allocated = simt_check_allocated,
    .freed = freed,
    .written = simt_check_written,
    .is_written = simt_check_is_written,
    .host_pages = host_pages,
    .host_access = host_access,
    .operation = operation,
    .heap_allocated = simt_check_heap_allocated,
    .tell_findings = tell_findings,
    .tell_last = simt_tell_last,
    .tell_place = tell_place,
    .tell_place_number = tell_place_number,
    .pointer_read = simt_functions_read,
    .pointers_stored = simt_functions_learn,
    .branch = simt_branch_of,
    .last_change = simt_check_last_change,
};
/* SPDX-License-Identifier: MIT */
