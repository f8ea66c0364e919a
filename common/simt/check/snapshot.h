/* What was in the memory that a launch has used, when it ended. */
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
        unsigned int region; /* that it lies in; or UINT_MAX: in none of them */
        bool stays;          /* simt_snapshot_compare */
    } * pieces;
    struct simt_snapshot_region {
        void *address;  /* in a region of the device's */
        bool untouched; /* simt_snapshot_since */
        bool stays;     /* all of its pieces */
    } * regions;
    size_t region_count;
    size_t bytes;
    char *contents; /* all of them, one behind the other */
    bool rewrites;  /* a row is read and written, or changed by an atomic */
    bool unseen;    /* the host can write some of it directly */
};
/* Of what has been used so far (used.h); no more is noted. Memory can be read. False, and nothing
 * is kept: it is more than `most` bytes, or in memory of which nothing tells when it is no more. */
bool simt_snapshot_take(struct simt_snapshot *snapshot, size_t most);
/* The same of all memory that a launch of the current device could use. */
bool simt_snapshot_take_all(struct simt_snapshot *snapshot, size_t most);
/* What was there before: which pieces are now as they were. */
void simt_snapshot_compare(struct simt_snapshot *snapshot, const char *before);
/* What could have changed since its contents were there, when simt_memory_changes (memory.h) was
 * so: whether nothing could. */
bool simt_snapshot_since(struct simt_snapshot *snapshot, uint64_t changes);
/* That can be read, or no more. */
void simt_snapshot_open(const struct simt_snapshot *snapshot, bool open);
/* What is in its pieces now; memory can be read. */
char *simt_snapshot_look(const struct simt_snapshot *snapshot);
/* Behind simt_snapshot_since: whether there are its contents, or those that were there before,
 * which have been compared. */
bool simt_snapshot_is_there(const struct simt_snapshot *snapshot, const char *contents);
/* Its contents are there again, in place of these, which are. */
void simt_snapshot_put(const struct simt_snapshot *snapshot, const char *before);
bool simt_snapshot_has_pieces_of(const struct simt_snapshot *snapshot,
                                 const struct simt_snapshot *other);
bool simt_snapshot_meets(const struct simt_snapshot *snapshot, const char *address, size_t size);
void simt_snapshot_forget(struct simt_snapshot *snapshot);

#endif
/* SPDX-License-Identifier: MIT */
