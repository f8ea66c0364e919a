// Shared by faults.cu and similar files: a table of cases and the `main` that runs one.
// test_faults.c reads both. `PROGRAM NAME` must exit with status 1. Its report must contain the
// case's phrase and every line marked `FAULT NAME`. note_... does the same with status 0; ok_...
// ends with status 0 and no report; once_... has exactly one finding. only_... is wrong only in
// other orders of threads; default_... need not be found there. `PROGRAM` without a name lists all
// names and phrases.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Case {
    const char *name, *phrase;
    void (*run)();
};

// Device memory without initial values, and device memory set to 0.
template <class T>
static T *unwritten(size_t bytes)
{
    T *memory = nullptr;
    if (cudaMalloc(&memory, bytes) != cudaSuccess)
        exit(3);
    return memory;
}

template <class T>
static T *zeros(size_t bytes)
{
    T *memory = unwritten<T>(bytes);
    cudaMemset(memory, 0, bytes);
    return memory;
}

// Copies to the host. Otherwise the program only measures time, and uninitialized reads are notes.
static void use_results()
{
    int result, *results = zeros<int>(sizeof *results);
    (void)cudaMemcpy(&result, results, sizeof result, cudaMemcpyDeviceToHost);
}

template <size_t count>
static int run_case(const Case (&cases)[count], int argument_count, char **arguments)
{
    for (const Case &one : cases) {
        if (argument_count < 2) {
            printf("%s\t%s\n", one.name, one.phrase);
        } else if (strcmp(arguments[1], one.name) == 0) {
            puts("printed before");
            one.run();
            use_results();
            if (strncmp(one.name, "ok_", 3) == 0 && cudaDeviceSynchronize() != cudaSuccess)
                puts(cudaGetErrorString(cudaPeekAtLastError()));
            return 0;
        }
    }
    return argument_count < 2 ? 0 : 2;
}
