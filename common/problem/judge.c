#include "problem/judge.h"

#include <stdio.h>

#define WORTH_JUDGING_ALL ((size_t)1 << 24) /* products */
#define MOST_PRODUCTS ((size_t)1 << 25)
enum { MOST_ELEMENTS = 1 << 20, RANDOM_ELEMENTS = 2048, FEWEST_ELEMENTS = 16 };

void judge_wrong_integer(struct comparison *comparison, const char *place, float got, int64_t want)
{
    *comparison = (struct comparison){.error = fabs((double)got - (double)want)};
    /* NaN's sign bit means nothing, but printf would show it. */
    snprintf(comparison->where, sizeof comparison->where, "%s: got %.9g, expected %lld", place,
             isnan(got) ? (double)NAN : (double)got, (long long)want);
}

void judge_stray_write(struct comparison *comparison, const char *place)
{
    *comparison = (struct comparison){.error = INFINITY};
    snprintf(comparison->where, sizeof comparison->where, "written outside the result: %s", place);
}

bool judge_margins(const struct guarded *result, float value, size_t size,
                   struct comparison *comparison)
{
    const ptrdiff_t element = (ptrdiff_t)size;
    char place[64];
    ptrdiff_t distance;

    if (guarded_margins_hold(result, value, &distance))
        return false;
    if (distance < 0)
        snprintf(place, sizeof place, "%td elements before it",
                 (-distance + element - 1) / element);
    else
        snprintf(place, sizeof place, "%td elements past its end",
                 (distance - (ptrdiff_t)result->count) / element);
    judge_stray_write(comparison, place);
    return true;
}

void judge_unwritten(struct comparison *comparison, const void *element, size_t size)
{
    const unsigned char *const bytes = element;

    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0xFF)
            return;
    if (!comparison->right)
        return;
    comparison->right = false;
    comparison->unwritten = true;
    comparison->error = (double)NAN;
}

/* The error as a share of the bound; NaN counts as infinitely large. */
static double share_of(const struct comparison *comparison)
{
    const double share = comparison->error == 0 ? 0 : comparison->error / comparison->bound;
    return isnan(share) ? (double)INFINITY : share;
}

bool judge_keep_worse(struct comparison *worst, const struct comparison *next)
{
    if (worst->where[0] != '\0') { /* not the first one */
        const bool both_alike = worst->right == next->right;
        if (worst->right < next->right || (both_alike && share_of(next) <= share_of(worst)))
            return false;
    }
    *worst = *next;
    return true;
}

static size_t add_place(size_t places[PLACES_MAX], size_t count, size_t place)
{
    for (size_t i = 0; i < count; i++)
        if (places[i] == place)
            return count;
    places[count] = place;
    return count + 1;
}

size_t judge_places(size_t size, size_t places[PLACES_MAX])
{
    size_t count = 0;

    if (size == 0)
        return 0;
    count = add_place(places, count, 0);
    count = add_place(places, count, size - 1);
    for (size_t tile = 8; tile <= 256; tile *= 2) {
        const size_t last_edge = (size - 1) / tile * tile; /* where the last tile starts */
        if (last_edge == 0)
            break;
        count = add_place(places, count, tile - 1);
        count = add_place(places, count, tile);
        count = add_place(places, count, last_edge - 1);
        count = add_place(places, count, last_edge);
    }
    return count;
}

size_t judge_sample_size(size_t elements, size_t terms, size_t places)
{
    if (terms == 0)
        terms = 1;
    if (elements <= MOST_ELEMENTS && elements <= WORTH_JUDGING_ALL / terms)
        return elements;

    size_t sample = places + RANDOM_ELEMENTS;
    if (sample > MOST_PRODUCTS / terms)
        sample = MOST_PRODUCTS / terms;
    if (sample < FEWEST_ELEMENTS)
        sample = FEWEST_ELEMENTS;
    return sample < elements ? sample : elements;
}
/* SPDX-License-Identifier: MIT */
