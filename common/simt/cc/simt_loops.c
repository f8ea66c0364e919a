/* Loops around block barriers. After each such loop stands a call that tells the runtime that the
 * thread has left the loop. If a thread then returns while others wait in the loop, it did fewer
 * iterations. The position after the loop alone cannot distinguish that from a return inside it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/simt_rewrite.h"

struct helper {
    size_t name, body; /* tokens of a function with a barrier */
};
static struct helper *helpers;
static size_t helper_count;
static struct {
    struct text before, behind; /* text to insert before and after the token */
} * parts;

/* Also an asm whose text begins with bar.sync or barrier.sync. */
static bool is_barrier(size_t token)
{
    return starts(tokens[token].begin, "\"bar.sync") ||
           starts(tokens[token].begin, "\"barrier.sync") ||
           ((starts(tokens[token].begin, "__syncthreads") || is(token, "sync")) &&
            is_punctuation(token + 1, '('));
}

/* The last token of the statement that begins at `token`. */
static size_t statement_end(size_t token)
{
    size_t end;
    if (is_punctuation(token, '{')) {
        return closing_of(token);
    }
    if (is(token, "for") || is(token, "while") || is(token, "switch")) {
        return statement_end(after_group(token + 1));
    }
    if (is(token, "if")) {
        end = statement_end(after_group(token + 1 + is(token + 1, "constexpr")));
        return is(end + 1, "else") ? statement_end(end + 2) : end;
    }
    if (is(token, "do")) {
        end = statement_end(token + 1);
        return after_group(end + 2);
    }
    for (; token < token_count && !is_punctuation(token, ';'); token++) {
        if (is_punctuation(token, '(')) {
            token = after_group(token) - 1;
        } else if (is_punctuation(token, '{')) {
            token = closing_of(token);
        }
    }
    return token;
}

static const struct helper *helper_called(size_t token)
{
    for (size_t i = 0; i < helper_count; i++) {
        if (same_word(helpers[i].name, token) && is_punctuation(token + 1, '(')) {
            return &helpers[i];
        }
    }
    return NULL;
}

/* Records a loop from token `loop` to token `end`; the tokens of its body follow `body`. */
static void note_loop(size_t loop, size_t body, size_t end)
{
    const bool among = is_punctuation(loop - 1, ';') || is_punctuation(loop - 1, '{') ||
                       is_punctuation(loop - 1, '}');
    const struct helper *helper = NULL;
    bool barrier = false, all_in_branch = true;
    size_t branch_end = 0;
    char text[160];
    for (size_t i = body; i < end && all_in_branch; i++) {
        const struct helper *called = helper_called(i);
        if (is(i, "if") || is(i, "switch")) {
            const size_t branch = statement_end(i);
            branch_end = branch > branch_end ? branch : branch_end;
        }
        helper = helper ? helper : called;
        barrier = barrier || is_barrier(i);
        all_in_branch = i < branch_end || !(called || is_barrier(i));
    }
    if ((!barrier && !helper) || end >= token_count ||
        (!among && memchr(source.bytes + tokens[loop - 1].end, '#',
                          tokens[loop].begin - tokens[loop - 1].end))) {
        return;
    }
    snprintf(text, sizeof text, " simt_left_loop(__builtin_FILE(), %d, %d, %d, %d, %d);%s",
             line_of(tokens[loop].begin), line_of(tokens[end].begin),
             helper ? line_of(tokens[helper->body].begin) : 0,
             helper ? line_of(tokens[closing_of(helper->body)].begin) : 0, all_in_branch,
             among ? "" : " }");
    append_string(&parts[end].behind, text);
    append_string(&parts[loop].before, among ? "" : "{ ");
}

/* Records the loops in the body of a device function. */
static void note_loops(size_t body)
{
    const size_t end = closing_of(body);
    for (size_t i = end; i-- > body;) { /* if loops share an end, the inner one comes first */
        if (tokens[i].in_macro) {
            continue;
        }
        if (is(i, "do")) {
            note_loop(i, i + 1, statement_end(i));
        } else if ((is(i, "for") || is(i, "while")) && is_punctuation(i + 1, '(') &&
                   !is_punctuation(after_group(i + 1), ';')) {
            note_loop(i, i + 2, statement_end(i));
        }
    }
}

/* The name of the device function with that body. */
static size_t name_of(size_t body)
{
    for (size_t i = declaration_begin(body); i < body; i++) {
        if (is(i, "__device__") || is(i, "__global__")) {
            return function_name(i);
        }
    }
    return NONE;
}

static bool begins_body(size_t token)
{
    return is_punctuation(token, '{') && is_punctuation(token - 1, ')') &&
           !tokens[token].in_system && !tokens[token].in_macro;
}

void find_loops(void)
{
    parts = zeroed(token_count + 1, sizeof *parts);
    helpers = zeroed(token_count + 1, sizeof *helpers);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 1; i < token_count; i++) {
            const size_t body = i, name = begins_body(i) ? name_of(i) : NONE;
            const size_t end = name == NONE ? i : closing_of(i);
            if (pass == 1 && name != NONE) {
                note_loops(body);
            }
            for (; i < end; i++) {
                if (pass == 0 && is_barrier(i)) {
                    helpers[helper_count++] = (struct helper){name, body};
                    i = end;
                }
            }
        }
    }
}

void forget_loops(void)
{
    for (size_t i = 0; parts && i < token_count; i++) {
        free(parts[i].before.bytes);
        free(parts[i].behind.bytes);
    }
    free(parts);
    free(helpers);
    parts = NULL;
    helpers = NULL;
    helper_count = 0;
}

const char *before_loop(size_t token)
{
    return parts[token].before.bytes;
}

const char *behind_loop(size_t token)
{
    return parts[token].behind.bytes;
}
/* SPDX-License-Identifier: MIT */
