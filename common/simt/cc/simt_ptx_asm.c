/* asm statements of device code:
 *
 *   asm volatile("add.s32 %0, %1, 5;" : "=r"(x) : "r"(y) : "memory");
 *
 * becomes, on its first line (where reports then place it),
 *
 *   { auto &&simt_x0 = (x); unsigned simt_a0 = 0; auto simt_a1 = in<'r'>(y);
 *     simt_a0 = add<...>(simt_a1, 5); out<'r'>(simt_x0, simt_a0); }
 *
 * The operands' own tokens stay in place, and simt_rewrite rewrites them like all other tokens.
 * Only the text between them is replaced. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/simt_ptx.h"

/* ---- patches: tokens and their replacement ---- */

struct patch {
    size_t first, end; /* tokens */
    struct text text;
};
static struct patch *patches;
static size_t patch_count, next_patch;
static struct text lines; /* newlines and markers to write after the statement */

void forget_ptx(void)
{
    for (size_t i = 0; i < patch_count; i++) {
        free(patches[i].text.bytes);
    }
    free(patches);
    free(lines.bytes);
    patches = NULL;
    lines = (struct text){NULL, 0, 0};
    patch_count = next_patch = 0;
    ptx_forget_labels();
    ptx_forget_registers();
}

static struct text *add_patch(size_t first, size_t end)
{
    patches = realloc(patches, (patch_count + 1) * sizeof *patches);
    if (!patches) {
        perror("simt_rewrite");
        exit(EXIT_FAILURE);
    }
    patches[patch_count] = (struct patch){first, end, {NULL, 0, 0}};
    return &patches[patch_count++].text;
}

/* Appends the newlines and the preprocessor's markers of a part of the source that is left out. */
static void append_lines(struct text *out, size_t begin, size_t end, bool in_macro)
{
    struct marker marker;
    for (size_t i = begin; i < end; i++) {
        if (at(i) == '\n') {
            append_string(out, in_macro ? "\\\n" : "\n");
            if (read_marker(i + 1, &marker)) {
                append(out, source.bytes + i + 1, line_end(i + 1) - i - 1);
            }
        }
    }
}

size_t ptx_patch(struct text *out, size_t token, size_t *copied)
{
    struct patch *patch = next_patch < patch_count ? &patches[next_patch] : NULL;
    size_t count;
    if (!patch || patch->first != token) {
        return 0;
    }
    append(out, source.bytes + *copied, tokens[token].begin - *copied);
    if (patch->text.bytes) {
        append(out, patch->text.bytes, patch->text.length);
    }
    append_lines(&lines, tokens[token].begin, tokens[patch->end - 1].end, tokens[token].in_macro);
    *copied = tokens[patch->end - 1].end;
    free(patch->text.bytes);
    patch->text.bytes = NULL;
    count = patch->end - token;
    if (++next_patch == patch_count) {
        append_string(out, lines.bytes ? lines.bytes : "");
        free(lines.bytes);
        lines = (struct text){NULL, 0, 0};
        patch_count = next_patch = 0;
    }
    return count;
}

/* ---- messages ---- */

void ptx_refuse(struct ptx *ptx, const char *format, ...)
{
    char text[512];
    va_list arguments;
    size_t length = ptx->text.length;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!ptx->in_cccl) {
        complain(ptx->where[length == 0        ? 0
                            : ptx->at < length ? ptx->at
                                               : length - 1],
                 "not available on the CPU back end: PTX: %s", text);
    }
    ptx->failed = true;
}

void ptx_print(struct text *out, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    append_string(out, text);
}

/* ---- string literals ---- */

static void add_character(struct ptx *ptx, char c, size_t position);

/* Whether the text ends with a '%' that is not the second half of "%%". */
static bool ends_with_percent(const struct ptx *ptx)
{
    size_t first = ptx->text.length;
    while (first > 0 && ptx->text.bytes[first - 1] == '%') {
        first--;
    }
    return (ptx->text.length - first) % 2 == 1;
}

/* Appends what "%=" stands for: a number that differs in each statement. */
static void add_number(struct ptx *ptx, size_t position)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%u", ptx->number);
    ptx->text.bytes[--ptx->text.length] = '\0';
    for (size_t i = 0; digits[i]; i++) {
        add_character(ptx, digits[i], position);
    }
}

static void add_character(struct ptx *ptx, char c, size_t position)
{
    size_t length = ptx->text.length;
    if (c == '=' && ends_with_percent(ptx)) {
        add_number(ptx, position);
        return;
    }
    append(&ptx->text, &c, 1);
    ptx->where = realloc(ptx->where, (length + 2) * sizeof *ptx->where);
    if (!ptx->where) {
        perror("simt_rewrite");
        exit(EXIT_FAILURE);
    }
    ptx->where[length] = ptx->where[length + 1] = position;
}

/* The character that an escape sequence stands for. *length: the length of the sequence. */
static char unescape(size_t position, size_t *length)
{
    static const char letters[] = "ntrafvb0\\\"'?", values[] = "\n\t\r\a\f\v\b\0\\\"'?";
    char c = at(position + 1);
    const char *known = c ? strchr(letters, c) : NULL;
    char *end;
    *length = 2;
    if (c == 'x') {
        long value = strtol(source.bytes + position + 2, &end, 16);
        *length = (size_t)(end - source.bytes) - position;
        return (char)value;
    }
    return known ? values[known - letters] : c;
}

static void add_literal(struct ptx *ptx, size_t token)
{
    size_t begin = tokens[token].begin, end = tokens[token].end;
    if (at(begin) == 'R') {
        while (at(begin) != '(') {
            begin++;
        }
        for (end--; at(end - 1) != ')'; end--) {
        }
        for (size_t i = begin + 1; i + 1 < end; i++) {
            add_character(ptx, at(i), i);
        }
        return;
    }
    if (at(begin) != '"') {
        ptx->where = ptx->where ? ptx->where : zeroed(1, sizeof *ptx->where);
        fail(begin, "not available on the CPU back end: PTX: this kind of literal in an asm text");
    }
    for (size_t i = begin + 1; i + 1 < end;) {
        size_t length = 1;
        char c = at(i) == '\\' ? unescape(i, &length) : at(i);
        if (at(i) == '\\' && at(i + 1) == '\n') { /* a continued line */
            i += 2;
            continue;
        }
        add_character(ptx, c, i);
        i += length;
    }
}

/* ---- operands ---- */

static size_t add_named(struct ptx_binding *binding, size_t token)
{
    if (!is_punctuation(token, '[')) {
        return token;
    }
    binding->name = source.bytes + tokens[token + 1].begin;
    binding->name_length = tokens[token + 1].end - tokens[token + 1].begin;
    return token + 3;
}

/* Reads the constraint; false if PTX has no such constraint. */
static bool read_constraint(struct ptx *ptx, struct ptx_binding *binding, const char *text)
{
    binding->tied = NONE;
    binding->input = !binding->output || *text == '+';
    text += *text == '=' || *text == '+';
    text += *text == '&';
    if (isdigit((unsigned char)*text) && !binding->output) {
        char *end;
        binding->tied = strtoul(text, &end, 10);
        if (*end || binding->tied >= ptx->binding_count || !ptx->bindings[binding->tied].output) {
            return false;
        }
        binding->letter = ptx->bindings[binding->tied].letter;
        return true;
    }
    binding->letter = *text;
    return *text && strchr(binding->output ? "hrlfd" : "hrlfdnC", *text) && !text[1];
}

/* Reads the operand that begins at `token`; returns the token after it. */
static size_t add_binding(struct ptx *ptx, size_t token, bool output)
{
    struct ptx_binding *binding = &ptx->bindings[ptx->binding_count];
    struct text constraint = {NULL, 0, 0};
    if (ptx->binding_count == PTX_OPERANDS) {
        fail(tokens[token].begin, "asm: more than %d operands", PTX_OPERANDS);
    }
    *binding = (struct ptx_binding){.output = output};
    token = add_named(binding, token);
    append(&constraint, "", 0);
    for (; token < token_count && tokens[token].kind == LITERAL; token++) {
        append(&constraint, source.bytes + tokens[token].begin + 1,
               tokens[token].end - tokens[token].begin - 2);
    }
    if (constraint.length == 0 || !is_punctuation(token, '(')) {
        fail(tokens[token].begin, "asm: an operand is a constraint and an expression, \"r\"(x)");
    }
    if (!read_constraint(ptx, binding, constraint.bytes)) {
        complain(tokens[token].begin, "not available on the CPU back end: PTX: constraint \"%s\"",
                 constraint.bytes);
        ptx->failed = true;
    }
    free(constraint.bytes);
    binding->open = token;
    binding->close = after_group(token) - 1;
    if (binding->letter == 'C') {
        if (binding->close != binding->open + 2 || tokens[binding->open + 1].kind != LITERAL) {
            complain(tokens[token].begin,
                     "not available on the CPU back end: PTX: a \"C\" operand that is no literal");
            ptx->failed = true;
        } else {
            size_t begin = tokens[binding->open + 1].begin, end = tokens[binding->open + 1].end;
            binding->literal = zeroed(end - begin, 1);
            memcpy(binding->literal, source.bytes + begin + 1, end - begin - 2);
        }
    }
    ptx->binding_count++;
    return binding->close + 1;
}

/* Reads literals, operands and clobbers; returns the token of the closing ')'. */
static size_t read_statement(struct ptx *ptx, size_t open)
{
    size_t token = open + 1, section = 0;
    for (; token < token_count && tokens[token].kind == LITERAL; token++) {
        add_literal(ptx, token);
    }
    if (token == open + 1) {
        fail(tokens[token].begin, "asm: its text must be string literals");
    }
    while (token < token_count && !is_punctuation(token, ')')) {
        if (is_punctuation(token, ':')) {
            section++;
            token++;
        } else if (is_punctuation(token, ',')) {
            token++;
        } else if (section == 1 || section == 2) {
            token = add_binding(ptx, token, section == 1);
        } else if (section == 3 && tokens[token].kind == LITERAL) {
            ptx->memory = ptx->memory || (starts(tokens[token].begin, "\"memory\""));
            token++;
        } else {
            fail(tokens[token].begin, "asm: not understood");
        }
    }
    return token;
}

/* ---- the C++ around the operands ---- */

static const char *container(char letter)
{
    return letter == 'h'                    ? "unsigned short"
           : letter == 'l' || letter == 'd' ? "unsigned long"
                                            : "unsigned int";
}

/* The text before an operand's expression, and after it. */
static void append_opening(struct text *out, const struct ptx *ptx, size_t number)
{
    const struct ptx_binding *binding = &ptx->bindings[number];
    if (binding->output) {
        ptx_print(out, "[[maybe_unused]] auto &&simt_x%zu = (", number);
    } else if (binding->letter == 'n') {
        ptx_print(out, "[[maybe_unused]] constexpr auto simt_a%zu = ::simt::ptx::constant(",
                  number);
    } else if (binding->letter == 'C') {
        append_string(out, "static_cast<void>(");
    } else if (binding->tied != NONE) {
        ptx_print(out, "simt_a%zu = ::simt::ptx::in<'%c'>(", binding->tied, binding->letter);
    } else {
        ptx_print(out, "[[maybe_unused]] %s%s simt_a%zu = ::simt::ptx::in<'%c'>(",
                  binding->scratch ? "" : "const ", container(binding->letter), number,
                  binding->letter);
    }
}

static void append_closing(struct text *out, const struct ptx *ptx, size_t number)
{
    const struct ptx_binding *binding = &ptx->bindings[number];
    append_string(out, "); ");
    if (binding->in_place) {
        return;
    }
    if (binding->output && binding->input) {
        ptx_print(out, "%s simt_a%zu = ::simt::ptx::in<'%c'>(simt_x%zu); ",
                  container(binding->letter), number, binding->letter, number);
    } else if (binding->output) {
        ptx_print(out, "%s simt_a%zu = 0; ", container(binding->letter), number);
    }
}

/* An asm without instructions hides its results from the compiler. */
static void append_opaque(struct text *out, const struct ptx *ptx)
{
    for (size_t i = 0; i < ptx->binding_count; i++) {
        if (ptx->bindings[i].output && !ptx->bindings[i].in_place) {
            ptx_print(out, "__asm__ volatile(\"\" : \"+r\"(simt_a%zu)); ", i);
        }
    }
}

static void append_body(struct text *out, const struct ptx *ptx)
{
    static const char barrier[] = "__asm__ volatile(\"\" ::: \"memory\"); ";
    append_string(out, ptx->memory ? barrier : "");
    append_string(out, ptx->uses_carry ? "unsigned int simt_carry = 0; " : "");
    append_string(out, ptx->declarations.bytes ? ptx->declarations.bytes : "");
    if (ptx->body.length > 0) {
        append_string(out, ptx->body.bytes);
    } else {
        append_opaque(out, ptx);
    }
    for (size_t i = 0; i < ptx->binding_count; i++) {
        if (ptx->bindings[i].output && !ptx->bindings[i].in_place) {
            ptx_print(out, "::simt::ptx::out<'%c'>(simt_x%zu, simt_a%zu); ",
                      ptx->bindings[i].letter, i, i);
        }
    }
    append_string(out, ptx->memory ? barrier : "");
    append_string(out, "}");
}

/* Leaves an operand alone if it is input and output but no instruction uses it. Such an operand, an
 * accumulator of a wgmma for example, only keeps the compiler from moving its uses past the asm.
 * (An asm without instructions and without "memory" hides a value.) */
static void leave_unused(struct ptx *ptx)
{
    for (size_t i = 0; i < ptx->binding_count; i++) {
        struct ptx_binding *binding = &ptx->bindings[i];
        if (binding->output && binding->input && !binding->used &&
            (ptx->body.length > 0 || ptx->memory)) {
            binding->in_place = true;
        }
    }
}

static void add_patches(const struct ptx *ptx, size_t first, size_t end)
{
    struct text *text;
    size_t from = first;
    for (size_t i = 0; i < ptx->binding_count; i++) {
        text = add_patch(from, ptx->bindings[i].open + 1);
        append_string(text, i == 0 ? "{ " : "");
        if (i > 0) {
            append_closing(text, ptx, i - 1);
        }
        append_opening(text, ptx, i);
        from = ptx->bindings[i].close;
    }
    text = add_patch(from, end);
    append_string(text, ptx->binding_count == 0 ? "{ " : "");
    if (ptx->binding_count > 0) {
        append_closing(text, ptx, ptx->binding_count - 1);
    }
    append_body(text, ptx);
}

void ptx_translate(size_t token)
{
    struct ptx *ptx = zeroed(1, sizeof *ptx);
    static unsigned int statements;
    size_t open = token + 1, close;
    ptx->number = ++statements;
    while (is(open, "volatile") || is(open, "__volatile__") || is(open, "inline") ||
           is(open, "__inline__")) {
        open++;
    }
    if (!is_punctuation(open, '(')) {
        fail(tokens[token].begin, is(open, "goto") ? "not available on the CPU back end: asm goto"
                                                   : "asm: '(' is missing");
    }
    ptx->in_macro = tokens[token].in_macro;
    ptx->in_cccl = tokens[token].in_cccl;
    close = read_statement(ptx, open);
    if (!is_punctuation(close + 1, ';')) {
        fail(tokens[token].begin, "asm: ';' is missing after it");
    }
    if (!ptx->where) {
        ptx->where = zeroed(1, sizeof *ptx->where);
        ptx->where[0] = tokens[token].begin;
    }
    ptx_translate_text(ptx);
    if (!ptx->failed) {
        leave_unused(ptx);
        add_patches(ptx, token, close + 2);
    } else if (ptx->in_cccl) { /* CUB may never run this code in the program */
        append_string(add_patch(token, close + 2), "__trap();");
    }
    for (size_t i = 0; i < ptx->binding_count; i++) {
        free(ptx->bindings[i].literal);
    }
    free(ptx->text.bytes);
    free(ptx->where);
    free(ptx->declarations.bytes);
    free(ptx->body.bytes);
    free(ptx);
}
/* SPDX-License-Identifier: MIT */
