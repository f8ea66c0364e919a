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
    } * pieces;
    void **regions; /* an address in each of the device's */
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
/* Whether it could not have changed since simt_memory_changes (memory.h) was so. */
bool simt_snapshot_is_untouched(const struct simt_snapshot *snapshot, uint64_t changes);
/* What is in its pieces now; memory can be read. */
char *simt_snapshot_look(const struct simt_snapshot *snapshot);
/* Whether that is this: its contents, or others that were there. */
bool simt_snapshot_is_there(const struct simt_snapshot *snapshot, const char *contents);
/* Its contents are there again, in place of these, which are. */
void simt_snapshot_put(const struct simt_snapshot *snapshot, const char *before);
bool simt_snapshot_has_pieces_of(const struct simt_snapshot *snapshot,
                                 const struct simt_snapshot *other);
bool simt_snapshot_meets(const struct simt_snapshot *snapshot, const char *address, size_t size);
void simt_snapshot_forget(struct simt_snapshot *snapshot);

#endif
