/* Included before everything else in the sources of simt_rewrite. It redirects their calls of the C
 * library to rewriter.c. The program reads a file, writes one and exits; with this header, the fuzz
 * target can call it many times. */
#ifndef RUNGS_REWRITER_WORLD_H
#define RUNGS_REWRITER_WORLD_H

#include <stdio.h>
#include <stdlib.h>

int rewrite_main(int count, char **arguments);

extern FILE *world_messages;
FILE *world_fopen(const char *path, const char *mode);
int world_rename(const char *from, const char *to);
int world_remove(const char *path);
void world_exit(int status) __attribute__((noreturn));
void *world_malloc(size_t size);
void *world_calloc(size_t count, size_t size);
void *world_realloc(void *memory, size_t size);
void world_free(void *memory);

#define main rewrite_main
#undef stderr
#define stderr world_messages
#define fopen world_fopen
#define rename world_rename
#define remove world_remove
#define exit world_exit
#define malloc world_malloc
#define calloc world_calloc
#define realloc world_realloc
#define free world_free

#endif
/* SPDX-License-Identifier: MIT */
