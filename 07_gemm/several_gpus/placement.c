#include "several_gpus/placement.h"

#include "device/ranks.h"
#include "library/cuda_check.h"
#include "several_gpus/pieces.h"

struct shares shares;

void select_gpu(int gpu)
{
    if (ranks_count() == 1) /* otherwise it is the only one */
        CHECK(cudaSetDevice(gpu));
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void release_share(int gpu)
{
    struct share *const share = &shares.of[gpu];

    select_gpu(gpu);
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

/* Releases the shares that were placed before. */
static void release_shares(void)
{
    for (int gpu = shares.end - 1; gpu >= shares.first; gpu--)
        release_share(gpu);
    if (shares.call.gpus > 0)
        CHECK(cudaEventDestroy(shares.begun));
    shares = (struct shares){.layout = B_EVERYWHERE};
}

/* Allocates memory on the current GPU, filled with NaN: a missing copy makes results wrong. */
static void *allocate(size_t elements)
{
    const size_t bytes = elements > 0 ? elements * size_of_element() : 1;
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
    const size_t size = size_of_element();

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
    copy_matrix(address_of_a(gpu, piece), rounded_up(call->k),
                (const char *)call->a + first * call->lda * size_of_element(), call->lda,
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
        copy_matrix(all ? shares.of[gpu].b : address_of_slot(gpu, gpu), rounded_up(call->n),
                    (const char *)call->b + first * call->ldb * size_of_element(), call->ldb,
                    last - first, call->n);
}

static void place_b_by_columns(int gpu)
{
    const struct gemm *const call = &shares.call;
    const int piece = piece_of_b(gpu, 0);
    const size_t first = first_column(piece);

    shares.of[gpu].b = allocate(call->k * rounded_up(shares.of[gpu].columns));
    copy_matrix(address_of_b(gpu, piece), leading_of_b(piece),
                (const char *)call->b + first * size_of_element(), call->ldb, call->k,
                first_column(piece + 1) - first);
}

static void cut_share(int gpu)
{
    struct share *const share = &shares.of[gpu];
    const int across = shares.across, down = shares.down;

    share->row = first_row(gpu / across * across);
    share->rows = first_row((gpu / across + 1) * across) - share->row;
    share->column = first_column(gpu % across * down);
    share->columns = first_column((gpu % across + 1) * down) - share->column;
}

static void place_share(int gpu)
{
    struct share *const share = &shares.of[gpu];

    select_gpu(gpu);
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

/* The grid's rows: at least as many as columns, but as few as possible. */
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
    shares.first = ranks_rank();
    shares.end = ranks_count() > 1 ? shares.first + 1 : call->gpus;
    for (int gpu = 0; gpu < call->gpus; gpu++)
        cut_share(gpu);
    for (int gpu = shares.end - 1; gpu >= shares.first; gpu--)
        place_share(gpu);
    shares.begun = create_event();
}

/* ---- C --------------------------------------------------------------------------------------- */

static void *block_of_c(const struct gemm *call, const struct share *share)
{
    return elements_on(call->c, share->row * call->ldc + share->column);
}

/* Receives the other ranks' blocks of C. */
static void receive_shares(const struct gemm *call)
{
    for (int gpu = 0; gpu < call->gpus; gpu++) {
        const struct share *const share = &shares.of[gpu];
        const bool is_here = gpu == shares.first;
        void *const block = is_here ? share->c : allocate(share->rows * rounded_up(share->columns));

        broadcast_block(block, share->rows * rounded_up(share->columns), gpu);
        if (is_here)
            continue;
        copy_matrix(block_of_c(call, share), call->ldc, block, rounded_up(share->columns),
                    share->rows, share->columns);
        CHECK(cudaFree(block));
    }
}

void scatter_c(const struct gemm *call)
{
    for (int gpu = shares.first; gpu < shares.end; gpu++) {
        const struct share *const share = &shares.of[gpu];
        copy_matrix(share->c, rounded_up(share->columns), block_of_c(call, share), call->ldc,
                    share->rows, share->columns);
    }
    CHECK(cudaDeviceSynchronize()); /* such copies may still run when the call returns */
}

void collect_c(const struct gemm *call)
{
    for (int gpu = shares.first; gpu < shares.end; gpu++) {
        const struct share *const share = &shares.of[gpu];
        copy_matrix(block_of_c(call, share), call->ldc, share->c, rounded_up(share->columns),
                    share->rows, share->columns);
    }
    if (ranks_count() > 1)
        receive_shares(call);
    CHECK(cudaDeviceSynchronize());
}

/* ---- together -------------------------------------------------------------------------------- */

void fork_gpus(void)
{
    CHECK(cudaEventRecord(shares.begun, 0));
    for (int gpu = shares.end - 1; gpu >= shares.first; gpu--) {
        select_gpu(gpu);
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
    for (int gpu = shares.end - 1; gpu >= shares.first; gpu--) {
        select_gpu(gpu);
        wait_for_copies(gpu);
        CHECK(cudaEventRecord(shares.of[gpu].done, 0));
    }
    for (int gpu = shares.first + 1; gpu < shares.end; gpu++)
        CHECK(cudaStreamWaitEvent(0, shares.of[gpu].done, 0));
}
/* SPDX-License-Identifier: MIT */
