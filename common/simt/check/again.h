/* Launches that were repeated without being run: the checks use what they did the first time. */
#ifndef SIMT_AGAIN_H
#define SIMT_AGAIN_H

#include "check/causality.h"
#include "check/snapshot.h"

struct simt_again {
    struct simt_stretch tags;
    struct simt_again_row *rows; /* of the snapshot, in order */
};

/* Saves the launch that has just ended, given its snapshot. */
void simt_again_keep(struct simt_again *again, const struct simt_snapshot *snapshot);
void simt_again_drop(struct simt_again *again);
/* Its tags are forgotten. */
static inline bool simt_again_is_lost(const struct simt_again *again)
{
    return again->tags.end == 0;
}
/* The launch is repeated. */
static inline void simt_again_now(struct simt_again *again)
{
    simt_stretch_again(&again->tags);
}
/* Updates the shadow as if the launch had been run at its last repeat, which is operation `number`.
 * Earlier operations matter from `first` on. */
void simt_again_tell(struct simt_again *again, const struct simt_snapshot *snapshot,
                     uint64_t number, uint64_t first);

#endif
/* SPDX-License-Identifier: MIT */
