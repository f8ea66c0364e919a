/* Threads that are started once and then wait for work.
 *
 * Starting a thread takes tens of microseconds, as long as the reduction of 10^5 numbers. The
 * pool's threads wait spinning for about the length of a small problem, so that back-to-back calls
 * find them awake, and go to sleep only then. Each is bound to one processor, so that what it has
 * in its caches is still there next time. */
#ifndef RUNGS_POOL_H
#define RUNGS_POOL_H

/* Processors that this process may run on. */
int usable_processors(void);

/* Threads that can work at once; shares beyond that are done by the calling thread. */
enum { POOL_MOST = 256 };

/* Runs work(argument, t) for t = 0 to threads - 1, t = 0 on the calling thread, and returns when
 * all are done. The first call, and one that wants more threads, starts them; if the system
 * refuses, the calling thread does the rest. From one thread at a time. */
void pool_run(int threads, void (*work)(void *argument, int thread), void *argument);

#endif
