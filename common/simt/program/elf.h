/* The symbols in the program's own file. */
#ifndef SIMT_ELF_H
#define SIMT_ELF_H

#include <stdbool.h>
#include <stddef.h>

struct simt_symbol {
    size_t offset, size; /* for a function, offset is its address in the file */
    const char *name;
    bool guard; /* the guard of a variable that has a constructor */
};

/* simt_rewrite adds a variable of this name after each thread_local variable: cc/simt_shared.c. */
#define SIMT_GAP_NAME "simt_gap_"

/* This text ends the second name of a variable, and the name of a function's other translation:
 * cc/simt_twice.c. */
#define SIMT_SECOND_NAME ".simt_"

/* thread_local variables, the gaps between them, functions, and variables in the program's data.
 * Each table is sorted by offset. */
struct simt_symbols {
    struct simt_symbol *variables, *gaps, *functions, *objects;
    size_t variable_count, gap_count, function_count, object_count;
};
extern struct simt_symbols simt_symbols;

/* Writes the path of the program's own file. */
void simt_program_path(char *path, size_t size);

/* Reads the symbols at the first call; later calls do nothing. */
void simt_symbols_read(void);
/* The last symbol that begins at or below the offset. */
const struct simt_symbol *simt_symbol_below(const struct simt_symbol *table, size_t count,
                                            size_t offset);

/* The function that begins at this address of the program; NULL if none is known. */
const struct simt_symbol *simt_symbol_of_function(const void *function);

/* The last identifier of a mangled name: _ZZ1kPfE5tiles gives tiles. */
void simt_plain_name(const char *mangled, char *name, size_t size);
/* The function that a mangled name is local to: _ZZ1kPfE5tiles gives k. "" if there is none. */
void simt_enclosing_function(const char *mangled, char *name, size_t size);

#endif
/* SPDX-License-Identifier: MIT */
