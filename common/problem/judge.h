/* Judging a large result: exactly on probes, by a sample on real data.
 *
 * Probes. The inputs are small integers, so the result consists of integers, and whether it is
 * right can be told without computing it a second time (R. Freivalds, Probabilistic machines can
 * use less running time, IFIP Congress 1977): multiply both sides of C = A B by a vector x of
 * random 64-bit integers and compare C x with A (B x), in integers that wrap around. That takes n^2
 * steps instead of n^3. A wrong row passes only if its differences d have d . x = 0 modulo 2^64;
 * since no difference exceeds 2^25, the probability of that is below 2^-38.
 *
 * The sums are exact in float, in any order. Products are integers of at most 9 in absolute value,
 * so 2^24 / 9 = 1.8 million of them cannot reach 2^24. Beyond that the random signs help: in an
 * order that does not look at the data, even 2^31 of them get there with a probability below
 * 10^-300 (Hoeffding's inequality). */
#ifndef RUNGS_JUDGE_H
#define RUNGS_JUDGE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/guarded.h"
#include "problem/compare.h"

/* Integers up to here are exact in float; no probe's result is larger. */
enum { EXACT_LIMIT = 1 << 24 };

/* A small integer of an input, or an element of a result, as an integer that wraps around. False
 * if it cannot come from a probe: too large, not an integer, not a number. */
static inline bool to_integer(float value, uint64_t *integer)
{
    const bool in_range = fabsf(value) <= (float)EXACT_LIMIT; /* false for NaN */
    const int32_t whole = in_range ? (int32_t)value : 0;
    *integer = (uint64_t)(int64_t)whole;
    return in_range && (float)whole == value;
}

/* Fills *comparison for a probe's first wrong element; `place` names it: "C[3][4]". */
void judge_wrong_integer(struct comparison *comparison, const char *place, float got, int64_t want);

/* Fills *comparison for a write outside the result; `place` names where. */
void judge_stray_write(struct comparison *comparison, const char *place);

/* The same if the margins of the host's copy of the result, of elements of `size` bytes, no longer
 * hold `value`. Returns whether they do not. */
bool judge_margins(const struct guarded *result, float value, size_t size,
                   struct comparison *comparison);

/* Keeps the worse of *worst and `next`, for the report: wrong before right, then by error as a
 * share of the bound. True if it is `next`, which the caller then describes (compare.h). */
bool judge_keep_worse(struct comparison *worst, const struct comparison *next);

/* Places along a side of `size` elements where kernels go wrong: both ends, then both sides of the
 * edges of tiles of 8 to 256 elements near either end. Returns how many; none if size is 0. */
enum { PLACES_MAX = 40 };
size_t judge_places(size_t size, size_t places[PLACES_MAX]);

/* How many of `elements` to judge one by one, each a sum of `terms` products, where `places` of
 * them are of special interest: all if that is little work, otherwise those and 2048 at random, or
 * fewer if even that is much work. */
size_t judge_sample_size(size_t elements, size_t terms, size_t places);

#endif
