/* The contents of the memory that a launch used, when it ended. */
#ifndef SIMT_SNAPSHOT_H
#define SIMT_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct simt_snapshot {
    size_t count; /* of pieces, in ascending order */
    struct simt_memory_piece {
        char *address;
        size_t size;
        unsigned int region; /* the region it is in; UINT_MAX: none */
        bool stays;          /* simt_snapshot_compare */
    } * pieces;
    struct simt_snapshot_region {
        void *address;  /* the start of a region of device memory */
        bool untouched; /* simt_snapshot_since */
        bool stays;     /* all of its pieces stay */
    } * regions;
    size_t region_count;
    size_t bytes;
    char *contents; /* of all pieces, in order */
    bool rewrites;  /* a row is read and written, or changed by an atomic */
    bool unseen;    /* the host can write some of it directly */
};
/* Of the memory used so far (used.h); ends that recording. Memory must be readable. False, and
 * nothing is stored, if it exceeds `most` bytes or contains memory that may vanish unnoticed. */
bool simt_snapshot_take(struct simt_snapshot *snapshot, size_t most);
/* The same for all memory that a launch on the current device could use. */
bool simt_snapshot_take_all(struct simt_snapshot *snapshot, size_t most);
/* Given the contents from before the launch: which pieces have not changed. */
void simt_snapshot_compare(struct simt_snapshot *snapshot, const char *before);
/* Marks what may have changed since its contents were in memory, at this value of
 * simt_memory_changes (memory.h). Whether nothing may have. */
bool simt_snapshot_since(struct simt_snapshot *snapshot, uint64_t changes);
/* Makes that memory readable, or closes it. */
void simt_snapshot_open(const struct simt_snapshot *snapshot, bool open);
/* The current contents of its pieces; memory must be readable. */
char *simt_snapshot_look(const struct simt_snapshot *snapshot);
/* After simt_snapshot_since: whether memory holds its contents, or the compared ones from before
 * the launch. */
bool simt_snapshot_is_there(const struct simt_snapshot *snapshot, const char *contents);
/* Writes its contents to memory, which now holds `before`. */
void simt_snapshot_put(const struct simt_snapshot *snapshot, const char *before);
bool simt_snapshot_has_pieces_of(const struct simt_snapshot *snapshot,
                                 const struct simt_snapshot *other);
bool simt_snapshot_meets(const struct simt_snapshot *snapshot, const char *address, size_t size);
void simt_snapshot_forget(struct simt_snapshot *snapshot);

#endif
/* SPDX-License-Identifier: MIT */
