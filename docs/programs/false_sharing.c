/* False sharing: two threads each add to a float of their own, 4 bytes apart (in one cache line) or
 * 128 bytes apart. Prints a row for each run, five of each kind, in turns:
 *
 *   gcc -O2 -pthread false_sharing.c -o false_sharing && ./false_sharing [ADDITIONS] >rows.csv
 *
 * The floats are volatile, so that each addition loads and stores. Times differ from machine to
 * machine, and from run to run where others are using it. */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 2, RUNS = 5, FAR = 128 };

static long additions = 1L << 25;
static _Alignas(FAR) volatile float sums[THREADS * FAR / sizeof(float)];
static pthread_barrier_t start;

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *add(void *argument)
{
    volatile float *mine = argument;

    pthread_barrier_wait(&start);
    for (long i = 0; i < additions; i++)
        *mine += 1;
    return NULL;
}

/* From the moment that both threads are ready until both have finished. */
static double seconds_of_run(size_t apart)
{
    pthread_t threads[THREADS];
    double begin;

    if (pthread_barrier_init(&start, NULL, THREADS + 1))
        exit(3);
    for (size_t t = 0; t < THREADS; t++)
        if (pthread_create(&threads[t], NULL, add, (void *)&sums[t * apart / sizeof(float)]))
            exit(3);
    pthread_barrier_wait(&start);
    begin = seconds_now();
    for (size_t t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    begin = seconds_now() - begin;
    pthread_barrier_destroy(&start);
    return begin;
}

int main(int count, char **arguments)
{
    if (count > 1)
        additions = strtol(arguments[1], NULL, 10);
    if (count > 2 || additions < 1) {
        fprintf(stderr, "usage: %s [ADDITIONS], a whole number of at least 1\n", arguments[0]);
        return 2;
    }
    puts("apart_bytes,seconds");
    for (int run = 0; run < RUNS; run++) {
        printf("%d,%.4f\n", (int)sizeof(float), seconds_of_run(sizeof(float)));
        printf("%d,%.4f\n", FAR, seconds_of_run(FAR));
    }
    return 0;
}
/* SPDX-License-Identifier: MIT */
