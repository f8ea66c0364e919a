/* name<<<grid, block>>>(arguments) */
#include <stdlib.h>
#include <string.h>

#include "cc/simt_rewrite.h"

size_t name_begin(size_t chevrons)
{
    size_t i = chevrons;
    for (;;) {
        /* One component, from its end: [..] and (..) groups, template arguments, then a word. */
        bool grouped = false;
        i--;
        while (i != NONE && (is_punctuation(i, ']') || is_punctuation(i, ')'))) {
            grouped = true;
            i = open_of(i);
            if (i == NONE || i == 0 ||
                !(is_punctuation(i - 1, ']') || is_punctuation(i - 1, '>') ||
                  (tokens[i - 1].kind == WORD && !is_keyword(i - 1)))) {
                break;
            }
            i--;
        }
        if (i != NONE && is_punctuation(i, '>')) {
            i = template_open_of(i);
            i = i == NONE || i == 0 ? NONE : i - 1;
        } else if (i != NONE && grouped && (is_punctuation(i, '(') || is_punctuation(i, '['))) {
            return i;
        }
        if (i == NONE || tokens[i].kind != WORD || is_keyword(i)) {
            fail(tokens[chevrons].begin, "<<< does not follow the name of a kernel");
        }
        if (i > 0 && is(i - 1, "template")) {
            i--;
        }
        /* The separator between this component and the one before it. */
        if (i > 1 && is_punctuation(i - 1, ':') && is_punctuation(i - 2, ':')) {
            i -= 2;
            if (i == 0 || !(is_punctuation(i - 1, '>') ||
                            (tokens[i - 1].kind == WORD && !is_keyword(i - 1)))) {
                return i;
            }
        } else if (i > 1 && is_punctuation(i - 1, '>') && is_punctuation(i - 2, '-')) {
            i -= 2;
        } else if (i > 0 && is_punctuation(i - 1, '.')) {
            i -= 1;
        } else {
            return i;
        }
    }
}

/* The last `>>>` in the statement that an argument list follows. Any other `>>>` closes template
 * arguments. */
size_t closing_chevrons(size_t chevrons)
{
    size_t found = NONE;
    int depth = 0;
    for (size_t i = chevrons + 3; i < token_count && depth >= 0; i++) {
        size_t run;
        if (is_punctuation(i, '(') || is_punctuation(i, '[') || is_punctuation(i, '{')) {
            depth++;
        } else if (is_punctuation(i, ')') || is_punctuation(i, ']') || is_punctuation(i, '}')) {
            depth--;
        } else if (depth == 0 && (is_punctuation(i, ';') || chain_of(i, '<') >= 3)) {
            break;
        } else if (depth == 0 && (run = chain_of(i, '>')) >= 3) {
            i += run - 1;
            if (is_punctuation(i + 1, '(')) {
                found = i - 2;
            }
        }
    }
    if (found == NONE) {
        fail(tokens[chevrons].begin, "<<< without >>>(...) in the same statement");
    }
    return found;
}

/* Whether the expression from `first` up to `end` names a kernel that the source declares. Any
 * other expression is a value, such as a pointer. */
static bool names_kernel(size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        if (is_kernel(i)) {
            return true;
        }
    }
    return false;
}

/* Whether a structured binding, auto [a, b], declares it. C++17 lambdas cannot capture those. */
static bool is_binding(size_t token)
{
    for (size_t i = token; i-- > 1;) {
        if (tokens[i].kind == WORD &&
            tokens[i].end - tokens[i].begin == tokens[token].end - tokens[token].begin &&
            strncmp(source.bytes + tokens[i].begin, source.bytes + tokens[token].begin,
                    tokens[i].end - tokens[i].begin) == 0) {
            size_t open = i;
            while (open > 0 && (tokens[open - 1].kind == WORD || is_punctuation(open - 1, ','))) {
                open--;
            }
            if (open > 1 && is_punctuation(open - 1, '[')) {
                for (open--; open > 0 && is_punctuation(open - 1, '&'); open--) {
                }
                return open > 0 && is(open - 1, "auto");
            }
        }
    }
    return false;
}

/* The name of a kernel without its namespaces. */
static const char *own_name(const char *name)
{
    for (const char *c = name; *c != '\0' && *c != '<' && *c != '('; c++) {
        if (c[0] == ':' && c[1] == ':') {
            name = c + 2;
        }
    }
    return name;
}

void append_launch(struct text *out, size_t name, size_t chevrons)
{
    struct text kernel = {NULL, 0, 0};
    append_tokens(&kernel, name, chevrons);
    const char *shown = own_name(kernel.bytes);
    if (preprocessed ? !names_kernel(name, chevrons) : chevrons == name + 1 && is_binding(name)) {
        append_string(out, "simt::launch_value(\"");
        append_quoted(out, shown);
        append_string(out, "\", ");
        append_string(out, kernel.bytes);
        append_string(out, ", ");
    } else {
        append_string(out, "simt::launch(\"");
        append_quoted(out, shown);
        append_string(out, "\", [=]([[maybe_unused]] auto simt_tag) -> "
                           "decltype(simt::function_of<decltype(simt_tag)>(");
        append_string(out, kernel.bytes);
        append_string(out, ")) { return simt::function_of<decltype(simt_tag)>(");
        append_string(out, kernel.bytes);
        append_string(out, "); }, [=](auto &...simt_arguments) { ");
        append_string(out, kernel.bytes);
        append_string(out, "(simt_arguments...); }, ");
    }
    append_newlines(out, tokens[name].begin, tokens[chevrons + 2].end, tokens[name].in_macro);
    free(kernel.bytes);
}
/* SPDX-License-Identifier: MIT */
