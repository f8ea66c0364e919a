#include "several_gpus/pieces.h"

#include "several_gpus/placement.h"

/* ---- pieces ---------------------------------------------------------------------------------- */

/* At least 64 bytes, so the rows of pieces are aligned for the TMA. */
enum { GRANULE = 32 };

size_t rounded_up(size_t elements)
{
    return (elements + GRANULE - 1) / GRANULE * GRANULE;
}

/* Where a piece of `all` rows or columns begins. The piece after the last begins at `all`. */
static size_t first_of(size_t all, int piece)
{
    const size_t granules = rounded_up(all) / GRANULE;
    const size_t first = granules * (size_t)piece / (size_t)shares.call.gpus * GRANULE;

    return first < all ? first : all;
}

size_t first_row(int piece)
{
    return first_of(shares.call.m, piece);
}

size_t first_column(int piece)
{
    return first_of(shares.call.n, piece);
}

int piece_of_a(int gpu, int i)
{
    const int row = gpu / shares.across, column = gpu % shares.across;

    return row * shares.across + (column + i) % shares.across;
}

int piece_of_b(int gpu, int i)
{
    const int row = gpu / shares.across, column = gpu % shares.across;

    return column * shares.down + (row + i) % shares.down;
}

int owner_of_a(int piece)
{
    return piece;
}

int owner_of_b(int piece)
{
    return piece % shares.down * shares.across + piece / shares.down;
}

/* ---- addresses ------------------------------------------------------------------------------- */

size_t size_of_element(void)
{
    return gemm_element_size(shares.call.type);
}

void *elements_on(void *memory, size_t elements)
{
    return (char *)memory + elements * size_of_element();
}

/* Pieces of A are stored below each other, as rows of one matrix. */
void *address_of_a(int gpu, int piece)
{
    const struct share *const share = &shares.of[gpu];

    return elements_on(share->a, (first_row(piece) - share->row) * rounded_up(shares.call.k));
}

size_t elements_of_a(int piece)
{
    return (first_row(piece + 1) - first_row(piece)) * rounded_up(shares.call.k);
}

size_t leading_of_b(int piece)
{
    return rounded_up(first_column(piece + 1) - first_column(piece));
}

/* Pieces of B are stored one after the other, each as a matrix with k rows. */
void *address_of_b(int gpu, int piece)
{
    const struct share *const share = &shares.of[gpu];

    return elements_on(share->b, shares.call.k * (first_column(piece) - share->column));
}

size_t elements_of_b(int piece)
{
    return shares.call.k * leading_of_b(piece);
}

size_t rows_of_slot(void)
{
    const size_t gpus = (size_t)shares.call.gpus;

    return (shares.call.k + gpus - 1) / gpus;
}

size_t elements_of_slot(void)
{
    return rows_of_slot() * rounded_up(shares.call.n);
}

void *address_of_slot(int gpu, int slot)
{
    return elements_on(shares.of[gpu].b, (size_t)slot * elements_of_slot());
}

static struct gemm block_of(int gpu)
{
    const struct share *const share = &shares.of[gpu];
    struct gemm call = shares.call;

    call.m = share->rows;
    call.n = share->columns;
    call.a = share->a;
    call.lda = rounded_up(call.k);
    call.c = share->c;
    call.ldc = rounded_up(call.n);
    return call;
}

struct gemm product_with_b(int gpu)
{
    struct gemm call = block_of(gpu);

    call.b = shares.of[gpu].b;
    call.ldb = rounded_up(call.n);
    return call;
}

struct gemm product_of_pieces(int gpu, int a, int b)
{
    const struct share *const share = &shares.of[gpu];
    struct gemm call = block_of(gpu);

    call.m = first_row(a + 1) - first_row(a);
    call.n = first_column(b + 1) - first_column(b);
    call.a = address_of_a(gpu, a);
    call.b = address_of_b(gpu, b);
    call.ldb = leading_of_b(b);
    call.c = elements_on(share->c,
                         (first_row(a) - share->row) * call.ldc + first_column(b) - share->column);
    return call;
}

size_t bytes_received(void)
{
    size_t most = 0;

    if (shares.layout == B_EVERYWHERE)
        return 0;
    if (shares.layout == B_BY_ROWS)
        return (size_t)(shares.call.gpus - 1) * elements_of_slot() * size_of_element();
    for (int gpu = 0; gpu < shares.call.gpus; gpu++) {
        size_t elements = 0;
        for (int i = 1; i < shares.across; i++)
            elements += elements_of_a(piece_of_a(gpu, i));
        for (int i = 1; i < shares.down; i++)
            elements += elements_of_b(piece_of_b(gpu, i));
        most = elements > most ? elements : most;
    }
    return most * size_of_element();
}
/* SPDX-License-Identifier: MIT */
