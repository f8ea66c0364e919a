/* Stores the findings of the checks until the launch ends. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/worker.h"
#include "check/findings.h"
#include "check/kept.h"
#include "check/wording.h"
#include "machine/machine.h"
#include "machine/reports.h"
#include "memory/memory.h"
#include "memory/streams.h"
#include "model/sites.h"
#include "observe/recorder.h"
#include "program/source.h"

enum { MOST_FINDINGS = 32 };

static struct finding found[MOST_FINDINGS];
static bool guards[1 << 16]; /* per site */
static bool has_guards;

/* Per site: its volatile reads. */
static struct {
    uint64_t address;
    uint32_t era;
    bool several; /* several addresses in one era */
} volatile_reads[1 << 16];
static unsigned int found_count;
static uint64_t not_kept;

static struct finding *find(const struct finding *like)
{
    for (unsigned int i = 0; i < found_count; i++) {
        if (found[i].wrong == like->wrong && found[i].site == like->site &&
            found[i].other_site == like->other_site && found[i].kind == like->kind &&
            found[i].other_kind == like->other_kind && found[i].almost == like->almost &&
            found[i].other_block == like->other_block &&
            !found[i].other_operation == !like->other_operation) {
            return &found[i];
        }
    }
    return NULL;
}

struct finding *simt_add_finding(struct finding new)
{
    struct finding *known = find(&new);
    simt_only_in_order();
    if (known) {
        known->count++;
        known->same_warp = known->same_warp && new.same_warp;
        known->same_value = known->same_value && new.same_value;
        return NULL;
    }
    if (found_count == MOST_FINDINGS) {
        not_kept++;
        return NULL;
    }
    new.block = simt_is_of_host(&new) ? (struct uint3){0} : simt_running_block();
    new.count = 1;
    found[found_count] = new;
    return &found[found_count++];
}

void simt_note_guard(unsigned int site)
{
    if (!guards[site]) {
        simt_only_in_order();
    }
    guards[site] = has_guards = true;
}

/* An access of 16 bytes reads two halves, whose addresses differ in this bit. */
#define HALVES UINT64_C(8)

void simt_note_volatile_read(unsigned int site, uint64_t address, uint32_t era)
{
    simt_only_in_order();
    if (volatile_reads[site].era != era) {
        volatile_reads[site].era = era;
        volatile_reads[site].address = address;
    } else if ((volatile_reads[site].address ^ address) & ~HALVES) {
        volatile_reads[site].several = true;
    }
}

static bool is_meant(const struct finding *finding)
{
    unsigned int site = finding->unless_guard;
    return site && (guards[site] || (finding->unless_flag && !volatile_reads[site].several));
}

/* Whether both lines are inside CUB or Thrust, in a kernel that they launch. There, only the data
 * may order accesses, a range may be changed in place, or a value may be read and not used. */
static bool is_of_library(const struct finding *finding)
{
    const char *file;
    if (!(finding->wrong == RACE || finding->wrong == READ_ONLY ||
          (finding->wrong == UNINITIALISED && finding->space == SPACE_SHARED)) ||
        finding->other_operation) {
        return false;
    }
    file = simt_grid.launch->file; /* not for actions of the host, which may come before a launch */
    if (!file || !(strstr(file, "/thrust/system/cuda/detail/") || strstr(file, "/cub/device/"))) {
        return false;
    }
    return simt_source_of(simt_site(finding->site)->place)->line == 0 &&
           (finding->wrong == UNINITIALISED ||
            simt_source_of(simt_site(finding->other_site)->place)->line == 0);
}

/* Runs when the launch is over: all guards are known then. */
static void leave_out_guarded(void)
{
    unsigned int kept = 0;
    for (unsigned int i = 0; i < found_count; i++) {
        if (!is_meant(&found[i]) && !is_of_library(&found[i]) && !simt_is_suppressed(&found[i])) {
            found[kept++] = found[i];
        }
    }
    found_count = kept;
    if (has_guards) {
        memset(guards, 0, sizeof guards);
        has_guards = false;
    }
}

static bool share_a_line(const struct finding *a, const struct finding *b)
{
    return simt_is_same_line(a->site, b->site) || simt_is_same_line(a->site, b->other_site) ||
           simt_is_same_line(a->other_site, b->site) ||
           simt_is_same_line(a->other_site, b->other_site);
}

/* A line that also races with another warp needs a barrier of the block, which orders both. */
bool simt_is_inside_warps(const struct finding *race)
{
    for (unsigned int i = 0; i < found_count; i++) {
        const struct finding *other = &found[i];
        if (other->wrong == RACE && !other->same_warp && !other->other_operation &&
            share_a_line(race, other)) {
            return false;
        }
    }
    return race->same_warp;
}

bool simt_have_findings(void)
{
    leave_out_guarded();
    return found_count > 0;
}

bool simt_only_unset_memory(char *text, size_t size)
{
    for (unsigned int i = 0; i < found_count; i++) {
        const struct simt_region *region = simt_region_find((void *)(uintptr_t)found[i].address);
        if (found[i].wrong != UNINITIALISED || found[i].space != SPACE_GLOBAL || !region ||
            region->kind != REGION_DEVICE || region->filled.function) {
            return false;
        }
    }
    if (found_count > 0 && size > 0) {
        const struct simt_source *source = simt_source_of(simt_site(found[0].site)->place);
        const struct simt_launch *launch = simt_grid.launch;
        snprintf(text, size,
                 "kernel %s (launched at %s:%d) reads memory before it is written, at %s:%d",
                 launch->name, launch->file, launch->line, source->file, source->line);
    }
    return found_count > 0 && not_kept == 0;
}

void simt_judge_strictly(void)
{
    unsigned int kept = 0;
    for (unsigned int i = 0; i < found_count; i++) {
        found[i].same_value = false;
        if (!simt_is_note(&found[i])) {
            found[kept++] = found[i];
        }
    }
    found_count = kept;
}

void (*simt_finding_told)(const struct finding *finding);

/* Of each pair of lines only the worst finding is reported: a race between blocks (the fix also
 * orders threads), and a race rather than a note. */
static bool another_tells(const struct finding *race)
{
    for (unsigned int i = 0; i < found_count && race->wrong == BAD_INDEX; i++) {
        struct finding *past = &found[i];
        if (past->wrong == OUT_OF_BOUNDS && past->thread == race->thread &&
            simt_is_same_line(past->site, race->site)) {
            char text[sizeof past->text]; /* it names the array */
            snprintf(text, sizeof text, "%.250s: %.140s", past->text, race->text);
            memcpy(past->text, text, sizeof text);
            return true;
        }
    }
    for (unsigned int i = 0; i < found_count && race->wrong == GOES_ROUND && race->other_block;
         i++) {
        if (found[i].wrong == GOES_ROUND && found[i].size == 0 &&
            strncmp(found[i].text, race->text, strcspn(race->text, "|")) == 0) {
            return true; /* the branch is reported */
        }
    }
    for (unsigned int i = 0; i < found_count && race->wrong == RACE; i++) {
        const struct finding *other = &found[i];
        if (other->wrong == RACE && !other->other_operation && !simt_is_note(other) &&
            (simt_is_note(race) || (other->other_block && !race->other_block)) &&
            ((simt_is_same_line(race->site, other->site) &&
              simt_is_same_line(race->other_site, other->other_site)) ||
             (simt_is_same_line(race->site, other->other_site) &&
              simt_is_same_line(race->other_site, other->site)))) {
            return true;
        }
    }
    return false;
}

/* If one line exceeds several arrays, each array is reported once. */
static bool is_past_another_end(const struct finding *finding)
{
    for (const struct finding *other = found; other < finding; other++) {
        if (other->wrong == OUT_OF_BOUNDS && simt_is_same_line(other->site, finding->site) &&
            strcmp(other->text, finding->text) == 0) {
            return false;
        }
    }
    return finding->wrong == OUT_OF_BOUNDS && !simt_goes_on;
}

/* Reports it, unless a finding with the same lines was reported. Returns whether it did. */
static bool tell(FILE *file, const struct finding *finding)
{
    const bool is_note = simt_is_note(finding);
    const unsigned int number = another_tells(finding) ? 0 : simt_keep_finding(finding, is_note);
    if (number == 0 && !is_past_another_end(finding)) {
        return false;
    }
    if (simt_finding_told) {
        simt_finding_told(finding);
    }
    if (simt_goes_on) {
        fprintf(file, "simt: finding %u:\n", number);
    }
    simt_tell_finding(file, finding);
    return true;
}

unsigned int simt_tell_findings(FILE *file, void (*tell_more)(FILE *file))
{
    unsigned int wrong = 0;
    bool told = false;
    leave_out_guarded();
    for (unsigned int i = 0; i < found_count; i++) {
        const bool is_note = simt_is_note(&found[i]);
        wrong += !is_note;
        told = (tell(file, &found[i]) && !is_note) || told;
    }
    if (told) {
        tell_more(file);
    }
    if (not_kept > 0) {
        fprintf(file, "simt: and %" PRIu64 " more of other kinds\n", not_kept);
    }
    found_count = 0;
    not_kept = 0;
    simt_write_kept(false);
    return wrong;
}

void simt_tell_place(FILE *file, uint32_t place)
{
    fprintf(file, "  at ");
    simt_tell_line(file, simt_site_number(place));
}

bool simt_tell_last(FILE *file)
{
    const struct simt_event *event = simt_tracing ? simt_trace_last() : NULL;
    if (!event) {
        return false;
    }
    simt_tell_place(file, event_place(event));
    return event_kind(event) <= EVENT_ATOMIC && event_size(event) > 0 &&
           event->address % event_size(event) != 0;
}
/* SPDX-License-Identifier: MIT */
