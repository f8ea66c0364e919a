/* Orders in translated PTX: mbarriers and named barriers, each with its own clock; the writes of
 * bulk copies for an mbarrier, which belong to an agent; and fences between a thread's accesses and
 * those of bulk copies, which use another path (a proxy). */
#include <string.h>

#include "base/need.h"
#include "check/orders.h"

enum { PROXIES_OF_THREAD = 8 };

void simt_causality_release(unsigned int thread, struct simt_clock **clock)
{
    struct simt_fence fence = {0};
    simt_now.fine = simt_order->clocks_used = true;
    simt_order->tags[thread] = simt_new_segment() | thread;
    simt_make_fence(&fence, thread);
    simt_clock_add(clock, simt_at_fence(thread, &fence));
    simt_forget_fence(&fence);
}

void simt_causality_acquire(unsigned int thread, struct simt_clock *clock)
{
    simt_now.fine = simt_order->clocks_used = true;
    simt_clock_add(&simt_order->seen[thread], clock);
    simt_learn_row(thread, clock);
}

/* ---- agents ---- */

unsigned int simt_causality_agent(void)
{
    unsigned int agent = SIMT_MAX_BLOCK_THREADS + simt_order->agents;
    unsigned int from = simt_order->agents++ == 0 ? simt_order->threads : agent;
    if (agent + 1 >= THREADS) {
        simt_order->agents--;
        return THREADS;
    }
    for (unsigned int i = 0; i < simt_order->threads; i++) {
        if (simt_order->rows[i]) { /* its last user ended early */
            memset(simt_order->rows[i] + from, 0, (agent + 1 - from) * sizeof(uint32_t));
        }
    }
    return agent;
}

uint32_t simt_causality_agent_writes(unsigned int agent, struct simt_clock **clock)
{
    uint32_t tag = simt_new_segment() | agent;
    struct simt_moment moment = {agent, tag + 1};
    struct simt_clock *own = simt_clock_of(simt_order->number, 0, &moment, 1);
    simt_now.fine = simt_order->clocks_used = true;
    simt_clock_add(clock, own);
    simt_clock_drop(own);
    return tag;
}

/* ---- fences between proxies ---- */

/* Drops the thread's oldest fence if the limit is reached. */
static void make_room(unsigned int thread)
{
    struct simt_proxy_fence *proxies = simt_order->proxies;
    size_t count = 0, oldest = 0;
    for (size_t i = simt_order->proxy_count; i-- > 0;) {
        if (proxies[i].at % THREADS == thread) {
            count++;
            oldest = i;
        }
    }
    if (count >= PROXIES_OF_THREAD) {
        simt_clock_drop(proxies[oldest].known);
        simt_order->proxy_count--;
        memmove(proxies + oldest, proxies + oldest + 1,
                (simt_order->proxy_count - oldest) * sizeof *proxies);
        simt_order->proxies_dropped = true;
    }
    simt_order->proxies =
        simt_with_room(proxies, simt_order->proxy_count, &simt_order->proxy_capacity,
                       sizeof *proxies, "the checks");
}

void simt_causality_proxy_fence(unsigned int thread, enum simt_proxy proxy, uint64_t map)
{
    struct simt_clock *known = NULL;
    make_room(thread);
    simt_causality_release(thread, &known);
    simt_order->proxies[simt_order->proxy_count++] =
        (struct simt_proxy_fence){proxy, map, simt_order->tags[thread], known};
}

static bool covers(const struct simt_clock *known, uint32_t tag)
{
    return simt_past_covers(simt_clock_find(known, simt_order->number), tag % THREADS, tag);
}

bool simt_causality_is_proxied(uint32_t tag, unsigned int thread, enum simt_proxy proxy,
                               uint64_t map)
{
    if (simt_order->proxied[proxy] && covers(simt_order->proxied[proxy], tag)) {
        return true;
    }
    for (size_t i = simt_order->proxy_count; i-- > 0;) {
        const struct simt_proxy_fence *fence = &simt_order->proxies[i];
        if (fence->proxy == proxy && fence->map == map && !simt_unordered(fence->at, thread) &&
            covers(fence->known, tag)) {
            return true;
        }
    }
    return simt_order->proxies_dropped;
}

/* After a barrier of the block, the fences belong to all threads. Their maps are forgotten. */
void simt_pool_proxies(void)
{
    for (size_t i = 0; i < simt_order->proxy_count; i++) {
        simt_clock_add(&simt_order->proxied[simt_order->proxies[i].proxy],
                       simt_order->proxies[i].known);
        simt_clock_drop(simt_order->proxies[i].known);
    }
    simt_order->proxy_count = 0;
    simt_order->proxies_dropped = false;
}

void simt_forget_proxies(struct simt_order *order)
{
    for (size_t i = 0; i < order->proxy_count; i++) {
        simt_clock_drop(order->proxies[i].known);
    }
    for (unsigned int i = 0; i < SIMT_PROXIES; i++) {
        simt_clock_clear(&order->proxied[i]);
    }
    order->proxy_count = 0;
    order->proxies_dropped = false;
}
/* SPDX-License-Identifier: MIT */
