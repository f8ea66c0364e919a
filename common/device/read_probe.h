/* How fast this machine's processors can read: what a kernel that only reads can hope for.
 *
 * Every processor that this process may use sums its share of a buffer, with wide independent
 * accumulators; the best of several passes counts. A buffer of the problem's own size lies where
 * the problem's inputs lie, in a cache or in memory, so the figure is a peak for that place. */
#ifndef RUNGS_READ_PROBE_H
#define RUNGS_READ_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Reads a buffer of `bytes`, at least 4 KiB a thread and at most 1 GiB (which no cache holds), in
 * 10^9 bytes a second. */
bool read_probe(int threads, size_t bytes, double *gb_per_s, struct error *error);

#endif
