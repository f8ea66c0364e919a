/* The features that the CPU back end lacks, by the names that programs use for them. */
#ifndef SIMT_UNAVAILABLE_H
#define SIMT_UNAVAILABLE_H

#include <stdbool.h>
#include <stddef.h>

/* The feature that a header (as named in #include, or its path) belongs to; NULL for any other
 * header. `found`: the header exists, but may be usable with nvcc only. */
const char *simt_unavailable_header(const char *header, bool found);

/* The feature that a word of a program stands for; NULL for any other word. `called`: whether "("
 * or "<" follows. */
const char *simt_unavailable_word(const char *word, size_t length, bool called);

#endif
/* SPDX-License-Identifier: MIT */
