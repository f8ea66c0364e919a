/* Code that nvcc's front end accepts and g++ or clang++ reject. The missing words are inserted. */
#include <string.h>

#include "cc/simt_rewrite.h"

size_t braces_around(size_t token)
{
    while (token > 0) {
        token--;
        if (is_punctuation(token, '}')) {
            token = open_of(token);
            if (token == NONE) {
                return NONE;
            }
        } else if (is_punctuation(token, '{')) {
            return token;
        }
    }
    return NONE;
}

/* For if (...) {, else { and the like. Not for the braces of a lambda, which has its own return. */
static bool opens_statement(size_t braces)
{
    static const char *const words[] = {"if", "for", "while", "switch", "catch", "constexpr"};
    size_t open = is_punctuation(braces - 1, ')') ? open_of(braces - 1) : NONE;
    for (size_t i = 0; open != NONE && i < sizeof words / sizeof *words; i++) {
        if (is(open - 1, words[i])) {
            return true;
        }
    }
    return is(braces - 1, "else") || is(braces - 1, "do") || is(braces - 1, "try") ||
           is_punctuation(braces - 1, '{') || is_punctuation(braces - 1, '}') ||
           is_punctuation(braces - 1, ';') || is_punctuation(braces - 1, ':');
}

size_t body_around(size_t token)
{
    size_t braces = braces_around(token);
    while (braces != NONE && opens_statement(braces)) {
        braces = braces_around(braces);
    }
    return braces;
}

/* Whether `token` begins a statement cudaName(...); that drops the result. */
bool drops_result(size_t token)
{
    static const char *const words[] = {"if", "for", "while"};
    size_t end, open = is_punctuation(token - 1, ')') ? open_of(token - 1) : NONE;
    bool begins = is_punctuation(token - 1, ';') || is_punctuation(token - 1, '{') ||
                  is_punctuation(token - 1, '}') || is(token - 1, "else") || is(token - 1, "do");
    for (size_t i = 0; open != NONE && i < sizeof words / sizeof *words; i++) {
        begins = begins || is(open - 1, words[i]);
    }
    if (!begins || !starts(tokens[token].begin, "cuda") || !is_punctuation(token + 1, '(') ||
        is(token, "cudaGetLastError")) { /* programs call it to clear the error */
        return false;
    }
    end = after_group(token + 1);
    return end < token_count && is_punctuation(end, ';');
}

static bool is_body_of_main(size_t braces)
{
    const size_t begin = declaration_begin(braces);
    return braces_around(braces) == NONE && is(begin, "int") && is(begin + 1, "main") &&
           is_punctuation(begin + 2, '(') && after_group(begin + 2) == braces;
}

/* Whether the braces are the body of a device-only function that returns a number. */
static bool is_body_of_device(size_t braces)
{
    static const char *const numbers[] = {"bool",   "char",   "short",    "int",   "long",
                                          "size_t", "signed", "unsigned", "float", "double"};
    for (size_t i = declaration_begin(braces); i < braces; i++) {
        const size_t name = is(i, "__device__") && is_device_only(i) ? function_name(i) : NONE;
        for (size_t j = 0; name != NONE && j < sizeof numbers / sizeof *numbers; j++) {
            if (is(name - 1, numbers[j]) && name < braces) {
                return true;
            }
        }
    }
    return false;
}

/* Whether a return; lacks its number: in main() or in a device function. */
static bool returns_nothing(size_t semicolon)
{
    size_t braces;
    if (!is_punctuation(semicolon, ';') || !is(semicolon - 1, "return")) {
        return false;
    }
    braces = body_around(semicolon);
    return braces != NONE && (is_body_of_main(braces) || is_body_of_device(braces));
}

static bool is_class_template(size_t braces)
{
    size_t i = declaration_begin(braces);
    if (!is(i, "template") || !is_punctuation(i + 1, '<')) {
        return false;
    }
    for (i++; i < braces; i++) {
        if ((is(i, "struct") || is(i, "class")) && tokens[i + 1].kind == WORD &&
            !is_punctuation(i + 2, ',') && !is_punctuation(i + 2, '>') &&
            !is_punctuation(i + 2, '=')) {
            return true;
        }
    }
    return false;
}

/* Whether `static const T zero = 0;` stands in a class template. g++ also instantiates it for types
 * that only device code uses, such as float and double, and rejects it there. */
static bool declares_constant(size_t token)
{
    size_t i = token + 2;
    if (!(is(token, "static") && is(token + 1, "const")) &&
        !(is(token, "const") && is(token + 1, "static"))) {
        return false;
    }
    while (i < token_count && (tokens[i].kind == WORD || is_punctuation(i, ':'))) {
        if (is(i, "constexpr")) {
            return false;
        }
        i++;
    }
    if (!is_punctuation(i, '=') || is_punctuation(i + 1, '=') || is(token - 1, "constexpr")) {
        return false;
    }
    i = braces_around(token);
    return i != NONE && is_class_template(i);
}

/* The word struct, union, class or enum in the definition of the type; NONE if there is none. */
static size_t class_key_of(size_t name)
{
    for (size_t i = name; i > 1; i--) {
        if (same_word(i - 1, name) && is_class_key(i - 2) &&
            (is_punctuation(i, '{') || is_punctuation(i, ':'))) {
            return i - 2;
        }
    }
    return NONE;
}

/* The word to insert before a member `Ray Ray;`. g++ rejects such a change of meaning. */
static size_t missing_class_key(size_t token)
{
    size_t name = token + 1, braces, open;
    if (tokens[token].kind != WORD || is_qualified(token) || is_member(token) ||
        is_class_key(token - 1)) {
        return NONE;
    }
    while (is_punctuation(name, '*') || is_punctuation(name, '&')) {
        name++;
    }
    if (name >= token_count || !same_word(token, name) || tokens[name + 1].kind != PUNCTUATION ||
        !strchr(";=[{", at(tokens[name + 1].begin))) {
        return NONE;
    }
    braces = braces_around(token);
    open = braces == NONE ? 0 : declaration_begin(braces);
    while (braces != NONE && open < braces && (!is_class_key(open) || is(open, "enum"))) {
        open++;
    }
    return braces != NONE && open < braces && !is_punctuation(braces - 1, ')') ? class_key_of(token)
                                                                               : NONE;
}

bool append_missing(struct text *out, size_t token)
{
    size_t key;
    if (token == 0 || tokens[token].in_macro || tokens[token].in_system) {
        return false;
    }
    if (returns_nothing(token)) {
        append_string(out, " 0");
        return true;
    }
    if (declares_constant(token)) {
        append_string(out, "constexpr ");
        return true;
    }
    key = missing_class_key(token);
    if (key != NONE) {
        append_tokens(out, key, key + 1);
        append_string(out, " ");
        return true;
    }
    return append_case_braces(out, token);
}
/* SPDX-License-Identifier: MIT */
