/* Which of a warp's lanes goes first when they have parted.
 *
 * Lanes reconverge if the lane that is still before the join point goes first. Machine addresses do
 * not show which lane that is: each compiler orders the blocks of a program in its own way. The
 * control flow does, and the traces show it. Each event is a node. An edge leads to the lane's next
 * event in the same call. Nodes are ranked: every edge except for a loop's back edge leads up. A
 * loop has the ranks from its head on to itself, so a lane that has left it waits for the lanes
 * inside. This is the weak topological order of F. Bourdoncle, "Efficient chaotic iteration
 * strategies with widenings" (1993). A lane on a back edge to a loop's head also waits for the
 * lanes inside.
 *
 * Only edges that some lane has taken are known. The trace of a lane may be cut short because it is
 * full. Such a lane is assumed to reach the others, unless they are known to be behind it: they
 * wait. If the order is still open, machine addresses decide; such lanes do not reconverge. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/need.h"
#include "base/worker.h"
#include "cuda/simt.h"
#include "model/order.h"

enum { NO_NODE = 0, DONE = -1 };

/* Node 0 is none. */
struct node {
    uint64_t key;        /* the key of its events, without the depth */
    unsigned int edges;  /* list, in order of falling keys; 0: none */
    bool reached, entry; /* an edge leads here; a call began here */
    unsigned int rank, latch_rank;
    int number; /* in the search; 0: not visited */
};
struct edge {
    uint64_t key; /* the key of the target node */
    unsigned int to, next;
};

static struct node *nodes;
static struct edge *edges;
static unsigned int node_count = 1, edge_count = 1;
static size_t node_capacity, edge_capacity;
static unsigned int *slots; /* hash table of nodes, open addressing */
static unsigned int slot_count;
static bool changed;
static unsigned int version; /* grows whenever something is learnt */

static struct simt_past threads[SIMT_MAX_BLOCK_THREADS];

static unsigned int slot_of(uint64_t key)
{
    unsigned int slot = (unsigned int)(key * 0x9e3779b97f4a7c15u >> 32) & (slot_count - 1);
    while (slots[slot] && nodes[slots[slot]].key != key) {
        slot = (slot + 1) & (slot_count - 1);
    }
    return slot;
}

static void learn(void)
{
    simt_only_in_order();
    changed = true;
    version++;
}

unsigned int simt_order_version(void)
{
    return version;
}

static unsigned int node_of(uint64_t key)
{
    unsigned int slot;
    if (slot_count && slots[slot = slot_of(key)]) {
        return slots[slot];
    }
    if (node_count >= node_capacity) {
        nodes = simt_with_room(nodes, node_count, &node_capacity, sizeof *nodes, "the analysis");
        slot_count = 4 * (unsigned int)node_capacity;
        slots = simt_needed(realloc(slots, slot_count * sizeof *slots), "the analysis");
        memset(slots, 0, slot_count * sizeof *slots);
        for (unsigned int i = 1; i < node_count; i++) {
            slots[slot_of(nodes[i].key)] = i;
        }
    }
    slots[slot_of(key)] = node_count;
    nodes[node_count] = (struct node){.key = key};
    learn();
    return node_count++;
}

/* Returns the new edge; 0 if it is known already. */
static unsigned int connect(unsigned int from, unsigned int to)
{
    unsigned int before = 0, after = nodes[from].edges;
    while (after && edges[after].key > nodes[to].key) {
        before = after;
        after = edges[after].next;
    }
    if (after && edges[after].to == to) {
        return 0;
    }
    edges = simt_with_room(edges, edge_count, &edge_capacity, sizeof *edges, "the analysis");
    edges[edge_count] = (struct edge){nodes[to].key, to, after};
    if (before) {
        edges[before].next = edge_count++;
    } else {
        nodes[from].edges = edge_count++;
    }
    return edge_count - 1;
}

static void learn_edge(unsigned int from, unsigned int to)
{
    if (connect(from, to)) {
        nodes[to].reached = true;
        learn();
    }
}

static uint64_t key_of(const struct simt_event *event)
{
    return event->key & UINT64_MAX >> 16;
}

unsigned int simt_order_observe(unsigned int thread, const struct simt_event *event,
                                unsigned int *node)
{
    unsigned int level = 0xffff - (unsigned int)(event->key >> 48), before;
    level = level < SIMT_LEVELS ? level : SIMT_LEVELS - 1;
    for (unsigned int i = threads[thread].level + 1; i <= level; i++) {
        threads[thread].node[i] = NO_NODE; /* of an earlier call */
    }
    before = threads[thread].node[level];
    threads[thread].level = level;
    for (unsigned int i = before ? nodes[before].edges : 0; i; i = edges[i].next) {
        if (edges[i].key == key_of(event)) { /* the usual case */
            *node = threads[thread].node[level] = edges[i].to;
            return before;
        }
    }
    *node = threads[thread].node[level] = node_of(key_of(event));
    if (before) {
        learn_edge(before, *node);
    } else {
        nodes[*node].entry = true;
    }
    return before;
}

void simt_order_copy(unsigned int warp, unsigned int lanes, unsigned int from)
{
    for (unsigned int set = lanes; set; set &= set - 1) {
        threads[warp * SIMT_WARP_SIZE + simt_lowest(set)] = threads[warp * SIMT_WARP_SIZE + from];
    }
}

bool simt_order_same(unsigned int a, unsigned int b)
{
    bool same = threads[a].level == threads[b].level;
    for (unsigned int i = 0; same && i <= threads[a].level; i++) {
        same = threads[a].node[i] == threads[b].node[i];
    }
    return same;
}

static unsigned int *stack, stacked, next_rank;
static int visited;

/* ---- assumed edges ---- */

/* These edges hold only for the next ranking. */
static struct {
    unsigned int from, edge;
} * assumed;
static size_t assumed_count, assumed_capacity;

static bool leads_to(unsigned int from, unsigned int to)
{
    bool found = from == to;
    stack = simt_needed(realloc(stack, node_count * sizeof *stack), "the analysis");
    for (unsigned int i = 1; i < node_count; i++) {
        nodes[i].number = 0;
    }
    nodes[from].number = 1;
    stacked = 0;
    stack[stacked++] = from;
    while (stacked > 0 && !found) {
        for (unsigned int i = nodes[stack[--stacked]].edges; i; i = edges[i].next) {
            unsigned int next = edges[i].to;
            found = found || next == to;
            if (!nodes[next].number) {
                nodes[next].number = 1;
                stack[stacked++] = next;
            }
        }
    }
    return found;
}

void simt_order_assume(unsigned int from, unsigned int to)
{
    unsigned int edge;
    if (leads_to(to, from) || leads_to(from, to)) {
        return; /* already known */
    }
    edge = connect(from, to);
    assumed =
        simt_with_room(assumed, assumed_count, &assumed_capacity, sizeof *assumed, "the analysis");
    assumed[assumed_count].from = from;
    assumed[assumed_count++].edge = edge;
    changed = true;
}

static void forget_assumed(void)
{
    changed = assumed_count > 0;
    while (assumed_count > 0) {
        unsigned int edge = assumed[--assumed_count].edge;
        unsigned int *link = &nodes[assumed[assumed_count].from].edges;
        while (*link != edge) {
            link = &edges[*link].next;
        }
        *link = edges[edge].next;
        edge_count--;
    }
}

/* ---- ranks ---- */

/* A node whose search is not over; `edge` is next. (A list instead of recursion: the depth grows
 * with the program's length, and this runs on a kernel's stack.) */
struct search {
    unsigned int node, edge;
    int least;
    bool loop;   /* it lies on a loop */
    bool inside; /* its component is complete; its nodes are searched again */
};
static struct search *searches;
static size_t search_count, search_capacity;

static void begin_search(unsigned int node)
{
    searches =
        simt_with_room(searches, search_count, &search_capacity, sizeof *searches, "the analysis");
    nodes[node].number = ++visited;
    searches[search_count++] =
        (struct search){node, nodes[node].edges, nodes[node].number, false, false};
    stack[stacked++] = node;
}

/* A node has been searched, now or before: passes the result to the search that came from there. */
static void take_in(struct search *from, int number)
{
    if (!from->inside && number != DONE && number <= from->least) {
        from->least = number;
        from->loop = true;
    }
}

/* All edges of the node have been followed. False if it heads a loop, whose nodes come next. */
static bool end_search(struct search *search)
{
    struct node *node = &nodes[search->node];
    if (!search->inside && search->least == node->number) {
        node->latch_rank = 2 * next_rank;
        node->number = DONE;
        for (unsigned int other; (other = stack[--stacked]) != search->node;) {
            nodes[other].number = 0;
        }
        search->inside = true;
        search->least = DONE;
        if (search->loop) {
            search->edge = node->edges;
            return false;
        }
    }
    if (search->inside) {
        node->rank = 2 * next_rank-- - 1;
    }
    return true;
}

/* Tarjan's search for components. A component of several nodes is searched again without its head.
 * Ranks are given from the last to the first. The result is the least number that a node leads back
 * to. */
static void visit(unsigned int first)
{
    size_t outermost = search_count;
    begin_search(first);
    while (search_count > outermost) {
        struct search *search = &searches[search_count - 1];
        if (search->edge) {
            unsigned int to = edges[search->edge].to;
            search->edge = edges[search->edge].next;
            if (nodes[to].number) {
                take_in(search, nodes[to].number);
            } else {
                begin_search(to);
            }
        } else if (end_search(search)) {
            int least = search->least;
            search_count--;
            if (search_count > outermost) {
                take_in(&searches[search_count - 1], least);
            }
        }
    }
}

static int by_key(const void *a, const void *b)
{
    uint64_t left = nodes[*(const unsigned int *)a].key,
             right = nodes[*(const unsigned int *)b].key;
    return (left < right) - (left > right);
}

void simt_order_rank(void)
{
    unsigned int *sorted;
    if (!changed) {
        return;
    }
    stack = simt_needed(realloc(stack, node_count * sizeof *stack), "the analysis");
    sorted = simt_needed(malloc(node_count * sizeof *sorted), "the analysis");
    for (unsigned int i = 1; i < node_count; i++) {
        nodes[i].number = 0;
        sorted[i - 1] = i;
    }
    qsort(sorted, node_count - 1, sizeof *sorted, by_key);
    stacked = 0;
    visited = 0;
    next_rank = node_count;
    /* A search must enter a loop from outside to find its head. */
    for (unsigned int pass = 0; pass < 3; pass++) {
        for (unsigned int i = 0; i < node_count - 1; i++) {
            struct node *node = &nodes[sorted[i]];
            if (!node->number && (pass == 0 ? !node->reached : pass == 1 ? node->entry : true)) {
                visit(sorted[i]);
            }
        }
    }
    free(sorted);
    forget_assumed();
}

unsigned int simt_order_of(unsigned int before, unsigned int node)
{
    bool back = before && nodes[before].rank >= nodes[node].rank;
    return back ? nodes[node].latch_rank : nodes[node].rank;
}

/* ---- paths around a node ---- */

static bool is_forward(unsigned int from, unsigned int to)
{
    return nodes[from].rank < nodes[to].rank;
}

static int by_falling_rank(const void *a, const void *b)
{
    unsigned int left = nodes[*(const unsigned int *)a].rank,
                 right = nodes[*(const unsigned int *)b].rank;
    return (left < right) - (left > right);
}

/* Marks the nodes from which a path without back edges leads to `node`. */
static void mark_before(unsigned int node, bool *before)
{
    unsigned int *sorted = simt_needed(malloc(node_count * sizeof *sorted), "the analysis");
    for (unsigned int i = 1; i < node_count; i++) {
        sorted[i - 1] = i;
    }
    qsort(sorted, node_count - 1, sizeof *sorted, by_falling_rank);
    for (unsigned int i = 0; i < node_count - 1; i++) {
        for (unsigned int edge = nodes[sorted[i]].edges; edge; edge = edges[edge].next) {
            unsigned int to = edges[edge].to;
            before[sorted[i]] |= is_forward(sorted[i], to) && (to == node || before[to]);
        }
    }
    free(sorted);
}

static void mark_reached(unsigned int node, bool *reached)
{
    stack = simt_needed(realloc(stack, node_count * sizeof *stack), "the analysis");
    stacked = 0;
    stack[stacked++] = node;
    while (stacked > 0) {
        for (unsigned int i = nodes[stack[--stacked]].edges; i; i = edges[i].next) {
            if (!reached[edges[i].to]) {
                reached[edges[i].to] = true;
                stack[stacked++] = edges[i].to;
            }
        }
    }
}

bool simt_order_goes_round(uint64_t past, const uint64_t *keys, size_t count, size_t *at)
{
    unsigned int node = slot_count ? slots[slot_of(past)] : NO_NODE;
    bool *before, *reached, came = false, found = false;
    if (!node) {
        return false;
    }
    simt_order_rank();
    before = simt_needed(calloc(node_count, 2 * sizeof *before), "the analysis");
    reached = before + node_count;
    mark_before(node, before);
    mark_reached(node, reached);
    for (size_t i = 0; i < count && !found; i++) {
        unsigned int one = slots[slot_of(keys[i])];
        found = came && one != node && reached[one] && !before[one];
        came = one != node && (came || before[one]);
        *at = i;
    }
    free(before);
    return found;
}

/* ---- the past of a warp's lanes ---- */

void simt_order_get_past(unsigned int warp, bool one_past, struct simt_past *lanes)
{
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        const struct simt_past *past = &threads[warp * SIMT_WARP_SIZE + (one_past ? 0 : i)];
        lanes[i] = (struct simt_past){.level = past->level};
        memcpy(lanes[i].node, past->node, (past->level + 1) * sizeof *past->node);
    }
}

void simt_order_keep(struct simt_past *kept, unsigned int count, bool restore)
{
    memcpy(restore ? threads : kept, restore ? kept : threads, count * sizeof *kept);
}

void simt_order_set_past(unsigned int warp, const struct simt_past *lanes)
{
    memcpy(&threads[warp * SIMT_WARP_SIZE], lanes, SIMT_WARP_SIZE * sizeof *lanes);
}
/* SPDX-License-Identifier: MIT */
