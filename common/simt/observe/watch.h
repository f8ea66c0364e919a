/* Who watches a block step by step, to show it later: explore/. While nobody does, each of the
 * places that would tell of a step tests a flag. */
#ifndef SIMT_WATCH_H
#define SIMT_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct simt_event;
struct simt_launch;
struct finding;

struct simt_watcher {
    void (*start_launch)(const struct simt_launch *launch);
    /* The numbers of the sites that the launch has touched, with its counters. */
    void (*end_launch)(const struct simt_launch *launch, const unsigned int *sites, size_t count);
    /* Block `number` of the grid starts, or goes on after another one: sets simt_watched. */
    void (*start_block)(size_t number, unsigned int threads);
    void (*resume_block)(void);
    /* What the checks found in the running launch, and how they tell it. */
    void (*finding)(const struct finding *finding, const char *text);
    /* The program ends without coming to its end. */
    void (*exit)(void);

    /* These only while simt_watched. The running lane is about to do what the event says; it
     * stops. */
    void (*event)(const struct simt_event *event);
    void (*pause)(void);
    /* The lanes of a warp do their events at[lane][ahead] together. */
    void (*step)(const struct simt_event *const *at, size_t ahead, unsigned int warp,
                 uint32_t lanes);
    /* All threads of the block have come to the barrier that this address is the return of. */
    void (*barrier)(const void *caller);
};

/* NULL: nobody watches. */
extern const struct simt_watcher *simt_watcher;
/* The running block is watched. */
extern bool simt_watched;

#endif
