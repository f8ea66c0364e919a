/* A grid-stride loop over n = 2^31 - 1 elements, the most that an int can count, by 1,024 blocks of
 * 256 threads. Where do the last two threads go at the end? Only the indices are computed: no array
 * of 8 GB is needed. */
#include "check.h"

#ifdef RIGHT
typedef size_t index_type;
#else
typedef int index_type;
#endif

__global__ void walk(index_type n, long long *after, int *goes_on)
{
    const index_type stride = 1024 * 256;
    index_type i = stride - 2 + threadIdx.x; /* of all threads' first elements, the last two */

    while (n - i > stride)
        i += stride;
    /* The loop's i += stride, once more. Overflow is undefined; a GPU's adder wraps around. */
    i = (index_type)((size_t)i + stride);
    after[threadIdx.x] = (long long)i;
    goes_on[threadIdx.x] = i < n;
}

int main(void)
{
    const index_type n = 2147483647;
    long long after[2], *device_after;
    int goes_on[2], *device_goes_on;

    CHECK(cudaMalloc((void **)&device_after, sizeof(after)));
    CHECK(cudaMalloc((void **)&device_goes_on, sizeof(goes_on)));
    walk<<<1, 2>>>(n, device_after, device_goes_on);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(after, device_after, sizeof(after), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(goes_on, device_goes_on, sizeof(goes_on), cudaMemcpyDeviceToHost));
    for (int t = 0; t < 2; t++)
        printf("i = %lld: the loop %s\n", after[t], goes_on[t] ? "goes on" : "ends");
    CHECK(cudaFree(device_after));
    CHECK(cudaFree(device_goes_on));
    return goes_on[0] || goes_on[1] ? 1 : 0;
}
