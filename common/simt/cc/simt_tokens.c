/* Splits a source into tokens and navigates among them. */
#include "cc/simt_tokens.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ---- */

void append(struct text *text, const char *bytes, size_t length)
{
    if (text->length + length + 1 > text->capacity) {
        text->capacity = 2 * (text->length + length + 1);
        text->bytes = realloc(text->bytes, text->capacity);
        if (!text->bytes) {
            perror("simt_rewrite");
            exit(EXIT_FAILURE);
        }
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void append_string(struct text *text, const char *string)
{
    append(text, string, strlen(string));
}

/* Appends the string as the inside of a string literal. */
void append_quoted(struct text *text, const char *string)
{
    for (; *string; string++) {
        if (*string == '"' || *string == '\\') {
            append(text, "\\", 1);
        }
        append(text, string, 1);
    }
}

/* ---- tokens ---- */

const char *path;
bool preprocessed;
struct text source;
struct token *tokens;
size_t token_count;
static size_t token_capacity;
static bool in_system, in_cccl;
bool complained;

void forget_source(void)
{
    free(source.bytes);
    free(tokens);
    source = (struct text){NULL, 0, 0};
    tokens = NULL;
    token_count = token_capacity = 0;
    in_system = in_cccl = complained = false;
}

/* Whether the line that starts at `position` is a marker. */
bool read_marker(size_t position, struct marker *marker)
{
    const char *at = source.bytes + position, *end;
    if (!preprocessed || position >= source.length || at[0] != '#' || at[1] != ' ' ||
        !isdigit((unsigned char)at[2])) {
        return false;
    }
    marker->line = (int)strtol(at + 2, (char **)&at, 10);
    if (strncmp(at, " \"", 2) != 0 || !(end = strpbrk(at + 2, "\"\n")) || *end != '"') {
        return false;
    }
    marker->name = at + 2;
    marker->name_length = (int)(end - marker->name);
    end++;
    marker->enters = strncmp(end, " 1", 2) == 0;
    marker->leaves = strncmp(end, " 2", 2) == 0;
    marker->system = end[strcspn(end, "3\n")] == '3';
    return true;
}

/* Whether the file belongs to CUB, to Thrust or to their code for special registers. */
static bool is_of_cccl(const struct marker *marker)
{
    static const char *const folders[] = {"/cub/", "/thrust/", "/cuda/__ptx/"};
    for (int i = 0; i < marker->name_length; i++) {
        for (size_t j = 0; j < sizeof folders / sizeof *folders; j++) {
            if (strncmp(marker->name + i, folders[j], strlen(folders[j])) == 0) {
                return true;
            }
        }
    }
    return false;
}

size_t line_end(size_t position)
{
    const char *end = strchr(source.bytes + position, '\n');
    return end ? (size_t)(end - source.bytes) : source.length;
}

static struct marker place_of(size_t position)
{
    struct marker here = {.line = 1, .name = path, .name_length = (int)strlen(path)}, marker;
    for (size_t i = 0; i < source.length && line_end(i) < position; i = line_end(i) + 1) {
        if (read_marker(i, &marker)) {
            here = marker;
        } else {
            here.line++;
        }
    }
    return here;
}

int line_of(size_t position)
{
    return place_of(position).line;
}

/* Prints "file:line: error: " and the message for a position in the source. */
__attribute__((format(printf, 2, 0))) static void complain_with(size_t position, const char *format,
                                                                va_list arguments)
{
    const struct marker here = place_of(position);
    fprintf(stderr, "%.*s:%d: error: ", here.name_length, here.name, here.line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void fail(size_t position, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain_with(position, format, arguments);
    va_end(arguments);
    exit(EXIT_FAILURE);
}

void complain(size_t position, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain_with(position, format, arguments);
    va_end(arguments);
    complained = true;
}

/* The source ends with a zero byte, so looking one character ahead is always safe. */
char at(size_t position)
{
    return position < source.length ? source.bytes[position] : '\0';
}

bool starts(size_t position, const char *string)
{
    return position < source.length &&
           strncmp(source.bytes + position, string, strlen(string)) == 0;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static void add_token(enum kind kind, size_t begin, size_t end, bool in_macro)
{
    if (token_count == token_capacity) {
        token_capacity = token_capacity ? 2 * token_capacity : 4096;
        tokens = realloc(tokens, token_capacity * sizeof *tokens);
        if (!tokens) {
            perror("simt_rewrite");
            exit(EXIT_FAILURE);
        }
    }
    tokens[token_count++] = (struct token){kind, begin, end, in_macro, in_system, in_cccl};
}

static size_t continuation(size_t i)
{
    return starts(i, "\\\n") ? 2 : starts(i, "\\\r\n") ? 3 : 0;
}

/* The end of the comment that starts here; `i` if none does. */
static size_t skip_comment(size_t i)
{
    if (starts(i, "//")) {
        while (i < source.length && at(i) != '\n') {
            size_t joined = continuation(i);
            i += joined ? joined : 1;
        }
    } else if (starts(i, "/*")) {
        const char *end = strstr(source.bytes + i + 2, "*/");
        if (!end) {
            fail(i, "comment without an end");
        }
        i = (size_t)(end - source.bytes) + 2;
    }
    return i;
}

static size_t skip_quoted(size_t begin)
{
    char quote = at(begin);
    size_t i = begin + 1;
    while (at(i) != quote) {
        if (i >= source.length || at(i) == '\n') {
            fail(begin, "%s literal without an end", quote == '"' ? "string" : "character");
        }
        i += at(i) == '\\' ? 1 + (starts(i, "\\\r\n") ? 1 : 0) : 0;
        i++;
    }
    return i + 1;
}

/* The end of R"delimiter( ... )delimiter", which starts at the quote. */
static size_t skip_raw(size_t begin)
{
    size_t open = begin + 1;
    char closing[32];
    const char *end;
    while (open < source.length && at(open) != '(') {
        open++;
    }
    if (open - begin - 1 > 16) {
        fail(begin, "raw string literal without its parenthesis");
    }
    snprintf(closing, sizeof closing, ")%.*s\"", (int)(open - begin - 1), source.bytes + begin + 1);
    end = strstr(source.bytes + open, closing);
    if (!end) {
        fail(begin, "raw string literal without an end");
    }
    return (size_t)(end - source.bytes) + strlen(closing);
}

/* The end of a word, or of the literal whose prefix the word is. */
static size_t scan_word(size_t begin, enum kind *kind)
{
    size_t i = begin, length;
    while (is_word(at(i))) {
        i++;
    }
    length = i - begin;
    *kind = WORD;
    if (at(i) == '"' && length <= 3 && at(i - 1) == 'R' &&
        (length == 1 || strspn(source.bytes + begin, "uUL8") == length - 1)) {
        *kind = LITERAL;
        return skip_raw(i);
    }
    if ((at(i) == '"' || at(i) == '\'') && length <= 2 &&
        strspn(source.bytes + begin, "uUL8") >= length) {
        *kind = LITERAL;
        return skip_quoted(i);
    }
    return i;
}

/* The end of a number with its digit separators, exponents and suffixes. */
static size_t scan_number(size_t i)
{
    while (is_word(at(i)) || at(i) == '.' || (at(i) == '\'' && is_word(at(i + 1))) ||
           ((at(i) == '+' || at(i) == '-') && strchr("eEpP", at(i - 1)))) {
        i++;
    }
    return i;
}

/* The end of a preprocessor line, whose tokens do not count. */
static size_t skip_directive(size_t i)
{
    while (i < source.length && at(i) != '\n') {
        size_t past = skip_comment(i), joined = continuation(i);
        i = past != i ? past : joined ? i + joined : i + 1;
    }
    return i;
}

static bool is_define(size_t i)
{
    for (i++; at(i) == ' ' || at(i) == '\t'; i++) {
    }
    return starts(i, "define") && !is_word(at(i + 6));
}

void tokenize(void)
{
    bool line_start = true, in_macro = false;
    size_t i = 0;
    struct marker marker;
    while (i < source.length) {
        char c = at(i);
        size_t end = skip_comment(i), begin = i;
        enum kind kind;
        if (end != i || (continuation(i) && (end = i + continuation(i)))) {
            i = end;
        } else if (c == '\n') {
            line_start = true;
            in_macro = false;
            i++;
        } else if (isspace((unsigned char)c)) {
            i++;
        } else if (c == '#' && line_start && read_marker(i, &marker)) {
            in_system = marker.system;
            in_cccl = in_system && is_of_cccl(&marker);
            i = line_end(i);
        } else if (c == '#' && line_start) {
            in_macro = is_define(i);
            i = in_macro ? i + 1 : skip_directive(i);
            line_start = false;
        } else {
            line_start = false;
            if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)at(i + 1)))) {
                kind = NUMBER;
                i = scan_number(i);
            } else if (is_word(c)) {
                i = scan_word(i, &kind);
            } else if (c == '"' || c == '\'') {
                kind = LITERAL;
                i = skip_quoted(i);
            } else {
                kind = PUNCTUATION;
                i++;
            }
            add_token(kind, begin, i, in_macro);
        }
    }
}

bool is_punctuation(size_t token, char c)
{
    return token < token_count && tokens[token].kind == PUNCTUATION && at(tokens[token].begin) == c;
}

bool is(size_t token, const char *word)
{
    size_t length = strlen(word);
    return token < token_count && tokens[token].kind == WORD &&
           tokens[token].end - tokens[token].begin == length &&
           strncmp(source.bytes + tokens[token].begin, word, length) == 0;
}

/* How many characters c follow one another without a gap. */
size_t run_of(size_t token, char c)
{
    size_t count = 0;
    while (is_punctuation(token + count, c) &&
           (count == 0 || tokens[token + count].begin == tokens[token + count - 1].end)) {
        count++;
    }
    return count;
}

size_t chain_of(size_t token, char c)
{
    size_t count = 0;
    while (is_punctuation(token + count, c)) {
        count++;
    }
    return count;
}

bool is_among(size_t token, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is(token, words[i])) {
            return true;
        }
    }
    return false;
}

bool is_keyword(size_t token)
{
    static const char *const words[] = {"return", "else", "do",  "case",  "throw",
                                        "goto",   "if",   "for", "while", "switch"};
    return is_among(token, words, sizeof words / sizeof *words);
}

/* The bracket that the bracket at `token` closes; NONE if there is none. */
size_t open_of(size_t token)
{
    int depth = 0;
    for (size_t i = token; i != NONE; i--) {
        if (is_punctuation(i, ')') || is_punctuation(i, ']') || is_punctuation(i, '}')) {
            depth++;
        } else if (is_punctuation(i, '(') || is_punctuation(i, '[') || is_punctuation(i, '{')) {
            if (--depth == 0) {
                return i;
            }
        }
    }
    return NONE;
}

/* The '<' of the template arguments that end with the '>' at `token`. */
size_t template_open_of(size_t token)
{
    int depth = 0;
    for (size_t i = token; i != NONE; i--) {
        if (is_punctuation(i, ')') || is_punctuation(i, ']') || is_punctuation(i, '}')) {
            i = open_of(i);
            if (i == NONE) {
                return NONE;
            }
        } else if (is_punctuation(i, '>')) {
            depth++;
        } else if (is_punctuation(i, '<') && i > 0 && run_of(i - 1, '<') >= 2) {
            i--; /* a shift in the arguments */
        } else if (is_punctuation(i, '<')) {
            if (--depth == 0) {
                return i;
            }
        } else if (is_punctuation(i, ';') || is_punctuation(i, '{') || is_punctuation(i, '(')) {
            return NONE;
        }
    }
    return NONE;
}

size_t after_group(size_t token)
{
    int depth = 0;
    for (size_t i = token; i < token_count; i++) {
        depth += is_punctuation(i, '(') - is_punctuation(i, ')');
        if (depth == 0) {
            return i + 1;
        }
    }
    return token_count;
}

bool is_member(size_t token)
{
    return token > 0 &&
           (is_punctuation(token - 1, '.') ||
            (token > 1 && is_punctuation(token - 1, '>') && is_punctuation(token - 2, '-')));
}

void append_newlines(struct text *out, size_t begin, size_t end, bool in_macro)
{
    for (size_t i = begin; i < end; i++) {
        if (source.bytes[i] == '\n') {
            append_string(out, in_macro ? "\\\n" : "\n");
        }
    }
}

void append_tokens(struct text *out, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        if (i > first && tokens[i].begin != tokens[i - 1].end) {
            append(out, " ", 1);
        }
        append(out, source.bytes + tokens[i].begin, tokens[i].end - tokens[i].begin);
    }
}

void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) {
        perror("simt_rewrite");
        exit(EXIT_FAILURE);
    }
    return memory;
}
/* SPDX-License-Identifier: MIT */
