/* Pictures for step 08: PNG files in and out, and filters by name.
 *
 * A picture's colours, red, green and blue, are three pictures of one channel, so that each is
 * filtered by itself. Values are those of the file, 0 to 255, as they are stored (not linear in
 * light), as other programs' filters take them; transparency is dropped. PNG needs libpng at build
 * time. */
#ifndef RUNGS_PICTURE_H
#define RUNGS_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/npy.h"

/* Reads a PNG file of any kind into *array: 3 x 1 x height x width, float32. Code:
 * EXIT_FILE_ERROR. */
bool picture_read(const char *path, struct npy *array, struct error *error);

/* Writes colours[3][height][width] as an RGB PNG of 8 bits, rounded and clamped to 0 to 255. Code:
 * EXIT_FILE_ERROR. */
bool picture_write(const char *path, const float *colours, size_t height, size_t width,
                   struct error *error);

/* A filter, 1 x 1 x height x width, by the name "sharpen", "blur", "edges" or "emboss", or from a
 * .npy file with two dimensions, float32 or float64. */
bool picture_filter(const char *name, struct npy *array, struct error *error);

#endif
