/* NCCL's calls: groups, and how the calls of the ranks are matched.
 *
 * A call outside a group is a group of one. At the end of a group its calls are posted, and the
 * thread waits until all of them are done. (Calls of the real NCCL return earlier, but later work
 * in the stream still runs after them.) If no thread or process is left to make the missing calls,
 * that is reported. */
#include "api/nccl.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit.h"
#include "base/need.h"
#include "base/own.h"
#include "program/source.h"

#define CALLER __builtin_return_address(0)
enum { POLL_MS = 50, PROCESSES_MS = 1, PATIENCE_MS = 3000 };

/* The calls of a thread since ncclGroupStart(). */
struct simt_group {
    int depth;
    struct simt_nccl_call *calls, **end;
    ncclResult_t result; /* of the first call that failed */
};

struct simt_clique *simt_cliques;

/* ---- errors ---- */

static char last_error[256];

const char *ncclGetErrorString(ncclResult_t result)
{
    static const char *const texts[ncclNumResults] = {
        "no error",
        "unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
        "unhandled system error (run with NCCL_DEBUG=INFO for details)",
        "internal error - please report this issue to the NCCL developers",
        "invalid argument (run with NCCL_DEBUG=WARN for details)",
        "invalid usage (run with NCCL_DEBUG=WARN for details)",
        "remote process exited or there was a network error",
        "NCCL operation in progress"};
    return (unsigned int)result < ncclNumResults ? texts[result] : "unknown result code";
}

const char *ncclGetLastError(ncclComm_t comm)
{
    (void)comm;
    return last_error;
}

void simt_nccl_tell(char told[SIMT_NCCL_TOLD], const struct simt_nccl_call *call)
{
    const struct simt_source *source;
    if (call->elsewhere) {
        snprintf(told, SIMT_NCCL_TOLD, "%s", call->elsewhere);
        return;
    }
    source = simt_source_of(simt_place_of(call->caller));
    if (source->line > 0) {
        snprintf(told, SIMT_NCCL_TOLD, "%s() at %s:%d", call->function, source->file, source->line);
    } else {
        snprintf(told, SIMT_NCCL_TOLD, "%s()", call->function);
    }
}

static void tell_call(FILE *file, const struct simt_nccl_call *call)
{
    char told[SIMT_NCCL_TOLD];
    simt_nccl_tell(told, call);
    fputs(told, file);
}

ncclResult_t simt_nccl_fail(const struct simt_nccl_call *call, ncclResult_t result, const char *why)
{
    snprintf(last_error, sizeof last_error, "%s: %s", call->function, why);
    fflush(stdout);
    fputs("simt: ", stderr);
    tell_call(stderr, call);
    fprintf(stderr, ": %s\n", why);
    if (simt_own.nccl && simt_own.nccl->result == ncclSuccess) {
        simt_own.nccl->result = result;
    }
    return result;
}

/* ---- matching calls ---- */

static enum simt_nccl_queue queue_of(const struct simt_nccl_call *call)
{
    return call->kind == NCCL_SEND   ? QUEUE_SENDS
           : call->kind == NCCL_RECV ? QUEUE_RECEIVES
                                     : QUEUE_COLLECTIVES;
}

static void append(struct simt_nccl_call *call)
{
    struct simt_nccl_call **link = &call->comm->queue[queue_of(call)];
    while (*link) {
        link = &(*link)->next_of_queue;
    }
    *link = call;
}

void simt_nccl_take_out(struct simt_nccl_call *call)
{
    struct simt_nccl_call **link = &call->comm->queue[queue_of(call)];
    while (*link && *link != call) {
        link = &(*link)->next_of_queue;
    }
    if (*link) {
        *link = call->next_of_queue;
    }
    call->done = true;
}

__attribute__((noreturn)) static void report_mismatch(const struct simt_nccl_call *call,
                                                      const struct simt_nccl_call *other,
                                                      const char *what)
{
    fflush(stdout);
    fputs("simt: ", stderr);
    tell_call(stderr, call);
    fprintf(stderr, " of rank %d (%zu elements) meets ", call->comm->rank, call->count);
    tell_call(stderr, other);
    fprintf(stderr, " of rank %d (%zu elements): the %s must be the same on all ranks\n",
            other->comm->rank, other->count, what);
    simt_exit();
}

void simt_nccl_compare(const struct simt_nccl_call *call, const struct simt_nccl_call *other)
{
    const bool pair = call->kind == NCCL_SEND;
    const char *what = !pair && call->kind != other->kind ? "operations"
                       : call->count != other->count || call->type != other->type
                           ? "numbers and types of elements"
                       : !pair && call->op != other->op     ? "operators"
                       : !pair && call->peer != other->peer ? "roots"
                                                            : NULL;
    if (what) {
        report_mismatch(call, other, what);
    }
}

static struct simt_nccl_call *first_of(const struct simt_clique *clique, int rank)
{
    const struct ncclComm *comm = clique->ranks[rank];
    return comm ? comm->queue[QUEUE_COLLECTIVES] : NULL;
}

/* Performs the next collective if all ranks have posted it. */
static bool meet(struct simt_clique *clique)
{
    struct simt_nccl_call *calls[SIMT_MOST_DEVICES] = {first_of(clique, 0)};
    if (!calls[0]) {
        return false;
    }
    for (int rank = 1; rank < clique->size; rank++) {
        calls[rank] = first_of(clique, rank);
        if (!calls[rank]) {
            return false;
        }
    }
    for (int rank = 1; rank < clique->size; rank++) {
        simt_nccl_compare(calls[0], calls[rank]);
    }
    if (calls[0]->kind != NCCL_INIT) {
        simt_nccl_perform(calls, clique->size);
    }
    for (int rank = 0; rank < clique->size; rank++) {
        simt_nccl_take_out(calls[rank]);
    }
    return true;
}

/* Performs a send and its receive if the receive has been posted. */
static bool meet_pair(struct simt_clique *clique, struct simt_nccl_call *send)
{
    const struct ncclComm *to = clique->ranks[send->peer];
    for (struct simt_nccl_call *call = to ? to->queue[QUEUE_RECEIVES] : NULL; call;
         call = call->next_of_queue) {
        if (call->peer == send->comm->rank) {
            simt_nccl_compare(send, call);
            simt_nccl_perform((struct simt_nccl_call *[]){send, call}, 2);
            simt_nccl_take_out(send);
            simt_nccl_take_out(call);
            return true;
        }
    }
    return false;
}

static void advance(struct simt_clique *clique)
{
    if (simt_clique_spans(clique)) {
        simt_clique_advance(clique);
        simt_api_wake();
        return;
    }
    while (meet(clique)) {
    }
    for (int rank = 0; rank < clique->size; rank++) {
        struct simt_nccl_call *send =
            clique->ranks[rank] ? clique->ranks[rank]->queue[QUEUE_SENDS] : NULL;
        while (send) {
            struct simt_nccl_call *next = send->next_of_queue;
            meet_pair(clique, send);
            send = next;
        }
    }
    simt_api_wake();
}

/* ---- calls that are never made ---- */

/* Whether another thread of the program is running. `are_there`: whether there is one. */
static bool others_run(bool *are_there)
{
    DIR *const folder = opendir("/proc/self/task");
    int threads = 0, running = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[300], line[512], *state;
        FILE *file;
        if (entry->d_name[0] == '.') {
            continue;
        }
        threads++;
        snprintf(path, sizeof path, "/proc/self/task/%s/stat", entry->d_name);
        file = fopen(path, "r");
        state = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
        running += state && state[2] != 'S';
        if (file) {
            fclose(file);
        }
    }
    if (folder) {
        closedir(folder);
    }
    *are_there = !folder || threads > 1;
    return running > 1;
}

static void tell_waiting(const struct simt_nccl_call *call)
{
    const struct simt_clique *clique = call->comm->clique;
    const char *join = "";
    fputs("simt: ", stderr);
    tell_call(stderr, call);
    fprintf(stderr, ": rank %d of %d waits for ", call->comm->rank, clique->size);
    for (int rank = 0; rank < clique->size; rank++) {
        const struct ncclComm *other = clique->ranks[rank];
        const bool pair = queue_of(call) != QUEUE_COLLECTIVES;
        if (pair ? rank == call->peer : !other || !other->queue[QUEUE_COLLECTIVES]) {
            fprintf(stderr, "%srank %d", join, rank);
            join = ", ";
        }
    }
    fputs(", and no thread is left to make that call\n", stderr);
}

__attribute__((noreturn)) static void report_stuck(void)
{
    fflush(stdout);
    for (const struct simt_clique *clique = simt_cliques; clique; clique = clique->next) {
        for (int rank = 0; rank < clique->size; rank++) {
            for (int queue = 0; clique->ranks[rank] && queue < NCCL_QUEUES; queue++) {
                if (clique->ranks[rank]->queue[queue]) {
                    tell_waiting(clique->ranks[rank]->queue[queue]);
                }
            }
        }
    }
    fputs("  hint: every rank makes the same calls in the same order. A thread that calls for "
          "several ranks does so between\n"
          "  ncclGroupStart() and ncclGroupEnd(); otherwise it waits in the first call for the "
          "others.\n",
          stderr);
    simt_exit();
}

static bool all_done(const struct simt_nccl_call *call)
{
    while (call && call->done) {
        call = call->next;
    }
    return !call;
}

/* Whether a call waits for another process. Then wait_for() polls, because nothing wakes it. */
static bool may_wait(const struct simt_nccl_call *call)
{
    while (call && (call->done || !simt_nccl_may_wait(call))) {
        call = call->next;
    }
    return call;
}

static void advance_all(void)
{
    for (struct simt_clique *clique = simt_cliques; clique; clique = clique->next) {
        advance(clique);
    }
}

static void wait_for(const struct simt_nccl_call *calls)
{
    unsigned long seen = simt_api_calls();
    unsigned int waited = 0;
    while (!all_done(calls)) {
        bool are_there;
        const bool run = others_run(&are_there), processes = may_wait(calls);
        if (!processes && (!are_there || waited >= PATIENCE_MS)) {
            report_stuck();
        }
        simt_api_wait(processes ? PROCESSES_MS : POLL_MS);
        if (processes) {
            advance_all();
        }
        waited = run || simt_api_calls() != seen ? 0 : waited + POLL_MS;
        seen = simt_api_calls();
    }
}

/* ---- groups ---- */

static struct simt_group *open_group(void)
{
    if (!simt_own.nccl) {
        simt_own.nccl = simt_needed(calloc(1, sizeof *simt_own.nccl), "NCCL");
        simt_own.nccl->end = &simt_own.nccl->calls;
    }
    simt_own.nccl->depth++;
    return simt_own.nccl;
}

/* Closing the outermost group posts its calls and waits for them. */
static ncclResult_t close_group(void)
{
    struct simt_group *group = simt_own.nccl;
    ncclResult_t result = group->result;
    if (--group->depth > 0) {
        return result;
    }
    simt_own.nccl = NULL;
    for (struct simt_nccl_call *call = result == ncclSuccess ? group->calls : NULL; call;
         call = call->next) {
        append(call);
    }
    advance_all();
    if (result == ncclSuccess) {
        wait_for(group->calls);
    }
    for (struct simt_nccl_call *call = group->calls, *next; call; call = next) {
        next = call->next;
        result = result == ncclSuccess ? call->result : result;
        free(call);
    }
    free(group);
    return result;
}

ncclResult_t simt_nccl_ask(struct simt_nccl_call call)
{
    const char *trouble = simt_nccl_trouble(&call);
    struct simt_nccl_call *kept;
    struct simt_group *group;
    if (trouble) {
        return simt_nccl_fail(&call, ncclInvalidArgument, trouble);
    }
    group = open_group();
    kept = simt_needed(malloc(sizeof *kept), "NCCL");
    *kept = call;
    *group->end = kept;
    group->end = &kept->next;
    return close_group();
}

ncclResult_t ncclGroupStart(void)
{
    NCCL_CALL;
    open_group();
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void)
{
    const struct simt_nccl_call call = {.function = "ncclGroupEnd", .caller = CALLER};
    NCCL_CALL;
    return simt_own.nccl ? close_group()
                         : simt_nccl_fail(&call, ncclInvalidUsage, "there was no ncclGroupStart()");
}
/* SPDX-License-Identifier: MIT */
