/* Step 07, several GPUs: which pieces of A and B a GPU needs, where they are in its memory, and
 * what it multiplies. All of it follows from `shares` (several_gpus/placement.h), and nothing is
 * copied here. */
#ifndef RUNGS_07_PIECES_H
#define RUNGS_07_PIECES_H

#include "problem/gemm/gemm.h"

/* Rounds up, because rows in a GPU's memory begin at multiples of a granule of elements. */
size_t rounded_up(size_t elements);

/* Where a piece of C's rows or columns begins. The piece after the last begins at their number. */
size_t first_row(int piece);
size_t first_column(int piece);

/* The bytes of an element; the address that lies `elements` elements after `memory`. */
size_t size_of_element(void);
void *elements_on(void *memory, size_t elements);

/* Elements from one row of a piece of B to the next; the number of rows of a slot. */
size_t leading_of_b(int piece);
size_t rows_of_slot(void);

/* The numbers of the pieces that a GPU needs, `across` of A and `down` of B. With i = 0, it is its
 * own. The others follow in a ring, so at any time only one GPU copies from each GPU. */
int piece_of_a(int gpu, int i);
int piece_of_b(int gpu, int i);

/* The GPU that has a piece before a call; the piece's address on a GPU; its size. */
int owner_of_a(int piece);
int owner_of_b(int piece);
void *address_of_a(int gpu, int piece);
void *address_of_b(int gpu, int piece);
size_t elements_of_a(int piece);
size_t elements_of_b(int piece);

/* The same for slots (B_BY_ROWS). Each GPU has its own slot and needs all. */
void *address_of_slot(int gpu, int slot);
size_t elements_of_slot(void);

/* What a GPU multiplies, in its own memory: its rows by all of B; a piece of A by one of B. */
struct gemm product_with_b(int gpu);
struct gemm product_of_pieces(int gpu, int a, int b);

/* The bytes that come from other GPUs to the GPU that receives most. */
size_t bytes_received(void);

#endif
/* SPDX-License-Identifier: MIT */
