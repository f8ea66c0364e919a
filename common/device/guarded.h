/* An array with margins, which show when a rung reads or writes outside it. Inputs have none behind:
 * they end where their memory ends, so that whatever watches the bounds of memory (the simt back
 * end, a sanitizer) sees a read past them, even one that changes no result.
 *
 * All sizes here are bytes. */
#ifndef RUNGS_GUARDED_H
#define RUNGS_GUARDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "device/back_end.h"

/* The margins. The first keeps the alignment that back_end->allocate gives. */
enum { MARGIN_BEFORE = 256, MARGIN_AFTER = 4096 };

struct guarded {
    size_t before;       /* the margin before the array */
    size_t count;        /* the array */
    size_t total;        /* margins and array */
    unsigned char *host; /* `total` each; one and the same on a back end with host memory */
    unsigned char *memory;
};

/* Room for `count` bytes, the first of them `offset` past an aligned address, and `after` more: 0 or
 * MARGIN_AFTER. Code: EXIT_DEVICE_ERROR. */
bool guarded_create(struct guarded *array, size_t count, size_t offset, size_t after,
                    const struct back_end *back_end, struct error *error);
void guarded_destroy(struct guarded *array, const struct back_end *back_end);

/* The array's first byte, on the host and for rungs. */
void *guarded_host(const struct guarded *array);
void *guarded_memory(const struct guarded *array);

/* The whole array with its margins, from the host's copy to the back end's and back. */
bool guarded_upload(const struct guarded *array, const struct back_end *back_end,
                    struct error *error);
bool guarded_download(const struct guarded *array, const struct back_end *back_end,
                      struct error *error);

/* `value`, over and over, over the host's copy: array and margins, or the margins only. */
void guarded_fill(const struct guarded *array, float value);
void guarded_fill_margins(const struct guarded *array, float value);

/* Do the margins of the host's copy still hold `value`? If not, *place is the first byte that does
 * not, counted from the array's first. */
bool guarded_margins_hold(const struct guarded *array, float value, ptrdiff_t *place);

/* Two different NaNs, told apart by same_bits: what lies around the inputs, so that an element read
 * there shows in the result, and what poison() fills outputs with (bytes 0xFF, which is a double's
 * NaN, too). */
float guard_value(void);
float poison_value(void);
bool same_bits(float a, float b);

#endif
