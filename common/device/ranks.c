#include "device/ranks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/ranks_mpi.h"

static struct ranks {
    const struct rank_calls *calls; /* NULL: there is one rank */
    int count, rank, place;
    bool agreed; /* the ranks agreed on an error */
} ranks = {.count = 1};

int ranks_count(void)
{
    return ranks.count;
}

int ranks_rank(void)
{
    return ranks.rank;
}

int ranks_place(void)
{
    return ranks.place;
}

/* ---- start ----------------------------------------------------------------------------------- */

/* The number of processes that an MPI launcher started together, according to the environment. */
static int processes(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (getenv(names[i]) != NULL)
            return atoi(getenv(names[i]));
    return 1;
}

/* Loads MPI only if it is needed, so a program starts without it. */
static const struct rank_calls *load(struct error *error)
{
    void *const library = dlopen(RANKS_MPI_LIBRARY, RTLD_NOW | RTLD_GLOBAL);
    const struct rank_calls *const calls = library != NULL ? dlsym(library, "ranks_mpi") : NULL;

    if (calls == NULL)
        error_set(error, EXIT_DEVICE_ERROR,
                  "mpirun has started %d processes, which need MPI to work together: built without "
                  "it, or not found: %.200s",
                  processes(), dlerror());
    return calls;
}

/* Ends all ranks if a rank ends by itself, or through exit() after an error within a rung. */
__attribute__((unused)) static void end_all(int status, void *unused)
{
    (void)unused;
    if (ranks.calls != NULL && status != 0)
        ranks.calls->abort(status);
}

static bool has_same_arguments(int argc, char **argv)
{
    bool same = true;

    for (int i = 0; i <= argc; i++) {
        char first[4096] = "";
        if (i < argc)
            snprintf(first, sizeof first, "%s", argv[i]);
        const size_t length = strlen(first);
        ranks_broadcast(first, sizeof first, 0);
        same = same && strncmp(first, i < argc ? argv[i] : "", sizeof first - 1) == 0 &&
               strlen(first) == length;
    }
    return same;
}

bool ranks_start(int argc, char **argv, struct error *error)
{
    int first_argc = argc;

    if (processes() <= 1)
        return true;
    ranks.calls = load(error);
    if (ranks.calls == NULL)
        return false;
    ranks.calls->start(&ranks.rank, &ranks.count, &ranks.place);
#ifdef __GLIBC__ /* which the back ends need anyway */
    on_exit(end_all, NULL);
#endif
    if (ranks.rank > 0 && freopen("/dev/null", "w", stdout) == NULL)
        return error_set(error, EXIT_FILE_ERROR, "cannot open /dev/null");
    ranks_broadcast(&first_argc, sizeof first_argc, 0);
    bool same = first_argc == argc;
    if (ranks_greatest(!same) == 0)
        same = has_same_arguments(argc, argv);
    if (!same)
        error_set(error, EXIT_BAD_USAGE, "mpirun has started it with other arguments than rank 0");
    return ranks_agree(same, error);
}

/* ---- agreement ------------------------------------------------------------------------------- */

void ranks_broadcast(void *data, size_t bytes, int from)
{
    if (ranks.calls != NULL)
        ranks.calls->broadcast(data, bytes, from);
}

double ranks_greatest(double number)
{
    return ranks.calls != NULL ? ranks.calls->greatest(number) : number;
}

void ranks_meet(void)
{
    if (ranks.calls != NULL)
        ranks.calls->barrier();
}

bool ranks_agree(bool succeeded, struct error *error)
{
    if (ranks.calls == NULL)
        return succeeded;
    const double failed = ranks_greatest(succeeded ? 0 : ranks.count - ranks.rank);
    if (failed == 0)
        return true;
    const int first = ranks.count - (int)failed;
    struct error shared = {.code = EXIT_DEVICE_ERROR};
    if (ranks.rank == first)
        shared = *error;
    ranks_broadcast(&shared, sizeof shared, first);
    if (first == 0)
        *error = shared;
    else
        error_set(error, shared.code, "rank %d: %.480s", first, shared.text);
    ranks.agreed = true;
    return false;
}

/* ---- end ------------------------------------------------------------------------------------- */

bool ranks_tells(void)
{
    return !ranks.agreed || ranks.rank == 0;
}

int ranks_end(int code)
{
    const struct rank_calls *const calls = ranks.calls;

    if (calls == NULL)
        return code;
    if (code > EXIT_WRONG_RESULT && !ranks.agreed) {
        fflush(NULL);
        calls->abort(code);
    }
    code = (int)ranks_greatest(code);
    ranks.calls = NULL;
    calls->end();
    return code;
}
/* SPDX-License-Identifier: MIT */
