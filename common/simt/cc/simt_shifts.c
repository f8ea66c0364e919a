/* a << n becomes a << ::simt::within_width % n, and a <<= n becomes a <<= ::simt::within_width = n.
 * simt_shifts.h defines these operators, which handle a shift count beyond the width as a GPU does.
 * The count needs no parentheses: % binds as tightly as any operator in the count, and = accepts
 * any expression that an assignment accepts. */
#include <stdlib.h>
#include <string.h>

#include "cc/simt_rewrite.h"

/* Whether the count is a number below every width that no tighter operator changes. */
static bool is_small_count(size_t token)
{
    char *end;
    unsigned long value;
    if (token >= token_count || tokens[token].kind != NUMBER) {
        return false;
    }
    value = strtoul(source.bytes + tokens[token].begin, &end, 0);
    for (; end < source.bytes + tokens[token].end; end++) {
        if (!strchr("uUlL", *end)) {
            return false;
        }
    }
    return value < 32 && token + 1 < token_count && tokens[token + 1].kind == PUNCTUATION &&
           !strchr("+-*/%", at(tokens[token + 1].begin));
}

/* Whether the two '>' at `token` close template arguments; true in case of doubt. */
static bool closes_templates(size_t token)
{
    int opened = 0;
    if (is_punctuation(token - 1, '>') ||
        (tokens[token + 2].kind == PUNCTUATION && strchr(",);{>:&", at(tokens[token + 2].begin)))) {
        return true; /* no shift count begins like this */
    }
    for (size_t i = token; i-- > 0 && opened < 2;) {
        if (is_punctuation(i, ')') || is_punctuation(i, ']')) {
            i = open_of(i);
            if (i == NONE) {
                return true;
            }
        } else if (is_punctuation(i, '>')) {
            opened--;
        } else if (is_punctuation(i, '<')) {
            opened++;
        } else if (tokens[i].kind == PUNCTUATION && strchr(";{}(|=?!^%/-+", at(tokens[i].begin))) {
            return false;
        } else if (is_punctuation(i, '&') && i > 0 && is_punctuation(i - 1, '&')) {
            return false;
        } else if (is_keyword(i)) {
            return false;
        }
    }
    return opened >= 2;
}

size_t append_shift(struct text *out, size_t token, size_t *copied)
{
    bool left = run_of(token, '<') == 2, right = run_of(token, '>') == 2;
    bool assigns =
        is_punctuation(token + 2, '=') && tokens[token + 2].begin == tokens[token + 1].end;
    size_t count = token + (assigns ? 3 : 2), length = assigns ? 3 : 2;
    if ((!left && !right) || tokens[token].in_macro || token == 0 || is(token - 1, "operator") ||
        is_small_count(count) || count >= token_count || tokens[count].kind == LITERAL ||
        is(count, "std") || (right && !assigns && closes_templates(token))) {
        return 0;
    }
    append(out, source.bytes + *copied, tokens[count - 1].end - *copied);
    append_string(out, assigns ? " ::simt::within_width =" : " ::simt::within_width %");
    *copied = tokens[count - 1].end;
    if (tokens[count].begin == *copied) {
        append_string(out, " ");
    }
    return length;
}
/* SPDX-License-Identifier: MIT */
