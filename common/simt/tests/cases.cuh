// What faults.cu and its neighbours share: a table of cases, each with what must be said of it, and
// the `main` that runs one. `PROGRAM NAME` runs it and must end with status 1 and a report that has
// the phrase and names every line marked `FAULT NAME`; note_... say so with status 0, and ok_...
// end well and silent; once_... has one finding. In another order of threads, only_... alone is
// wrong, and default_... need not be found. `PROGRAM` lists names and phrases. Read by
// test_faults.c.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Case {
    const char *name, *phrase;
    void (*run)();
};

// Device memory that nobody has written, and memory that is 0.
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

// A copy to the host: kernels that read what was never written would otherwise only take time.
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
