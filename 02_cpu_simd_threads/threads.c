#include "threads.h"

#include <pthread.h>

#include "shares.h"

struct job {
    void (*work)(const struct reduction *share);
    struct reduction share;
};

static void *thread_main(void *argument)
{
    const struct job *const job = argument;

    job->work(&job->share);
    return NULL;
}

void on_threads(const struct reduction *call, void (*work)(const struct reduction *share),
                void *targets, size_t step)
{
    const int threads = thread_count(call);
    struct job jobs[MAX_THREADS];
    pthread_t handles[MAX_THREADS];
    int started = 1;

    for (int t = 0; t < threads; t++)
        jobs[t] = (struct job){
            .work = work,
            .share = share_of(call, threads, t, (char *)targets + (size_t)t * step),
        };
    while (started < threads &&
           pthread_create(&handles[started], NULL, thread_main, &jobs[started]) == 0)
        started++;
    work(&jobs[0].share);
    for (int t = started; t < threads; t++) /* the shares whose threads did not start */
        work(&jobs[t].share);
    for (int t = 1; t < started; t++)
        pthread_join(handles[t], NULL);
}
/* SPDX-License-Identifier: MIT */
