/* Translates inline PTX: asm statements of device code become C++ that calls cuda/simt_ptx.h. */
#ifndef SIMT_CC_PTX_H
#define SIMT_CC_PTX_H

#include <stdbool.h>
#include <stddef.h>

#include "cc/simt_tokens.h"

enum { PTX_OPERANDS = 300, PTX_PARTS = 24 };

/* ---- simt_ptx_asm.c: the asm statement ---- */

/* An operand of the statement: "=r"(x). */
struct ptx_binding {
    size_t open, close; /* the tokens of its parentheses */
    char letter;        /* of its constraint: r l h f d n C */
    bool output, input;
    size_t tied; /* the output that it shares a register with, or NONE */
    const char *name;
    size_t name_length;
    char *literal; /* of a "C" operand */
    bool used;     /* by an instruction */
    bool in_place; /* an output that wgmma writes later or that no instruction writes: left alone */
    bool scratch;  /* an input that an instruction writes: the change stays inside the statement */
};

/* The statement that is being translated. */
struct ptx {
    /* The statement's text (its literals joined), and each character's position in the source. */
    struct text text;
    size_t *where;
    unsigned int number; /* of the statement: makes its labels unique and replaces %= */
    struct ptx_binding bindings[PTX_OPERANDS];
    size_t binding_count;
    bool memory; /* among the clobbers */
    bool in_macro, in_cccl;
    bool failed;
    /* The C++ so far: declarations, then statements. */
    struct text declarations, body;
    size_t at; /* the position in the text of the instruction that is being translated */
    bool uses_carry;
};

/* If an asm statement begins at `token`, translates it. ptx_patch() then replaces its parts. */
void ptx_translate(size_t token);
/* Frees everything and resets the state. */
void forget_ptx(void);
/* If tokens from this one on are replaced: writes the replacement and returns how many tokens it
 * replaces. Else 0. */
size_t ptx_patch(struct text *out, size_t token, size_t *copied);

/* Reports "not available on the CPU back end: PTX: ..." at the place that is being translated. */
__attribute__((format(printf, 2, 3))) void ptx_refuse(struct ptx *ptx, const char *format, ...);
__attribute__((format(printf, 2, 3))) void ptx_print(struct text *out, const char *format, ...);

/* ---- simt_ptx_text.c: PTX as text ---- */

void ptx_forget_labels(void);

/* An instruction: the parts of its name, and its operands as written. */
struct ptx_instruction {
    char opcode[256];
    char *parts[PTX_PARTS]; /* they point into a copy of the opcode */
    size_t part_count;
    char storage[256];
    char *operands[PTX_OPERANDS];
    size_t operand_count;
};

void ptx_translate_text(struct ptx *ptx);
/* Whether one of the parts after the name is this one. */
bool ptx_has(const struct ptx_instruction *instruction, const char *part);

/* Whether `words`, a list separated by spaces, contains the word. */
bool ptx_is_among(const char *words, const char *word);

/* ---- simt_ptx_operands.c: operands as C++ ---- */

enum { PTX_PREDICATE = 1, PTX_IMMEDIATE = 0 };
void ptx_declare(struct ptx *ptx, const char *directive);
void ptx_open_scope(void);
void ptx_close_scope(struct ptx *ptx);
void ptx_forget_registers(void);
/* Appends a source of `bits` bits (1: a predicate) as an expression. A number is read as `type`. */
bool ptx_source(struct ptx *ptx, struct text *out, const char *operand, unsigned int bits,
                const char *type);
/* Whether it is a predicate that the PTX text has declared. */
bool ptx_is_predicate(const char *operand);
/* Appends a variable for the result; false if there is none. `wider`: it may have more bits. "_"
 * gets a variable of its own. */
bool ptx_destination(struct ptx *ptx, struct text *out, const char *operand, unsigned int bits,
                     bool wider);
/* Appends "&x" for a 32-bit register that is an output of the statement and is written later. */
bool ptx_register_address(struct ptx *ptx, struct text *out, const char *operand);
/* Splits "{a, b}" into its parts, each ended by a zero byte. Any other operand is its only part. */
size_t ptx_elements(struct ptx *ptx, char *operand, char **elements, size_t most);
/* The inside of "[a+4]" or "[a, b]": appends the address as a 64-bit expression and sets `rest` to
 * what follows the first comma (or NULL). */
bool ptx_address(struct ptx *ptx, struct text *out, char *operand, char **rest);
/* "p|q": cuts the operand in two; the second may be NULL. */
void ptx_pair(char *operand, char **first, char **second);

/* ---- simt_ptx_table.c: instructions ---- */

struct ptx_type {
    const char *name;
    unsigned int bits;
};
const struct ptx_type *ptx_type(const char *name);
void ptx_emit(struct ptx *ptx, struct ptx_instruction *instruction);

/* ---- simt_ptx_memory.c and the rest; false: another file handles the instruction ---- */

bool ptx_emit_memory(struct ptx *ptx, struct ptx_instruction *instruction);
bool ptx_emit_lanes(struct ptx *ptx, struct ptx_instruction *instruction);
bool ptx_emit_barrier(struct ptx *ptx, struct ptx_instruction *instruction);
bool ptx_emit_copy(struct ptx *ptx, struct ptx_instruction *instruction);
bool ptx_emit_async(struct ptx *ptx, struct ptx_instruction *instruction);
bool ptx_emit_map(struct ptx *ptx, struct ptx_instruction *instruction);
/* Whether this atomic operation is known for this type. */
bool ptx_is_atomic(const char *operation, const char *type);
bool ptx_emit_matrix(struct ptx *ptx, struct ptx_instruction *instruction);
bool ptx_emit_wgmma(struct ptx *ptx, struct ptx_instruction *instruction);

/* ---- simt_ptx_copies.c, simt_ptx_tensors.c: asynchronous copies ---- */

void ptx_emit_tensor(struct ptx *ptx, struct ptx_instruction *instruction);
void ptx_emit_tensor_reduction(struct ptx *ptx, struct ptx_instruction *instruction);
/* Appends "at_SPACE(address)" for an operand in brackets. */
void ptx_append_pointer(struct ptx *ptx, const char *space, char *operand);
/* Whether all parts from number `first` on are among the words. */
bool ptx_has_only(const struct ptx_instruction *instruction, size_t first, const char *words);
/* The space of a copy's destination and barrier; "cluster" allows another block's. */
const char *ptx_target_space(const struct ptx_instruction *instruction, size_t part);
/* Appends ", mask" for a copy to several blocks, else ", 0". */
void ptx_append_mask(struct ptx *ptx, const struct ptx_instruction *instruction, bool several,
                     size_t operand);

#endif
/* SPDX-License-Identifier: MIT */
