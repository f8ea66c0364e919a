/* PTX as text: statements, labels, scopes, predicates. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/simt_ptx.h"

/* A C++ label belongs to the function, so each label gets the number of its statement. */
enum { MOST_LABELS = 64, STATEMENT_BYTES = 16384 };
static char *labels[MOST_LABELS];
static size_t label_count;

void ptx_forget_labels(void)
{
    while (label_count > 0) {
        free(labels[--label_count]);
    }
}

static char character(const struct ptx *ptx, size_t i)
{
    return i < ptx->text.length ? ptx->text.bytes[i] : '\0';
}

/* The position after white space and comments. */
static size_t skip_space(const struct ptx *ptx, size_t i)
{
    for (;;) {
        if (isspace((unsigned char)character(ptx, i))) {
            i++;
        } else if (character(ptx, i) == '/' && character(ptx, i + 1) == '/') {
            while (character(ptx, i) && character(ptx, i) != '\n') {
                i++;
            }
        } else if (character(ptx, i) == '/' && character(ptx, i + 1) == '*') {
            const char *end = strstr(ptx->text.bytes + i + 2, "*/");
            i = end ? (size_t)(end - ptx->text.bytes) + 2 : ptx->text.length;
        } else {
            return i;
        }
    }
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

/* The text of the "C" operand at a '%', or NULL. *length: the length of its name there. */
static const char *pasted(const struct ptx *ptx, size_t i, size_t *length)
{
    char *end;
    size_t number;
    if (!isdigit((unsigned char)character(ptx, i + 1))) {
        return NULL;
    }
    number = strtoul(ptx->text.bytes + i + 1, &end, 10);
    *length = (size_t)(end - ptx->text.bytes) - i;
    return number < ptx->binding_count ? ptx->bindings[number].literal : NULL;
}

/* Whether "%%" begins a special register, as in "%%tid" for %tid. */
static bool starts_special(const struct ptx *ptx, size_t i)
{
    return character(ptx, i) == '%' && character(ptx, i + 1) == '%';
}

/* Copies up to the ';' without comments and with single spaces; returns the position after it. */
static size_t read_to_semicolon(struct ptx *ptx, size_t i, char *statement)
{
    size_t length = 0, pasted_length;
    while (character(ptx, i) && character(ptx, i) != ';' && length + 512 < STATEMENT_BYTES) {
        size_t next = skip_space(ptx, i);
        const char *text;
        if (next != i) {
            statement[length++] = ' ';
            i = next;
        } else if (character(ptx, i) == '%' && (text = pasted(ptx, i, &pasted_length))) {
            length += (size_t)snprintf(statement + length, 500, "%.499s", text);
            i += pasted_length;
        } else {
            i += starts_special(ptx, i);
            statement[length++] = character(ptx, i++);
        }
    }
    statement[length] = '\0';
    if (character(ptx, i) != ';') {
        ptx_refuse(ptx, "';' is missing behind \"%.60s\"", statement);
        return ptx->text.length;
    }
    return i + 1;
}

static char *trim(char *text)
{
    size_t length;
    while (*text == ' ') {
        text++;
    }
    for (length = strlen(text); length > 0 && text[length - 1] == ' ';) {
        text[--length] = '\0';
    }
    return text;
}

/* ---- instructions ---- */

static void split_opcode(struct ptx_instruction *instruction)
{
    char *part = instruction->storage;
    snprintf(part, sizeof instruction->storage, "%s", instruction->opcode);
    instruction->part_count = 0;
    while (part && instruction->part_count < PTX_PARTS) {
        char *dot = strchr(part, '.');
        instruction->parts[instruction->part_count++] = part;
        if (dot) {
            *dot++ = '\0';
        }
        part = dot;
    }
}

static void split_operands(struct ptx_instruction *instruction, char *text)
{
    int depth = 0;
    char *first = text;
    instruction->operand_count = 0;
    if (!*trim(text)) {
        return;
    }
    for (;; text++) {
        depth += (*text == '{') + (*text == '[') - (*text == '}') - (*text == ']');
        if (*text == '\0' || (*text == ',' && depth == 0)) {
            bool last = *text == '\0';
            *text = '\0';
            if (instruction->operand_count < PTX_OPERANDS) {
                instruction->operands[instruction->operand_count++] = trim(first);
            }
            if (last) {
                return;
            }
            first = text + 1;
        }
    }
}

bool ptx_is_among(const char *words, const char *word)
{
    char padded[64];
    snprintf(padded, sizeof padded, " %.60s ", word);
    return strstr(words, padded) != NULL;
}

bool ptx_has(const struct ptx_instruction *instruction, const char *part)
{
    for (size_t i = 1; i < instruction->part_count; i++) {
        if (strcmp(instruction->parts[i], part) == 0) {
            return true;
        }
    }
    return false;
}

static const char *label_of(char *name)
{
    for (size_t i = 0; i < label_count; i++) {
        if (strcmp(labels[i], name) == 0) {
            return labels[i];
        }
    }
    return NULL;
}

static void emit_branch(struct ptx *ptx, struct ptx_instruction *instruction)
{
    if (instruction->operand_count != 1 || !label_of(instruction->operands[0])) {
        ptx_refuse(ptx, "a branch to a label that is not in the same asm");
        return;
    }
    if (ptx->in_macro) {
        ptx_refuse(ptx, "a branch in a macro");
        return;
    }
    ptx_print(&ptx->body, "goto simt_%u_%s; ", ptx->number,
              instruction->operands[0] + (*instruction->operands[0] == '$'));
}

/* Appends the condition of "@!p" in front of an instruction; returns the text after it. */
static char *open_predicate(struct ptx *ptx, char *text, bool *predicated)
{
    struct text condition = {NULL, 0, 0};
    char *name = trim(text + 1), *end = name;
    while (*end && *end != ' ') {
        end++;
    }
    if (*end) {
        *end++ = '\0';
    }
    if (ptx_source(ptx, &condition, name, PTX_PREDICATE, "pred")) {
        ptx_print(&ptx->body, "if (%s) { ", condition.bytes);
        *predicated = true;
    }
    free(condition.bytes);
    return trim(end);
}

static void translate_instruction(struct ptx *ptx, char *text)
{
    static struct ptx_instruction instruction;
    bool predicated = false;
    size_t length;
    text = trim(text);
    if (*text == '@') {
        text = open_predicate(ptx, text, &predicated);
    }
    length = strcspn(text, " ");
    if (length >= sizeof instruction.opcode) {
        ptx_refuse(ptx, "instruction %.60s...", text);
        return;
    }
    memcpy(instruction.opcode, text, length);
    instruction.opcode[length] = '\0';
    split_opcode(&instruction);
    split_operands(&instruction, text + length);
    if (strcmp(instruction.parts[0], "bra") == 0) {
        emit_branch(ptx, &instruction);
    } else {
        ptx_emit(ptx, &instruction);
    }
    append_string(&ptx->body, predicated ? "} " : "");
}

/* ---- statements ---- */

/* Whether a label, "name:", begins here. *end: the position after the colon. */
static bool is_label(const struct ptx *ptx, size_t i, size_t *end)
{
    size_t at = i;
    while (is_name(character(ptx, at))) {
        at++;
    }
    *end = skip_space(ptx, at);
    if (at == i || character(ptx, *end) != ':' || character(ptx, *end + 1) == ':') {
        return false;
    }
    ++*end;
    return true;
}

static void collect_labels(struct ptx *ptx)
{
    size_t end;
    for (size_t i = 0; i < ptx->text.length; i++) {
        if ((i == 0 || !is_name(character(ptx, i - 1))) && is_label(ptx, i, &end) &&
            label_count < MOST_LABELS) {
            size_t length = 0;
            while (is_name(character(ptx, i + length))) {
                length++;
            }
            labels[label_count] = zeroed(length + 1, 1);
            memcpy(labels[label_count++], ptx->text.bytes + i, length);
        }
    }
}

static size_t translate_label(struct ptx *ptx, size_t i, size_t end)
{
    size_t begin = i + (character(ptx, i) == '$');
    size_t length = 0;
    while (is_name(character(ptx, begin + length))) {
        length++;
    }
    ptx_print(&ptx->body, "[[maybe_unused]] simt_%u_%.*s:; ", ptx->number, (int)length,
              ptx->text.bytes + begin);
    return end;
}

static size_t translate_statement(struct ptx *ptx, size_t i)
{
    static char statement[STATEMENT_BYTES];
    size_t end;
    ptx->at = i;
    if (character(ptx, i) == '{') {
        ptx_open_scope();
        return i + 1;
    }
    if (character(ptx, i) == '}') {
        ptx_close_scope(ptx);
        return i + 1;
    }
    if (character(ptx, i) == ';') {
        return i + 1;
    }
    if (is_label(ptx, i, &end)) {
        return translate_label(ptx, i, end);
    }
    end = read_to_semicolon(ptx, i, statement);
    if (ptx->failed && end == ptx->text.length) {
        return end;
    }
    if (strncmp(statement, ".reg", 4) == 0) {
        ptx_declare(ptx, statement + 4);
    } else if (*statement == '.') {
        if (strncmp(statement, ".pragma", 7) != 0) {
            ptx_refuse(ptx, "directive %.*s", (int)strcspn(statement, " "), statement);
        }
    } else {
        translate_instruction(ptx, statement);
    }
    return end;
}

void ptx_translate_text(struct ptx *ptx)
{
    collect_labels(ptx);
    for (size_t i = skip_space(ptx, 0); i < ptx->text.length; i = skip_space(ptx, i)) {
        i = translate_statement(ptx, i);
    }
    ptx_forget_registers();
    ptx_forget_labels();
}
/* SPDX-License-Identifier: MIT */
