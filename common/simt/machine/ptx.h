/* Shared by the files for named barriers, mbarriers, bulk copies and tensor cores. */
#ifndef SIMT_PTX_MACHINE_H
#define SIMT_PTX_MACHINE_H

#include "cuda/simt_ptx_runtime.h"
#include "machine/machine.h"

/* named.c: a thread has left the kernel. */
void simt_named_thread_exited(void);

/* mbarrier.c: at the end of a block, or of an abandoned launch. */
void simt_forget_barriers(struct simt_block *block);
struct simt_mbarrier *simt_mbarrier_at(const void *address, const char *what, const void *caller,
                                       const char *file, int line);
/* Bytes have been copied. */
void simt_mbarrier_bytes(struct simt_mbarrier *barrier, long bytes);
void simt_mbarrier_expect_arrival(void *address, const char *file, int line);
/* "phase 1, 4096 bytes missing" */
void simt_mbarrier_tell(const struct simt_mbarrier *barrier);
bool simt_mbarrier_is_awaited(const struct simt_mbarrier *barrier);

/* bulk.c: makes a copy that a thread waits for; false if there is none. */
bool simt_bulk_advance(void);
/* The running thread leaves the kernel: checks its copies. The block ends. */
void simt_bulk_thread_exited(void);
void simt_bulk_block_ended(void);
void simt_bulk_forget(struct simt_block *block);
/* The pending copy that reads there: its thread and its place. */
bool simt_bulk_reader(const void *address, unsigned int *thread, const void **caller);
/* The thread whose copy, or whose warp's MMA, an agent made last; and sets it. */
unsigned int simt_bulk_thread_of(unsigned int agent);
void simt_bulk_agent_is(unsigned int agent, unsigned int thread);

/* A lane's arguments of a tensor core operation, on its stack. */
struct lane_matrix {
    enum { PRODUCT, LOAD, STORE, TRANSPOSE, WGMMA, WGMMA_FENCE, WGMMA_COMMIT, WGMMA_WAIT } what;
    unsigned int d, type_a, type_b, registers; /* of an MMA; `registers`: of A, or matrices */
    bool finite, transposed;
    char *row;
    simt_four a, b, c, result;
    const struct simt_wgmma_call *wgmma;
    void *const *sums;
    unsigned int groups;
};

/* wgmma.c: the operations that a warp has started; and its threads' registers (0: unknown). */
enum { SIMT_WGMMAS_KEPT = 4 };
struct simt_wgmmas {
    struct simt_wgmma *first, **last;          /* pending */
    struct simt_wgmma *done[SIMT_WGMMAS_KEPT]; /* the latest, on different registers */
    unsigned int next_done;
    size_t group, started;
    bool fenced;
    /* In the first of four warps: the reader of their tiles (observer.h), and what it knows. */
    unsigned int agent;
    struct simt_clock *ended;
    unsigned int most_registers;
    const char *registers_file; /* the place that set it */
    int registers_line;
    const void *registers_caller;
};
struct simt_wgmmas *simt_wgmmas_of(unsigned int warp);
void simt_wgmma_do(const struct simt_thread *lanes, struct lane_matrix *const *mine);
/* The running thread leaves the kernel; the block has ended, or a launch is abandoned. */
void simt_wgmma_thread_exited(void);
void simt_wgmma_forget(struct simt_block *block);
/* The place of the pending wgmma that uses the register at this address, or NULL; then stores the
 * access. And the pending wgmma that reads this shared memory. */
const void *simt_wgmma_register(unsigned int thread, uint64_t address, uint32_t place);
/* Whether the warp has used wgmma. For one of its threads: the range of addresses in which such
 * registers can be. Only accesses in this range need a check. */
bool simt_warp_has_wgmma(unsigned int warp);
struct simt_range simt_wgmma_registers(unsigned int thread);
bool simt_wgmma_reader(const void *address, unsigned int *thread, const void **caller);
/* registers.c */
void simt_registers_block_ended(void);
/* tensor_copies.c: the swizzle span of the last copy that made a tile there; false if unknown. */
bool simt_tensor_span(const void *address, unsigned int *span);

/* tensor.c: performs the operation of all lanes of a warp. */
void simt_matrix_do(struct simt_thread *lanes, unsigned int together);
void simt_wmma_do(struct simt_thread *lanes, unsigned int together);
/* collectives.c: the lane's arguments are on its stack, at `matrix`. */
void simt_matrix_collective(enum simt_collective operation, uint64_t matrix, const void *caller,
                            const char *file, int line);

/* reports.c: if a helper in a header made the call: ", called from" the line of the .cu file. */
void simt_report_caller(const void *caller);

#endif
/* SPDX-License-Identifier: MIT */
