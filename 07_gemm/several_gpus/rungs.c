/* Step 07, several GPUs: each GPU computes a block of C by the top rung of one GPU, in its default
 * stream. A and B lie on the GPUs in shares before a call, and C after it
 * (several_gpus/placement.h). These rungs differ in what is copied from other GPUs, and when. Rungs
 * that use NCCL are in several_gpus/nccl.c. */
#include "several_gpus/several_gpus.h"

#include "device/ranks.h"
#include "library/nccl.h"
#include "library/peer_access.h"
#include "rungs.h"

/* ---- the top rung, on the current GPU -------------------------------------------------------- */

void multiply(const struct gemm *call)
{
    if (call->type == GEMM_BF16)
        launch_any_shape_bf16(call);
    else
        launch_any_shape(call);
}

void prepare_multiply(const struct gemm *call)
{
    if (call->type == GEMM_BF16)
        prepare_any_shape_bf16(call);
    else
        prepare_any_shape(call);
}

void place_and_prepare(const struct gemm *call, enum layout layout,
                       void (*rung)(const struct gemm *call),
                       void (*prepare)(const struct gemm *call))
{
    place_shares(call, layout);
    shares.rung = rung;
    for (int gpu = shares.end - 1; gpu >= shares.first; gpu--) {
        const struct gemm product = product_with_b(gpu);
        select_gpu(gpu);
        prepare(&product);
    }
}

/* ---- one GPU, to compare with ---------------------------------------------------------------- */

void launch_one_gpu(const struct gemm *call)
{
    multiply(call);
}

/* ---- B everywhere ---------------------------------------------------------------------------- */

/* With several ranks, NCCL collects C. */
const char *declines_without_nccl(const struct gemm *call)
{
    (void)call;
    return ranks_count() > 1 ? nccl_unavailable() : NULL;
}

void prepare_b_everywhere(const struct gemm *call)
{
    place_and_prepare(call, B_EVERYWHERE, launch_b_everywhere, prepare_multiply);
}

/* Every GPU computes a share of C's rows, from the same rows of A and all of B.
 *
 * Better than one GPU: N GPUs compute, and none of them waits for data.
 * Still bad: every GPU needs all of B. If N GPUs have computed B, it is not there yet. */
void launch_b_everywhere(const struct gemm *call)
{
    (void)call; /* its shares have been placed */
    fork_gpus();
    multiply_with_b(multiply);
    join_gpus();
}

void multiply_with_b(void (*by)(const struct gemm *call))
{
    for (int gpu = shares.first; gpu < shares.end; gpu++) {
        const struct gemm product = product_with_b(gpu);
        select_gpu(gpu);
        if (!shares.without_products)
            by(&product);
    }
    select_gpu(shares.first);
}

/* ---- pieces of B, by copy engines ------------------------------------------------------------ */

const char *declines_ranks(const struct gemm *call)
{
    (void)call;
    return ranks_count() > 1 ? "is for one process with all GPUs" : NULL;
}

void prepare_copy_engines(const struct gemm *call)
{
    place_and_prepare(call, B_BY_COLUMNS, launch_copy_engines, prepare_multiply);
    enable_peer_access(call->gpus);
}

/* Multiplies two pieces on the current GPU, after those that are not its own have arrived. */
void multiply_pieces(int gpu, int i, int j)
{
    const int a = piece_of_a(gpu, i), b = piece_of_b(gpu, j);
    const struct gemm product = product_of_pieces(gpu, a, b);

    if (i != 0)
        CHECK(cudaStreamWaitEvent(0, shares.of[gpu].a_came[i], 0));
    if (j != 0)
        CHECK(cudaStreamWaitEvent(0, shares.of[gpu].b_came[j], 0));
    if (!shares.without_products)
        multiply(&product);
}

/* Copies a piece from its owner, in the stream for copies. */
static void copy(int gpu, void *to, int owner, const void *from, size_t elements, cudaEvent_t came)
{
    const size_t bytes = elements * gemm_element_size(shares.call.type);
    cudaStream_t stream = shares.of[gpu].copies;

    if (shares.without_copies)
        return;
    if (bytes > 0)
        CHECK(cudaMemcpyPeerAsync(to, gpu, from, owner, bytes, stream));
    CHECK(cudaEventRecord(came, stream));
}

static void copy_piece_of_b(int gpu, int j)
{
    const int piece = piece_of_b(gpu, j), owner = owner_of_b(piece);

    copy(gpu, address_of_b(gpu, piece), owner, address_of_b(owner, piece), elements_of_b(piece),
         shares.of[gpu].b_came[j]);
}

/* Each GPU's copy engines fetch pieces while its streaming multiprocessors (SMs) multiply.
 *
 * Better: all SMs multiply.
 * Still bad: every GPU receives all of B. With more GPUs, more of it comes from others. */
void launch_copy_engines(const struct gemm *call)
{
    fork_gpus();
    for (int step = 0; step < call->gpus; step++)
        for (int gpu = 0; gpu < call->gpus; gpu++) {
            CHECK(cudaSetDevice(gpu));
            if (step > 0)
                copy_piece_of_b(gpu, step);
            multiply_pieces(gpu, 0, step);
        }
    join_gpus();
}

/* ---- a grid of GPUs -------------------------------------------------------------------------- */

const char *declines_grid(const struct gemm *call)
{
    if (declines_ranks(call) != NULL)
        return declines_ranks(call);
    return call->gpus < 4 ? "a grid is for 4 GPUs or more" : NULL;
}

void prepare_grid(const struct gemm *call)
{
    place_and_prepare(call, B_IN_GRID, launch_grid, prepare_multiply);
    enable_peer_access(call->gpus);
}

static void copy_piece_of_a(int gpu, int i)
{
    const int piece = piece_of_a(gpu, i), owner = owner_of_a(piece);

    copy(gpu, address_of_a(gpu, piece), owner, address_of_a(owner, piece), elements_of_a(piece),
         shares.of[gpu].a_came[i]);
}

/* C is cut by rows and by columns. With 4 GPUs, each needs half of A and half of B.
 *
 * Better: with N GPUs, each needs about 2 / sqrt(N) of a matrix, not all of one.
 * Still bad: the same thread launches N products for each GPU. */
void launch_grid(const struct gemm *call)
{
    fork_gpus();
    for (int i = 0; i < shares.across; i++)
        for (int j = 0; j < shares.down; j++)
            for (int gpu = 0; gpu < call->gpus; gpu++) {
                CHECK(cudaSetDevice(gpu));
                if (i == 0 && j > 0)
                    copy_piece_of_b(gpu, j);
                if (i > 0 && j == 0)
                    copy_piece_of_a(gpu, i);
                multiply_pieces(gpu, i, j);
            }
    join_gpus();
}
/* SPDX-License-Identifier: MIT */
