// Shared by these programs: checks of CUDA calls, and the final verdict.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                          \
                    cudaGetErrorString(error_));                                                   \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

inline int passed()
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    puts("passed");
    return 0;
}
