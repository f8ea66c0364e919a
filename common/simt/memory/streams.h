/* The operations that the host requests (launches, copies, fills), and their order.
 *
 * Operations of one stream run in order. Across streams, only three things order operations. The
 * host waits before it goes on. A stream waits for an event. The default stream waits for all other
 * streams of its device, and they wait for it (except for cudaStreamNonBlocking). The emulator runs
 * everything in the order of the calls. The check asks whether two operations on the same memory
 * are ordered. */
#ifndef SIMT_STREAMS_H
#define SIMT_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Rows of bytes; height 0: empty. */
struct simt_piece {
    uint64_t address;
    size_t pitch, width, height;
};

struct simt_operation {
    struct simt_operation *next; /* the one before, if still pending */
    uint64_t number;             /* over all streams, from 1 */
    uint64_t turn;               /* its number in its stream */
    size_t timeline;
    const char *name; /* of the kernel, or of the CUDA function */
    const char *file; /* the source file of a launch; else NULL */
    int line;
    bool early;         /* may start before the previous launch in its stream ends */
    const void *caller; /* for any other call: a return address */
    struct simt_piece to, from;
    const char *verb; /* how it uses the first piece, if it does not write it */
    /* The data it writes, valid while it begins: rows of bytes, or elements of `element` bytes that
     * all have this value. If neither is set, the data is unknown. */
    const unsigned char *source;
    size_t source_pitch;
    unsigned int value, element;
    char wrong_way[320]; /* the error in its pointers; "": none */
};

/* The progress of an event: the operations done before it. */
struct simt_progress {
    size_t count;
    uint64_t *turns;
};

/* `stream` is a handle. A new stream and the default streams belong to the current device. A
 * destroyed stream still completes its pending operations. */
void simt_stream_begins(const void *stream, bool blocking);
void simt_stream_ends(const void *stream);
void simt_streams_reset(int device);
bool simt_stream_is_default(const void *stream);

/* The host requests an operation. It stays known until the host waits for it. */
struct simt_operation *simt_operation_begin(const void *stream, const char *name);
void simt_stream_record(const void *stream, struct simt_progress *event);
void simt_stream_waits(const void *stream, const struct simt_progress *event);
/* The default streams of two devices wait for each other. */
void simt_devices_meet(int device, int other);
/* The host waits for a stream, an event or a device. */
void simt_host_waits(const void *stream);
void simt_host_waits_for_event(const struct simt_progress *event);
void simt_host_waits_for_device(int device);

/* The latest operation, linked to all earlier pending ones; the number of the first of these;
 * whether they belong to more than one stream. */
const struct simt_operation *simt_operations(void);
uint64_t simt_operations_first(void);
bool simt_operations_of_several(void);
/* Whether nothing orders `earlier` before the latest operation. */
bool simt_operation_unordered(const struct simt_operation *earlier);
/* The operation with this number, if it is known. */
const struct simt_operation *simt_operation_find(uint64_t number);
/* Whether a piece contains any of these bytes. */
bool simt_piece_has(const struct simt_piece *piece, uint64_t address, size_t size);
bool simt_pieces_meet(const struct simt_piece *a, const struct simt_piece *b);
void simt_operation_tell(FILE *file, const struct simt_operation *operation);

#endif
/* SPDX-License-Identifier: MIT */
