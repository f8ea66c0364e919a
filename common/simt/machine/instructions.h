/* Instructions of x86-64 that are done here in place of the processor. */
#ifndef SIMT_INSTRUCTIONS_H
#define SIMT_INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* Of one with a ModRM byte: what it works on. */
struct simt_operands {
    int reg;            /* a register's number */
    int other;          /* the other's, or -1: memory */
    const char *memory; /* its address */
    size_t length;      /* of the ModRM byte and what belongs to it */
};
extern const int simt_general[16]; /* where a register is among those of a context */
/* `code`: the ModRM byte; `rex`: the bits W, R, X and B. */
struct simt_operands simt_operands_of(const uint8_t *code, unsigned int rex,
                                      const greg_t *registers);

/* A step, or a breakpoint: whether it is one of a conversion's. */
bool simt_conversion_traps(mcontext_t *context);

#endif
/* SPDX-License-Identifier: MIT */
