/* x86-64 instructions that the runtime performs instead of the processor. */
#ifndef SIMT_INSTRUCTIONS_H
#define SIMT_INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* The operands of an instruction with a ModRM byte. */
struct simt_operands {
    int reg;            /* a register's number */
    int other;          /* the other's number, or -1: memory */
    const char *memory; /* its address */
    size_t length;      /* of the ModRM byte and what belongs to it */
};
extern const int simt_general[16]; /* its register's index in a context */
/* `code`: the ModRM byte; `rex`: the bits W, R, X and B. */
struct simt_operands simt_operands_of(const uint8_t *code, unsigned int rex,
                                      const greg_t *registers);

/* After a step or at a breakpoint: whether it belongs to a conversion. */
bool simt_conversion_traps(mcontext_t *context);

#endif
/* SPDX-License-Identifier: MIT */
