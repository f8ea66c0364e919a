/* Step 03: the kernel of loads_in_flight between the copies that data on the host needs. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "problem/reduction/reduction.h"

void launch_loads_in_flight(const struct reduction *call);
void prepare_with_copies(const struct reduction *call);
void launch_with_copies(const struct reduction *call);

/* The inputs in ordinary host memory, where a user has them. */
static void *host_a, *host_b;

static size_t bytes_of_a(const struct reduction *call)
{
    return call->n * element_size(call->type);
}

static size_t bytes_of_b(const struct reduction *call)
{
    return call->op == OP_DOT ? call->n * second_size(call->type) : 0;
}

/* Returns a new host copy of `bytes` bytes of device memory. */
static void *copy_to_host(const void *device, size_t bytes)
{
    void *const host = malloc(bytes > 0 ? bytes : 1);

    if (host == NULL) {
        /* A rung cannot report an error, so end the program as the runner would. */
        fprintf(stderr, "with_copies: no memory for %zu MiB\n", bytes >> 20);
        exit(EXIT_DEVICE_ERROR);
    }
    cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost);
    return host;
}

void prepare_with_copies(const struct reduction *call)
{
    free(host_a);
    free(host_b);
    host_a = copy_to_host(call->a, bytes_of_a(call));
    host_b = copy_to_host(call->b, bytes_of_b(call));
}

/* The same kernel between copies. This is what the result costs if the data is on the host.
 *
 * Still bad: the copies run at the speed of the bus between host and GPU. Every element is used
 * once, so no kernel can make up for that. Keep data on the GPU if a GPU works on it. */
void launch_with_copies(const struct reduction *call)
{
    static double host_result; /* its first bytes may hold a float */

    cudaMemcpyAsync((void *)call->a, host_a, bytes_of_a(call), cudaMemcpyHostToDevice, 0);
    cudaMemcpyAsync((void *)call->b, host_b, bytes_of_b(call), cudaMemcpyHostToDevice, 0);
    launch_loads_in_flight(call);
    cudaMemcpyAsync(&host_result, call->result, result_size(call->type), cudaMemcpyDeviceToHost, 0);
}
/* SPDX-License-Identifier: MIT */
