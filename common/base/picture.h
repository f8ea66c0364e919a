/* Images for step 08: reads and writes PNG files, and knows some filters by name.
 *
 * An RGB image becomes a batch of three images of one channel, so that a filter is applied to each
 * colour by itself. Values are 0 to 255, gamma-encoded as in the file, as most image editors'
 * filters expect; transparency is dropped. PNG needs libpng at build time. */
#ifndef RUNGS_PICTURE_H
#define RUNGS_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/npy.h"
#include "base/whole_file.h"

/* Reads a PNG file, of any colour type and bit depth, into *array: 3 x 1 x height x width, float32.
 * npy_free releases it. Code: EXIT_FILE_ERROR. */
bool picture_read(const char *path, struct npy *array, struct error *error);

/* Writes colours[3][height][width] as an RGB PNG with 8 bits per channel, and commits the file.
 * Values are rounded and clamped to 0 to 255. On failure the caller discards the file. Code:
 * EXIT_FILE_ERROR. */
bool picture_write(struct whole_file *file, const float *colours, size_t height, size_t width,
                   struct error *error);

/* Sets *array to a filter, 1 x 1 x height x width, float32: one of the built-in "sharpen", "blur",
 * "edges" and "emboss", or the contents of a .npy file with two dimensions, float32 or float64. */
bool picture_filter(const char *name, struct npy *array, struct error *error);

#endif
/* SPDX-License-Identifier: MIT */
