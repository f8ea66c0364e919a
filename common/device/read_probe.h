/* How fast this machine's processors can read: what a kernel that only reads can hope for.
 *
 * A problem of so many bytes is read over and over by the threads of a pool (pool.h), which wait
 * awake, each from a share of the buffer that it was the first to write; with the widest loads, in
 * one stream or several, by one thread, by all, and by numbers in between. The fastest of these
 * counts, its start and end included. A buffer of the problem's own size lies where the problem's
 * inputs lie, in a cache or in memory, so the figure is a peak for that place. */
#ifndef RUNGS_READ_PROBE_H
#define RUNGS_READ_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Reads a buffer of `bytes`, at least 4 KiB and at most 1 GiB (which no cache holds), with up to
 * `threads` threads, in 10^9 bytes a second. */
bool read_probe(int threads, size_t bytes, double *gb_per_s, struct error *error);

#endif
