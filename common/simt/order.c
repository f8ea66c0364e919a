/* Which of a warp's lanes goes first when they have parted.
 *
 * Lanes meet again if whoever stands before the point where their ways join goes first. Machine
 * addresses do not tell: compilers put the blocks of a program in an order of their own, each in
 * its way. What does is the flow of control, which the traces show: each event is a node, and an
 * edge leads to what a lane does next in the same call. The nodes are ranked so that every edge but
 * a loop's way back leads up, and that a loop has the ranks from its head on to itself: whoever has
 * left it waits for those inside. This is the weak topological order of F. Bourdoncle, "Efficient
 * chaotic iteration strategies with widenings" (1993). A lane on its way back to a loop's head
 * waits for those inside, too.
 *
 * Only edges that some lane has taken are known. Where they leave an order open, machine addresses
 * decide. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "trace.h"

enum { NO_NODE = 0, DONE = -1 };

/* Node 0 is none. */
struct node {
    uint64_t key;        /* of its events, without the depth */
    unsigned int edges;  /* the first in a list, the highest key first; 0: none */
    bool reached, entry; /* an edge leads here; a call began here */
    unsigned int rank, latch_rank;
    int number; /* in the search; 0: not visited */
};
struct edge {
    uint64_t key; /* of the node it leads to */
    unsigned int to, next;
};

static struct node *nodes;
static struct edge *edges;
static unsigned int node_count = 1, node_capacity, edge_count = 1, edge_capacity;
static unsigned int *slots; /* open addressing: nodes */
static unsigned int slot_count;
static bool changed;
static unsigned int version; /* grows with all that is learnt */

static struct simt_past threads[SIMT_MAX_BLOCK_THREADS];

static void *grown(void *memory, size_t count, size_t size)
{
    void *larger = realloc(memory, count * size);
    if (!larger) {
        perror("simt: no memory for the analysis");
        simt_exit_without_memory();
    }
    return larger;
}

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
        node_capacity = node_capacity ? 2 * node_capacity : 1024;
        nodes = grown(nodes, node_capacity, sizeof *nodes);
        slot_count = 4 * node_capacity;
        slots = grown(slots, slot_count, sizeof *slots);
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

static void connect(unsigned int from, unsigned int to)
{
    unsigned int before = 0, after = nodes[from].edges;
    while (after && edges[after].key > nodes[to].key) {
        before = after;
        after = edges[after].next;
    }
    if (after && edges[after].to == to) {
        return;
    }
    if (edge_count >= edge_capacity) {
        edge_capacity = edge_capacity ? 2 * edge_capacity : 2048;
        edges = grown(edges, edge_capacity, sizeof *edges);
    }
    edges[edge_count] = (struct edge){nodes[to].key, to, after};
    if (before) {
        edges[before].next = edge_count++;
    } else {
        nodes[from].edges = edge_count++;
    }
    nodes[to].reached = true;
    learn();
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
        if (edges[i].key == key_of(event)) { /* as so often */
            *node = threads[thread].node[level] = edges[i].to;
            return before;
        }
    }
    *node = threads[thread].node[level] = node_of(key_of(event));
    if (before) {
        connect(before, *node);
    } else {
        nodes[*node].entry = true;
    }
    return before;
}

void simt_order_copy(unsigned int warp, unsigned int lanes, unsigned int from)
{
    for (unsigned int set = lanes; set; set &= set - 1) {
        threads[warp * SIMT_WARP_SIZE + (unsigned int)__builtin_ctz(set)] =
            threads[warp * SIMT_WARP_SIZE + from];
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

/* ---- ranks ---- */

static unsigned int *stack, stacked, next_rank;
static int visited;

/* Tarjan's search for components, and in each one of more than one node, without its head, again.
 * Ranks are given from the last to the first. Returns the least number that the node leads back
 * to. */
static int visit(unsigned int node)
{
    int least = nodes[node].number = ++visited;
    bool loop = false;
    stack[stacked++] = node;
    for (unsigned int i = nodes[node].edges; i; i = edges[i].next) {
        int other = nodes[edges[i].to].number;
        other = other ? other : visit(edges[i].to);
        if (other != DONE && other <= least) {
            least = other;
            loop = true;
        }
    }
    if (least != nodes[node].number) {
        return least;
    }
    nodes[node].latch_rank = 2 * next_rank;
    nodes[node].number = DONE;
    for (unsigned int inside; (inside = stack[--stacked]) != node;) {
        nodes[inside].number = 0;
    }
    for (unsigned int i = nodes[node].edges; loop && i; i = edges[i].next) {
        if (!nodes[edges[i].to].number) {
            visit(edges[i].to);
        }
    }
    nodes[node].rank = 2 * next_rank-- - 1;
    return DONE;
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
    stack = grown(stack, node_count, sizeof *stack);
    sorted = grown(NULL, node_count, sizeof *sorted);
    for (unsigned int i = 1; i < node_count; i++) {
        nodes[i].number = 0;
        sorted[i - 1] = i;
    }
    qsort(sorted, node_count - 1, sizeof *sorted, by_key);
    stacked = 0;
    visited = 0;
    next_rank = node_count;
    /* A loop's head is found by entering it from outside. */
    for (unsigned int pass = 0; pass < 3; pass++) {
        for (unsigned int i = 0; i < node_count - 1; i++) {
            struct node *node = &nodes[sorted[i]];
            if (!node->number && (pass == 0 ? !node->reached : pass == 1 ? node->entry : true)) {
                visit(sorted[i]);
            }
        }
    }
    free(sorted);
    changed = false;
}

unsigned int simt_order_of(unsigned int before, unsigned int node)
{
    bool back = before && nodes[before].rank >= nodes[node].rank;
    return back ? nodes[node].latch_rank : nodes[node].rank;
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

void simt_order_set_past(unsigned int warp, const struct simt_past *lanes)
{
    memcpy(&threads[warp * SIMT_WARP_SIZE], lanes, SIMT_WARP_SIZE * sizeof *lanes);
}
