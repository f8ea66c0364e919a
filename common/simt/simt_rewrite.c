/* simt_rewrite in.cu out.cpp: turns what the host's C++ compiler does not know of CUDA C into
 * calls.
 *
 *   name<<<grid, block, shared, stream>>>(arguments)
 *     simt::launch("name", <name as a function>, <name as a call>, grid, block, shared,
 *     stream)(arguments)
 *   extern __shared__ T name[];
 *     T *const name = static_cast<T *>(simt_dynamic_shared()); or, outside of functions, nothing:
 *     what stands right of the = then replaces each use of the name
 *
 *   malloc(size)
 *     simt_malloc(size), of which the compiler knows nothing: neither that it may leave it out, nor
 *     that nobody sees what is stored there
 *
 * All else is copied as it stands, and every line keeps its number.
 *
 * simt_rewrite --preprocessed in.ii out.cpp: takes the output of the preprocessor instead (with
 * SIMT_PREPROCESSED defined), in which headers stand where they were included and macros are gone.
 * There it also does what cuda_runtime.h else does with macros, which would collide with a
 * program's own names:
 *
 *   __global__ and the other qualifiers      nothing, or the host compiler's word threadIdx and its
 *   like                   calls, but where the program declares such a name itself
 *   cudaLaunchKernel((void *)name,           cudaLaunchKernel(name, __global__ void name(...) {...}
 *   is followed by a call that makes its address launchable
 *
 * and it refuses what the CPU back end does not have, with one line for each feature.
 *
 * simt_rewrite --header NAME: names the feature that a missing header belongs to; status 1 if
 * none. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simt_unavailable.h"

/* ---- text ---- */

struct text {
    char *bytes;
    size_t length, capacity;
};

static void append(struct text *text, const char *bytes, size_t length)
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

static void append_string(struct text *text, const char *string)
{
    append(text, string, strlen(string));
}

/* As the inside of a string literal. */
static void append_quoted(struct text *text, const char *string)
{
    for (; *string; string++) {
        if (*string == '"' || *string == '\\') {
            append(text, "\\", 1);
        }
        append(text, string, 1);
    }
}

/* ---- tokens ---- */

enum kind { WORD, NUMBER, LITERAL, PUNCTUATION };

/* One token; punctuation comes in single characters. White space, comments and preprocessor lines
 * other than #define lie between tokens. */
struct token {
    enum kind kind;
    size_t begin, end; /* in the source */
    bool in_macro;     /* on a #define line */
    bool in_system;    /* in a system header, as the preprocessor's markers say */
};

static const char *path;
static bool preprocessed, in_system;
static struct text source;
static struct token *tokens;
static size_t token_count, token_capacity;

/* A line `# 12 "file" 1 3` of the preprocessor: the next line is line 12 of that file. */
struct marker {
    int line;
    const char *name;
    int name_length;
    bool enters, leaves, system;
};

/* Whether the line that starts at `position` is a marker. */
static bool read_marker(size_t position, struct marker *marker)
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

static size_t line_end(size_t position)
{
    const char *end = strchr(source.bytes + position, '\n');
    return end ? (size_t)(end - source.bytes) : source.length;
}

/* "file:line: error: " and the rest, for a place in the source. */
__attribute__((format(printf, 2, 0))) static void complain(size_t position, const char *format,
                                                           va_list arguments)
{
    struct marker here = {.line = 1, .name = path, .name_length = (int)strlen(path)}, marker;
    for (size_t i = 0; i < source.length && line_end(i) < position; i = line_end(i) + 1) {
        if (read_marker(i, &marker)) {
            here = marker;
        } else {
            here.line++;
        }
    }
    fprintf(stderr, "%.*s:%d: error: ", here.name_length, here.name, here.line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

__attribute__((noreturn, format(printf, 2, 3))) static void fail(size_t position,
                                                                 const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain(position, format, arguments);
    va_end(arguments);
    exit(EXIT_FAILURE);
}

/* The source ends in a zero byte, so that looking one character ahead is always safe. */
static char at(size_t position)
{
    return position < source.length ? source.bytes[position] : '\0';
}

static bool starts(size_t position, const char *string)
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
    tokens[token_count++] = (struct token){kind, begin, end, in_macro, in_system};
}

static size_t continuation(size_t i)
{
    return starts(i, "\\\n") ? 2 : starts(i, "\\\r\n") ? 3 : 0;
}

/* Past a comment that starts here; the same position if none does. */
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

/* R"delimiter( ... )delimiter", from the quote on. */
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

/* A word, or the literal that it is the prefix of. */
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

/* A number with its digit separators, exponents and suffixes. */
static size_t scan_number(size_t i)
{
    while (is_word(at(i)) || at(i) == '.' || (at(i) == '\'' && is_word(at(i + 1))) ||
           ((at(i) == '+' || at(i) == '-') && strchr("eEpP", at(i - 1)))) {
        i++;
    }
    return i;
}

/* Past a preprocessor line, whose tokens do not count. */
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

static void tokenize(void)
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

static bool is_punctuation(size_t token, char c)
{
    return token < token_count && tokens[token].kind == PUNCTUATION && at(tokens[token].begin) == c;
}

static bool is(size_t token, const char *word)
{
    size_t length = strlen(word);
    return token < token_count && tokens[token].kind == WORD &&
           tokens[token].end - tokens[token].begin == length &&
           strncmp(source.bytes + tokens[token].begin, word, length) == 0;
}

/* How many characters c follow one another without a gap. */
static size_t run_of(size_t token, char c)
{
    size_t count = 0;
    while (is_punctuation(token + count, c) &&
           (count == 0 || tokens[token + count].begin == tokens[token + count - 1].end)) {
        count++;
    }
    return count;
}

static bool is_keyword(size_t token)
{
    static const char *const words[] = {"return", "else", "do",  "case",  "throw",
                                        "goto",   "if",   "for", "while", "switch"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (is(token, words[i])) {
            return true;
        }
    }
    return false;
}

/* ---- launches ---- */

static const size_t NONE = (size_t)-1;

/* The opening partner of the bracket at `token`, looking back; NONE if there is none. */
static size_t open_of(size_t token)
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
static size_t template_open_of(size_t token)
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
            i--; /* a shift among the arguments */
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

/* The first token of the expression that names a kernel and ends before `chevrons`:
 * name, ns::name<arguments>, table[i].kernel, (*pointer), ... */
static size_t name_begin(size_t chevrons)
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
        /* What joins it to the component before. */
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

/* The first of the three closing chevrons. Of several `>>>` the last one in the statement that an
 * argument list follows: the others close templates. */
static size_t closing_chevrons(size_t chevrons)
{
    size_t found = NONE;
    int depth = 0;
    for (size_t i = chevrons + 3; i < token_count && depth >= 0; i++) {
        size_t run;
        if (is_punctuation(i, '(') || is_punctuation(i, '[') || is_punctuation(i, '{')) {
            depth++;
        } else if (is_punctuation(i, ')') || is_punctuation(i, ']') || is_punctuation(i, '}')) {
            depth--;
        } else if (depth == 0 && (is_punctuation(i, ';') || run_of(i, '<') >= 3)) {
            break;
        } else if (depth == 0 && (run = run_of(i, '>')) >= 3) {
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

static void append_newlines(struct text *out, size_t begin, size_t end, bool in_macro)
{
    for (size_t i = begin; i < end; i++) {
        if (source.bytes[i] == '\n') {
            append_string(out, in_macro ? "\\\n" : "\n");
        }
    }
}

/* Tokens on one line, with a space where the source has a gap. */
static void append_tokens(struct text *out, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        if (i > first && tokens[i].begin != tokens[i - 1].end) {
            append(out, " ", 1);
        }
        append(out, source.bytes + tokens[i].begin, tokens[i].end - tokens[i].begin);
    }
}

static void append_launch(struct text *out, size_t name, size_t chevrons)
{
    struct text kernel = {NULL, 0, 0};
    append_tokens(&kernel, name, chevrons);
    append_string(out, "simt::launch(\"");
    append_quoted(out, kernel.bytes);
    append_string(out, "\", [&]([[maybe_unused]] auto simt_tag) -> "
                       "decltype(simt::function_of<decltype(simt_tag)>(");
    append_string(out, kernel.bytes);
    append_string(out, ")) { return simt::function_of<decltype(simt_tag)>(");
    append_string(out, kernel.bytes);
    append_string(out, "); }, [&](auto &...simt_arguments) { ");
    append_string(out, kernel.bytes);
    append_string(out, "(simt_arguments...); }, ");
    append_newlines(out, tokens[name].begin, tokens[chevrons].begin, tokens[name].in_macro);
    free(kernel.bytes);
}

/* ---- extern __shared__ ---- */

static bool is_alignment(size_t token)
{
    return is(token, "__align__") || is(token, "alignas") || is(token, "__attribute__");
}

/* The ';' of an `extern __shared__` (or `__shared__ extern`) declaration that starts here; NONE if
 * none does. */
static size_t shared_end(size_t token)
{
    bool shared = false, external = false;
    if (!is(token, "extern") && !is(token, "__shared__")) {
        return NONE;
    }
    for (size_t i = token; i < token_count; i++) {
        shared = shared || is(i, "__shared__");
        external = external || is(i, "extern");
        if (is_punctuation(i, ';')) {
            return shared && external ? i : NONE;
        }
        if (is_punctuation(i, '{') || is_punctuation(i, '}')) {
            return NONE;
        }
    }
    return NONE;
}

/* T name[] or T name[][2], in parts. */
struct shared {
    struct text type;
    size_t name;         /* a token */
    size_t bounds, end;  /* the tokens after the open bounds, up to the ';' */
    struct text pointer; /* the expression for a pointer to the first element */
};

static struct shared parse_shared(size_t first, size_t end)
{
    struct shared shared = {.end = end};
    size_t bracket, i;
    for (bracket = first; bracket < end; bracket++) {
        if (is_alignment(bracket) && is_punctuation(bracket + 1, '(')) {
            while (bracket < end && open_of(bracket) != NONE && !is_punctuation(bracket, ')')) {
                bracket++;
            }
        }
        if (is_punctuation(bracket, '[') && is_punctuation(bracket + 1, ']')) {
            break;
        }
    }
    shared.name = bracket - 1;
    shared.bounds = bracket + 2;
    if (bracket >= end || tokens[shared.name].kind != WORD || shared.name <= first + 1) {
        fail(tokens[first].begin, "extern __shared__ takes one array of open size: T name[];");
    }
    for (i = first; i < shared.name; i++) {
        if (is_alignment(i) && is_punctuation(i + 1, '(')) {
            int depth = 0;
            for (i++; i < shared.name; i++) {
                depth += is_punctuation(i, '(') - is_punctuation(i, ')');
                if (depth == 0) {
                    break;
                }
            }
        } else if (!is(i, "extern") && !is(i, "__shared__") && !is(i, "__device__")) {
            if (shared.type.length > 0 && tokens[i].begin != tokens[i - 1].end) {
                append(&shared.type, " ", 1);
            }
            append_tokens(&shared.type, i, i + 1);
        }
    }
    append(&shared.type, " ", 1);
    for (i = shared.bounds; i < end; i++) {
        if (is_punctuation(i, ',')) {
            fail(tokens[i].begin, "declare one array in each extern __shared__");
        }
    }
    /* A pointer to the first element, which of T name[][2] is an array itself. */
    append_string(&shared.pointer, "static_cast<");
    append_string(&shared.pointer, shared.type.bytes);
    append_string(&shared.pointer, shared.bounds < end ? "(*)" : "*");
    append_tokens(&shared.pointer, shared.bounds, end);
    append_string(&shared.pointer, ">(simt_dynamic_shared())");
    return shared;
}

static void append_shared(struct text *out, const struct shared *shared)
{
    bool rows = shared->bounds < shared->end;
    append_string(out, "[[maybe_unused]] ");
    append_string(out, shared->type.bytes);
    append_string(out, rows ? "(*const " : "*const ");
    append_tokens(out, shared->name, shared->name + 1);
    append_string(out, rows ? ")" : "");
    append_tokens(out, shared->bounds, shared->end);
    append_string(out, " = ");
    append_string(out, shared->pointer.bytes);
    append_string(out, ";");
}

/* ---- names that stand for something else, until the program declares them itself ---- */

struct name {
    char *word, *replacement;
    bool hidden;
    int hidden_depth;       /* of braces: hidden until a '}' leaves it */
    int hidden_parenthesis; /* of a parameter: until the ';' of a mere prototype; else -1 */
};

static struct name *names;
static size_t name_count;

static void add_name(const char *word, size_t length, const char *replacement)
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

static struct name *find_name(size_t token)
{
    for (size_t i = 0; i < name_count; i++) {
        if (is(token, names[i].word)) {
            return &names[i];
        }
    }
    return NULL;
}

static bool is_operator_word(size_t token)
{
    static const char *const words[] = {"new", "delete", "sizeof", "alignof", "typeof",
                                        "and", "or",     "not",    "xor",     "co_return"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (is(token, words[i])) {
            return true;
        }
    }
    return is_keyword(token);
}

static bool is_type_word(size_t token)
{
    static const char *const words[] = {"auto",  "bool",  "char", "const",  "dim3",     "double",
                                        "float", "int",   "long", "size_t", "struct",   "short",
                                        "uint3", "uint2", "int2", "int3",   "unsigned", "void"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (is(token, words[i])) {
            return true;
        }
    }
    return false;
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

static bool declares(size_t token)
{
    if (token == 0 || is_punctuation(token + 1, '.')) {
        return false;
    }
    if (tokens[token - 1].kind == WORD) {
        return !is_operator_word(token - 1);
    }
    if (is_punctuation(token - 1, '*') || is_punctuation(token - 1, '&')) {
        return token > 1 && is_type_word(token - 2);
    }
    return is_punctuation(token - 1, ',') && follows_declarator(token);
}

static bool is_member(size_t token)
{
    return token > 0 &&
           (is_punctuation(token - 1, '.') ||
            (token > 1 && is_punctuation(token - 1, '>') && is_punctuation(token - 2, '-')));
}

/* Behind the name of a class or namespace other than std. */
static bool is_qualified(size_t token)
{
    return token > 2 && is_punctuation(token - 1, ':') && is_punctuation(token - 2, ':') &&
           tokens[token - 3].kind == WORD && !is(token - 3, "std");
}

static void hide(struct name *name, int depth, int parenthesis)
{
    if (!name->hidden) {
        name->hidden = true;
        name->hidden_depth = parenthesis > 0 ? depth + 1 : depth;
        name->hidden_parenthesis = parenthesis > 0 ? parenthesis : -1;
    }
}

/* After a '}' that leads to `depth`, or (with the depth of parentheses) a ';'. */
static void show_again(int depth, int parenthesis)
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

/* ---- qualifiers, after preprocessing ---- */

/* cuda_runtime.h tells why. simtcc builds this program with the compiler that takes its output. */
#if !defined(__clang__) && defined(__GNUC__) && __GNUC__ >= 10
#define SHARED "__constinit thread_local"
#else
#define SHARED "thread_local"
#endif

static const struct {
    const char *word, *replacement;
    bool takes_arguments; /* which go, too */
} qualifiers[] = {
    {"__global__", "", false},
    {"__device__", "", false},
    {"__host__", "", false},
    {"__constant__", "", false},
    {"__managed__", "", false},
    {"__grid_constant__", "", false},
    {"__launch_bounds__", "", true},
    {"__maxnreg__", "", true},
    {"__shared__", SHARED, false},
    {"__forceinline__", "inline __attribute__((always_inline))", false},
    {"__noinline__", "__attribute__((noinline))", false},
};

/* The token after a group in parentheses that opens at `token`. */
static size_t after_group(size_t token)
{
    int depth = 0;
    for (size_t i = token; i < token_count; i++) {
        depth += is_punctuation(i, '(') - is_punctuation(i, ')');
        if (depth == 0) {
            return i + 1;
        }
    }
    return token;
}

/* What stands for a qualifier at `token`, or an empty text; the token after it, or `token` if there
 * is none. */
static size_t replace_qualifier(struct text *replacement, size_t token)
{
    if (is(token, "__shared__") && is(token + 1, "alignas") && is_punctuation(token + 2, '(')) {
        /* The standard's word has to come first. */
        append_tokens(replacement, token + 1, after_group(token + 2));
        append_string(replacement, " " SHARED);
        return after_group(token + 2);
    }
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++) {
        if (is(token, qualifiers[i].word)) {
            append_string(replacement, qualifiers[i].replacement);
            return qualifiers[i].takes_arguments && is_punctuation(token + 1, '(')
                       ? after_group(token + 1)
                       : token + 1;
        }
    }
    if (is(token, "__align__") && is_punctuation(token + 1, '(')) {
        append_string(replacement, "__attribute__((aligned");
        append_tokens(replacement, token + 1, after_group(token + 1));
        append_string(replacement, "))");
        return after_group(token + 1);
    }
    return token;
}

/* What goes from cudaLaunchKernel((void *)name: the cast, which starts at `token`; the token after
 * it. */
static size_t after_launch_cast(size_t token)
{
    size_t i = token + 1;
    if (token < 2 || !is_punctuation(token, '(') || !is_punctuation(token - 1, '(') ||
        !(is(token - 2, "cudaLaunchKernel") || is(token - 2, "cudaLaunchCooperativeKernel"))) {
        return token;
    }
    i += is(i, "const");
    return is(i, "void") && is_punctuation(i + 1, '*') && is_punctuation(i + 2, ')') ? i + 3
                                                                                     : token;
}

/* The name of the kernel that `__global__` at `token` declares; NONE for a template or if in
 * doubt. */
static size_t kernel_name(size_t token)
{
    size_t i = token;
    while (i > 0 && !is_punctuation(i - 1, ';') && !is_punctuation(i - 1, '{') &&
           !is_punctuation(i - 1, '}')) {
        if (is(--i, "template")) {
            return NONE;
        }
    }
    for (i = token + 1; i + 1 < token_count && !is_punctuation(i, ';'); i++) {
        if (is_punctuation(i + 1, '(') && tokens[i].kind == WORD) {
            if (!is(i, "__launch_bounds__") && !is(i, "__maxnreg__") && !is_alignment(i)) {
                return i;
            }
            i = after_group(i + 1) - 1;
        }
    }
    return NONE;
}

static void append_registration(struct text *out, size_t kernel)
{
    char number[64];
    snprintf(number, sizeof number, "simt_kernel_%zu", kernel);
    append_string(out, " [[maybe_unused]] static const bool ");
    append_string(out, number);
    append_string(out, " = simt::add_kernel(\"");
    append_tokens(out, kernel, kernel + 1);
    append_string(out, "\", [](auto simt_tag) -> "
                       "decltype(simt::function_of<decltype(simt_tag)>(");
    append_tokens(out, kernel, kernel + 1);
    append_string(out, ")) { return simt::function_of<decltype(simt_tag)>(");
    append_tokens(out, kernel, kernel + 1);
    append_string(out, "); });");
}

/* ---- what there is not ---- */

static bool refused;

__attribute__((format(printf, 2, 3))) static void complain_here(size_t position, const char *format,
                                                                ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain(position, format, arguments);
    va_end(arguments);
}

/* One line for each feature, at its first place. */
static void refuse(size_t position, const char *feature)
{
    static const char *told[64];
    size_t i = 0;
    while (i < sizeof told / sizeof *told && told[i] && strcmp(told[i], feature) != 0) {
        i++;
    }
    refused = true;
    if (i < sizeof told / sizeof *told && !told[i]) {
        told[i] = feature;
        complain_here(position, "not available on the CPU back end: %s", feature);
    }
}

/* Headers that were found, but are made for nvcc: tells so at the #include, whose line is the one
 * before the place that the preprocessor comes back to. */
static void check_headers(void)
{
    struct marker marker;
    const char *feature = NULL;
    int depth = 0;
    for (size_t i = 0; i < source.length; i = line_end(i) + 1) {
        if (!read_marker(i, &marker)) {
            continue;
        }
        if (depth > 0) {
            depth += marker.enters - marker.leaves;
            if (depth == 0) {
                fprintf(stderr, "%.*s:%d: error: not available on the CPU back end: %s\n",
                        marker.name_length, marker.name, marker.line - 1, feature);
                exit(EXIT_FAILURE);
            }
        } else if (marker.enters && marker.system) {
            char name[4096];
            snprintf(name, sizeof name, "%.*s", marker.name_length, marker.name);
            feature = simt_unavailable_header(name);
            depth = feature != NULL;
        }
    }
}

static void check_word(size_t token, bool in_device_code)
{
    const char *feature;
    if (is_member(token)) {
        return;
    }
    if (in_device_code && (is(token, "asm") || is(token, "__asm__") || is(token, "__asm"))) {
        refuse(tokens[token].begin, "inline PTX (asm)");
        return;
    }
    feature = simt_unavailable_word(
        source.bytes + tokens[token].begin, tokens[token].end - tokens[token].begin,
        is_punctuation(token + 1, '(') || is_punctuation(token + 1, '<'));
    if (feature) {
        refuse(tokens[token].begin, feature);
    }
}

/* ---- __constant__ ---- */

/* The ';' of a declaration of __constant__ variables at `token`; NONE if there is none, or a
 * body. */
static size_t constant_end(size_t token)
{
    int depth = 0;
    for (size_t i = token; is(token, "__constant__") && i < token_count; i++) {
        depth += is_punctuation(i, '{') || is_punctuation(i, '(') || is_punctuation(i, '[');
        depth -= is_punctuation(i, '}') || is_punctuation(i, ')') || is_punctuation(i, ']');
        if (depth < 0) {
            return NONE;
        }
        if (depth == 0 && is_punctuation(i, ';')) {
            return i;
        }
    }
    return NONE;
}

/* Whether the declaration around `token` is extern, or a template: not there to be registered. */
static bool is_extern(size_t token)
{
    size_t i = token;
    while (i > 0 && tokens[i - 1].kind == WORD) {
        i--;
        if (is(i, "extern")) {
            return true;
        }
    }
    return i > 0 && is_punctuation(i - 1, '>');
}

/* Tells the runtime of each variable: the word before its first '[', '=', '{', ',' or ';'. */
static void append_constants(struct text *out, size_t first, size_t end)
{
    int depth = 0;
    bool named = false;
    for (size_t i = first + 1; i <= end; i++) {
        bool ends_name = is_punctuation(i, '[') || is_punctuation(i, '=') ||
                         is_punctuation(i, '{') || is_punctuation(i, ',') || i == end;
        if (depth == 0 && ends_name && !named && tokens[i - 1].kind == WORD) {
            append_string(out, " [[maybe_unused]] static const int simt_constant_");
            append_tokens(out, i - 1, i);
            append_string(out, " = simt_constant((const void *)&");
            append_tokens(out, i - 1, i);
            append_string(out, ", sizeof ");
            append_tokens(out, i - 1, i);
            append_string(out, ");");
            named = true;
        }
        if (depth == 0 && is_punctuation(i, ',')) {
            named = false;
        }
        depth += is_punctuation(i, '{') || is_punctuation(i, '(') || is_punctuation(i, '[') ||
                 (is_punctuation(i, '<') && !named);
        depth -= is_punctuation(i, '}') || is_punctuation(i, ')') || is_punctuation(i, ']') ||
                 (is_punctuation(i, '>') && !named);
    }
}

/* ---- the whole ---- */

/* Whether the '{' at `token` opens a namespace or extern "C" block. */
static bool opens_namespace(size_t token)
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

/* A pair of braces that is open. */
struct braces {
    bool is_namespace, in_device_code;
    bool is_device_body; /* of what `__device__` or `__global__` announced */
    size_t kernel;       /* the kernel's name if its address can be had, else NONE */
};

static void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) {
        perror("simt_rewrite");
        exit(EXIT_FAILURE);
    }
    return memory;
}

static void rewrite(struct text *out)
{
    size_t copied = 0; /* the source up to here is in the output */
    int depth = 0, namespaces = 0, parentheses = 0;
    struct braces *braces = zeroed(token_count + 2, sizeof *braces);
    /* Where each launch starts is known only when its chevrons come: find them all first. */
    size_t *launch_at = zeroed(token_count + 1, sizeof *launch_at);
    bool *closes = zeroed(token_count + 1, sizeof *closes);
    bool announced = false;  /* a device function whose body has yet to come ... */
    int announced_at = 0;    /* ... outside of so many parentheses */
    size_t kernel = NONE;    /* its name, if it is a kernel whose address can be had */
    size_t constants = NONE; /* the __constant__ of the declaration that we are in */
    for (size_t i = 0; i < token_count; i++) {
        if (run_of(i, '<') >= 3) {
            if (i > 0 && !is(i - 1, "operator")) {
                launch_at[name_begin(i)] = i;
                closes[closing_chevrons(i)] = true;
            }
            i += 2;
        }
    }
    for (size_t i = 0; i < token_count; i++) {
        size_t end = shared_end(i), cast_end, qualifier_end;
        bool device_code = braces[depth].in_device_code;
        struct name *name = NULL;
        if (tokens[i].kind == WORD) {
            name = find_name(i);
            if (preprocessed && !tokens[i].in_system) {
                check_word(i, device_code);
            }
            if (depth == namespaces && !tokens[i].in_macro && constant_end(i) != NONE &&
                !is_extern(i)) {
                constants = i;
            }
            if (is(i, "__device__") || is(i, "__global__")) {
                announced = true;
                announced_at = parentheses;
                kernel = is(i, "__global__") && depth == namespaces ? kernel_name(i) : NONE;
            }
        } else if (is_punctuation(i, '(') || is_punctuation(i, ')')) {
            parentheses += is_punctuation(i, '(') ? 1 : -1;
        } else if (is_punctuation(i, ';')) {
            show_again(depth, parentheses);
            announced = announced && parentheses > announced_at;
        } else if (is_punctuation(i, '{')) {
            bool body = announced && parentheses == announced_at;
            braces[++depth] = (struct braces){opens_namespace(i), body || device_code, body,
                                              body ? kernel : NONE};
            namespaces += braces[depth].is_namespace;
            announced = announced && !body;
        } else if (is_punctuation(i, '}') && depth > 0) {
            struct braces closed = braces[depth--];
            namespaces -= closed.is_namespace;
            show_again(depth, -1);
            if (closed.is_device_body &&
                (is_punctuation(i + 1, ',') || is_punctuation(i + 1, '{'))) {
                announced = true; /* an initializer: the constructor's body has yet to come */
                announced_at = parentheses;
            } else if (preprocessed && closed.is_device_body && closed.kernel != NONE) {
                append(out, source.bytes + copied, tokens[i].end - copied);
                append_registration(out, closed.kernel);
                copied = tokens[i].end;
            }
        }
        if (end != NONE) {
            struct shared shared = parse_shared(i, end);
            struct name *known = find_name(shared.name);
            append(out, source.bytes + copied, tokens[i].begin - copied);
            if (depth == namespaces && !tokens[i].in_macro) {
                append_string(&shared.pointer, ")");
                struct text use = {NULL, 0, 0};
                append_string(&use, "(");
                append_string(&use, shared.pointer.bytes);
                add_name(source.bytes + tokens[shared.name].begin,
                         tokens[shared.name].end - tokens[shared.name].begin, use.bytes);
                free(use.bytes);
            } else {
                append_shared(out, &shared);
                if (known) {
                    hide(known, depth, 0);
                }
            }
            append_newlines(out, tokens[i].begin, tokens[end].begin, tokens[i].in_macro);
            free(shared.type.bytes);
            free(shared.pointer.bytes);
            copied = tokens[end].end;
            i = end;
        } else if (constants != NONE && i == constant_end(constants)) {
            append(out, source.bytes + copied, tokens[i].end - copied);
            append_constants(out, constants, i);
            copied = tokens[i].end;
            constants = NONE;
        } else if (launch_at[i]) {
            if (preprocessed && device_code) {
                refuse(tokens[launch_at[i]].begin,
                       "dynamic parallelism (a launch from device code)");
            }
            append(out, source.bytes + copied, tokens[i].begin - copied);
            append_launch(out, i, launch_at[i]);
            i = launch_at[i] + 2;
            copied = tokens[i].end;
        } else if (closes[i]) {
            append(out, source.bytes + copied, tokens[i].begin - copied);
            append_string(out, ")");
            i += 2;
            copied = tokens[i].end;
        } else if (name && !name->hidden && !tokens[i].in_system && !is_member(i) &&
                   !is_qualified(i)) {
            if (declares(i)) {
                hide(name, depth, parentheses);
            } else {
                append(out, source.bytes + copied, tokens[i].begin - copied);
                append_string(out, name->replacement);
                copied = tokens[i].end;
            }
        } else if (preprocessed && (cast_end = after_launch_cast(i)) != i) {
            append(out, source.bytes + copied, tokens[i].begin - copied);
            parentheses--;
            i = cast_end - 1;
            copied = tokens[i].end;
        } else if (preprocessed && tokens[i].kind == WORD && !tokens[i].in_system) {
            struct text replacement = {NULL, 0, 0};
            qualifier_end = replace_qualifier(&replacement, i);
            if (qualifier_end != i) {
                append(out, source.bytes + copied, tokens[i].begin - copied);
                append(out, replacement.bytes, replacement.length);
                append_newlines(out, tokens[i].begin, tokens[qualifier_end - 1].end, false);
                i = qualifier_end - 1;
                copied = tokens[i].end;
            }
            free(replacement.bytes);
        }
    }
    append(out, source.bytes + copied, source.length - copied);
    free(braces);
    free(launch_at);
    free(closes);
}

static void read_source(void)
{
    char buffer[65536];
    size_t count;
    FILE *file = fopen(path, "rb");
    append(&source, "", 0);
    while (file && (count = fread(buffer, 1, sizeof buffer, file)) > 0) {
        append(&source, buffer, count);
    }
    if (!file || ferror(file)) {
        fprintf(stderr, "simt_rewrite: cannot read %s: %s\n", path, strerror(errno));
        exit(EXIT_FAILURE);
    }
    fclose(file);
}

/* To a file beside it first, so that a failure leaves no half of an output. */
static bool write_whole(const char *target, const struct text *out)
{
    struct text temporary = {NULL, 0, 0};
    bool written;
    FILE *file;
    append_string(&temporary, target);
    append_string(&temporary, ".tmp");
    file = fopen(temporary.bytes, "wb");
    written = file && fwrite(out->bytes, 1, out->length, file) == out->length;
    written = file && fclose(file) == 0 && written;
    written = written && rename(temporary.bytes, target) == 0;
    if (!written) {
        fprintf(stderr, "simt_rewrite: cannot write %s: %s\n", target, strerror(errno));
        if (file) {
            remove(temporary.bytes);
        }
    }
    free(temporary.bytes);
    return written;
}

static void add_built_in_names(void)
{
    static const struct {
        const char *word, *replacement;
    } built_in[] = {
        {"threadIdx", "simt_thread_index()"},
        {"blockIdx", "simt_block_index()"},
        {"blockDim", "dim3(simt_block_dimensions())"},
        {"gridDim", "dim3(simt_grid_dimensions())"},
    };
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++) {
        add_name(built_in[i].word, strlen(built_in[i].word), built_in[i].replacement);
    }
}

static int tell_header(const char *header)
{
    const char *feature = simt_unavailable_header(header);
    if (feature) {
        puts(feature);
    }
    return feature ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argument_count, char **arguments)
{
    struct text out = {NULL, 0, 0};
    bool written;
    if (argument_count == 3 && strcmp(arguments[1], "--header") == 0) {
        return tell_header(arguments[2]);
    }
    preprocessed = argument_count == 4 && strcmp(arguments[1], "--preprocessed") == 0;
    if (argument_count != (preprocessed ? 4 : 3)) {
        fputs("usage: simt_rewrite in.cu out.cpp\n"
              "       simt_rewrite --preprocessed in.ii out.cpp\n"
              "       simt_rewrite --header NAME\n",
              stderr);
        return EXIT_FAILURE;
    }
    path = arguments[argument_count - 2];
    read_source();
    add_name("malloc", strlen("malloc"), "simt_malloc");
    if (preprocessed) {
        check_headers();
        add_built_in_names();
    }
    tokenize();
    if (!preprocessed) {
        /* nvcc includes this in every .cu file, too. */
        append_string(&out, "#include <cuda_runtime.h>\n#line 1 \"");
        append_quoted(&out, path);
        append_string(&out, "\"\n");
    }
    rewrite(&out);
    written = !refused && write_whole(arguments[argument_count - 1], &out);
    free(out.bytes);
    free(source.bytes);
    free(tokens);
    for (size_t i = 0; i < name_count; i++) {
        free(names[i].word);
        free(names[i].replacement);
    }
    free(names);
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}
