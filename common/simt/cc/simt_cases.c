/* case 1: int x = 3; ... case 2: jumps over an initialization. In device code nvcc only warns about
 * this, unless a destructor would have to run. Here the statements between the labels get braces,
 * if no later statement uses the names that they declare. */
#include <string.h>

#include "cc/simt_rewrite.h"

enum { MOST_NAMES = 16 };

struct part {
    size_t first, end; /* from the token after a label's ':' to the next label */
    size_t names[MOST_NAMES];
    size_t count;
};

static bool opens(size_t token)
{
    return is_punctuation(token, '(') || is_punctuation(token, '[') || is_punctuation(token, '{');
}

static bool closes(size_t token)
{
    return is_punctuation(token, ')') || is_punctuation(token, ']') || is_punctuation(token, '}');
}

/* The token after `token`, or after the brackets that it opens. */
static size_t after(size_t token)
{
    int depth = 0;
    do {
        depth += opens(token) - closes(token);
        token++;
    } while (depth > 0 && token < token_count);
    return token;
}

static bool is_label(size_t token)
{
    return is(token, "case") || (is(token, "default") && is_punctuation(token + 1, ':'));
}

/* The token after the ':' of the label. */
static size_t behind_label(size_t label)
{
    size_t i = label + 1;
    while (i < token_count && !(is_punctuation(i, ':') && run_of(i, ':') == 1)) {
        i = is_punctuation(i, ':') ? i + run_of(i, ':') : after(i);
    }
    return i + 1;
}

/* The label whose statements begin at `first`; NONE if none do. */
static size_t label_before(size_t first)
{
    size_t i = first - 1;
    if (first < 2 || !is_punctuation(i, ':') || is_punctuation(i - 1, ':')) {
        return NONE;
    }
    while (i > 0 && !is_label(i) && !is_punctuation(i, ';') && !is_punctuation(i, '{') &&
           !is_punctuation(i, '}')) {
        i--;
    }
    return is_label(i) && behind_label(i) == first ? i : NONE;
}

/* Words that begin a statement other than a declaration that runs its initializer each time. */
static bool begins_other(size_t token)
{
    static const char *const words[] = {"asm",      "__asm__", "__asm",  "break",
                                        "continue", "delete",  "extern", "new",
                                        "static",   "typedef", "using"};
    return is_among(token, words, sizeof words / sizeof *words) || is_keyword(token);
}

/* The first name that the statement declares and initializes; NONE if there is none. */
static size_t declared_by(size_t statement)
{
    size_t i = statement, name = NONE, words = 0;
    if (begins_other(i)) {
        return NONE;
    }
    for (; i < token_count; i++) {
        if (tokens[i].kind == WORD) {
            name = i;
            words += i == statement || !is_punctuation(i - 1, ':');
        } else if (is_punctuation(i, '<') && words == 1) {
            while (i < token_count && !is_punctuation(i, '>') && !is_punctuation(i, ';')) {
                i++;
            }
        } else if (!is_punctuation(i, '*') && !is_punctuation(i, '&') && !is_punctuation(i, ':')) {
            break;
        }
    }
    return words > 1 && i < token_count && tokens[i].kind == PUNCTUATION && name == i - 1 &&
                   !is_keyword(name) && strchr("=([{", at(tokens[i].begin))
               ? name
               : NONE;
}

/* Records the names that the statement declares; returns the token after the statement. */
static size_t note_names(struct part *part, size_t statement)
{
    size_t i = statement;
    const size_t first = declared_by(statement);
    if (first != NONE && part->count < MOST_NAMES) {
        part->names[part->count++] = first;
    }
    for (; i < token_count && !is_punctuation(i, ';') && !closes(i); i = after(i)) {
        size_t next = i + 1; /* after a comma: another name */
        while (is_punctuation(next, '*') || is_punctuation(next, '&')) {
            next++;
        }
        if (first != NONE && i > first && is_punctuation(i, ',') && next < token_count &&
            tokens[next].kind == WORD && part->count < MOST_NAMES) {
            part->names[part->count++] = next;
        }
        if (is_punctuation(i, '{') && first == NONE) {
            return after(i);
        }
    }
    return i + is_punctuation(i, ';');
}

static bool uses_later(const struct part *part)
{
    for (size_t i = part->end; i < token_count && !is_punctuation(i, '}'); i++) {
        const size_t end = after(i);
        for (; i < end; i++) {
            for (size_t j = 0; j < part->count; j++) {
                if (tokens[i].kind == WORD && same_word(i, part->names[j]) && !is_member(i)) {
                    return true;
                }
            }
        }
        i--;
    }
    return false;
}

static bool is_in_device_code(size_t token)
{
    const size_t body = body_around(token);
    for (size_t i = body == NONE ? 0 : declaration_begin(body); body != NONE && i < body; i++) {
        if ((is(i, "__device__") || is(i, "__global__")) && is_device_only(i)) {
            return true;
        }
    }
    return false;
}

/* Fills in the part that begins at `first`; returns whether it needs braces. */
static bool needs_braces(size_t first, struct part *part)
{
    const size_t braces = braces_around(first);
    const size_t open = braces == NONE || braces == 0 ? NONE : open_of(braces - 1);
    *part = (struct part){.first = first};
    if (open == NONE || open == 0 || !is(open - 1, "switch") || !is_in_device_code(first)) {
        return false;
    }
    part->end = first;
    while (part->end < token_count && !is_label(part->end) && !is_punctuation(part->end, '}')) {
        part->end = note_names(part, part->end);
    }
    return part->count > 0 && part->end < token_count && is_label(part->end) && !uses_later(part);
}

bool append_case_braces(struct text *out, size_t token)
{
    struct part part;
    if (label_before(token) != NONE && !is_label(token) && needs_braces(token, &part)) {
        append_string(out, "{ ");
        return true;
    }
    if (!is_label(token)) {
        return false;
    }
    for (size_t i = token; i > 0 && !is_punctuation(i - 1, '{'); i--) {
        const size_t before = is_punctuation(i - 1, '}') ? open_of(i - 1) : i - 1;
        if (before == NONE) {
            return false;
        }
        i = before + 1;
        if (is_label(before)) {
            if (behind_label(before) == token || !needs_braces(behind_label(before), &part) ||
                part.end != token) {
                return false;
            }
            for (size_t j = 0; j < part.count; j++) {
                append_string(out, "static_assert(__has_trivial_destructor(decltype(");
                append_tokens(out, part.names[j], part.names[j] + 1);
                append_string(out, ")), \"jump to a label over what is to be destroyed\"); ");
            }
            append_string(out, "} ");
            return true;
        }
    }
    return false;
}
/* SPDX-License-Identifier: MIT */
