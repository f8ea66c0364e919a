/* Who is told of each step of a block, to show it later: the explorer. While nobody is, each place
 * that would tell tests a flag. */
#ifndef SIMT_WATCHER_H
#define SIMT_WATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "observe/event.h"

struct simt_watcher {
    /* The running lane is about to do what the event says; it stops. */
    void (*event)(const struct simt_event *event);
    void (*pause)(void);
    /* The lanes of a warp do their events at[lane][ahead] together. */
    void (*step)(const struct simt_event *const *at, size_t ahead, unsigned int warp,
                 uint32_t lanes);
};

extern struct simt_watcher simt_watcher;
/* The running block is watched. */
extern bool simt_watched;

#endif
