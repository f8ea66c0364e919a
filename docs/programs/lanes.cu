/* Which lane of which warp is the thread (x, y) of a block? Prints it for a block of 16 x 4. */
#include "check.h"

#define WIDE 16
#define HIGH 4

__global__ void tell(int *warp, int *lane)
{
    int thread = threadIdx.y * blockDim.x + threadIdx.x; /* x runs first, then y, then z */

    warp[thread] = thread / warpSize;
    lane[thread] = thread % warpSize;
}

int main(void)
{
    int warp[WIDE * HIGH], lane[WIDE * HIGH];
    int *device_warp, *device_lane;

    CHECK(cudaMalloc((void **)&device_warp, sizeof(warp)));
    CHECK(cudaMalloc((void **)&device_lane, sizeof(lane)));
    tell<<<1, dim3(WIDE, HIGH)>>>(device_warp, device_lane);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(warp, device_warp, sizeof(warp), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(lane, device_lane, sizeof(lane), cudaMemcpyDeviceToHost));

    for (int y = 0; y < HIGH; y++) {
        printf("y = %d, warp %d, lanes:", y, warp[y * WIDE]);
        for (int x = 0; x < WIDE; x++)
            printf(" %2d", lane[y * WIDE + x]);
        printf("\n");
    }
    CHECK(cudaFree(device_warp));
    CHECK(cudaFree(device_lane));
    return 0;
}
