#include "openblas.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* Where OpenBLAS falls back to old kernels, newer ones run all the same. */
static void choose_core(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
        setenv("OPENBLAS_CORETYPE", "SKYLAKEX", 0);
    else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        setenv("OPENBLAS_CORETYPE", "HASWELL", 0);
#endif
}

/* dlsym gives a pointer to data; POSIX promises that it may hold a function's address. */
static void find(void *library, const char *name, void *function_pointer)
{
    void *const address = dlsym(library, name);
    memcpy(function_pointer, &address, sizeof address);
}

const struct openblas *openblas(void)
{
    static struct openblas functions;
    static bool tried;

    if (!tried) {
        tried = true;
        choose_core();
        void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
        if (library == NULL)
            library = dlopen("libopenblas.so", RTLD_NOW | RTLD_LOCAL);
        if (library != NULL) {
            find(library, "cblas_sdot", &functions.sdot);
            find(library, "cblas_ddot", &functions.ddot);
            find(library, "cblas_ssum", &functions.ssum);
            find(library, "cblas_dsum", &functions.dsum);
            find(library, "cblas_ismax", &functions.ismax);
            find(library, "cblas_idmax", &functions.idmax);
            find(library, "cblas_ismin", &functions.ismin);
            find(library, "cblas_idmin", &functions.idmin);
            find(library, "openblas_set_num_threads", &functions.set_threads);
            find(library, "openblas_get_corename", &functions.core_name);
        }
    }
    return functions.sdot != NULL && functions.ddot != NULL && functions.set_threads != NULL
               ? &functions
               : NULL;
}
