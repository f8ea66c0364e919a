/* Checks of a piece, of at most 16 bytes, of a bulk copy that a thread starts. */
#ifndef SIMT_BULK_CHECKS_H
#define SIMT_BULK_CHECKS_H

#include <stdbool.h>
#include <stdint.h>

#include "observe/observer.h"

/* False if it does not lie in memory, which has been told. */
bool simt_check_bulk_read(uint64_t address, unsigned int size, unsigned int thread,
                          unsigned int site);
bool simt_check_bulk_write(uint64_t address, unsigned int size, unsigned int thread,
                           unsigned int site, enum simt_bulk_way way);
/* So many bytes behind a tensor's row are written, too. */
void simt_check_bulk_beyond(unsigned int bytes, unsigned int thread, unsigned int site,
                            enum simt_bulk_way way);
void simt_check_bulk_barrier(uint64_t address, unsigned int thread, unsigned int site);
/* 16 bytes that wgmma reads, from now on; that it has read. Whether a bulk copy has written
 * there. */
void simt_check_wgmma_read(uint64_t address, unsigned int thread, unsigned int site);
void simt_check_wgmma_was_read(uint64_t address, uint32_t tag, unsigned int site);
bool simt_check_bulk_wrote(uint64_t address);
/* Whether anybody has written any of 16 bytes of shared memory, or a copy is about to. */
bool simt_check_wgmma_finds(uint64_t address);
/* It has been read; and written, by whom the tag names. */
void simt_check_bulk_was_read(uint64_t address, unsigned int size);
void simt_check_bulk_written(uint64_t address, unsigned int size, uint32_t tag, unsigned int site);
void simt_check_bulk_reduced(uint64_t address, unsigned int size, uint32_t tag, unsigned int site);
/* A copy that the thread starts goes by a tensor map there. */
void simt_check_map_read(uint64_t address, unsigned int size, unsigned int thread,
                         unsigned int site);

#endif
/* SPDX-License-Identifier: MIT */
