/* What the host has asked for: launches, copies, fills; and which of it is ordered before which.
 *
 * Operations of one stream are done one after the other. Across streams nothing is ordered but
 * what the host has waited for before it went on; what an event orders; and, unless a stream was
 * created not to (cudaStreamNonBlocking), what the default stream orders: it waits for all others
 * of its device, and they for it. Here all is done in the order of the calls, whatever the
 * streams; so the check is whether two operations that touch the same memory are ordered. */
#ifndef SIMT_STREAMS_H
#define SIMT_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Rows of bytes; height 0: nothing. */
struct simt_piece {
    uint64_t address;
    size_t pitch, width, height;
};

struct simt_operation {
    struct simt_operation *next; /* the one before, if the host has not waited for it */
    uint64_t number;             /* of all, from 1 */
    uint64_t turn;               /* in its stream */
    size_t timeline;
    const char *name; /* of the kernel, or of CUDA's function */
    const char *file; /* of a launch: where it stands; else NULL */
    int line;
    bool early;         /* it may begin before the launch before it in its stream has ended */
    const void *caller; /* of any other call: a return address */
    struct simt_piece to, from;
    const char *verb; /* what it does to the first, if it does not write there */
    /* What it writes there, valid while it begins: rows of bytes, or elements of so many bytes that
     * all have this value; neither: not known. */
    const unsigned char *source;
    size_t source_pitch;
    unsigned int value, element;
    char wrong_way[320]; /* what is wrong with its pointers; "": nothing */
};

/* How far an event has come: what was done before it. */
struct simt_progress {
    size_t count;
    uint64_t *turns;
};

/* Handles; a new one's stream is of the current device, and so are the default streams. What a
 * stream has not done yet is done when it is destroyed, too. */
void simt_stream_begins(const void *stream, bool blocking);
void simt_stream_ends(const void *stream);
void simt_streams_reset(int device);
bool simt_stream_is_default(const void *stream);

/* The host asks for an operation. It stays known until the host waits for it. */
struct simt_operation *simt_operation_begin(const void *stream, const char *name);
void simt_stream_record(const void *stream, struct simt_progress *event);
void simt_stream_waits(const void *stream, const struct simt_progress *event);
/* The default streams of two devices wait for each other. */
void simt_devices_meet(int device, int other);
/* The host waits: for a stream, an event, a device. */
void simt_host_waits(const void *stream);
void simt_host_waits_for_event(const struct simt_progress *event);
void simt_host_waits_for_device(int device);

/* The latest of them, and before it all that the host has not waited for; the first of these; and
 * whether they are of more than one stream. */
const struct simt_operation *simt_operations(void);
uint64_t simt_operations_first(void);
bool simt_operations_of_several(void);
/* Whether nothing orders one before the latest. */
bool simt_operation_unordered(const struct simt_operation *earlier);
/* The same of the launch with this number, if it is known. */
const struct simt_operation *simt_operation_find(uint64_t number);
/* Whether a piece has any of these bytes. */
bool simt_piece_has(const struct simt_piece *piece, uint64_t address, size_t size);
bool simt_pieces_meet(const struct simt_piece *a, const struct simt_piece *b);
/* "kernel NAME (launched at FILE:LINE)", or "NAME() at FILE:LINE". */
void simt_operation_tell(FILE *file, const struct simt_operation *operation);

#endif
/* SPDX-License-Identifier: MIT */
