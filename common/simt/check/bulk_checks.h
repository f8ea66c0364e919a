/* Checks of a piece (at most 16 bytes) of a bulk copy that a thread starts. */
#ifndef SIMT_BULK_CHECKS_H
#define SIMT_BULK_CHECKS_H

#include <stdbool.h>
#include <stdint.h>

#include "observe/observer.h"

/* False if the piece is not in memory; this is then reported. */
bool simt_check_bulk_read(uint64_t address, unsigned int size, unsigned int thread,
                          unsigned int site);
bool simt_check_bulk_write(uint64_t address, unsigned int size, unsigned int thread,
                           unsigned int site, enum simt_bulk_way way);
/* The copy also writes this number of bytes past the end of a tensor's row. */
void simt_check_bulk_beyond(unsigned int bytes, unsigned int thread, unsigned int site,
                            enum simt_bulk_way way);
void simt_check_bulk_barrier(uint64_t address, unsigned int thread, unsigned int site);
/* wgmma starts to read 16 bytes; it has read them. Whether a bulk copy has written there. */
void simt_check_wgmma_read(uint64_t address, unsigned int thread, unsigned int site);
void simt_check_wgmma_was_read(uint64_t address, uint32_t tag, unsigned int site);
bool simt_check_bulk_wrote(uint64_t address);
/* Whether any of 16 bytes of shared memory has been written, or a copy will write it. */
bool simt_check_wgmma_finds(uint64_t address);
/* The copy has read the piece; or has written it, as the writer in the tag. */
void simt_check_bulk_was_read(uint64_t address, unsigned int size);
void simt_check_bulk_written(uint64_t address, unsigned int size, uint32_t tag, unsigned int site);
void simt_check_bulk_reduced(uint64_t address, unsigned int size, uint32_t tag, unsigned int site);
/* The thread starts a copy that uses the tensor map at this address. */
void simt_check_map_read(uint64_t address, unsigned int size, unsigned int thread,
                         unsigned int site);

#endif
/* SPDX-License-Identifier: MIT */
