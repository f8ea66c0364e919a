/* A thread pool: threads that are started once and then wait for work.
 *
 * Starting a thread takes tens of microseconds, as long as reducing 10^5 numbers. After a job the
 * pool's threads stay awake for about two milliseconds, so that back-to-back calls need not wake
 * them. Each is bound to one processor, so that the next call finds its data in that processor's
 * caches. */
#ifndef RUNGS_POOL_H
#define RUNGS_POOL_H

/* The number of processors that this process may run on. */
int usable_processors(void);

/* The most threads that work at a time; the calling thread does the shares of any beyond that. */
enum { POOL_MOST = 256 };

/* Runs work(argument, t) for t = 0 to threads - 1, t = 0 on the calling thread, and returns when
 * all are done. Threads are started by the first call that needs them; if the system refuses to
 * start one, the calling thread does its share. Not to be called from two threads at a time. */
void pool_run(int threads, void (*work)(void *argument, int thread), void *argument);

#endif
/* SPDX-License-Identifier: MIT */
