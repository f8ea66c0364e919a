/* Names that are replaced, until the program declares them itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/simt_rewrite.h"

struct name *names;
size_t name_count;

void add_name(const char *word, size_t length, const char *replacement)
{
    struct text copy = {NULL, 0, 0};
    append(&copy, word, length);
    for (size_t i = 0; i < name_count; i++) {
        if (strcmp(names[i].word, copy.bytes) == 0) {
            free(copy.bytes);
            free(names[i].replacement);
            copy = (struct text){NULL, 0, 0};
            append_string(&copy, replacement);
            names[i].replacement = copy.bytes;
            return;
        }
    }
    names = realloc(names, (name_count + 1) * sizeof *names);
    if (!names) {
        perror("simt_rewrite");
        exit(EXIT_FAILURE);
    }
    names[name_count] = (struct name){.word = copy.bytes};
    copy = (struct text){NULL, 0, 0};
    append_string(&copy, replacement);
    names[name_count++].replacement = copy.bytes;
}

void forget_names(void)
{
    for (size_t i = 0; i < name_count; i++) {
        free(names[i].word);
        free(names[i].replacement);
    }
    free(names);
    names = NULL;
    name_count = 0;
}

struct name *find_name(size_t token)
{
    for (size_t i = 0; i < name_count; i++) {
        if (is(token, names[i].word)) {
            return &names[i];
        }
    }
    return NULL;
}

bool is_operator_word(size_t token)
{
    static const char *const words[] = {"new", "delete", "sizeof", "alignof", "typeof",
                                        "and", "or",     "not",    "xor",     "co_return"};
    return is_among(token, words, sizeof words / sizeof *words) || is_keyword(token);
}

static bool is_type_word(size_t token)
{
    static const char *const words[] = {"auto",  "bool",  "char", "const",  "dim3",     "double",
                                        "float", "int",   "long", "size_t", "struct",   "short",
                                        "uint3", "uint2", "int2", "int3",   "unsigned", "void"};
    return is_among(token, words, sizeof words / sizeof *words);
}

/* Whether the word at `token` follows a comma in a declaration such as dim3 grid(4),
 * blockDim(8). */
static bool follows_declarator(size_t token)
{
    size_t i = token - 1;
    while (i != NONE && !is_punctuation(i, ';') && !is_punctuation(i, '{') &&
           !is_punctuation(i, '}')) {
        if (is_punctuation(i, '(') || is_punctuation(i, '[')) {
            return false;
        }
        if (is_punctuation(i, ')') || is_punctuation(i, ']')) {
            i = open_of(i);
        }
        i = i == NONE ? NONE : i - 1;
    }
    return is_type_word(i + 1);
}

/* Whether a declaration may begin at `token`; also after template <...>, [[...]] or public:. */
static bool may_begin(size_t token)
{
    size_t open;
    if (token == 0 || is_punctuation(token - 1, ';') || is_punctuation(token - 1, '{') ||
        is_punctuation(token - 1, '}')) {
        return true;
    }
    if (is_punctuation(token - 1, '>')) {
        open = template_open_of(token - 1);
        return open != NONE && open > 0 && is(open - 1, "template");
    }
    if (token > 1 && is_punctuation(token - 1, ':')) {
        return is(token - 2, "public") || is(token - 2, "private") || is(token - 2, "protected");
    }
    return token > 1 && ((is_punctuation(token - 1, '(') && is(token - 2, "for")) ||
                         (is_punctuation(token - 1, ']') && is_punctuation(token - 2, ']')));
}

/* Whether the '*', '&' or '>' at `token` belongs to a declaration that begins a statement: T *name,
 * A::B<C> &name. */
static bool begins_statement(size_t token)
{
    size_t i = token;
    while (i > 0 && (is_punctuation(i, '*') || is_punctuation(i, '&'))) {
        i--;
    }
    if (is_punctuation(i, '>')) {
        i = template_open_of(i);
        i = i == NONE || i == 0 ? NONE : i - 1;
    }
    if (i == NONE || tokens[i].kind != WORD || is_operator_word(i)) {
        return false;
    }
    while (i > 2 && is_punctuation(i - 1, ':') && is_punctuation(i - 2, ':')) {
        i -= 3;
    }
    while (i > 0 && tokens[i - 1].kind == WORD && !is_operator_word(i - 1)) {
        i--;
    }
    return may_begin(i);
}

/* Whether the parentheses around the token belong to a function with a body, inside a class or
 * another function (a member or a lambda). */
bool is_in_parameters(size_t token)
{
    size_t open = token, before, after;
    int depth = 1;
    while (depth > 0 && open > 0) {
        open--;
        if (is_punctuation(open, ';') || is_punctuation(open, '{') || is_punctuation(open, '}')) {
            return false;
        }
        depth += is_punctuation(open, ')') - is_punctuation(open, '(');
    }
    if (depth > 0 || open == 0) {
        return false;
    }
    before = open - 1;
    while (before > 0 && (is(before, "__device__") || is(before, "__host__"))) {
        before--;
    }
    after = after_group(open);
    while (is(after, "const") || is(after, "mutable") || is(after, "noexcept") ||
           is(after, "override")) {
        after++;
    }
    if (is_punctuation(before, ']')) {
        return is_punctuation(after, '{') ||
               (is_punctuation(after, '-') && is_punctuation(after + 1, '>'));
    }
    return is_punctuation(after, '{') && tokens[before].kind == WORD && !is_keyword(before) &&
           !is(before, "if") && !is(before, "while") && !is(before, "for") &&
           !is(before, "switch") && !is(before, "catch") && !is(before, "constexpr");
}

bool declares(size_t token, bool is_parameter)
{
    if (token == 0 || is_punctuation(token + 1, '.')) {
        return false;
    }
    if (is_parameter && tokens[token - 1].kind == PUNCTUATION &&
        strchr("*&>", at(tokens[token - 1].begin)) && tokens[token + 1].kind == PUNCTUATION &&
        strchr(",)[=", at(tokens[token + 1].begin))) {
        return true;
    }
    if (tokens[token - 1].kind == WORD) {
        return !is_operator_word(token - 1);
    }
    if (is_punctuation(token - 1, '*') || is_punctuation(token - 1, '&')) {
        return (token > 1 && is_type_word(token - 2)) || begins_statement(token - 1);
    }
    if (is_punctuation(token - 1, '>') && is_punctuation(token + 1, '(')) {
        return begins_statement(token - 1);
    }
    return is_punctuation(token - 1, ',') && follows_declarator(token);
}

bool is_qualified(size_t token)
{
    if (token <= 2 || !is_punctuation(token - 1, ':') || !is_punctuation(token - 2, ':')) {
        return false;
    }
    return is_punctuation(token - 3, '>') ? template_open_of(token - 3) != NONE
                                          : tokens[token - 3].kind == WORD && !is(token - 3, "std");
}

bool is_template_call(size_t token)
{
    return is(token, "malloc") && is_punctuation(token + 1, '<');
}

/* Appends the namespaces around the token, such as ::a::b::. Returns the '{' of the class or
 * function around it, or NONE. */
static size_t append_scope(struct text *out, size_t token)
{
    size_t outermost = NONE, *opened = zeroed(token + 1, sizeof *opened), depth = 0;
    for (size_t i = 0; i < token; i++) {
        if (is_punctuation(i, '{')) {
            opened[depth++] = i;
        } else if (is_punctuation(i, '}') && depth > 0) {
            depth--;
        }
    }
    append_string(out, "::");
    for (size_t i = 0; i < depth && outermost == NONE; i++) {
        size_t word = opened[i];
        if (!opens_namespace(opened[i])) {
            outermost = opened[i];
        } else if (tokens[opened[i] - 1].kind == LITERAL) {
            continue; /* extern "C" */
        }
        while (outermost == NONE && !is(word - 1, "namespace")) {
            word--;
        }
        for (; word < opened[i] && outermost == NONE; word++) {
            if (tokens[word].kind == WORD && !is(word, "inline")) {
                append_tokens(out, word, word + 1);
                append_string(out, "::");
            }
        }
    }
    free(opened);
    return outermost;
}

static bool declares_type(size_t token)
{
    if (is(token - 1, "using")) {
        return is_punctuation(token + 1, '=');
    }
    return (is(token - 1, "class") || is(token - 1, "struct") || is(token - 1, "union")) &&
           (is(token + 1, "final") ||
            (tokens[token + 1].kind == PUNCTUATION && strchr("{:;<", at(tokens[token + 1].begin))));
}

bool append_own_scope(struct text *out, size_t token)
{
    struct text own = {NULL, 0, 0}, best = {NULL, 0, 0};
    size_t inside;
    if (token <= 2 || !is(token - 3, "using") || !is_punctuation(token - 1, '=') ||
        !same_word(token, token - 2) || tokens[token].in_macro) {
        return false;
    }
    if (tokens[token].in_cccl) {
        bool found = starts(tokens[token].begin, "Block") || starts(tokens[token].begin, "Warp");
        append_string(out, found ? "cub::" : "");
        return found;
    }
    inside = append_scope(&own, token);
    for (size_t i = 1; inside != NONE && i < token - 2; i++) {
        struct text path = {NULL, 0, 0};
        if (!same_word(token, i) || !declares_type(i)) {
            continue;
        }
        if (i > inside) {
            inside = NONE; /* the name may be declared in the class */
        } else if (append_scope(&path, i) == NONE && path.length > best.length &&
                   path.length <= own.length && memcmp(path.bytes, own.bytes, path.length) == 0) {
            free(best.bytes);
            best = path;
            continue;
        }
        free(path.bytes);
    }
    if (inside != NONE && best.length > 0) {
        append(out, best.bytes, best.length);
    }
    free(own.bytes);
    free(best.bytes);
    return inside != NONE && best.length > 0;
}

void hide(struct name *name, int depth, int parenthesis)
{
    if (!name->hidden) {
        name->hidden = true;
        name->hidden_depth = parenthesis > 0 ? depth + 1 : depth;
        name->hidden_parenthesis = parenthesis > 0 ? parenthesis : -1;
    }
}

void show_again(int depth, int parenthesis)
{
    for (size_t i = 0; i < name_count; i++) {
        struct name *name = &names[i];
        bool prototype = parenthesis >= 0 && name->hidden_parenthesis > parenthesis &&
                         depth + 1 == name->hidden_depth;
        if (name->hidden && ((parenthesis < 0 && depth < name->hidden_depth) || prototype)) {
            name->hidden = false;
        }
    }
}
/* SPDX-License-Identifier: MIT */
