/* What a launch costs: of a kernel with nothing to do, waiting for each, back to back, and as one
 * CUDA graph of as many launches. Microseconds a launch, by the host's clock. */
#include "check.h"

#include <time.h>

#define LAUNCHES 1000

__global__ void nothing(void)
{
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

int main(void)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t launch;
    double begin;

    CHECK(cudaStreamCreate(&stream));
    nothing<<<1, 32, 0, stream>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));

    begin = now();
    for (int i = 0; i < LAUNCHES; i++) {
        nothing<<<1, 32, 0, stream>>>();
        CHECK(cudaStreamSynchronize(stream));
    }
    printf("waiting for each: %6.2f us\n", (now() - begin) / LAUNCHES);

    begin = now();
    for (int i = 0; i < LAUNCHES; i++)
        nothing<<<1, 32, 0, stream>>>();
    printf("back to back:     %6.2f us until the host goes on,", (now() - begin) / LAUNCHES);
    CHECK(cudaStreamSynchronize(stream));
    printf(" %6.2f us until all are done\n", (now() - begin) / LAUNCHES);

    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < LAUNCHES; i++)
        nothing<<<1, 32, 0, stream>>>();
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&launch, graph, 0));
    CHECK(cudaGraphLaunch(launch, stream)); /* the first also uploads it */
    CHECK(cudaStreamSynchronize(stream));
    begin = now();
    CHECK(cudaGraphLaunch(launch, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("as a graph:       %6.2f us\n", (now() - begin) / LAUNCHES);

    CHECK(cudaGraphExecDestroy(launch));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
