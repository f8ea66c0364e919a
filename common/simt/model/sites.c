#include "model/sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/counters.h"
#include "base/exit.h"
#include "base/need.h"
#include "base/worker.h"
#include "program/source.h"

static struct simt_site *sites;
static unsigned int site_count;
static size_t site_capacity;
/* Open addressing; number 0 marks a free slot. */
static struct slot {
    uint32_t place;
    unsigned int number;
} * slots;
static unsigned int slot_count; /* a power of two */
static bool *is_touched;        /* it is in the list of this launch's sites */
static unsigned int *touched;
static unsigned int touched_count;

static unsigned int slot_of(uint32_t place)
{
    unsigned int slot = place / 4 & (slot_count - 1); /* neighbours share a cache line */
    while (slots[slot].number && slots[slot].place != place) {
        slot = (slot + 1) & (slot_count - 1);
    }
    return slot;
}

static unsigned int add_site(uint32_t place)
{
    simt_only_in_order();
    if (site_count + 1 > UINT16_MAX) { /* the limit of the checks */
        fputs("simt: the program touches memory at more than 65535 places: SIMT_CHECKS=off runs "
              "it\n",
              stderr);
        simt_exit();
    }
    if (site_count + 1 >= site_capacity) {
        sites =
            simt_with_room(sites, site_count + 1, &site_capacity, sizeof *sites, "the analysis");
        touched = simt_needed(realloc(touched, site_capacity * sizeof *touched), "the analysis");
        is_touched =
            simt_needed(realloc(is_touched, site_capacity * sizeof *is_touched), "the analysis");
        slot_count = 4 * (unsigned int)site_capacity;
        slots = simt_needed(realloc(slots, slot_count * sizeof *slots), "the analysis");
        memset(slots, 0, slot_count * sizeof *slots);
        for (unsigned int i = 1; i <= site_count; i++) {
            slots[slot_of(sites[i].place)] = (struct slot){sites[i].place, i};
        }
    }
    sites[++site_count] = (struct simt_site){.place = place};
    is_touched[site_count] = false;
    slots[slot_of(place)] = (struct slot){place, site_count};
    return site_count;
}

unsigned int simt_site_number(uint32_t place)
{
    unsigned int number = slot_count ? slots[slot_of(place)].number : 0;
    if (!number) {
        number = add_site(place);
    }
    if (!is_touched[number]) {
        is_touched[number] = true;
        touched[touched_count++] = number;
    }
    return number;
}

struct simt_site *simt_site(unsigned int number)
{
    return &sites[number];
}

struct simt_line_counters *simt_count_at(const void *return_address)
{
    unsigned int number = simt_site_number(simt_place_of(return_address)); /* may move sites */
    return &sites[number].counters;
}

const unsigned int *simt_sites_touched(unsigned int *count)
{
    *count = touched_count;
    return touched;
}

void simt_sites_clear(void)
{
    for (unsigned int i = 0; i < touched_count; i++) {
        is_touched[touched[i]] = false;
        sites[touched[i]].counters = (struct simt_line_counters){0};
    }
    touched_count = 0;
}

void simt_line_counters_add(struct simt_line_counters *to, const struct simt_line_counters *from)
{
    simt_add_counters(to, from, sizeof *to);
}
/* SPDX-License-Identifier: MIT */
