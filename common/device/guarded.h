/* An array of floats with margins, which show when a rung reads or writes outside it. Inputs have
 * none behind: they end where their memory ends, so that whatever watches the bounds of memory (the
 * simt back end, a sanitizer) sees a read past them, even one that changes no result. */
#ifndef RUNGS_GUARDED_H
#define RUNGS_GUARDED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "device/back_end.h"

/* Elements of the margins. The first keeps the alignment that back_end->allocate gives. */
enum { MARGIN_BEFORE = 64, MARGIN_AFTER = 1024 };

struct guarded {
    size_t before; /* elements of the margin before the array */
    size_t count;  /* elements of the array */
    size_t total;  /* margins and array */
    float *host;   /* total elements each; one and the same on a back end with host memory */
    float *memory;
};

/* Room for rows * leading elements, the first of them `offset` elements past an aligned address,
 * and `after` more: 0 or MARGIN_AFTER. */
bool guarded_create(struct guarded *array, size_t rows, size_t leading, size_t offset, size_t after,
                    const struct back_end *back_end, struct error *error);
void guarded_destroy(struct guarded *array, const struct back_end *back_end);

/* The array's first element, on the host and for rungs. */
float *guarded_host(const struct guarded *array);
float *guarded_memory(const struct guarded *array);

/* The whole array with its margins, from the host's copy to the back end's and back. */
bool guarded_upload(const struct guarded *array, const struct back_end *back_end,
                    struct error *error);
bool guarded_download(const struct guarded *array, const struct back_end *back_end,
                      struct error *error);

/* `value` over the host's copy, margins included. */
void guarded_fill(const struct guarded *array, float value);

/* Do the margins of the host's copy still hold `value`? If not, *place is the index of the first
 * element that does not, counted from the array's first element. */
bool guarded_margins_hold(const struct guarded *array, float value, ptrdiff_t *place);

/* Two different NaNs, told apart by same_bits: what lies around the inputs, so that an element read
 * there shows in the result, and what poison() fills outputs with (bytes 0xFF). */
float guard_value(void);
float poison_value(void);
bool same_bits(float a, float b);

#endif
