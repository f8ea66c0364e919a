/* Barriers with a number, mbarriers, bulk copies and tensor cores: what their files share. */
#ifndef SIMT_PTX_MACHINE_H
#define SIMT_PTX_MACHINE_H

#include "cuda/simt_ptx_runtime.h"
#include "machine/machine.h"

/* named.c: a thread has left the kernel. */
void simt_named_thread_exited(void);

/* mbarrier.c: at the end of a block, or of a launch that is given up. */
void simt_forget_barriers(struct simt_block *block);
struct simt_mbarrier *simt_mbarrier_at(const void *address, const char *what, const void *caller,
                                       const char *file, int line);
/* Bytes have been copied. */
void simt_mbarrier_bytes(struct simt_mbarrier *barrier, long bytes);
void simt_mbarrier_expect_arrival(void *address, const char *file, int line);
/* "phase 1, 4096 bytes missing" */
void simt_mbarrier_tell(const struct simt_mbarrier *barrier);
bool simt_mbarrier_is_awaited(const struct simt_mbarrier *barrier);

/* bulk.c: makes a copy that somebody waits for; false if there is none. */
bool simt_bulk_advance(void);
/* The running thread leaves the kernel: what it should have waited for. The block ends. */
void simt_bulk_thread_exited(void);
void simt_bulk_block_ended(void);
void simt_bulk_forget(struct simt_block *block);
/* Which copy that is under way reads there: its thread and its place. */
bool simt_bulk_reader(const void *address, unsigned int *thread, const void **caller);
/* Whose copy an agent made last, or which warp's product; it does. */
unsigned int simt_bulk_thread_of(unsigned int agent);
void simt_bulk_agent_is(unsigned int agent, unsigned int thread);

/* What a lane brings to tensor cores, on its stack. */
struct lane_matrix {
    enum { PRODUCT, LOAD, STORE, TRANSPOSE, WGMMA, WGMMA_FENCE, WGMMA_COMMIT, WGMMA_WAIT } what;
    unsigned int d, type_a, type_b, registers; /* a product's; `registers`: of A, or matrices */
    bool finite, transposed;
    char *row;
    simt_four a, b, c, result;
    const struct simt_wgmma_call *wgmma;
    void *const *sums;
    unsigned int groups;
};

/* wgmma.c: what a warp has started; and how many registers its threads have (0: not known). */
enum { SIMT_WGMMAS_KEPT = 4 };
struct simt_wgmmas {
    struct simt_wgmma *first, **last;          /* under way */
    struct simt_wgmma *done[SIMT_WGMMAS_KEPT]; /* of late, on different registers */
    unsigned int next_done;
    size_t group, started;
    bool fenced;
    /* Of the first of four warps: who has read their tiles (observer.h), and who knows of it. */
    unsigned int agent;
    struct simt_clock *ended;
    unsigned int most_registers;
    const char *registers_file; /* where that was said */
    int registers_line;
    const void *registers_caller;
};
struct simt_wgmmas *simt_wgmmas_of(unsigned int warp);
void simt_wgmma_do(const struct simt_thread *lanes, struct lane_matrix *const *mine);
/* The running thread leaves the kernel; the block has ended, or a launch is given up. */
void simt_wgmma_thread_exited(void);
void simt_wgmma_forget(struct simt_block *block);
/* Which product that is under way uses the register at this address: where it stands, or NULL; then
 * the access is remembered. Which one reads that shared memory. */
const void *simt_wgmma_register(unsigned int thread, uint64_t address, uint32_t place);
/* Whether the warp has made any such product. Of a thread of it: only here may such a register lie
 * that the next access, or an earlier one, is of interest to. */
bool simt_warp_has_wgmma(unsigned int warp);
struct simt_range simt_wgmma_registers(unsigned int thread);
bool simt_wgmma_reader(const void *address, unsigned int *thread, const void **caller);
/* registers.c */
void simt_registers_block_ended(void);
/* tensor_copies.c: the swizzle's span of the copy that was the last to make a tile there; false if
 * none is known. */
bool simt_tensor_span(const void *address, unsigned int *span);

/* tensor.c: what all lanes of a warp have brought. */
void simt_matrix_do(struct simt_thread *lanes, unsigned int together);
void simt_wmma_do(struct simt_thread *lanes, unsigned int together);
/* collectives.c: what a lane brings lies on its stack, at `matrix`. */
void simt_matrix_collective(enum simt_collective operation, uint64_t matrix, const void *caller,
                            const char *file, int line);

/* reports.c: where a helper in a header made the call: ", called from" the line of the .cu file. */
void simt_report_caller(const void *caller);

#endif
/* SPDX-License-Identifier: MIT */
