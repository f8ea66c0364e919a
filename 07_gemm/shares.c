#include "shares.h"

#include "library/cuda_check.h"

struct shares shares;

/* ---- pieces ---------------------------------------------------------------------------------- */

/* 64 bytes or more: rows of pieces are aligned for the TMA. */
enum { UNIT = 32 };

static size_t rounded_up(size_t elements)
{
    return (elements + UNIT - 1) / UNIT * UNIT;
}

/* Where a piece of `all` rows or columns begins; of the piece after the last, `all`. */
static size_t first_of(size_t all, int piece)
{
    const size_t units = rounded_up(all) / UNIT;
    const size_t first = units * (size_t)piece / (size_t)shares.call.gpus * UNIT;

    return first < all ? first : all;
}

static size_t first_row(int piece)
{
    return first_of(shares.call.m, piece);
}

static size_t first_column(int piece)
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

/* ---- places ---------------------------------------------------------------------------------- */

static size_t element_size(void)
{
    return gemm_element_size(shares.call.type);
}

static void *at(void *memory, size_t elements)
{
    return (char *)memory + elements * element_size();
}

/* Pieces of A are rows below each other. */
void *place_of_a(int gpu, int piece)
{
    const struct share *const share = &shares.of[gpu];

    return at(share->a, (first_row(piece) - share->row) * rounded_up(shares.call.k));
}

size_t elements_of_a(int piece)
{
    return (first_row(piece + 1) - first_row(piece)) * rounded_up(shares.call.k);
}

static size_t leading_of_b(int piece)
{
    return rounded_up(first_column(piece + 1) - first_column(piece));
}

/* Pieces of B follow each other, each a matrix with k rows. */
void *place_of_b(int gpu, int piece)
{
    const struct share *const share = &shares.of[gpu];

    return at(share->b, shares.call.k * (first_column(piece) - share->column));
}

size_t elements_of_b(int piece)
{
    return shares.call.k * leading_of_b(piece);
}

static size_t rows_of_slot(void)
{
    const size_t gpus = (size_t)shares.call.gpus;

    return (shares.call.k + gpus - 1) / gpus;
}

size_t elements_of_slot(void)
{
    return rows_of_slot() * rounded_up(shares.call.n);
}

void *place_of_slot(int gpu, int slot)
{
    return at(shares.of[gpu].b, (size_t)slot * elements_of_slot());
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
    call.a = place_of_a(gpu, a);
    call.b = place_of_b(gpu, b);
    call.ldb = leading_of_b(b);
    call.c = at(share->c, (first_row(a) - share->row) * call.ldc + first_column(b) - share->column);
    return call;
}

size_t bytes_received(void)
{
    size_t most = 0;

    if (shares.layout == B_EVERYWHERE)
        return 0;
    if (shares.layout == B_BY_ROWS)
        return (size_t)(shares.call.gpus - 1) * elements_of_slot() * element_size();
    for (int gpu = 0; gpu < shares.call.gpus; gpu++) {
        size_t elements = 0;
        for (int i = 1; i < shares.across; i++)
            elements += elements_of_a(piece_of_a(gpu, i));
        for (int i = 1; i < shares.down; i++)
            elements += elements_of_b(piece_of_b(gpu, i));
        most = elements > most ? elements : most;
    }
    return most * element_size();
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void release_share(int gpu)
{
    struct share *const share = &shares.of[gpu];

    CHECK(cudaSetDevice(gpu));
    CHECK(cudaFree(share->a));
    CHECK(cudaFree(share->b));
    CHECK(cudaFree(share->c));
    CHECK(cudaStreamDestroy(share->copies));
    CHECK(cudaEventDestroy(share->copied));
    CHECK(cudaEventDestroy(share->done));
    for (int i = 0; i < shares.call.gpus; i++) {
        CHECK(cudaEventDestroy(share->a_came[i]));
        CHECK(cudaEventDestroy(share->b_came[i]));
    }
}

/* Of the shares that were placed before. */
static void release_shares(void)
{
    for (int gpu = shares.call.gpus - 1; gpu >= 0; gpu--)
        release_share(gpu);
    if (shares.call.gpus > 0)
        CHECK(cudaEventDestroy(shares.begun));
    shares = (struct shares){.layout = B_EVERYWHERE};
}

/* Memory on the current GPU, filled with NaN, so that nothing is right which has not come. */
static void *allocate(size_t elements)
{
    const size_t bytes = elements > 0 ? elements * element_size() : 1;
    void *memory = NULL;

    CHECK(cudaMalloc(&memory, bytes));
    CHECK(cudaMemset(memory, 0xFF, bytes));
    return memory;
}

static cudaEvent_t create_event(void)
{
    cudaEvent_t event;

    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    return event;
}

/* Copies part of a matrix, which may be on another GPU than its copy. */
static void copy_matrix(void *to, size_t to_leading, const void *from, size_t from_leading,
                        size_t rows, size_t columns)
{
    const size_t size = element_size();

    if (rows > 0 && columns > 0)
        CHECK(cudaMemcpy2D(to, to_leading * size, from, from_leading * size, columns * size, rows,
                           cudaMemcpyDefault));
}

static void place_a(int gpu)
{
    const struct gemm *const call = &shares.call;
    const int piece = piece_of_a(gpu, 0);
    const size_t first = first_row(piece);

    shares.of[gpu].a = allocate(shares.of[gpu].rows * rounded_up(call->k));
    copy_matrix(place_of_a(gpu, piece), rounded_up(call->k),
                (const char *)call->a + first * call->lda * element_size(), call->lda,
                first_row(piece + 1) - first, call->k);
}

static void place_b_by_rows(int gpu)
{
    const struct gemm *const call = &shares.call;
    const bool all = shares.layout == B_EVERYWHERE;
    const size_t slot = rows_of_slot(), first = all ? 0 : (size_t)gpu * slot;
    const size_t last = all || first + slot > call->k ? call->k : first + slot;

    shares.of[gpu].b = allocate((size_t)call->gpus * elements_of_slot());
    if (first < last)
        copy_matrix(all ? shares.of[gpu].b : place_of_slot(gpu, gpu), rounded_up(call->n),
                    (const char *)call->b + first * call->ldb * element_size(), call->ldb,
                    last - first, call->n);
}

static void place_b_by_columns(int gpu)
{
    const struct gemm *const call = &shares.call;
    const int piece = piece_of_b(gpu, 0);
    const size_t first = first_column(piece);

    shares.of[gpu].b = allocate(call->k * rounded_up(shares.of[gpu].columns));
    copy_matrix(place_of_b(gpu, piece), leading_of_b(piece),
                (const char *)call->b + first * element_size(), call->ldb, call->k,
                first_column(piece + 1) - first);
}

static void place_share(int gpu)
{
    struct share *const share = &shares.of[gpu];
    const int across = shares.across, down = shares.down;

    share->row = first_row(gpu / across * across);
    share->rows = first_row((gpu / across + 1) * across) - share->row;
    share->column = first_column(gpu % across * down);
    share->columns = first_column((gpu % across + 1) * down) - share->column;
    CHECK(cudaSetDevice(gpu));
    CHECK(cudaStreamCreateWithFlags(&share->copies, cudaStreamNonBlocking));
    share->copied = create_event();
    share->done = create_event();
    for (int i = 0; i < shares.call.gpus; i++) {
        share->a_came[i] = create_event();
        share->b_came[i] = create_event();
    }
    place_a(gpu);
    if (shares.layout == B_EVERYWHERE || shares.layout == B_BY_ROWS)
        place_b_by_rows(gpu);
    else
        place_b_by_columns(gpu);
    share->c = allocate(share->rows * rounded_up(share->columns));
    CHECK(cudaDeviceSynchronize()); /* `copies` does not wait for the default stream */
}

/* The grid's rows: as many as columns or more, but as few as can be. */
static int rows_of_grid(int gpus)
{
    int rows = 1;

    while (rows * rows < gpus || gpus % rows != 0)
        rows++;
    return rows;
}

void place_shares(const struct gemm *call, enum layout layout)
{
    release_shares();
    shares.call = *call;
    shares.layout = layout;
    shares.down = layout == B_IN_GRID ? rows_of_grid(call->gpus) : call->gpus;
    shares.across = call->gpus / shares.down;
    for (int gpu = call->gpus - 1; gpu >= 0; gpu--)
        place_share(gpu);
    shares.begun = create_event();
}

/* ---- C --------------------------------------------------------------------------------------- */

static void *block_of_c(const struct gemm *call, const struct share *share)
{
    return at(call->c, share->row * call->ldc + share->column);
}

void scatter_c(const struct gemm *call)
{
    for (int gpu = 0; gpu < call->gpus; gpu++) {
        const struct share *const share = &shares.of[gpu];
        copy_matrix(share->c, rounded_up(share->columns), block_of_c(call, share), call->ldc,
                    share->rows, share->columns);
    }
    CHECK(cudaDeviceSynchronize()); /* such copies need not be over when the call returns */
}

void collect_c(const struct gemm *call)
{
    for (int gpu = 0; gpu < call->gpus; gpu++) {
        const struct share *const share = &shares.of[gpu];
        copy_matrix(block_of_c(call, share), call->ldc, share->c, rounded_up(share->columns),
                    share->rows, share->columns);
    }
    CHECK(cudaDeviceSynchronize());
}

/* ---- together -------------------------------------------------------------------------------- */

void fork_gpus(void)
{
    CHECK(cudaEventRecord(shares.begun, 0));
    for (int gpu = shares.call.gpus - 1; gpu >= 0; gpu--) {
        CHECK(cudaSetDevice(gpu));
        CHECK(cudaStreamWaitEvent(0, shares.begun, 0));
        CHECK(cudaStreamWaitEvent(shares.of[gpu].copies, shares.begun, 0));
    }
}

void wait_for_copies(int gpu)
{
    const struct share *const share = &shares.of[gpu];

    CHECK(cudaEventRecord(share->copied, share->copies));
    CHECK(cudaStreamWaitEvent(0, share->copied, 0));
}

void join_gpus(void)
{
    for (int gpu = shares.call.gpus - 1; gpu >= 0; gpu--) {
        CHECK(cudaSetDevice(gpu));
        wait_for_copies(gpu);
        CHECK(cudaEventRecord(shares.of[gpu].done, 0));
    }
    for (int gpu = 1; gpu < shares.call.gpus; gpu++)
        CHECK(cudaStreamWaitEvent(0, shares.of[gpu].done, 0));
}
