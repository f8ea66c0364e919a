/* Integer divisions with a GPU's results. For a division by zero, quotient and remainder have all
 * bits set, as in nvcc's code (PTX does not define it). The lowest number divided by -1 is itself.
 * x86 traps on both. (conversions.c does the other GPU-specific arithmetic.) */
#include <signal.h>
#include <string.h>

#include "machine/fault.h"
#include "observe/recorder.h"

#ifdef __x86_64__

#include "machine/instructions.h"

/* ---- instructions ---- */

const int simt_general[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                              REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                              REG_R12, REG_R13, REG_R14, REG_R15};

struct simt_operands simt_operands_of(const uint8_t *code, unsigned int rex,
                                      const greg_t *registers)
{
    unsigned int mode = code[0] >> 6, low = code[0] & 7;
    struct simt_operands found = {
        .reg = (code[0] >> 3 & 7) | (rex & 4) << 1, .other = -1, .length = 1};
    uint64_t address = 0;
    int32_t offset = 0;
    bool relative = mode == 0 && low == 5;
    if (mode == 3) {
        found.other = (int)(low | (rex & 1) << 3);
        return found;
    }
    if (low == 4) {
        unsigned int base = code[1] & 7, index = (code[1] >> 3 & 7) | (rex & 2) << 2;
        found.length++;
        if (mode == 0 && base == 5) {
            mode = 2;
        } else {
            address = (uint64_t)registers[simt_general[base | (rex & 1) << 3]];
        }
        if (index != 4) {
            address += (uint64_t)registers[simt_general[index]] << (code[1] >> 6);
        }
    } else if (relative) {
        mode = 2;
    } else {
        address = (uint64_t)registers[simt_general[low | (rex & 1) << 3]];
    }
    if (mode == 1) {
        offset = (int8_t)code[found.length];
        found.length++;
    } else if (mode == 2) {
        memcpy(&offset, code + found.length, sizeof offset);
        found.length += sizeof offset;
    }
    address += (uint64_t)(int64_t)offset;
    if (relative) {
        address += (uint64_t)(uintptr_t)(code + found.length);
    }
    found.memory = (const char *)(uintptr_t)address;
    return found;
}

/* ---- divisions ---- */

static struct sigaction previous_fpe, previous_trap;

/* div or idiv at `code`, with 32 or 64 bits; false for any other instruction. */
static bool divide(const uint8_t *code, greg_t *registers)
{
    size_t at = 0;
    unsigned int rex = (code[0] & 0xf0) == 0x40 ? code[at++] & 15u : 0, operation;
    bool wide = rex & 8;
    uint64_t mask = wide ? UINT64_MAX : UINT32_MAX, divisor = 0;
    struct simt_operands operands;
    if (code[at++] != 0xf7) {
        return false;
    }
    operation = code[at] >> 3 & 7;
    operands = simt_operands_of(code + at, rex, registers);
    if (operation != 6 && operation != 7) {
        return false;
    }
    if (operands.other >= 0) {
        divisor = (uint64_t)registers[simt_general[operands.other]] & mask;
    } else {
        memcpy(&divisor, operands.memory, wide ? 8 : 4);
    }
    if (divisor == 0) {
        registers[REG_RAX] = registers[REG_RDX] = (greg_t)mask;
    } else {
        registers[REG_RDX] = 0; /* the lowest by -1: the quotient is the dividend */
    }
    registers[REG_RIP] += (greg_t)(at + operands.length);
    return true;
}

static void on_trap(int number, siginfo_t *information, void *data)
{
    (void)number;
    (void)information;
    if (!simt_conversion_traps(&((ucontext_t *)data)->uc_mcontext)) {
        sigaction(SIGTRAP, &previous_trap, NULL);
        raise(SIGTRAP);
    }
}

static void on_division(int number, siginfo_t *information, void *data)
{
    greg_t *registers = ((ucontext_t *)data)->uc_mcontext.gregs;
    (void)number;
    (void)information;
    if (!simt_in_kernel() || !divide((const uint8_t *)(uintptr_t)registers[REG_RIP], registers)) {
        sigaction(SIGFPE, &previous_fpe, NULL); /* the instruction traps again */
    }
}

void simt_arithmetic_install(void)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    action.sa_sigaction = on_division;
    sigaction(SIGFPE, &action, &previous_fpe);
    action.sa_sigaction = on_trap;
    sigaction(SIGTRAP, &action, &previous_trap);
}

#else /* other machines do not trap */

void simt_arithmetic_install(void)
{
}

#endif
/* SPDX-License-Identifier: MIT */
