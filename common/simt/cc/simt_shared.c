/* Shared memory: `extern __shared__` becomes a pointer. Other shared variables get gaps after them,
 * so that accesses past their end can be detected. */
#include <stdio.h>
#include <string.h>

#include "cc/simt_rewrite.h"

/* ---- extern __shared__ ---- */

bool is_alignment(size_t token)
{
    return is(token, "__align__") || is(token, "alignas") || is(token, "__attribute__");
}

size_t shared_end(size_t token)
{
    bool shared = false, external = false;
    const size_t first =
        is_alignment(token) && is_punctuation(token + 1, '(') ? after_group(token + 1) : token;
    if (!is(first, "extern") && !is(first, "__shared__")) {
        return NONE;
    }
    for (size_t i = token; i < token_count; i++) {
        shared = shared || is(i, "__shared__");
        external = external || is(i, "extern");
        if (is_punctuation(i, ';')) {
            return shared && external ? i : NONE;
        }
        if (is_punctuation(i, '{') || is_punctuation(i, '}')) {
            return NONE;
        }
    }
    return NONE;
}

/* Appends dynamic shared memory, aligned as the word at `alignment` asks, or typed as the
 * object. */
static void append_aligned(struct text *out, size_t alignment, const struct shared *shared)
{
    size_t first = alignment == NONE ? 0 : alignment + 2, end;
    bool in_parentheses = false;
    if (alignment == NONE && shared->is_object) {
        append_string(out, "::simt::dynamic_shared<");
        append_string(out, shared->type.bytes);
        append_string(out, ">()");
        return;
    }
    if (alignment != NONE && is(alignment, "__attribute__")) { /* ((aligned(n))) */
        first = is(first + 1, "aligned") && is_punctuation(first + 2, '(') ? first + 3 : NONE;
    }
    if (alignment == NONE || first == NONE) {
        append_string(out, "simt_dynamic_shared()");
        return;
    }
    end = after_group(first - 1) - 1;
    for (size_t i = first; i < end; i++) { /* no parentheses around a type */
        in_parentheses = in_parentheses || is_punctuation(i, '?');
    }
    append_string(out, in_parentheses ? "::simt::dynamic_shared<(" : "::simt::dynamic_shared<");
    append_tokens(out, first, end);
    append_string(out, in_parentheses ? ")>()" : ">()");
}

struct shared parse_shared(size_t first, size_t end)
{
    struct shared shared = {.end = end};
    size_t bracket, i, alignment = NONE;
    for (bracket = first; bracket < end; bracket++) {
        if (is_alignment(bracket) && is_punctuation(bracket + 1, '(')) {
            while (bracket < end && open_of(bracket) != NONE && !is_punctuation(bracket, ')')) {
                bracket++;
            }
        }
        if (is_punctuation(bracket, '[') && is_punctuation(bracket + 1, ']')) {
            break;
        }
    }
    shared.is_object = bracket >= end;
    shared.name = bracket - 1;
    shared.bounds = shared.is_object ? end : bracket + 2;
    if (tokens[shared.name].kind != WORD || shared.name <= first + 1) {
        fail(tokens[first].begin, "extern __shared__ takes one array of open size: T name[];");
    }
    if (is_punctuation(shared.name - 1, ',')) {
        fail(tokens[first].begin, "declare one object in each extern __shared__");
    }
    for (i = first; i < shared.name; i++) {
        if (is_alignment(i) && is_punctuation(i + 1, '(')) {
            alignment = i;
            i = after_group(i + 1) - 1;
        } else if (!is(i, "extern") && !is(i, "__shared__") && !is(i, "__device__")) {
            if (shared.type.length > 0 && tokens[i].begin != tokens[i - 1].end) {
                append(&shared.type, " ", 1);
            }
            append_tokens(&shared.type, i, i + 1);
        }
    }
    append(&shared.type, " ", 1);
    for (i = shared.bounds; i < end; i++) {
        if (is_punctuation(i, ',')) {
            fail(tokens[i].begin, "declare one array in each extern __shared__");
        }
    }
    /* A pointer to the first element. In T name[][2] that element is itself an array. */
    append_string(&shared.place, shared.is_object ? "*static_cast<" : "static_cast<");
    append_string(&shared.place, shared.type.bytes);
    append_string(&shared.place, shared.bounds < end ? "(*)" : "*");
    append_tokens(&shared.place, shared.bounds, end);
    append_string(&shared.place, ">(");
    append_aligned(&shared.place, alignment, &shared);
    append_string(&shared.place, ")");
    return shared;
}

void append_shared(struct text *out, const struct shared *shared)
{
    bool rows = shared->bounds < shared->end;
    append_string(out, "[[maybe_unused]] ");
    append_string(out, shared->type.bytes);
    append_string(out, shared->is_object ? "&" : rows ? "(*const " : "*const ");
    append_tokens(out, shared->name, shared->name + 1);
    append_string(out, rows ? ")" : "");
    append_tokens(out, shared->bounds, shared->end);
    append_string(out, " = ");
    append_string(out, shared->place.bytes);
    append_string(out, ";");
}

/* ---- gaps ---- */

size_t variables_end(size_t token)
{
    int depth = 0;
    for (size_t i = token; i < token_count; i++) {
        depth += is_punctuation(i, '{') || is_punctuation(i, '(') || is_punctuation(i, '[');
        depth -= is_punctuation(i, '}') || is_punctuation(i, ')') || is_punctuation(i, ']');
        if (depth < 0) {
            return NONE;
        }
        if (depth == 0 && is_punctuation(i, ';')) {
            return i;
        }
    }
    return NONE;
}

bool is_class_key(size_t token)
{
    return is(token, "struct") || is(token, "union") || is(token, "class") || is(token, "enum");
}

size_t past_class_body(size_t token)
{
    size_t i = token - 1;
    if (!is_punctuation(token, '{') || token == 0) {
        return token;
    }
    i -= tokens[i].kind == WORD && !is_class_key(i); /* its name */
    if (is_punctuation(i, ')') && open_of(i) != NONE && is_alignment(open_of(i) - 1)) {
        i = open_of(i) - 2;
    }
    return is_class_key(i) ? closing_of(token) + 1 : token;
}

size_t variable_before(size_t first, size_t end)
{
    size_t name = NONE;
    int depth = 0;
    for (size_t i = first + 1; i <= end; i++) {
        const bool ends_name =
            tokens[i].kind == PUNCTUATION && strchr("[={,;", at(tokens[i].begin));
        if (depth == 0 && ends_name && name == NONE && i - 1 > first &&
            tokens[i - 1].kind == WORD && !is_class_key(i - 1) && !is_class_key(i - 2)) {
            name = i - 1;
        }
        if (i == end) {
            return depth == 0 ? name : NONE;
        }
        if (depth == 0 && is_punctuation(i, ',')) {
            name = NONE;
        }
        depth += is_punctuation(i, '{') || is_punctuation(i, '(') || is_punctuation(i, '[') ||
                 (is_punctuation(i, '<') && name == NONE);
        depth -= is_punctuation(i, '}') || is_punctuation(i, ')') || is_punctuation(i, ']') ||
                 (is_punctuation(i, '>') && name == NONE);
    }
    return NONE;
}

void append_gap(struct text *out, size_t variable, bool is_last)
{
    static unsigned int number;
    char text[112];
    snprintf(text, sizeof text,
             is_last ? " [[maybe_unused]] __attribute__((used, aligned(128))) static "
                       "thread_local char simt_gap_%u"
                     : ", simt_between_%u",
             number++);
    append_string(out, text);
    append_string(out, is_last ? "[::simt::gap(__alignof__(" : "[::simt::between<decltype(");
    append_tokens(out, variable, variable + 1);
    append_string(out, is_last ? "))];" : ")>] __attribute__((used))");
}
/* SPDX-License-Identifier: MIT */
