/* Measures the read bandwidth of the CPU: the most that a rung that only reads can reach.
 *
 * The threads of the pool (pool.h) read a buffer again and again, with the widest loads that the
 * processor has. Each thread reads its own share, which it also wrote first. This is tried with one
 * stream and with four per thread, with all threads and with fewer, and the fastest counts. The
 * time to wake the threads and to wait for them is included. The buffer is as large as the problem,
 * so it is found at the same level, in a cache or in memory, as the problem's inputs. */
#ifndef RUNGS_READ_PROBE_H
#define RUNGS_READ_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Sets *gb_per_s to the bandwidth in 10^9 bytes per second, of at most `threads` threads reading
 * `bytes` bytes. The buffer is at least 4 KiB and at most 1 GiB, which no cache holds. Code:
 * EXIT_DEVICE_ERROR. */
bool read_probe(int threads, size_t bytes, double *gb_per_s, struct error *error);

#endif
/* SPDX-License-Identifier: MIT */
