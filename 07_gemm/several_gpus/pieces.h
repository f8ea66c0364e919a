/* Step 07, several GPUs: which pieces of A and B a GPU needs, where they are in its memory, and
 * what it multiplies. All of it follows from `shares` (several_gpus/placement.h), and nothing is
 * copied here. */
#ifndef RUNGS_07_PIECES_H
#define RUNGS_07_PIECES_H

#include "problem/gemm/gemm.h"

/* Rows in a GPU's memory begin at multiples of so many elements. */
size_t rounded_up(size_t elements);

/* Where a piece of C's rows or columns begins; of the piece after the last, their number. */
size_t first_row(int piece);
size_t first_column(int piece);

/* An element's bytes; the address so many elements on. */
size_t size_of_element(void);
void *elements_on(void *memory, size_t elements);

/* Elements from row to row of a piece of B; rows of a slot. */
size_t leading_of_b(int piece);
size_t rows_of_slot(void);

/* The pieces that a GPU needs, by their numbers: `across` of A and `down` of B. Number 0 is its
 * own; the others follow in a ring, so that at a time each GPU is asked by one. */
int piece_of_a(int gpu, int i);
int piece_of_b(int gpu, int i);

/* The GPU that has the piece before a call, where the piece is on a GPU, and its size. */
int owner_of_a(int piece);
int owner_of_b(int piece);
void *address_of_a(int gpu, int piece);
void *address_of_b(int gpu, int piece);
size_t elements_of_a(int piece);
size_t elements_of_b(int piece);

/* The same of slots (B_BY_ROWS): each GPU has its own, and needs all. */
void *address_of_slot(int gpu, int slot);
size_t elements_of_slot(void);

/* What a GPU multiplies, in its own memory: its rows by all of B; a piece of A by one of B. */
struct gemm product_with_b(int gpu);
struct gemm product_of_pieces(int gpu, int a, int b);

/* What comes from other GPUs to the one that gets most, in bytes. */
size_t bytes_received(void);

#endif
/* SPDX-License-Identifier: MIT */
