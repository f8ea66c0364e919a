/* Barriers and fences: bar, barrier, mbarrier, fence, membar, griddepcontrol. */
#include <stdlib.h>
#include <string.h>

#include "cc/simt_ptx.h"

/* Each part that is in `words` adds a flag, a part in `ignored` none; false at any other part. */
static bool read_parts(const struct ptx_instruction *instruction, size_t first, const char *words,
                       const char *ignored, struct text *flags)
{
    append_string(flags, "0");
    for (size_t i = first; i < instruction->part_count; i++) {
        const char *part = instruction->parts[i];
        if (ptx_is_among(words, part)) {
            ptx_print(flags, " | ::simt::ptx::m_%s", part);
        } else if (!ptx_is_among(ignored, part)) {
            return false;
        }
    }
    return true;
}

/* ---- barriers of the block ---- */

/* bar.sync a{, b}; bar.arrive a, b; bar.red.popc.u32 d, a{, b}, c; bar.warp.sync mask; */
static void emit_bar(struct ptx *ptx, struct ptx_instruction *instruction)
{
    struct text *out = &ptx->body;
    char **operands = instruction->operands;
    size_t count = instruction->operand_count;
    bool reduces = ptx_has(instruction, "red"), arrives = ptx_has(instruction, "arrive");
    bool predicate = reduces && ptx_has(instruction, "pred");
    if (ptx_has(instruction, "warp")) {
        if (count != 1 || !ptx_has(instruction, "sync") || instruction->part_count != 3) {
            ptx_refuse(ptx, "%s", instruction->opcode);
            return;
        }
        append_string(out, "__syncwarp(");
        ptx_source(ptx, out, operands[0], 32, "b32");
        append_string(out, "); ");
        return;
    }
    for (size_t i = 1; i < instruction->part_count; i++) {
        if (!ptx_is_among(" cta sync red arrive aligned popc and or u32 pred ",
                          instruction->parts[i])) {
            ptx_refuse(ptx, "%s", instruction->opcode);
            return;
        }
    }
    if ((!reduces && !arrives && !ptx_has(instruction, "sync")) ||
        (reduces && !ptx_has(instruction, "popc") && !predicate) ||
        count < (reduces ? 3u : 1u) + arrives || count > (reduces ? 4u : 2u)) {
        ptx_refuse(ptx, "%s with %zu operands", instruction->opcode, count);
        return;
    }
    if (reduces) {
        ptx_destination(ptx, out, *operands++, predicate ? PTX_PREDICATE : 32, false);
        append_string(out, " = ");
        count--;
    }
    ptx_print(out, "::simt::ptx::barrier_%s(",
              arrives                       ? "arrive"
              : !reduces                    ? "sync"
              : !predicate                  ? "count"
              : ptx_has(instruction, "and") ? "and"
                                            : "or");
    ptx_source(ptx, out, operands[0], 32, "u32");
    append_string(out, ", ");
    if (count - reduces == 2) {
        ptx_source(ptx, out, operands[1], 32, "u32");
    } else {
        append_string(out, "0u");
    }
    if (reduces) {
        append_string(out, ", ");
        ptx_source(ptx, out, operands[count - 1], PTX_PREDICATE, "pred");
    }
    append_string(out, "); ");
}

/* ---- fences ---- */

static bool emit_fence(struct ptx *ptx, struct ptx_instruction *instruction)
{
    static const struct {
        const char *opcode, *call;
    } fences[] = {
        {"membar.cta", "__threadfence_block()"},
        {"membar.gl", "__threadfence()"},
        {"membar.sys", "__threadfence_system()"},
        {"fence.cta", "__threadfence_block()"},
        {"fence.gpu", "__threadfence()"},
        {"fence.sys", "__threadfence_system()"},
        {"fence.sc.cta", "__threadfence_block()"},
        {"fence.sc.gpu", "__threadfence()"},
        {"fence.sc.sys", "__threadfence_system()"},
        {"fence.cluster", "__threadfence()"},
        {"fence.sc.cluster", "__threadfence()"},
        {"fence.acq_rel.cluster", "__threadfence()"},
        {"fence.acq_rel.cta", "__threadfence_block()"},
        {"fence.acquire.cta", "__threadfence_block()"},
        {"fence.acquire.cluster", "__threadfence()"},
        {"fence.acquire.gpu", "__threadfence()"},
        {"fence.acquire.sys", "__threadfence_system()"},
        {"fence.release.cta", "__threadfence_block()"},
        {"fence.release.cluster", "__threadfence()"},
        {"fence.release.gpu", "__threadfence()"},
        {"fence.release.sys", "__threadfence_system()"},
        {"fence.acquire.sync_restrict::shared::cluster.cluster", "__threadfence()"},
        {"fence.release.sync_restrict::shared::cta.cluster", "__threadfence()"},
        {"fence.acq_rel.gpu", "__threadfence()"},
        {"fence.acq_rel.sys", "__threadfence_system()"},
        {"fence.proxy.async", "::simt::ptx::fence_proxy_async()"},
        {"fence.proxy.async.shared::cta", "::simt::ptx::fence_proxy_async()"},
        {"fence.proxy.async.shared::cluster", "::simt::ptx::fence_proxy_async()"},
        {"fence.proxy.async.global", "::simt::ptx::fence_proxy_async()"},
        {"fence.mbarrier_init.release.cluster", "::simt::ptx::fence_mbarrier_init()"},
        {"griddepcontrol.launch_dependents", "static_cast<void>(0)"},
        {"griddepcontrol.wait", "cudaGridDependencySynchronize()"},
    };
    for (size_t i = 0; i < sizeof fences / sizeof *fences; i++) {
        if (strcmp(instruction->opcode, fences[i].opcode) == 0 && instruction->operand_count == 0) {
            ptx_print(&ptx->body, "%s; ", fences[i].call);
            return true;
        }
    }
    return false;
}

/* ---- mbarrier ---- */

static bool append_barrier(struct ptx *ptx, struct text *out, struct ptx_instruction *instruction,
                           char *operand)
{
    bool shared = ptx_has(instruction, "shared") || ptx_has(instruction, "shared::cta");
    char *rest;
    ptx_print(out, "::simt::ptx::at_%s(",
              shared                                    ? "shared"
              : ptx_has(instruction, "shared::cluster") ? "cluster"
                                                        : "generic");
    if (!ptx_address(ptx, out, operand, &rest)) {
        return false;
    }
    append_string(out, ")");
    return true;
}

static const char ORDERS[] =
    " release acquire relaxed cta cluster shared shared::cta shared::cluster b64 ";

/* init [a], count; inval [a]; expect_tx [a], bytes; complete_tx [a], bytes; */
static void emit_simple(struct ptx *ptx, struct ptx_instruction *instruction)
{
    bool has_count = strcmp(instruction->parts[1], "inval") != 0;
    struct text flags = {NULL, 0, 0}, *out = &ptx->body;
    if (!read_parts(instruction, 2, " ", ORDERS, &flags) ||
        instruction->operand_count != 1u + has_count) {
        ptx_refuse(ptx, "%s", instruction->opcode);
    } else {
        ptx_print(out, "::simt::ptx::mbarrier_%s(", instruction->parts[1]);
        append_barrier(ptx, out, instruction, instruction->operands[0]);
        if (has_count) {
            append_string(out, ", ");
            ptx_source(ptx, out, instruction->operands[1], 32, "u32");
        }
        append_string(out, "); ");
    }
    free(flags.bytes);
}

/* arrive{.expect_tx} state, [a]{, count}; also arrive_drop. */
static void emit_arrival(struct ptx *ptx, struct ptx_instruction *instruction)
{
    bool expects = ptx_has(instruction, "expect_tx"),
         no_complete = ptx_has(instruction, "noComplete");
    char **operands = instruction->operands;
    size_t count = instruction->operand_count;
    struct text flags = {NULL, 0, 0}, *out = &ptx->body;
    bool has_result = count > 0 && *operands[0] != '[';
    if (!read_parts(instruction, 2, " relaxed noComplete ",
                    " release expect_tx cta cluster shared shared::cta shared::cluster b64 ",
                    &flags) ||
        count - has_result < 1u + (expects || no_complete) || count - has_result > 2) {
        ptx_refuse(ptx, "%s with %zu operands", instruction->opcode, count);
        free(flags.bytes);
        return;
    }
    if (strcmp(instruction->parts[1], "arrive_drop") == 0) {
        append_string(&flags, " | ::simt::ptx::m_drop");
    }
    if (has_result) {
        ptx_destination(ptx, out, *operands++, 64, false);
        append_string(out, " = ");
        count--;
    }
    ptx_print(out, "::simt::ptx::mbarrier_arrive<%s>(", flags.bytes);
    append_barrier(ptx, out, instruction, operands[0]);
    append_string(out, expects ? ", 1u, " : ", ");
    if (count == 2) {
        ptx_source(ptx, out, operands[1], 32, "u32");
    } else {
        append_string(out, "1u");
    }
    append_string(out, expects ? "); " : ", 0u); ");
    free(flags.bytes);
}

/* try_wait{.parity} p, [a], state{, time}; test_wait */
static void emit_wait(struct ptx *ptx, struct ptx_instruction *instruction)
{
    bool tries = strcmp(instruction->parts[1], "try_wait") == 0;
    bool parity = ptx_has(instruction, "parity");
    struct text flags = {NULL, 0, 0}, *out = &ptx->body;
    size_t count = instruction->operand_count;
    if (!read_parts(instruction, 2, " parity relaxed ",
                    " acquire cta cluster shared shared::cta b64 ", &flags) ||
        count < 3 || count > 3u + tries) {
        ptx_refuse(ptx, "%s with %zu operands", instruction->opcode, count);
    } else {
        ptx_destination(ptx, out, instruction->operands[0], PTX_PREDICATE, false);
        ptx_print(out, " = ::simt::ptx::mbarrier_%s<%s>(", instruction->parts[1], flags.bytes);
        append_barrier(ptx, out, instruction, instruction->operands[1]);
        append_string(out, ", ");
        ptx_source(ptx, out, instruction->operands[2], parity ? 32 : 64, "u32");
        append_string(out, "); ");
    }
    free(flags.bytes);
}

static void emit_mbarrier(struct ptx *ptx, struct ptx_instruction *instruction)
{
    const char *what = instruction->part_count > 2 ? instruction->parts[1] : "";
    if (ptx_is_among(" init inval expect_tx complete_tx ", what)) {
        emit_simple(ptx, instruction);
    } else if (ptx_is_among(" arrive arrive_drop ", what)) {
        emit_arrival(ptx, instruction);
    } else if (ptx_is_among(" test_wait try_wait ", what)) {
        emit_wait(ptx, instruction);
    } else if (strcmp(instruction->opcode, "mbarrier.pending_count.b64") == 0 &&
               instruction->operand_count == 2) {
        ptx_destination(ptx, &ptx->body, instruction->operands[0], 32, false);
        append_string(&ptx->body, " = ::simt::ptx::mbarrier_pending_count(");
        ptx_source(ptx, &ptx->body, instruction->operands[1], 64, "b64");
        append_string(&ptx->body, "); ");
    } else {
        ptx_refuse(ptx, "%s", instruction->opcode);
    }
}

/* setmaxnreg.inc.sync.aligned.u32 n; */
static void emit_registers(struct ptx *ptx, struct ptx_instruction *instruction)
{
    if ((strcmp(instruction->opcode, "setmaxnreg.inc.sync.aligned.u32") != 0 &&
         strcmp(instruction->opcode, "setmaxnreg.dec.sync.aligned.u32") != 0) ||
        instruction->operand_count != 1) {
        ptx_refuse(ptx, "%s", instruction->opcode);
        return;
    }
    append_string(&ptx->body, "::simt::ptx::set_registers(");
    ptx_source(ptx, &ptx->body, instruction->operands[0], 32, "u32");
    ptx_print(&ptx->body, ", %s); ", ptx_has(instruction, "inc") ? "true" : "false");
}

/* barrier.cluster.arrive{.release, .relaxed}{.aligned}; barrier.cluster.wait{.acquire}... */
static void emit_cluster(struct ptx *ptx, struct ptx_instruction *instruction)
{
    bool arrives = instruction->part_count > 2 && strcmp(instruction->parts[2], "arrive") == 0;
    bool waits = instruction->part_count > 2 && strcmp(instruction->parts[2], "wait") == 0;
    for (size_t i = 3; i < instruction->part_count; i++) {
        arrives = arrives && ptx_is_among(" release relaxed aligned ", instruction->parts[i]);
        waits = waits && ptx_is_among(" acquire aligned ", instruction->parts[i]);
    }
    if ((!arrives && !waits) || instruction->operand_count != 0) {
        ptx_refuse(ptx, "%s", instruction->opcode);
    } else if (waits) {
        append_string(&ptx->body, "::simt::ptx::cluster_wait(); ");
    } else {
        ptx_print(&ptx->body, "::simt::ptx::cluster_arrive(%s); ",
                  ptx_has(instruction, "relaxed") ? "true" : "false");
    }
}

bool ptx_emit_barrier(struct ptx *ptx, struct ptx_instruction *instruction)
{
    const char *name = instruction->parts[0];
    if (strcmp(name, "barrier") == 0 && ptx_has(instruction, "cluster")) {
        emit_cluster(ptx, instruction);
    } else if (strcmp(name, "bar") == 0 || strcmp(name, "barrier") == 0) {
        emit_bar(ptx, instruction);
    } else if (strcmp(name, "mbarrier") == 0) {
        emit_mbarrier(ptx, instruction);
    } else if (strcmp(name, "setmaxnreg") == 0) {
        emit_registers(ptx, instruction);
    } else {
        return emit_fence(ptx, instruction);
    }
    return true;
}
/* SPDX-License-Identifier: MIT */
