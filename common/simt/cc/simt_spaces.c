/* Which functions may call which. nvcc refuses calls of host functions in device code, and calls of
 * kernels without a launch; so does the CPU back end. It does not know types, so it checks only
 * free functions and reports nothing if a name could mean something else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/simt_rewrite.h"

struct function {
    size_t name; /* a token */
    bool kernel, device, host, told;
};

static struct function *functions;
static size_t function_count, function_capacity;

void forget_functions(void)
{
    free(functions);
    functions = NULL;
    function_count = function_capacity = 0;
}

bool same_word(size_t a, size_t b)
{
    size_t length = tokens[a].end - tokens[a].begin;
    return tokens[b].kind == WORD && tokens[b].end - tokens[b].begin == length &&
           memcmp(source.bytes + tokens[a].begin, source.bytes + tokens[b].begin, length) == 0;
}

static struct function *find_function(size_t token)
{
    for (size_t i = 0; i < function_count; i++) {
        if (same_word(functions[i].name, token)) {
            return &functions[i];
        }
    }
    return NULL;
}

static struct function *get_function(size_t token)
{
    struct function *known = find_function(token);
    if (known) {
        return known;
    }
    if (function_count == function_capacity) {
        function_capacity = function_capacity ? 2 * function_capacity : 64;
        functions = realloc(functions, function_capacity * sizeof *functions);
        if (!functions) {
            perror("simt_rewrite");
            exit(EXIT_FAILURE);
        }
    }
    functions[function_count] = (struct function){.name = token};
    return &functions[function_count++];
}

/* ---- what the source declares ---- */

bool opens_namespace(size_t token)
{
    size_t i = token;
    if (i >= 2 && tokens[i - 1].kind == LITERAL && is(i - 2, "extern")) {
        return true;
    }
    while (i > 0 && ((tokens[i - 1].kind == WORD && !is(i - 1, "namespace")) ||
                     is_punctuation(i - 1, ':'))) {
        i--;
    }
    return i > 0 && is(i - 1, "namespace");
}

size_t declaration_begin(size_t token)
{
    size_t i = token;
    while (i > 0 && !is_punctuation(i - 1, ';') && !is_punctuation(i - 1, '{') &&
           !is_punctuation(i - 1, '}')) {
        i--;
        if (is_punctuation(i, ')')) {
            size_t open = open_of(i);
            i = open == NONE ? i : open;
        }
    }
    return i;
}

/* The name of the free host function whose body opens at `token`; NONE in case of doubt. */
static size_t host_function(size_t token)
{
    static const char *const others[] = {"__device__", "__global__", "constexpr", "consteval",
                                         "operator",   "class",      "struct",    "union",
                                         "enum",       "using",      "concept"};
    size_t name = NONE, begin = declaration_begin(token);
    for (size_t i = begin; i < token; i++) {
        for (size_t j = 0; j < sizeof others / sizeof *others; j++) {
            if (is(i, others[j])) {
                return NONE;
            }
        }
        if (is_punctuation(i, '=')) {
            return NONE;
        }
        if (is_punctuation(i, '(')) {
            name = name == NONE && i > begin + 1 ? i - 1 : name;
            i = after_group(i) - 1;
        }
    }
    if (name == NONE || tokens[name].kind != WORD || is_operator_word(name) ||
        is_punctuation(name - 1, ':') || is_punctuation(name - 1, '~') ||
        (tokens[name - 1].kind == PUNCTUATION && !strchr("*&>]", at(tokens[name - 1].begin)))) {
        return NONE;
    }
    return name;
}

/* Refuses a kernel that clearly returns something. (The type behind any other name is unknown.) */
static void check_kernel(size_t name)
{
    static const char *const types[] = {"bool",  "char",   "short",  "int",     "long",
                                        "float", "double", "signed", "unsigned"};
    bool returns = is_punctuation(name - 1, '*');
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        returns = returns || is(name - 1, types[i]);
    }
    if (returns) {
        fail(tokens[name].begin, "a kernel returns void");
    }
    if (is(name, "main")) {
        fail(tokens[name].begin, "main is no kernel");
    }
}

void collect_functions(void)
{
    int depth = 0, namespaces = 0;
    bool *is_namespace = zeroed(token_count + 2, sizeof *is_namespace);
    for (size_t i = 0; i < token_count; i++) {
        size_t name = NONE;
        if (is(i, "__global__") || is(i, "__device__")) {
            name = function_name(i);
            name = name != NONE && is_pointer_name(name + 3) ? NONE : name; /* int (*name)(); */
            if (name != NONE && is(i, "__global__")) {
                check_kernel(name);
                get_function(name)->kernel = true;
            } else if (name != NONE) {
                get_function(name)->device = true;
            } else if (!tokens[i].in_macro && is(i, "__device__")) {
                note_device_variables(i);
            }
        } else if (is(i, "__constant__") || is(i, "__managed__")) {
            note_device_variables(i);
        } else if (is_punctuation(i, '{')) {
            bool outside = depth == namespaces && !tokens[i].in_macro;
            is_namespace[++depth] = opens_namespace(i);
            namespaces += is_namespace[depth];
            name =
                outside && !is_namespace[depth] && !tokens[i].in_system ? host_function(i) : NONE;
            if (name != NONE) {
                get_function(name)->host = true;
            }
        } else if (is_punctuation(i, '}') && depth > 0) {
            namespaces -= is_namespace[depth--];
        }
    }
    free(is_namespace);
}

bool append_function_names(struct text *out, bool kernels)
{
    bool any = false;
    for (size_t i = 0; i < function_count; i++) {
        if (kernels ? functions[i].kernel : functions[i].device) {
            append_string(out, " ");
            append_tokens(out, functions[i].name, functions[i].name + 1);
            any = true;
        }
    }
    return any;
}

bool is_kernel(size_t token)
{
    const struct function *function = tokens[token].kind == WORD ? find_function(token) : NULL;
    return function && function->kernel;
}

bool is_device_only(size_t token)
{
    for (size_t i = token; i > 0 && tokens[i - 1].kind == WORD; i--) {
        if (is(i - 1, "__host__")) {
            return false;
        }
    }
    for (size_t i = token + 1; i < token_count && tokens[i].kind == WORD; i++) {
        if (is(i, "__host__")) {
            return false;
        }
    }
    return true;
}

/* ---- calls ---- */

/* The '(' of the arguments after the name at `token` and its template arguments; NONE if there is
 * none. */
static size_t arguments_of(size_t token)
{
    size_t i = token + 1;
    int depth = 0;
    if (!is_punctuation(i, '<') || chain_of(i, '<') > 1) {
        return is_punctuation(i, '(') ? i : NONE;
    }
    for (; i < token_count; i++) {
        if (is_punctuation(i, '(')) {
            i = after_group(i) - 1;
        } else if (is_punctuation(i, '<')) {
            depth++;
        } else if (is_punctuation(i, '>') && --depth == 0) {
            return is_punctuation(i + 1, '(') ? i + 1 : NONE;
        } else if (is_punctuation(i, ';') || is_punctuation(i, '{') || is_punctuation(i, '}')) {
            return NONE;
        }
    }
    return NONE;
}

/* Whether the name at `token`, which a '(' follows, stands in a declaration. */
static bool is_declared(size_t token)
{
    size_t before = token;
    while (before > 2 && is_punctuation(before - 1, ':') && is_punctuation(before - 2, ':')) {
        before -= 2;
        before -= tokens[before - 1].kind == WORD;
    }
    if (before == 0) {
        return true;
    }
    before--;
    if (tokens[before].kind == WORD) {
        return !is_operator_word(before);
    }
    if (is_punctuation(before, ')')) {
        size_t open = open_of(before);
        return open != NONE && open > 0 &&
               (is(open - 1, "__launch_bounds__") || is(open - 1, "__cluster_dims__") ||
                is(open - 1, "__maxnreg__") || is_alignment(open - 1));
    }
    return is_punctuation(before, '>') || is_punctuation(before, '*') ||
           is_punctuation(before, '&') || is_punctuation(before, '~');
}

/* Whether the source declares a function or variable of this name other than the kernel. */
static bool is_ambiguous(size_t token)
{
    for (size_t i = 1; i < token_count; i++) {
        bool kernel = false;
        if (!same_word(token, i) || is_member(i) || chain_of(i + 1, '<') >= 3) {
            continue;
        }
        if (!is_punctuation(i + 1, '(') && !is_punctuation(i + 1, '<')) {
            if (tokens[i - 1].kind == WORD && !is_operator_word(i - 1)) {
                return true; /* a variable */
            }
            continue;
        }
        if (!is_declared(i)) {
            continue;
        }
        for (size_t j = i; j > 0 && !is_punctuation(j, ';') && !is_punctuation(j, '}') && !kernel;
             j--) {
            kernel = is(j, "__global__") || is(j, "template");
        }
        if (!kernel) {
            return true;
        }
    }
    return false;
}

/* Whether the body does nothing with the name but call it. */
static bool only_called(size_t token, size_t body)
{
    int depth = 0;
    for (size_t i = declaration_begin(body); i < token_count; i++) {
        depth += is_punctuation(i, '{') - is_punctuation(i, '}');
        if (i > body && depth == 0) {
            return true;
        }
        if (same_word(token, i) && !is_member(i) &&
            (arguments_of(i) == NONE || (tokens[i - 1].kind == WORD && !is_operator_word(i - 1)))) {
            return false;
        }
    }
    return true;
}

/* Functions of the host's library that beginners call in kernels. */
static bool is_host_library(size_t token)
{
    static const char *const words[] = {
        "rand",    "srand", "random", "drand48",      "exit",   "getenv",  "system",  "fopen",
        "fclose",  "fread", "fwrite", "fprintf",      "fputs",  "puts",    "putchar", "scanf",
        "sprintf", "qsort", "sleep",  "gettimeofday", "usleep", "getchar", "snprintf"};
    return is_among(token, words, sizeof words / sizeof *words);
}

void check_call(size_t token, size_t body)
{
    struct function *function = find_function(token);
    bool host = body != NONE && preprocessed && !is_qualified(token) &&
                (function ? function->host && !function->device && !function->kernel
                          : is_host_library(token));
    int length = (int)(tokens[token].end - tokens[token].begin);
    const char *word = source.bytes + tokens[token].begin;
    if (tokens[token].in_macro || tokens[token].in_system || is_member(token) ||
        (!host && !(function && function->kernel)) || arguments_of(token) == NONE ||
        is_declared(token)) {
        return;
    }
    if (host && only_called(token, body)) {
        complain(tokens[token].begin, "%.*s() is a function of the host, called in device code: %s",
                 length, word,
                 function ? "declare it __host__ __device__" : "a GPU does not have it");
    } else if (!host && !(token > 2 && is_punctuation(token - 1, ':') && is(token - 3, "std")) &&
               !is_ambiguous(token)) { /* std::sort() is not the kernel sort */
        complain(tokens[token].begin,
                 "kernel %.*s is called like a function: launch it, %.*s<<<blocks, threads>>>(...)",
                 length, word, length, word);
    }
}
/* SPDX-License-Identifier: MIT */
