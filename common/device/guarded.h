/* Arrays with guard margins, which reveal rungs that access memory outside the arrays. Inputs have
 * no margin after them: they end where the allocation ends. So a bounds checker (the simt back end,
 * a sanitizer) reports a read past the end even if it changes no result.
 *
 * All sizes here are in bytes. */
#ifndef RUNGS_GUARDED_H
#define RUNGS_GUARDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "device/back_end.h"

/* The sizes of the margins. MARGIN_BEFORE preserves the alignment of back_end->allocate. */
enum { MARGIN_BEFORE = 256, MARGIN_AFTER = 4096 };

struct guarded {
    size_t before; /* size of the margin before the array */
    size_t count;  /* size of the array */
    size_t total;  /* size of the margins and the array together */
    /* `total` bytes each: the host's copy, and the copy that rungs use. They are the same memory on
     * a back end with host_memory. */
    unsigned char *host;
    unsigned char *memory;
};

/* Allocates an array of `count` bytes that starts `offset` bytes past an aligned address, followed
 * by a margin of `after` bytes: 0 or MARGIN_AFTER. Code: EXIT_DEVICE_ERROR. */
bool guarded_create(struct guarded *array, size_t count, size_t offset, size_t after,
                    const struct back_end *back_end, struct error *error);
void guarded_destroy(struct guarded *array, const struct back_end *back_end);

/* The array's first byte in the host's copy, and in the copy that rungs use. */
void *guarded_host(const struct guarded *array);
void *guarded_memory(const struct guarded *array);

/* Copy the array and its margins from the host's copy to the rungs', and back. */
bool guarded_upload(const struct guarded *array, const struct back_end *back_end,
                    struct error *error);
bool guarded_download(const struct guarded *array, const struct back_end *back_end,
                      struct error *error);

/* Fill the host's copy with repeated `value`: the array and its margins, or only the margins. */
void guarded_fill(const struct guarded *array, float value);
void guarded_fill_margins(const struct guarded *array, float value);

/* Whether the margins of the host's copy still hold `value`. If not, *place is the first byte that
 * differs, relative to the array's first byte. */
bool guarded_margins_hold(const struct guarded *array, float value, ptrdiff_t *place);

/* Two different NaNs, which same_bits tells apart. guard_value fills the margins of inputs, so that
 * reading there makes the result NaN. poison_value fills outputs before a rung runs: its bytes of
 * 0xFF are also a NaN as double. */
float guard_value(void);
float poison_value(void);
bool same_bits(float a, float b);

#endif
/* SPDX-License-Identifier: MIT */
