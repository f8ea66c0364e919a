/* What the fuzz targets share. A target is a source with LLVMFuzzerTestOneInput: libFuzzer calls it
 * (preset `fuzz`, common/scripts/check/fuzz.sh), or replay.c with the seeds alone. */
#ifndef RUNGS_FUZZ_H
#define RUNGS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program, with the text, unless what a function promises holds. */
void require(bool holds, const char *promise);

/* The error is one line with one of the codes. */
void require_error(const struct error *error, enum exit_code code, enum exit_code or_code);

/* The path of a regular file with these bytes, in memory; valid until the next call. */
const char *file_with(const uint8_t *data, size_t size);

#endif
/* SPDX-License-Identifier: MIT */
