/* Atomics on 16-bit numbers, pairs of them, and vectors: each number is changed separately, in one
 * request. Subnormal floats count as 0, subnormal halves do not. */
#include <stdio.h>
#include <string.h>

#include "base/exit.h"
#include "base/worker.h"
#include "cuda/simt_ptx_runtime.h"
#include "machine/bulk.h"
#include "machine/hooks.h"
#include "machine/ptx.h"
#include "machine/reports.h"
#include "machine/schedule.h"

enum { MOST_BYTES = 16 };

static unsigned int ptx_type_of(enum simt_type type)
{
    return type == SIMT_FLOAT16    ? SIMT_PTX_F16
           : type == SIMT_BFLOAT16 ? SIMT_PTX_BF16
           : type == SIMT_FLOAT32  ? SIMT_PTX_F32
                                   : SIMT_PTX_U16;
}

static void change(enum simt_atomic operation, enum simt_type type, unsigned char *numbers,
                   const void *operands, const void *compared, unsigned int bytes)
{
    const unsigned int each = type == SIMT_FLOAT32 ? 4 : 2;
    if (operation == SIMT_ATOMIC_COMPARE) {
        if (memcmp(numbers, compared, bytes) == 0) {
            memcpy(numbers, operands, bytes);
        }
        return;
    }
    for (unsigned int i = 0; i < bytes; i += each) {
        uint64_t old = 0, operand = 0;
        memcpy(&old, numbers + i, each);
        memcpy(&operand, (const char *)operands + i, each);
        old = type == SIMT_FLOAT32
                  ? simt_ptx_real(SIMT_PTX_ADD, SIMT_PTX_F32, m_rn | m_ftz, old, operand, 0)
                  : simt_combined(operation, ptx_type_of(type), old, operand);
        memcpy(numbers + i, &old, each);
    }
}

void simt_atomic_numbers(enum simt_atomic asked, enum simt_type type, unsigned int bytes,
                         void *address, void *numbers, const void *compared, const char *file,
                         int line)
{
    const enum simt_atomic operation = asked & ~SIMT_ATOMIC_OF_BLOCK;
    unsigned char old[MOST_BYTES], changed[MOST_BYTES];
    uint64_t first = 0, operand = 0;
    bool is_new;
    if (simt_is_worker && simt_is_of_all_blocks(address)) {
        simt_worker_gives_up();
    }
    if ((uintptr_t)address % bytes != 0) {
        simt_report_place();
        fprintf(stderr, ": atomic on the misaligned address %p at %s:%d", address, file, line);
        simt_report_caller(__builtin_return_address(0));
        fputs("\n", stderr);
        simt_exit();
    }
    if (simt_shuffled) {
        simt_atomic_point(file, line, NULL);
    }
    simt_counts.atomics++;
    if (simt_tracing) {
        simt_trace_event(EVENT_ATOMIC, __builtin_return_address(0), (uintptr_t)address,
                         bytes | (asked & SIMT_ATOMIC_OF_BLOCK ? EVENT_OF_BLOCK : 0));
    }
    memcpy(old, address, bytes);
    memcpy(changed, old, bytes);
    change(operation, type, changed, numbers, compared, bytes);
    memcpy(address, changed, bytes);
    is_new = memcmp(old, changed, bytes) != 0 ||
             (operation == SIMT_ATOMIC_COMPARE && memcmp(old, compared, bytes) == 0);
    memcpy(&first, old, bytes < sizeof first ? bytes : sizeof first);
    memcpy(&operand, numbers, bytes < sizeof operand ? bytes : sizeof operand);
    simt_atomic_done(address, first, is_new, operation == SIMT_ATOMIC_COMPARE,
                     operand * 31 + operation, file, line);
    memcpy(numbers, old, bytes);
}
/* SPDX-License-Identifier: MIT */
