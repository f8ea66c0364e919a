/* Locks and other spinning: a thread that polls gives way to other threads. */
#include <string.h>

#include "machine/endless.h"
#include "machine/schedule.h"
#include "memory/heap.h"
#include "memory/memory.h"
#include "observe/observer.h"

/* Clock reads need more repetitions than polls, because reports should show the polls. Other
 * accesses also need more: a loop may poll several words, or change others in between. */
enum { POLLS_BEFORE_YIELD = 64, ACCESSES_BEFORE_YIELD = 512, ACCESSES_PER_CLOCK = 4 };

static void give_way(const char *file, int line, const void *caller)
{
    simt_current->file = file;
    simt_current->line = line;
    simt_current->caller = caller;
    simt_current->round.place = 0;
    simt_current->failed_polls = simt_current->poll.count = 0; /* the address stays */
    simt_current->accesses = 0;
    simt_warp_of(simt_current)->yielded |= simt_bit_of(simt_current);
    simt_wait_turn();
}

void simt_yield(const char *file, int line)
{
    give_way(file, line, NULL);
}

void simt_access_point(const void *address)
{
    if (simt_grid.launch->interleaved && simt_in_kernel() && simt_memory_is_device(address)) {
        simt_current->poll.address = NULL;
        simt_yield("a memory access", 0);
        simt_note_progress(); /* an access is progress, not waiting */
    }
}

/* Whether the running thread has had its turn, whatever it does. Progress is tested elsewhere. */
static bool tires(void)
{
    const bool tired = ++simt_current->accesses >= ACCESSES_BEFORE_YIELD;
    if (tired) {
        simt_grid.progress++;
        simt_look_whether_long();
    }
    return tired;
}

/* Whether the poll has the same place and result as the last one. */
static bool polls_again(const void *address, uint64_t found, uint64_t signature)
{
    struct simt_poll *poll = &simt_current->poll;
    bool again = poll->address == address && poll->found == found && poll->signature == signature;
    unsigned int count = again ? poll->count + 1 : 1;
    *poll = (struct simt_poll){address, found, signature, count, false};
    simt_current->waits = again;
    return count >= POLLS_BEFORE_YIELD || tires();
}

static struct simt_change *change_of(const void *address)
{
    return &simt_grid.changes[(uintptr_t)address / 4 % SIMT_CHANGES];
}

const struct simt_change *simt_find_change(const void *address)
{
    const struct simt_change *change = change_of(address);
    return change->address == address ? change : NULL;
}

void simt_atomic_point(const char *file, int line, const void *caller)
{
    if (simt_current && simt_schedule_below(4) == 0) {
        give_way(file, line, caller);
    }
}

void simt_atomic_done(const void *address, uint64_t old, bool changed, bool lock,
                      uint64_t signature, const char *file, int line)
{
    if (!simt_current) {
        return;
    }
    if (changed) {
        simt_grid.changed = true;
        *change_of(address) = (struct simt_change){address, simt_current, simt_block, file, line};
        simt_current->failed_polls = lock ? 0 : simt_current->failed_polls;
        simt_current->waits = false;
        simt_note_progress();
        if (tires()) {
            give_way(file, line, NULL);
        }
        return;
    }
    const bool again = polls_again(address, old, signature);
    if (lock ? ++simt_current->failed_polls >= POLLS_BEFORE_YIELD : again) {
        give_way(file, line, NULL);
    }
}

/* Whether this reads the rest of the 16 bytes of the last poll: both are one access. */
static bool is_second_half(const void *address)
{
    struct simt_poll *poll = &simt_current->poll;
    const bool second =
        poll->address && !poll->second && address == (const char *)poll->address + 8;
    poll->second = second;
    return second;
}

void simt_volatile_read(const void *address, unsigned int size, const void *caller)
{
    uint64_t found = 0;
    if (!simt_current || size > sizeof found || (size == 8 && is_second_half(address))) {
        return;
    }
    if (simt_shuffled) {
        simt_atomic_point(NULL, 0, caller);
    }
    if (simt_tracing && simt_current->poll.address == address &&
        simt_current->poll.signature == (uintptr_t)caller) {
        simt_observer.polls(caller);
    }
    memcpy(&found, address, size);
    if (polls_again(address, found, (uintptr_t)caller)) {
        give_way(NULL, 0, caller);
    }
}

void simt_clock_read(const void *caller)
{
    simt_grid.clocks++;
    if (simt_current && (simt_current->accesses += ACCESSES_PER_CLOCK) >= ACCESSES_BEFORE_YIELD) {
        simt_grid.progress += !simt_current->waits; /* as time passes */
        give_way(NULL, 0, caller);
    }
}

/* A thread that writes between two reads does more than wait. */
void simt_volatile_write(const void *caller)
{
    if (simt_shuffled) {
        simt_atomic_point(NULL, 0, caller);
    }
    if (simt_current) {
        simt_grid.progress++;
        simt_current->poll.address = NULL;
        simt_current->waits = false;
    }
}
/* SPDX-License-Identifier: MIT */
