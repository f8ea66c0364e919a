/* Barriers with a number, mbarriers, bulk copies and tensor cores: what their files share. */
#ifndef SIMT_PTX_MACHINE_H
#define SIMT_PTX_MACHINE_H

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
bool simt_bulk_reader(uint64_t address, unsigned int *thread, const void **caller);
/* Whose copy an agent made last. */
unsigned int simt_bulk_thread_of(unsigned int agent);

/* tensor.c: what all lanes of a warp have brought. */
void simt_matrix_do(struct simt_thread *lanes, unsigned int together);
/* collectives.c: what a lane brings lies on its stack, at `matrix`. */
void simt_matrix_collective(uint64_t matrix, const void *caller, const char *file, int line);

/* reports.c: where a helper in a header made the call: ", called from" the line of the .cu file. */
void simt_report_caller(const void *caller);

#endif
