/* Device variables: registers their names, and reports host code that reads or writes one (it would
 * use its own copy). Reports nothing if a name could mean something else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/simt_rewrite.h"

struct variable {
    size_t name; /* a token */
    bool shown;  /* the host may use it: it is managed or a constant */
    bool managed;
    int dimensions; /* of an array; with fewer subscripts it is an address */
};
static struct variable *device_variables;
static size_t device_variable_count;

static struct variable *find_variable(size_t token)
{
    for (size_t i = 0; i < device_variable_count; i++) {
        if (same_word(device_variables[i].name, token)) {
            return &device_variables[i];
        }
    }
    return NULL;
}

/* How many pairs of brackets follow the name at `token`. *end: the token after them. */
static int subscripts(size_t token, size_t *end)
{
    int count = 0;
    for (*end = token + 1; is_punctuation(*end, '['); count++) {
        int depth = 0;
        do {
            depth += is_punctuation(*end, '[') - is_punctuation(*end, ']');
        } while (++*end < token_count && depth > 0);
    }
    return count;
}

static void note_variable(size_t token, bool shown, bool managed)
{
    size_t end;
    int dimensions = subscripts(token, &end);
    struct variable *known = find_variable(token);
    if (known) {
        known->shown = known->shown || shown;
        known->managed = known->managed || managed;
        known->dimensions = dimensions > known->dimensions ? dimensions : known->dimensions;
        return;
    }
    if ((device_variable_count & (device_variable_count - 1)) == 0) {
        size_t capacity = device_variable_count ? 2 * device_variable_count : 1;
        device_variables = realloc(device_variables, capacity * sizeof *device_variables);
        if (!device_variables) {
            perror("simt_rewrite");
            exit(EXIT_FAILURE);
        }
    }
    device_variables[device_variable_count++] =
        (struct variable){token, shown, managed, dimensions};
}

void forget_device_variables(void)
{
    free(device_variables);
    device_variables = NULL;
    device_variable_count = 0;
}

/* Whether it is the name of a pointer to a function or to an array, (*name) or (*name[4]). */
bool is_pointer_name(size_t token)
{
    return token > 2 && token < token_count && tokens[token].kind == WORD &&
           is_punctuation(token - 1, '*') && is_punctuation(token - 2, '(') &&
           (is_punctuation(token + 1, ')') || is_punctuation(token + 1, '['));
}

/* Records each word before a '[', '=', '{', ',' or ';' outside brackets; and pointer names. */
void note_device_variables(size_t token)
{
    bool named = false, shown = !is(token, "__device__") && !is(token, "__constant__");
    bool managed = is(token, "__managed__");
    int depth = 0;
    for (size_t i = token; i > 0 && tokens[i - 1].kind == WORD; i--) {
        managed = managed || is(i - 1, "__managed__");
        shown = shown || managed || is(i - 1, "const") || is(i - 1, "constexpr");
    }
    for (size_t i = past_class_body(token + 1); i < token_count; i = past_class_body(i + 1)) {
        bool ends_name =
            depth == 0 && tokens[i].kind == PUNCTUATION && strchr("[={,;", at(tokens[i].begin));
        if (depth == 0 && is(i, "operator")) {
            return; /* a function; any declaration may follow its body */
        }
        managed = managed || is(i, "__managed__");
        shown = shown || managed || is(i, "const") || is(i, "constexpr");
        if (ends_name && !named && tokens[i - 1].kind == WORD) {
            note_variable(i - 1, shown, managed);
            named = true;
        } else if (depth == 1 && !named && is_pointer_name(i)) {
            note_variable(i, shown, managed);
            named = true;
        }
        if (depth == 0 && is_punctuation(i, ';')) {
            return;
        }
        named = named && !(depth == 0 && is_punctuation(i, ','));
        depth += is_punctuation(i, '{') || is_punctuation(i, '(') || is_punctuation(i, '[') ||
                 (is_punctuation(i, '<') && !named);
        depth -= is_punctuation(i, '}') || is_punctuation(i, ')') || is_punctuation(i, ']') ||
                 (is_punctuation(i, '>') && !named);
        if (depth < 0) {
            return;
        }
    }
}

/* Whether a header of the program, not read here, may declare more variables. */
static bool includes_unread(void)
{
    for (size_t i = 0; !preprocessed && i < source.length; i = line_end(i) + 1) {
        const char *line = source.bytes + i;
        line += strspn(line, " \t");
        if (*line == '#') {
            line += 1 + strspn(line + 1, " \t");
            if (strncmp(line, "include", 7) == 0 && line[7 + strspn(line + 7, " \t")] == '"') {
                return true;
            }
        }
    }
    return false;
}

void append_device_names(struct text *out)
{
    struct text kernels = {NULL, 0, 0}, others = {NULL, 0, 0};
    bool any = append_function_names(&kernels, true);
    for (size_t i = 0; i < device_variable_count; i++) {
        append_string(&others, " ");
        append_tokens(&others, device_variables[i].name, device_variables[i].name + 1);
        if (device_variables[i].managed) {
            append_string(&others, " &");
            append_tokens(&others, device_variables[i].name, device_variables[i].name + 1);
        }
        any = true;
    }
    /* One of these may be a variable, such as __device__ T name(1); */
    any = append_function_names(&others, false) || any;
    if (any) {
        append_string(out, "\n[[gnu::used]] static const int simt_names = simt_device_names(\"");
        append(out, kernels.bytes ? kernels.bytes : "", kernels.length);
        if (includes_unread()) {
            append_string(out, "\", nullptr);\n");
        } else {
            append_string(out, "\", \"");
            append(out, others.bytes ? others.bytes : "", others.length);
            append_string(out, "\");\n");
        }
    }
    free(kernels.bytes);
    free(others.bytes);
}

/* The name of the function call whose arguments contain the token; NONE if there is none. */
static size_t called_around(size_t token)
{
    for (size_t i = token; i-- > 0 && !is_punctuation(i, ';') && !is_punctuation(i, '{');) {
        if (is_punctuation(i, ')') || is_punctuation(i, ']')) {
            i = open_of(i);
            if (i == NONE) {
                return NONE;
            }
        } else if (is_punctuation(i, '(') && i > 0 && tokens[i - 1].kind == WORD) {
            return i - 1;
        }
    }
    return NONE;
}

/* Whether the name may be redeclared between two tokens. */
static bool may_be_declared(size_t token, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        if (same_word(token, i) && i > 0 && !is_member(i) &&
            (tokens[i - 1].kind == WORD
                 ? !is_operator_word(i - 1)
                 : is_punctuation(i - 1, '*') || is_punctuation(i - 1, '>') ||
                       (is_punctuation(i - 1, '&') && !is_punctuation(i - 2, '(') &&
                        !is_punctuation(i - 2, ',')))) {
            return true;
        }
    }
    return false;
}

size_t closing_of(size_t brace)
{
    int depth = 0;
    for (size_t i = brace; i < token_count; i++) {
        depth += is_punctuation(i, '{') - is_punctuation(i, '}');
        if (depth == 0) {
            return i;
        }
    }
    return token_count;
}

void check_host_use(size_t token, size_t outermost)
{
    const struct variable *variable = find_variable(token);
    size_t next, call;
    int given = subscripts(token, &next);
    bool is_value, writes, reads, prints;
    if (!variable || variable->shown || outermost == NONE || tokens[token].in_macro ||
        tokens[token].in_system || is_member(token) || is_qualified(token)) {
        return;
    }
    is_value = given >= variable->dimensions;
    call = called_around(token);
    writes = (is_punctuation(next, '=') && !is_punctuation(next + 1, '=')) ||
             chain_of(next, '+') == 2 || chain_of(next, '-') == 2 || is_punctuation(next + 1, '=');
    prints = call != NONE && (is(call, "printf") || is(call, "fprintf")) &&
             (is_value || is_punctuation(token - 1, ',')); /* a string, for %s */
    reads = prints ||
            (is_value && (is_punctuation(token - 1, '=') || is(token - 1, "return") || given > 0 ||
                          (call != NONE && (is(call, "if") || is(call, "while")))));
    if (!(writes || reads) || is_punctuation(token - 1, '&') ||
        (call != NONE && (is(call, "sizeof") || is(call, "decltype") ||
                          memmem(source.bytes + tokens[call].begin,
                                 tokens[call].end - tokens[call].begin, "Symbol", 6))) ||
        is(token - 1, "sizeof") ||
        may_be_declared(token, declaration_begin(outermost), closing_of(outermost))) {
        return;
    }
    complain(tokens[token].begin,
             "%.*s is a variable of the device, %s by the host: use cudaMemcpy%sSymbol()",
             (int)(tokens[token].end - tokens[token].begin), source.bytes + tokens[token].begin,
             writes ? "written" : "read", writes ? "To" : "From");
}
/* SPDX-License-Identifier: MIT */
