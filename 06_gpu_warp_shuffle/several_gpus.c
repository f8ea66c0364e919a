/* Step 06, several GPUs: each GPU reduces its share of the input to one number, with the top rung
 * of one GPU. The rungs differ in how they combine the numbers. The shares are on the GPUs before a
 * call (shares.h). */
#include "several_gpus.h"

#include "device/ranks.h"
#include "library/peer_access.h"

void launch_shape_by_size(const struct reduction *call);
void launch_overlapped(const struct reduction *call);
void launch_bulk_copies(const struct reduction *call);
const char *declines_bulk_copies(const struct reduction *call);
size_t bulk_copies_tiles(const struct reduction *call);

/* The ring pays off if every block has at least eight tiles. */
void reduce_on_one_gpu(const struct reduction *call)
{
    if (bulk_copies_tiles(call) >= 8 * (size_t)call->multiprocessors &&
        declines_bulk_copies(call) == NULL)
        launch_bulk_copies(call);
    else
        launch_overlapped(call);
}

void reduce_shares(void)
{
    for (int gpu = shares.first; gpu < shares.end; gpu++) {
        select_gpu(gpu);
        reduce_on_one_gpu(&shares.of[gpu]);
    }
    select_gpu(shares.first);
}

/* The reduction of the GPUs' numbers. For a dot product it is a sum. */
static struct reduction of_numbers(const struct reduction *call, const void *numbers)
{
    struct reduction second = *call;

    second.op = call->op == OP_DOT ? OP_SUM : call->op;
    second.type = is_f64_result(call->type) ? TYPE_F64 : TYPE_F32;
    second.n = (size_t)call->gpus;
    second.a = numbers;
    second.b = NULL;
    second.stream = shares.of[0].stream;
    return second;
}

/* ---- one GPU, to compare with ---------------------------------------------------------------- */

/* All of the input on the first GPU. */
void launch_one_gpu(const struct reduction *call)
{
    reduce_on_one_gpu(call);
}

/* ---- through the host ------------------------------------------------------------------------ */

static double combine(enum reduce_op op, double x, double y)
{
    if (op == OP_MAX)
        return x > y || x != x ? x : y; /* keeps NaN, as do Max and Min in kernel/reduce.cuh */
    if (op == OP_MIN)
        return x < y || x != x ? x : y;
    return x + y;
}

/* Combines the numbers in host memory. The result replaces the first number. */
static void combine_on_host(const struct reduction *call)
{
    double *const wide = shares.on_host;
    float *const narrow = shares.on_host;

    for (int gpu = 1; gpu < shares.gpus; gpu++)
        if (is_f64_result(call->type))
            wide[0] = combine(call->op, wide[0], wide[gpu]);
        else
            narrow[0] = (float)combine(call->op, (double)narrow[0], (double)narrow[gpu]);
}

const char *declines_ranks(const struct reduction *call)
{
    (void)call;
    return ranks_count() > 1 ? "is for one process with all GPUs" : NULL;
}

/* The GPUs' numbers are copied to the host, which combines them.
 *
 * Better than one GPU: N GPUs have N times the memory bandwidth.
 * Still bad: twice per call, the host waits for the GPUs and the GPUs wait for the host. */
void launch_host_copies(const struct reduction *call)
{
    const size_t size = result_size(call->type);

    reduce_shares();
    for (int gpu = 0; gpu < shares.gpus; gpu++)
        CHECK(cudaMemcpyAsync(place_of(shares.on_host, gpu), shares.of[gpu].result, size,
                              cudaMemcpyDeviceToHost, (cudaStream_t)shares.of[gpu].stream));
    for (int gpu = 0; gpu < shares.gpus; gpu++)
        CHECK(cudaStreamSynchronize((cudaStream_t)shares.of[gpu].stream));
    combine_on_host(call);
    CHECK(cudaMemcpyAsync(call->result, shares.on_host, size, cudaMemcpyHostToDevice, 0));
    CHECK(cudaStreamSynchronize(0)); /* the next call writes to that memory */
}

/* ---- from GPU to GPU ------------------------------------------------------------------------- */

void prepare_peers(const struct reduction *call)
{
    place_shares(call);
    enable_peer_access(call->gpus);
}

/* The GPUs' numbers are copied to the first GPU, which combines them. Events make the streams wait
 * for each other.
 *
 * Better: the host only issues the work, so calls follow one another without waiting for it.
 * Still bad: each GPU does a copy of a few bytes, which is an operation of its own. */
void launch_peer_copies(const struct reduction *call)
{
    const size_t size = result_size(call->type);
    const struct reduction second = of_numbers(call, shares.on_first);

    fork_gpus();
    reduce_shares();
    for (int gpu = 0; gpu < shares.gpus; gpu++)
        CHECK(cudaMemcpyPeerAsync(place_of(shares.on_first, gpu), 0, shares.of[gpu].result, gpu,
                                  size, (cudaStream_t)shares.of[gpu].stream));
    join_gpus();
    launch_shape_by_size(&second);
}

const char *declines_peer_access(const struct reduction *call)
{
    if (declines_ranks(call) != NULL)
        return declines_ranks(call);
    for (int gpu = 1; gpu < call->gpus; gpu++) {
        int can = 0;
        if (cudaDeviceCanAccessPeer(&can, gpu, 0) != cudaSuccess || !can)
            return "a GPU here cannot access the first one's memory";
    }
    return NULL;
}

/* Each kernel stores its number directly in the first GPU's memory.
 *
 * Better: there are no copies.
 * Still bad: it needs a second launch on the first GPU, and only that GPU has the result. */
void launch_peer_access(const struct reduction *call)
{
    const struct reduction second = of_numbers(call, shares.on_first);

    fork_gpus();
    for (int gpu = 0; gpu < shares.gpus; gpu++) {
        struct reduction share = shares.of[gpu];
        share.result = place_of(shares.on_first, gpu);
        CHECK(cudaSetDevice(gpu));
        reduce_on_one_gpu(&share);
    }
    CHECK(cudaSetDevice(0));
    join_gpus();
    launch_shape_by_size(&second);
}

/* ---- one launch for all ---------------------------------------------------------------------- */

static cudaStream_t captured;
static cudaGraphExec_t all_launches;

/* Captures the work of launch_peer_access in a graph. The default stream cannot be captured, so
 * another stream replaces it meanwhile. */
void prepare_graph(const struct reduction *call)
{
    cudaGraph_t graph;

    if (all_launches != NULL) {
        CHECK(cudaGraphExecDestroy(all_launches));
        CHECK(cudaStreamDestroy(captured));
    }
    prepare_peers(call);
    CHECK(cudaSetDevice(0));
    CHECK(cudaStreamCreateWithFlags(&captured, cudaStreamNonBlocking));
    shares.of[0].stream = captured;
    CHECK(cudaStreamBeginCapture(captured, cudaStreamCaptureModeThreadLocal));
    launch_peer_access(call);
    CHECK(cudaStreamEndCapture(captured, &graph));
    shares.of[0].stream = NULL;
    CHECK(cudaGraphInstantiate(&all_launches, graph, 0));
    CHECK(cudaGraphDestroy(graph));
}

/* The same work as a CUDA graph, which has nodes on all GPUs.
 *
 * Better: the host makes one call, however many GPUs there are.
 * Still bad: the graph contains this call's addresses and sizes. Other calls need a new graph. */
void launch_graph(const struct reduction *call)
{
    (void)call;
    CHECK(cudaGraphLaunch(all_launches, 0));
}
/* SPDX-License-Identifier: MIT */
