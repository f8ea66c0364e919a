/* Judges results that are too large to recompute: all elements on probes, a sample on real data.
 *
 * A probe's inputs are small integers. So its result also has integers and can be checked exactly
 * without a second matrix product (R. Freivalds, Probabilistic machines can use less running time,
 * IFIP Congress 1977): multiply both sides of C = A B by a vector x of random 64-bit integers, and
 * compare C x with A (B x), in integer arithmetic modulo 2^64. That takes O(n^2) operations instead
 * of O(n^3). If a row of C is wrong by d, it passes only if d . x = 0 modulo 2^64. No element of d
 * exceeds 2^25, so the probability of that is below 2^-38.
 *
 * A rung's sums are exact in float, in any order: the products are integers of at most 9 in
 * absolute value, so 2^24 / 9 = 1.8 million of them cannot exceed 2^24. For longer sums the random
 * signs help: with any order that does not depend on the data, a sum of even 2^31 products exceeds
 * 2^24 with a probability below 10^-300 (Hoeffding's inequality). */
#ifndef RUNGS_JUDGE_H
#define RUNGS_JUDGE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/guarded.h"
#include "problem/compare.h"

/* Integers up to this are exact in float; no result of a probe is larger. */
enum { EXACT_LIMIT = 1 << 24 };

/* Converts an element of a probe's input or result to an integer modulo 2^64. Returns false if the
 * value cannot come from a probe: it is too large, not an integer, or not a number. */
static inline bool to_integer(float value, uint64_t *integer)
{
    const bool in_range = fabsf(value) <= (float)EXACT_LIMIT; /* false for NaN */
    const int32_t whole = in_range ? (int32_t)value : 0;
    *integer = (uint64_t)(int64_t)whole;
    return in_range && (float)whole == value;
}

/* Fills *comparison for the first wrong element of a probe; `place` names it, such as "C[3][4]". */
void judge_wrong_integer(struct comparison *comparison, const char *place, float got, int64_t want);

/* Fills *comparison for a write outside the result; `place` says where. */
void judge_stray_write(struct comparison *comparison, const char *place);

/* Checks whether the margins of the host's copy of the result were overwritten, so that they no
 * longer hold `value`. If so, fills *comparison and returns true. An element has `size` bytes. */
bool judge_margins(const struct guarded *result, float value, size_t size,
                   struct comparison *comparison);

/* Makes *comparison wrong if it is right only because NaN was expected, and the element was never
 * written. The element, of `size` bytes, then still holds the value that fills results before a
 * rung runs (poison_value). */
void judge_unwritten(struct comparison *comparison, const void *element, size_t size);

/* Replaces *worst by `next` if that is worse. A wrong result is worse than a right one; otherwise
 * the larger ratio of error to bound is. If this returns true, call comparison_describe next. */
bool judge_keep_worse(struct comparison *worst, const struct comparison *next);

/* Indices along a dimension of `size` elements where kernels are likely to be wrong: both ends, and
 * both sides of the first and last edge between tiles of 8, 16, ... 256 elements. Returns how many
 * there are; 0 if size is 0. */
enum { PLACES_MAX = 40 };
size_t judge_places(size_t size, size_t places[PLACES_MAX]);

/* How many of a result's `elements` elements, each a sum of `terms` products, to compare with a
 * reference: all if that is little work, otherwise the `places` of special interest and 2048 random
 * ones, or fewer if even that is too much work. */
size_t judge_sample_size(size_t elements, size_t terms, size_t places);

#endif
/* SPDX-License-Identifier: MIT */
