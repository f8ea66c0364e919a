/* Functions that the fuzz targets share. A target is a source with LLVMFuzzerTestOneInput, which
 * libFuzzer calls (preset `fuzz`, common/scripts/check/fuzz.sh), or replay.c with the seeds. */
#ifndef RUNGS_FUZZ_H
#define RUNGS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program with the text `promise` unless `holds` is true. */
void require(bool holds, const char *promise);

/* Requires that the error is one line with one of the codes. */
void require_error(const struct error *error, enum exit_code code, enum exit_code or_code);

/* The path of a regular file in memory with these bytes. It is valid until the next call. */
const char *file_with(const uint8_t *data, size_t size);

#endif
/* SPDX-License-Identifier: MIT */
