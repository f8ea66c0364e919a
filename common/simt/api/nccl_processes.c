/* NCCL's ranks in several processes of one machine, one rank per process.
 *
 * The processes share memory, the board. A call is posted there with its data, a file in memory
 * that the others open through /proc. When all matching calls have been posted, each process
 * performs its own rank's part. A call is done when all ranks that need its data have read them.
 * The files and the board vanish with the processes that hold them. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api/nccl.h"
#include "base/exit.h"
#include "base/need.h"
#include "memory/memory.h"

/* A rank's latest call of a kind. The fields after `read` are written before `posted` grows. */
struct post {
    atomic_uint posted;
    /* Collective: number that this rank has performed. Pair: number that the peer has. */
    atomic_uint read;
    enum simt_nccl_kind kind;
    size_t count, bytes;
    ncclDataType_t type;
    ncclRedOp_t op;
    int peer, file;
    char told[SIMT_NCCL_TOLD];
};

struct simt_board {
    int file;                              /* descriptor in the process that made the board */
    atomic_int process[SIMT_MOST_DEVICES]; /* per rank; 0: has not joined */
    struct post collective[SIMT_MOST_DEVICES];
    struct post pair[SIMT_MOST_DEVICES][SIMT_MOST_DEVICES]; /* from, to */
};

/* ---- boards ---- */

static struct simt_board *map(int file)
{
    void *memory =
        mmap(NULL, sizeof(struct simt_board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static int open_of(int process, int file, int flags)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", process, file);
    return open(path, flags | O_CLOEXEC);
}

bool simt_board_make(ncclUniqueId *id)
{
    const int file = memfd_create("simt nccl", MFD_CLOEXEC);
    struct simt_board *board;
    if (file < 0 || ftruncate(file, sizeof *board) != 0 || !(board = map(file))) {
        if (file >= 0) {
            close(file);
        }
        return false;
    }
    board->file = file;
    munmap(board, sizeof *board);
    *id = (ncclUniqueId){{0}};
    snprintf(id->internal, sizeof id->internal, "simt %d %d", (int)getpid(), file);
    return true;
}

struct simt_board *simt_board_find(const ncclUniqueId *id)
{
    struct simt_board *board = NULL;
    char text[NCCL_UNIQUE_ID_BYTES + 1] = "";
    int process, number, file = -1;
    memcpy(text, id->internal, NCCL_UNIQUE_ID_BYTES);
    if (sscanf(text, "simt %d %d", &process, &number) == 2) {
        file = open_of(process, number, O_RDWR);
    }
    if (file >= 0) {
        board = map(file);
        close(file);
    }
    return board;
}

void simt_board_leave(struct simt_board *board)
{
    if (board) {
        munmap(board, sizeof *board);
    }
}

bool simt_board_join(struct simt_board *board, int rank)
{
    int nobody = 0;
    return !board || atomic_compare_exchange_strong(&board->process[rank], &nobody, (int)getpid());
}

bool simt_clique_spans(const struct simt_clique *clique)
{
    for (int rank = 0; clique->board && rank < clique->size; rank++) {
        const int process = atomic_load(&clique->board->process[rank]);
        if (process != 0 && process != (int)getpid()) {
            return true;
        }
    }
    return false;
}

/* ---- posts ---- */

static void post(struct post *place, struct simt_nccl_call *call)
{
    const size_t bytes = simt_nccl_from_bytes(call);
    size_t written = 0;
    if (bytes > 0) {
        call->data = memfd_create("simt nccl", MFD_CLOEXEC);
        simt_needed(call->data < 0 ? NULL : call, "NCCL");
        simt_region_open(call->from, true);
        while (written < bytes) {
            const ssize_t more =
                write(call->data, (const char *)call->from + written, bytes - written);
            simt_needed(more <= 0 ? NULL : call, "NCCL");
            written += (size_t)more;
        }
        simt_region_open(call->from, false);
    }
    place->kind = call->kind;
    place->count = call->count;
    place->bytes = bytes;
    place->type = call->type;
    place->op = call->op;
    place->peer = call->peer;
    place->file = call->data;
    simt_nccl_tell(place->told, call);
    atomic_fetch_add(&place->posted, 1);
    call->stage = POSTED;
}

static void finish(struct simt_nccl_call *call)
{
    if (call->data > 0) {
        close(call->data);
    }
    simt_nccl_take_out(call);
}

/* Represents a call of a rank in another process. */
struct stand_in {
    struct simt_nccl_call call;
    struct ncclComm comm;
    char *data;
};

static void stand_in_for(struct stand_in *in, struct simt_clique *clique, int rank,
                         const struct post *place)
{
    in->data = simt_needed(malloc(place->bytes + 1), "NCCL");
    in->comm = (struct ncclComm){.clique = clique, .rank = rank};
    in->call = (struct simt_nccl_call){.kind = place->kind,
                                       .from = in->data,
                                       .count = place->count,
                                       .type = place->type,
                                       .op = place->op,
                                       .peer = place->peer,
                                       .comm = &in->comm,
                                       .elsewhere = place->told};
}

/* False if the rank's process has ended, because its data are then gone. */
static bool read_data(const struct stand_in *in, const struct post *place)
{
    const struct simt_board *board = in->comm.clique->board;
    const int process = atomic_load(&board->process[in->comm.rank]);
    const int file = place->bytes > 0 ? open_of(process, place->file, O_RDONLY) : -1;
    size_t had = 0;
    ssize_t more = 1;
    while (had < place->bytes && more > 0) {
        more = pread(file, in->data + had, place->bytes - had, (off_t)had);
        had += more > 0 ? (size_t)more : 0;
    }
    if (file >= 0) {
        close(file);
    }
    return had == place->bytes;
}

/* ---- collectives ---- */

/* Called once all ranks have posted their calls. */
static void perform(struct simt_clique *clique, struct simt_nccl_call *own)
{
    struct stand_in *others = simt_needed(calloc((size_t)clique->size, sizeof *others), "NCCL");
    struct simt_nccl_call *calls[SIMT_MOST_DEVICES];
    struct post *posts = clique->board->collective;
    bool all_there = true;
    for (int rank = 0; rank < clique->size; rank++) {
        calls[rank] = own;
        if (rank != own->comm->rank) {
            stand_in_for(&others[rank], clique, rank, &posts[rank]);
            calls[rank] = &others[rank].call;
        }
    }
    for (int rank = 1; rank < clique->size; rank++) {
        simt_nccl_compare(calls[0], calls[rank]);
    }
    for (int rank = 0; rank < clique->size; rank++) {
        all_there = all_there && (calls[rank] == own || read_data(&others[rank], &posts[rank]));
    }
    if (all_there && own->kind != NCCL_INIT) {
        simt_nccl_perform(calls, clique->size);
    }
    for (int rank = 0; rank < clique->size; rank++) {
        free(others[rank].data);
    }
    free(others);
    if (all_there) {
        atomic_fetch_add(&posts[own->comm->rank].read, 1);
        own->stage = READ;
    }
}

static bool all_have_posted(const struct simt_clique *clique, unsigned int number)
{
    for (int rank = 0; rank < clique->size; rank++) {
        if (atomic_load(&clique->board->collective[rank].posted) < number) {
            return false;
        }
    }
    return true;
}

static bool all_have_read(const struct simt_clique *clique, unsigned int number)
{
    for (int rank = 0; rank < clique->size; rank++) {
        if (atomic_load(&clique->board->collective[rank].read) < number) {
            return false;
        }
    }
    return true;
}

static void advance_collectives(struct simt_clique *clique, struct ncclComm *comm)
{
    struct post *own = &clique->board->collective[comm->rank];
    struct simt_nccl_call *call;
    while ((call = comm->queue[QUEUE_COLLECTIVES])) {
        if (call->stage == NEW) {
            post(own, call);
        }
        if (call->stage == POSTED && all_have_posted(clique, atomic_load(&own->posted))) {
            perform(clique, call);
        }
        if (call->stage != READ || !all_have_read(clique, atomic_load(&own->posted))) {
            return;
        }
        finish(call);
    }
}

/* ---- sends and receives ---- */

/* Whether an earlier call of the queue has the same peer. */
static bool is_behind(const struct simt_nccl_call *first, const struct simt_nccl_call *call)
{
    while (first != call && first->peer != call->peer) {
        first = first->next_of_queue;
    }
    return first != call;
}

static bool advance_send(struct simt_clique *clique, struct simt_nccl_call *call)
{
    struct post *place = &clique->board->pair[call->comm->rank][call->peer];
    if (call->stage == NEW) {
        post(place, call);
        simt_nccl_perform(&call, 1);
    }
    return atomic_load(&place->read) == atomic_load(&place->posted);
}

static bool advance_receive(struct simt_clique *clique, struct simt_nccl_call *call)
{
    struct post *place = &clique->board->pair[call->peer][call->comm->rank];
    struct stand_in sender;
    bool is_there;
    if (atomic_load(&place->posted) == atomic_load(&place->read)) {
        return false;
    }
    stand_in_for(&sender, clique, call->peer, place);
    simt_nccl_compare(&sender.call, call);
    is_there = read_data(&sender, place);
    if (is_there) {
        simt_nccl_perform((struct simt_nccl_call *[]){&sender.call, call}, 2);
        atomic_fetch_add(&place->read, 1);
    }
    free(sender.data);
    return is_there;
}

static void advance_pairs(struct simt_clique *clique, struct ncclComm *comm, int queue)
{
    struct simt_nccl_call *call = comm->queue[queue], *next;
    for (; call; call = next) {
        next = call->next_of_queue;
        if (!is_behind(comm->queue[queue], call) &&
            (queue == QUEUE_SENDS ? advance_send(clique, call) : advance_receive(clique, call))) {
            finish(call);
        }
    }
}

/* ---- processes that end ---- */

static bool has_ended(int process)
{
    char path[64], line[512] = "", *state;
    FILE *file;
    if (kill(process, 0) != 0 && errno == ESRCH) {
        return true;
    }
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    file = fopen(path, "r");
    if (!file) {
        return true;
    }
    state = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    fclose(file);
    return state && (state[2] == 'Z' || state[2] == 'X');
}

/* Whether a waiting call still waits for that rank. */
static bool needs(const struct simt_clique *clique, const struct simt_nccl_call *call, int rank)
{
    const struct post *all = clique->board->collective;
    if (call->kind == NCCL_SEND || call->kind == NCCL_RECV) {
        return call->peer == rank;
    }
    return atomic_load(&all[rank].read) < atomic_load(&all[call->comm->rank].posted);
}

static uint32_t ended_ranks(const struct simt_clique *clique)
{
    uint32_t ended = 0;
    for (int rank = 0; rank < clique->size; rank++) {
        const int process = atomic_load(&clique->board->process[rank]);
        if (process != 0 && has_ended(process)) {
            ended |= UINT32_C(1) << rank;
        }
    }
    return ended;
}

/* Calls that wait for an ended process fail, as in NCCL. */
static void fail_what_needs(const struct simt_clique *clique, struct ncclComm *comm, int rank)
{
    for (int queue = 0; queue < NCCL_QUEUES; queue++) {
        struct simt_nccl_call *call = comm->queue[queue], *next;
        for (; call; call = next) {
            char why[64];
            next = call->next_of_queue;
            if (needs(clique, call, rank)) {
                snprintf(why, sizeof why, "the process of rank %d has ended", rank);
                call->result = simt_nccl_fail(call, ncclRemoteError, why);
                finish(call);
            }
        }
    }
}

/* ---- the interface ---- */

void simt_clique_advance(struct simt_clique *clique)
{
    struct ncclComm *own = NULL;
    int here = 0;
    for (int rank = 0; rank < clique->size; rank++) {
        own = clique->ranks[rank] ? clique->ranks[rank] : own;
        here += clique->ranks[rank] != NULL;
    }
    if (here > 1) {
        fputs("simt: ncclCommInitRank(): several ranks in this process, and others in another: a "
              "process may have one, or all\n",
              stderr);
        simt_exit();
    }
    if (own) {
        /* Read this first: calls that a process posted before it ended are then seen below. It may
         * have ended because its call did not match this one. */
        const uint32_t ended = ended_ranks(clique);
        advance_collectives(clique, own);
        advance_pairs(clique, own, QUEUE_SENDS);
        advance_pairs(clique, own, QUEUE_RECEIVES);
        for (int rank = 0; rank < clique->size; rank++) {
            if (ended >> rank & 1) {
                fail_what_needs(clique, own, rank);
            }
        }
    }
}

/* MPI launchers set these variables for the processes that they start. */
static bool has_launcher(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMI_SIZE") || getenv("MV2_COMM_WORLD_SIZE");
}

bool simt_nccl_may_wait(const struct simt_nccl_call *call)
{
    const struct simt_clique *clique = call->comm->clique;
    return clique->board &&
           (simt_clique_spans(clique) || (call->kind == NCCL_INIT && has_launcher()));
}
/* SPDX-License-Identifier: MIT */
