/* What the checks know of a launch that was made again without being run: what it did the first
 * time. */
#ifndef SIMT_AGAIN_H
#define SIMT_AGAIN_H

#include "check/causality.h"
#include "check/snapshot.h"

struct simt_again {
    struct simt_stretch tags;
    struct simt_again_row *rows; /* of the snapshot, one behind the other */
};

/* The launch that has just ended, of which this is the snapshot. */
void simt_again_keep(struct simt_again *again, const struct simt_snapshot *snapshot);
void simt_again_drop(struct simt_again *again);
/* Nothing is known of it any more. */
static inline bool simt_again_is_lost(const struct simt_again *again)
{
    return again->tags.end == 0;
}
/* It is made again. */
static inline void simt_again_now(struct simt_again *again)
{
    simt_stretch_again(&again->tags);
}
/* Of the last time that it was made again, the operation with this number: the shadow is as if it
 * had been run then. Earlier operations are of interest from `first` on. */
void simt_again_tell(struct simt_again *again, const struct simt_snapshot *snapshot,
                     uint64_t number, uint64_t first);

#endif
/* SPDX-License-Identifier: MIT */
