/* The symbols in the program's own file. */
#ifndef SIMT_ELF_H
#define SIMT_ELF_H

#include <stdbool.h>
#include <stddef.h>

struct simt_symbol {
    size_t offset, size; /* of a function: its address in the file */
    const char *name;
    bool guard; /* of a variable with a constructor */
};

/* What simt_rewrite puts behind thread_local variables: cc/simt_shared.c. */
#define SIMT_GAP_NAME "simt_gap_"

/* What is behind a second name of a variable, or the name of a function's other translation:
 * cc/simt_twice.c. */
#define SIMT_SECOND_NAME ".simt_"

/* thread_local variables, the gaps between them, functions, and variables in the program's data; by
 * offset. */
struct simt_symbols {
    struct simt_symbol *variables, *gaps, *functions, *objects;
    size_t variable_count, gap_count, function_count, object_count;
};
extern struct simt_symbols simt_symbols;

/* The program's own file. */
void simt_program_path(char *path, size_t size);

/* Once. */
void simt_symbols_read(void);
/* The last one that begins at or below the offset. */
const struct simt_symbol *simt_symbol_below(const struct simt_symbol *table, size_t count,
                                            size_t offset);

/* The function that begins at this address of the program; NULL if none is known. */
const struct simt_symbol *simt_symbol_of_function(const void *function);

/* The last identifier of a mangled name: of _ZZ1kPfE5tiles, tiles. */
void simt_plain_name(const char *mangled, char *name, size_t size);
/* Whose local variable a mangled name is: of _ZZ1kPfE5tiles, k; "" if no function's. */
void simt_enclosing_function(const char *mangled, char *name, size_t size);

#endif
/* SPDX-License-Identifier: MIT */
