/* Step 03: the CPU's loop, unchanged, on one thread of a GPU. `in` says what is reduced: see
 * common/kernel/reduce_objects.cuh. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "kernel/reduce_objects.cuh"

/* One thread, one accumulator: the definition again.
 *
 * Right, and a lesson in what a GPU is not. A load from memory takes hundreds of cycles, and the
 * thread has nothing to do meanwhile. A GPU hides that latency with thousands of other threads, and
 * there are none here.
 * Still bad: each addition waits for the one before. */
template <typename R>
__global__ void single_thread(R in, size_t n, typename R::value *result)
{
    typename R::value sum = R::identity();
    for (size_t i = 0; i < n; i++)
        sum = R::combine(sum, in.term(i));
    *result = sum;
}

extern "C" void launch_single_thread(const struct reduction *call)
{
    reduce_with(call,
                [=](auto in) { single_thread<<<1, 1>>>(in, call->n, in.values(call->result)); });
}

enum { ACCUMULATORS = 16 };

/* Sixteen accumulators that take turns.
 *
 * Better: no addition waits for the one before, and sixteen short sums round less than a long one.
 * Still bad: the compiler mixes loads and additions, so that it needs few registers, and an
 * addition waits for its load with few others in flight. */
template <typename R>
__global__ void accumulators(R in, size_t n, typename R::value *result)
{
    typename R::value sum[ACCUMULATORS];
    for (int k = 0; k < ACCUMULATORS; k++)
        sum[k] = R::identity();

    size_t i = 0;
    for (; n - i >= ACCUMULATORS; i += ACCUMULATORS)
        for (int k = 0; k < ACCUMULATORS; k++)
            sum[k] = R::combine(sum[k], in.term(i + k));
    for (; i < n; i++)
        sum[0] = R::combine(sum[0], in.term(i));

    for (int k = 1; k < ACCUMULATORS; k++)
        sum[0] = R::combine(sum[0], sum[k]);
    *result = sum[0];
}

extern "C" void launch_accumulators(const struct reduction *call)
{
    reduce_with(call,
                [=](auto in) { accumulators<<<1, 1>>>(in, call->n, in.values(call->result)); });
}

/* The longest chain is the first accumulator's: its share, the elements left over, then the other
 * accumulators. */
extern "C" double depth_accumulators(const struct reduction *call)
{
    return (double)(call->n / ACCUMULATORS) + (double)(call->n % ACCUMULATORS) + (ACCUMULATORS - 1);
}

/* All loads of an iteration before its first addition.
 *
 * Better: the thread waits for memory once in sixteen elements.
 * Still bad: a few dozen loads in flight, where the memory of a GPU needs tens of thousands to be
 * busy. One thread has not the registers for that.
 *
 * __launch_bounds__(1) says that a block has one thread. Without it the compiler saves registers
 * for other threads, and loads wait until a register is free. */
template <typename R>
__global__ void __launch_bounds__(1) loads_in_flight(R in, size_t n, typename R::value *result)
{
    typename R::value sum[ACCUMULATORS], term[ACCUMULATORS];
    for (int k = 0; k < ACCUMULATORS; k++)
        sum[k] = R::identity();

    size_t i = 0;
    for (; n - i >= ACCUMULATORS; i += ACCUMULATORS) {
        for (int k = 0; k < ACCUMULATORS; k++)
            term[k] = in.term(i + k);
        for (int k = 0; k < ACCUMULATORS; k++)
            sum[k] = R::combine(sum[k], term[k]);
    }
    for (; i < n; i++)
        sum[0] = R::combine(sum[0], in.term(i));

    for (int k = 1; k < ACCUMULATORS; k++)
        sum[0] = R::combine(sum[0], sum[k]);
    *result = sum[0];
}

extern "C" void launch_loads_in_flight(const struct reduction *call)
{
    reduce_with(call,
                [=](auto in) { loads_in_flight<<<1, 1>>>(in, call->n, in.values(call->result)); });
}

/* The inputs as a user has them: in ordinary host memory. */
static void *host_a, *host_b;

static size_t bytes_of_a(const struct reduction *call)
{
    return call->n * element_size(call->type);
}

static size_t bytes_of_b(const struct reduction *call)
{
    return call->op == OP_DOT ? call->n * second_size(call->type) : 0;
}

/* A new host copy of `bytes` bytes of device memory. */
static void *copy_to_host(const void *device, size_t bytes)
{
    void *const host = malloc(bytes > 0 ? bytes : 1);

    if (host == NULL) {
        /* A rung has no way to report an error: end as the runner would. */
        fprintf(stderr, "with_copies: no memory for %zu MiB\n", bytes >> 20);
        exit(EXIT_DEVICE_ERROR);
    }
    cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost);
    return host;
}

extern "C" void prepare_with_copies(const struct reduction *call)
{
    free(host_a);
    free(host_b);
    host_a = copy_to_host(call->a, bytes_of_a(call));
    host_b = copy_to_host(call->b, bytes_of_b(call));
}

/* The same kernel between copies: what a user pays whose data is on the host.
 *
 * Not better, but honest: the copies run at the speed of the bus between host and GPU, and every
 * element is used once, so no kernel can make up for them. Data that a GPU works on should stay on
 * the GPU. */
extern "C" void launch_with_copies(const struct reduction *call)
{
    static double host_result; /* or a float, in its first bytes */

    cudaMemcpyAsync((void *)call->a, host_a, bytes_of_a(call), cudaMemcpyHostToDevice);
    cudaMemcpyAsync((void *)call->b, host_b, bytes_of_b(call), cudaMemcpyHostToDevice);
    launch_loads_in_flight(call);
    cudaMemcpyAsync(&host_result, call->result, result_size(call->type), cudaMemcpyDeviceToHost);
}
