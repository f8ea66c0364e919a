/* Atomic operations. One OS thread runs all blocks, so plain reads and writes are atomic. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/exit.h"
#include "base/need.h"
#include "base/worker.h"
#include "cuda/simt_ptx_runtime.h"
#include "machine/hooks.h"
#include "machine/reports.h"
#include "machine/schedule.h"
#include "observe/part.h"

#define COMPUTE_INTEGER(name, T, wide)                                                             \
    static wide name(enum simt_atomic operation, wide old_bits, wide operand_bits,                 \
                     wide compare_bits)                                                            \
    {                                                                                              \
        T old = (T)old_bits, operand = (T)operand_bits;                                            \
        switch (operation) {                                                                       \
        case SIMT_ATOMIC_ADD:                                                                      \
            return old_bits + operand_bits;                                                        \
        case SIMT_ATOMIC_SUB:                                                                      \
            return old_bits - operand_bits;                                                        \
        case SIMT_ATOMIC_EXCHANGE:                                                                 \
            return operand_bits;                                                                   \
        case SIMT_ATOMIC_MIN:                                                                      \
            return operand < old ? operand_bits : old_bits;                                        \
        case SIMT_ATOMIC_MAX:                                                                      \
            return operand > old ? operand_bits : old_bits;                                        \
        case SIMT_ATOMIC_INC:                                                                      \
            return old_bits >= operand_bits ? 0 : old_bits + 1;                                    \
        case SIMT_ATOMIC_DEC:                                                                      \
            return old_bits == 0 || old_bits > operand_bits ? operand_bits : old_bits - 1;         \
        case SIMT_ATOMIC_COMPARE:                                                                  \
            return old_bits == compare_bits ? operand_bits : old_bits;                             \
        case SIMT_ATOMIC_AND:                                                                      \
            return old_bits & operand_bits;                                                        \
        case SIMT_ATOMIC_OR:                                                                       \
            return old_bits | operand_bits;                                                        \
        default:                                                                                   \
            return old_bits ^ operand_bits;                                                        \
        }                                                                                          \
    }

COMPUTE_INTEGER(compute_int32, int32_t, uint32_t)
COMPUTE_INTEGER(compute_uint32, uint32_t, uint32_t)
COMPUTE_INTEGER(compute_int64, int64_t, uint64_t)
COMPUTE_INTEGER(compute_uint64, uint64_t, uint64_t)

static bool is_subnormal(float x)
{
    return fpclassify(x) == FP_SUBNORMAL;
}

/* CUDA only adds and exchanges floating-point numbers. In shared memory, subnormal numbers keep
 * their values; elsewhere they count as 0. */
static uint64_t compute_float(enum simt_atomic operation, uint64_t old, uint64_t operand,
                              const void *address)
{
    float a, b, sum;
    uint32_t bits = (uint32_t)old, other = (uint32_t)operand;
    if (operation == SIMT_ATOMIC_EXCHANGE) {
        return operand;
    }
    memcpy(&a, &bits, sizeof a);
    memcpy(&b, &other, sizeof b);
    sum = a + b;
    if (!isnan(sum) && !is_subnormal(a) && !is_subnormal(b) && !is_subnormal(sum)) {
        memcpy(&bits, &sum, sizeof sum);
        return bits;
    }
    return simt_ptx_real(SIMT_PTX_ADD, SIMT_PTX_F32, simt_in_shared(address) ? m_rn : m_rn | m_ftz,
                         old, operand, 0);
}

static uint64_t compute_double(enum simt_atomic operation, uint64_t old, uint64_t operand)
{
    double a, b;
    if (operation == SIMT_ATOMIC_EXCHANGE) {
        return operand;
    }
    memcpy(&a, &old, sizeof a);
    memcpy(&b, &operand, sizeof b);
    a += b;
    memcpy(&old, &a, sizeof a);
    return old;
}

static uint64_t compute(enum simt_atomic operation, enum simt_type type, uint64_t old,
                        uint64_t operand, uint64_t compare, const void *address)
{
    switch (type) {
    case SIMT_INT32:
        return compute_int32(operation, (uint32_t)old, (uint32_t)operand, (uint32_t)compare);
    case SIMT_UINT32:
        return compute_uint32(operation, (uint32_t)old, (uint32_t)operand, (uint32_t)compare);
    case SIMT_INT64:
        return compute_int64(operation, old, operand, compare);
    case SIMT_UINT64:
        return compute_uint64(operation, old, operand, compare);
    case SIMT_UINT8:
        return (uint8_t)compute_uint32(operation, (uint32_t)old, (uint32_t)operand,
                                       (uint32_t)compare);
    case SIMT_UINT16:
        return (uint16_t)compute_uint32(operation, (uint32_t)old, (uint32_t)operand,
                                        (uint32_t)compare);
    case SIMT_FLOAT32:
        return compute_float(operation, old, operand, address);
    default:
        return compute_double(operation, old, operand);
    }
}

/* ---- in a worker process ---- */

/* In a worker: changes of device memory that must be repeated in the main process, because earlier
 * blocks may have changed the same word. The worker does not know that value. */
struct change {
    uint64_t address, operand;
    enum simt_atomic operation;
    enum simt_type type;
};
static struct change *changes;
static size_t change_count, change_capacity;

static void note_change(const struct change *change)
{
    changes = simt_with_room(changes, change_count, &change_capacity, sizeof *changes, "atomics");
    changes[change_count++] = *change;
}

void simt_atomics_part_ends(struct simt_part *part)
{
    simt_part_put(part, &change_count, sizeof change_count);
    simt_part_put(part, changes, change_count * sizeof *changes);
}

static unsigned int size_of(enum simt_type type)
{
    const bool wide = type == SIMT_INT64 || type == SIMT_UINT64 || type == SIMT_FLOAT64;
    return wide ? 8 : type == SIMT_UINT8 ? 1 : type == SIMT_UINT16 ? 2 : 4;
}

static uint64_t change_memory(void *address, enum simt_atomic operation, enum simt_type type,
                              uint64_t operand, uint64_t compare, uint64_t *changed)
{
    const unsigned int size = size_of(type);
    uint64_t old = 0;
    if (size == 8) { /* constant sizes, so that each becomes one instruction */
        memcpy(&old, address, 8);
        *changed = compute(operation, type, old, operand, compare, address);
        memcpy(address, changed, 8);
    } else if (size == 4) {
        memcpy(&old, address, 4);
        *changed = compute(operation, type, old, operand, compare, address);
        memcpy(address, changed, 4);
    } else {
        memcpy(&old, address, size);
        *changed = compute(operation, type, old, operand, compare, address);
        memcpy(address, changed, size);
    }
    return old;
}

void simt_atomics_part_take(struct simt_part *part, bool apply)
{
    size_t count;
    simt_part_get(part, &count, sizeof count);
    for (size_t i = 0; i < count; i++) {
        struct change change;
        uint64_t changed;
        simt_part_get(part, &change, sizeof change);
        if (apply) {
            change_memory((void *)(uintptr_t)change.address, change.operation, change.type,
                          change.operand, 0, &changed);
        }
    }
}

/* ---- atomics ---- */

static uint64_t make(const void *caller, enum simt_atomic asked, enum simt_type type, void *address,
                     uint64_t operand, uint64_t compare, const char *file, int line)
{
    enum simt_atomic operation = asked & ~SIMT_ATOMIC_OF_BLOCK;
    const unsigned int size = size_of(type);
    uint64_t old, new;
    if ((uintptr_t)address % size != 0) {
        simt_report_place();
        fprintf(stderr, ": atomic on the misaligned address %p at %s:%d\n", address, file, line);
        simt_exit();
    }
    if (simt_shuffled) {
        simt_atomic_point(file, line, NULL);
    }
    simt_counts.atomics++;
    if (simt_tracing) {
        simt_trace_event(EVENT_ATOMIC, caller, (uintptr_t)address,
                         size | (asked & SIMT_ATOMIC_OF_BLOCK ? EVENT_OF_BLOCK : 0));
    }
    old = change_memory(address, operation, type, operand, compare, &new);
    /* Locks: a failed compare, or an exchange that found the value it wrote. */
    simt_atomic_done(address, old,
                     new != old || (operation == SIMT_ATOMIC_COMPARE && old == compare),
                     operation == SIMT_ATOMIC_COMPARE || operation == SIMT_ATOMIC_EXCHANGE,
                     operand * 31 + operation, file, line);
    return old;
}

uint64_t simt_atomic(enum simt_atomic asked, enum simt_type type, void *address, uint64_t operand,
                     uint64_t compare, const char *file, int line)
{
    return simt_atomic_by(__builtin_return_address(0), asked, type, address, operand, compare, file,
                          line);
}

void simt_atomic_do(enum simt_atomic asked, enum simt_type type, void *address, uint64_t operand,
                    const char *file, int line)
{
    const bool is_noted = simt_is_worker && simt_is_of_all_blocks(address);
    if (is_noted) {
        note_change(
            &(struct change){(uintptr_t)address, operand, asked & ~SIMT_ATOMIC_OF_BLOCK, type});
    }
    simt_current->atomic_old =
        make(__builtin_return_address(0), asked, type, address, operand, 0, file, line);
    simt_current->atomic_is_noted = is_noted;
}

uint64_t simt_atomic_old(void)
{
    if (simt_current->atomic_is_noted) {
        simt_only_in_order();
    }
    return simt_current->atomic_old;
}

uint64_t simt_atomic_by(const void *caller, enum simt_atomic asked, enum simt_type type,
                        void *address, uint64_t operand, uint64_t compare, const char *file,
                        int line)
{
    if (simt_is_worker && simt_is_of_all_blocks(address)) {
        simt_worker_gives_up();
    }
    return make(caller, asked, type, address, operand, compare, file, line);
}
/* SPDX-License-Identifier: MIT */
