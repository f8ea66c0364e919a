/* Finds functions that may wait for other threads, for simt_twice.c. They or the functions that
 * they name use volatile variables or C++ atomics, whose hooks let other threads run. (A call
 * through an address always runs the hooks, but the optimizer may know the address.) */
#include "cc/simt_twice.h"

#include <stdlib.h>
#include <string.h>

/* From one label to another, as indices. */
struct edge {
    size_t from, to;
};
struct graph {
    struct names labels;
    bool *waits;
    struct edge *edges;
    size_t count, capacity;
};

/* The label of a function, a variable, or a constant with addresses; not one in a function. */
static bool is_label(const char *line, size_t length)
{
    return length > 0 && line[length] == ':' && (line[0] != '.' || begins(line, ".LC"));
}

static const char alias[] = "\t.set\t";

static void collect_labels(struct graph *graph, const char *text)
{
    for (const char *line = text; *line; line = next_line(line)) {
        const char *const name = begins(line, alias) ? line + sizeof alias - 1 : line;
        const size_t length = name_length(name);
        if (name != line || is_label(line, length)) {
            keep_name(&graph->labels, name, length);
        }
    }
}

static void add_edge(struct graph *graph, size_t from, size_t to)
{
    if (graph->count == graph->capacity) {
        const size_t capacity = graph->capacity ? 2 * graph->capacity : 1024;
        struct edge *edges = zeroed(capacity, sizeof *edges);
        if (graph->count > 0) {
            memcpy(edges, graph->edges, graph->count * sizeof *edges);
        }
        free(graph->edges);
        graph->edges = edges;
        graph->capacity = capacity;
    }
    graph->edges[graph->count++] = (struct edge){from, to};
}

/* Whether the call checks that a local static variable of the host is initialized. Its argument is
 * the guard, _ZGV..., in the lines before the call. */
static bool is_of_guard(const char *text, const char *call)
{
    while (call > text && call[-1] != '\n') {
        call--;
    }
    for (int lines = 0; lines < 4 && call > text; lines++) {
        const char *line = call - 1;
        while (line > text && line[-1] != '\n') {
            line--;
        }
        if (*line != '\t' || begins(line, "\tcall")) {
            return false;
        }
        for (const char *at = line; at < call; at++) {
            if (begins(at, "_ZGV")) {
                return true;
            }
        }
        call = line;
    }
    return false;
}

/* Whether it is the name of a hook that lets other threads run. */
static bool gives_turns(const char *text, const char *name, size_t length)
{
    static const char atomic[] = "__tsan_atomic", read[] = "volatile_read";
    if (begins(name, atomic)) {
        return !begins(name + strlen(atomic), "8_load") || !is_of_guard(text, name);
    }
    for (size_t i = 0; i + strlen(read) <= length; i++) {
        if (begins(name + i, read)) {
            return true;
        }
    }
    return false;
}

static bool holds_no_names(const char *line)
{
    return line[0] != '\t' || (line[1] == '.' && !begins(line, "\t.quad") &&
                               !begins(line, "\t.long") && !begins(line, alias));
}

static void collect_edges(struct graph *graph, const char *text)
{
    size_t here = NO_SYMBOL;
    for (const char *line = text, *next; *line; line = next) {
        const size_t length = name_length(line);
        size_t from;
        next = next_line(line);
        if (is_label(line, length)) {
            here = index_of(&graph->labels, line, length);
        }
        from = begins(line, alias) ? NO_SYMBOL : here;
        if (holds_no_names(line)) {
            continue;
        }
        for (const char *at = line + 1; at < next;) {
            const size_t size = name_length(at);
            const size_t to = index_of(&graph->labels, at, size);
            if (from == NO_SYMBOL) {
                from = to;
            } else if (to != NO_SYMBOL) {
                add_edge(graph, from, to);
            } else if (gives_turns(text, at, size)) {
                graph->waits[from] = true;
            }
            at += size > 0 ? size : 1;
        }
    }
}

struct names find_waiting(const struct file *file)
{
    struct graph graph = {0};
    struct names found = {0};
    bool changed = true;
    collect_labels(&graph, file->text.bytes);
    graph.waits = zeroed(graph.labels.capacity + 1, sizeof *graph.waits);
    collect_edges(&graph, file->text.bytes);
    while (changed) {
        changed = false;
        for (size_t i = 0; i < graph.count; i++) {
            if (graph.waits[graph.edges[i].to] && !graph.waits[graph.edges[i].from]) {
                graph.waits[graph.edges[i].from] = changed = true;
            }
        }
    }
    for (size_t i = 0; i < graph.labels.capacity; i++) {
        if (graph.waits[i]) {
            keep_name(&found, graph.labels.slots[i].begin, graph.labels.slots[i].length);
        }
    }
    free(graph.labels.slots);
    free(graph.waits);
    free(graph.edges);
    return found;
}
/* SPDX-License-Identifier: MIT */
