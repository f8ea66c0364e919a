/* Reads NumPy's .npy files, so that users can run rungs on their own vectors and images.
 *
 * The format is specified in NEP 1, "A simple file format for NumPy arrays", and numpy.lib.format.
 * A file consists of
 *     6 bytes        \x93NUMPY
 *     2 bytes        version, major then minor: 1.0, 2.0 or 3.0
 *     2 or 4 bytes   length of the header, little-endian (4 bytes from version 2.0 on)
 *     header         a Python dictionary:
 *                    {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
 *     data           the elements; only C order (last index fastest) is accepted here
 */
#ifndef RUNGS_NPY_H
#define RUNGS_NPY_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { NPY_MAX_DIMENSIONS = 4, NPY_ALIGNMENT = 64 };

enum npy_type {
    NPY_FLOAT16, /* '<f2': half.h */
    NPY_FLOAT32, /* '<f4': float */
    NPY_FLOAT64, /* '<f8': double */
    NPY_BOOL,    /* '|b1': one byte per element, 0 or 1 */
    NPY_UINT8    /* '|u1': unsigned char */
};

struct npy {
    enum npy_type type;
    size_t dimensions;                /* 0 (a scalar) to 4 */
    size_t shape[NPY_MAX_DIMENSIONS]; /* elements along each dimension, slowest first; unused: 0 */
    size_t count;                     /* product of the shape: 1 for a scalar; may be 0 */
    void *data; /* count elements, 64-byte aligned; never NULL after a success */
};

/* Reads the whole array at `path` into newly allocated memory, which npy_free releases. On failure
 * returns false, fills *error with one line that names the path, and leaves *array zeroed (npy_free
 * is then harmless). Codes: EXIT_FILE_ERROR for everything about the file, EXIT_DEVICE_ERROR if
 * memory runs out. Memory is allocated only after the file's length has been checked against its
 * header, so a forged header costs nothing. Only regular files are read. */
bool npy_read(const char *path, struct npy *array, struct error *error);

/* Releases the data and zeroes *array. A zeroed struct and NULL are fine. */
void npy_free(struct npy *array);

/* Bytes per element: 2, 4, 8, 1, 1. */
size_t npy_element_size(enum npy_type type);

/* NumPy's name for the type: "float16", "float32", "float64", "bool", "uint8". */
const char *npy_type_name(enum npy_type type);

#endif
/* SPDX-License-Identifier: MIT */
