/* Places in the program, and their source lines. */
#ifndef SIMT_SOURCE_H
#define SIMT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PATH_BYTES = 4096 };

/* A place: where a call returns to, in bytes from the start of the program. */
static inline uint32_t simt_place_of(const void *return_address)
{
    extern const char __executable_start[];
    return (uint32_t)((uintptr_t)return_address - (uintptr_t)__executable_start);
}

/* The source line of a place: the innermost line that is not the runtime's own. If that is not in a
 * .cu file, kernel_line is the line of the .cu file that called it. */
struct simt_source {
    const char *file, *function;
    int line;
    const char *kernel_file;
    int kernel_line;
};
const struct simt_source *simt_source_of(uint32_t place);
/* Looks up many places at once, which is faster. */
void simt_sources_load(const uint32_t *places, size_t count);
/* The text of a line, or NULL. simt_source_line() copies it without the leading white space. */
const char *simt_source_text(const char *path, int line);
bool simt_source_line(const char *path, int line, char *text, size_t size);

#endif
/* SPDX-License-Identifier: MIT */
