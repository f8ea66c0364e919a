/* NCCL ranks in several processes: the results of operations in each rank, and what the other ranks
 * do when one differs or ends. Run with SIMT_DEVICES=4. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "cuda_runtime.h"
#include "nccl.h"

enum { MOST = 4, N = 1000 };

/* This process's rank and its objects. */
static int ranks, rank;
static ncclComm_t comm;
static cudaStream_t stream;
static float *from, *to, host[MOST * N];

#define NEED(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "rank %d of %d, line %d: %s\n", rank, ranks, __LINE__, #condition);    \
            _exit(9);                                                                              \
        }                                                                                          \
    } while (0)

/* Element i that rank r sends. */
static float sent(int r, int i)
{
    return (float)(r * 7 + i % 100);
}

static void set_up(const ncclUniqueId *id)
{
    NEED(cudaSetDevice(rank) == cudaSuccess);
    NEED(cudaStreamCreate(&stream) == cudaSuccess);
    NEED(cudaMalloc((void **)&from, sizeof host) == cudaSuccess);
    NEED(cudaMalloc((void **)&to, sizeof host) == cudaSuccess);
    for (int i = 0; i < MOST * N; i++) {
        host[i] = sent(rank, i);
    }
    NEED(cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice) == cudaSuccess);
    NEED(ncclCommInitRank(&comm, ranks, *id, rank) == ncclSuccess);
}

static void receive(int count)
{
    NEED(cudaStreamSynchronize(stream) == cudaSuccess);
    NEED(cudaMemcpy(host, to, (size_t)count * sizeof *host, cudaMemcpyDeviceToHost) == cudaSuccess);
}

static float sum(int i)
{
    float all = 0;
    for (int r = 0; r < ranks; r++) {
        all += sent(r, i);
    }
    return all;
}

/* ---- work of a rank ---- */

static void operations(void)
{
    const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
    for (int round = 0; round < 3; round++) {
        NEED(ncclAllReduce(from, to, N, ncclFloat, ncclSum, comm, stream) == ncclSuccess);
        receive(N);
        for (int i = 0; i < N; i++) {
            NEED(host[i] == sum(i));
        }
    }
    NEED(ncclAllGather(from, to, N, ncclFloat, comm, stream) == ncclSuccess);
    receive(ranks * N);
    for (int i = 0; i < ranks * N; i++) {
        NEED(host[i] == sent(i / N, i % N));
    }
    NEED(ncclReduceScatter(from, to, N, ncclFloat, ncclSum, comm, stream) == ncclSuccess);
    receive(N);
    for (int i = 0; i < N; i++) {
        NEED(host[i] == sum(rank * N + i));
    }
    NEED(ncclBroadcast(from, to, N, ncclFloat, ranks - 1, comm, stream) == ncclSuccess);
    receive(N);
    for (int i = 0; i < N; i++) {
        NEED(host[i] == sent(ranks - 1, i));
    }
    /* Two messages to the next rank, which must arrive in the order of the calls. */
    NEED(ncclGroupStart() == ncclSuccess);
    for (int half = 0; half < 2; half++) {
        NEED(ncclSend(from + half * N, N - half, ncclFloat, next, comm, stream) == ncclSuccess);
        NEED(ncclRecv(to + half * N, (size_t)(N - half), ncclFloat, previous, comm, stream) ==
             ncclSuccess);
    }
    NEED(ncclGroupEnd() == ncclSuccess);
    receive(2 * N - 1);
    for (int i = 0; i < 2 * N - 1; i++) {
        NEED(host[i] == sent(previous, i));
    }
    NEED(ncclAllReduce(from, to, 0, ncclFloat, ncclSum, comm, stream) == ncclSuccess);
    NEED(ncclCommDestroy(comm) == ncclSuccess);
}

static void other_count(void)
{
    ncclAllReduce(from, to, rank == 1 ? N : N / 2, ncclFloat, ncclSum, comm, stream);
}

static void other_message(void)
{
    if (rank == 0) {
        ncclSend(from, N, ncclFloat, 1, comm, stream); /* the other rank notices this */
        _exit(1);
    } else {
        ncclRecv(to, N / 2, ncclFloat, 0, comm, stream);
    }
}

/* The last rank never calls, as after a crash. The other ranks are told and end. */
static void one_ends(void)
{
    if (rank == ranks - 1) {
        raise(SIGKILL);
    }
    NEED(ncclAllReduce(from, to, N, ncclFloat, ncclSum, comm, stream) == ncclRemoteError);
    _exit(7);
}

static void sender_ends(void)
{
    if (rank == 0) {
        _exit(7);
    }
    NEED(ncclRecv(to, N, ncclFloat, 0, comm, stream) == ncclRemoteError);
    _exit(7);
}

/* ---- the test's side ---- */

/* Runs `count` processes. Returns the text of their stderr, and the exit code of all that were not
 * killed. */
static int run(int count, void (*work)(void), char *text, size_t size)
{
    int ends[2], code = -1, status;
    size_t had = 0;
    ncclUniqueId id;
    ssize_t more;
    assert_int_equal(ncclGetUniqueId(&id), ncclSuccess);
    assert_int_equal(pipe(ends), 0);
    for (int r = 0; r < count; r++) {
        if (fork() == 0) {
            alarm(50); /* ends a process that hangs */
            dup2(ends[1], STDERR_FILENO);
            close(ends[0]);
            ranks = count;
            rank = r;
            set_up(&id);
            work();
            _exit(0);
        }
    }
    close(ends[1]);
    while (had < size - 1 && (more = read(ends[0], text + had, size - 1 - had)) > 0) {
        had += (size_t)more;
    }
    text[had] = '\0';
    close(ends[0]);
    while (wait(&status) > 0) {
        if (WIFSIGNALED(status)) {
            assert_int_equal(WTERMSIG(status), SIGKILL);
        } else {
            assert_true(code == -1 || code == WEXITSTATUS(status));
            code = WEXITSTATUS(status);
        }
    }
    return code;
}

static void test_operations(void **state)
{
    char text[4096];
    (void)state;
    for (int count = 2; count <= MOST; count++) {
        const int code = run(count, operations, text, sizeof text);
        assert_string_equal(text, "");
        assert_int_equal(code, 0);
    }
}

static void test_differences(void **state)
{
    char text[4096];
    (void)state;
    assert_int_equal(run(3, other_count, text, sizeof text), 1);
    assert_non_null(strstr(text, "ncclAllReduce()"));
    assert_non_null(strstr(text, "of rank 1 (1000 elements)"));
    assert_non_null(strstr(text, "the numbers and types of elements must be the same"));
    assert_int_equal(run(2, other_message, text, sizeof text), 1);
    assert_non_null(strstr(text, "of rank 0 (1000 elements) meets ncclRecv()"));
}

static void test_ends(void **state)
{
    char text[4096];
    (void)state;
    assert_int_equal(run(3, one_ends, text, sizeof text), 7);
    assert_non_null(strstr(text, "the process of rank 2 has ended"));
    assert_int_equal(run(2, sender_ends, text, sizeof text), 7);
    assert_non_null(strstr(text, "the process of rank 0 has ended"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_ends),
    };
    setenv("OMPI_COMM_WORLD_SIZE", "4", 1); /* as under mpirun: more ranks may follow */
    return cmocka_run_group_tests_name("several processes", tests, NULL, NULL);
}
