#include "model/sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit.h"
#include "base/need.h"
#include "program/source.h"

static struct simt_site *sites;
static unsigned int site_count;
static size_t site_capacity;
static uint32_t *slots;         /* open addressing: site numbers, 0 where there is none */
static unsigned int slot_count; /* a power of two */
static unsigned int *touched;
static unsigned int touched_count;

static unsigned int slot_of(uint32_t place)
{
    unsigned int slot = (place * 2654435761u >> 8) & (slot_count - 1);
    while (slots[slot] && sites[slots[slot]].place != place) {
        slot = (slot + 1) & (slot_count - 1);
    }
    return slot;
}

static unsigned int add_site(uint32_t place)
{
    if (site_count + 1 > UINT16_MAX) { /* what the checks have for one */
        fputs("simt: the program touches memory at more than 65535 places: SIMT_CHECKS=off runs "
              "it\n",
              stderr);
        simt_exit();
    }
    if (site_count + 1 >= site_capacity) {
        sites =
            simt_with_room(sites, site_count + 1, &site_capacity, sizeof *sites, "the analysis");
        touched = simt_needed(realloc(touched, site_capacity * sizeof *touched), "the analysis");
        slot_count = 4 * (unsigned int)site_capacity;
        slots = simt_needed(realloc(slots, slot_count * sizeof *slots), "the analysis");
        memset(slots, 0, slot_count * sizeof *slots);
        for (unsigned int i = 1; i <= site_count; i++) {
            slots[slot_of(sites[i].place)] = i;
        }
    }
    sites[++site_count] = (struct simt_site){.place = place};
    slots[slot_of(place)] = site_count;
    return site_count;
}

unsigned int simt_site_number(uint32_t place)
{
    unsigned int number = slot_count ? slots[slot_of(place)] : 0;
    if (!number) {
        number = add_site(place);
    }
    if (!sites[number].touched) {
        sites[number].touched = true;
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
        sites[touched[i]].touched = false;
        sites[touched[i]].counters = (struct simt_line_counters){0};
    }
    touched_count = 0;
}
