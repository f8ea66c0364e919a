/* simt_rewrite in.cu out.cpp: turns what the host's C++ compiler does not know of CUDA C into calls.
 *
 *   name<<<grid, block, shared, stream>>>(arguments)
 *     simt::launch("name", <name as a function>, <name as a call>, grid, block, shared, stream)(arguments)
 *   extern __shared__ T name[];
 *     T *const name = static_cast<T *>(simt_dynamic_shared());
 *
 * All else is copied as it stands, and every line keeps its number. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* One token; punctuation comes in single characters. White space, comments and preprocessor lines other
 * than #define lie between tokens. */
struct token {
    enum kind kind;
    size_t begin, end; /* in the source */
    bool in_macro;     /* on a #define line */
};

static const char *path;
static struct text source;
static struct token *tokens;
static size_t token_count, token_capacity;

static int line_of(size_t position)
{
    int line = 1;
    for (size_t i = 0; i < position && i < source.length; i++) {
        line += source.bytes[i] == '\n';
    }
    return line;
}

__attribute__((noreturn, format(printf, 2, 3))) static void fail(size_t position,
                                                                 const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: error: ", path, line_of(position));
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
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
    tokens[token_count++] = (struct token){kind, begin, end, in_macro};
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

/* The ';' of an `extern __shared__` declaration that starts here; NONE if none does. */
static size_t shared_end(size_t token)
{
    bool shared = false;
    for (size_t i = token; is(token, "extern") && i < token_count; i++) {
        shared = shared || is(i, "__shared__");
        if (is_punctuation(i, ';')) {
            return shared ? i : NONE;
        }
        if (is_punctuation(i, '{') || is_punctuation(i, '}')) {
            return NONE;
        }
    }
    return NONE;
}

static void append_shared(struct text *out, size_t first, size_t end)
{
    struct text type = {NULL, 0, 0};
    size_t bracket, name, i;
    bool rows;
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
    name = bracket - 1;
    if (bracket >= end || tokens[name].kind != WORD || name <= first + 1) {
        fail(tokens[first].begin, "extern __shared__ takes one array of open size: T name[];");
    }
    for (i = first; i < name; i++) {
        if (is_alignment(i) && is_punctuation(i + 1, '(')) {
            int depth = 0;
            for (i++; i < name; i++) {
                depth += is_punctuation(i, '(') - is_punctuation(i, ')');
                if (depth == 0) {
                    break;
                }
            }
        } else if (!is(i, "extern") && !is(i, "__shared__")) {
            if (type.length > 0 && tokens[i].begin != tokens[i - 1].end) {
                append(&type, " ", 1);
            }
            append_tokens(&type, i, i + 1);
        }
    }
    append(&type, " ", 1);
    for (i = bracket + 2; i < end; i++) {
        if (is_punctuation(i, ',')) {
            fail(tokens[i].begin, "declare one array in each extern __shared__");
        }
    }
    /* A pointer to the first element, which of T name[][2] is an array itself. */
    rows = bracket + 2 < end;
    append_string(out, "[[maybe_unused]] ");
    append_string(out, type.bytes);
    append_string(out, rows ? "(*const " : "*const ");
    append_tokens(out, name, name + 1);
    append_string(out, rows ? ")" : "");
    append_tokens(out, bracket + 2, end);
    append_string(out, " = static_cast<");
    append_string(out, type.bytes);
    append_string(out, rows ? "(*)" : "*");
    append_tokens(out, bracket + 2, end);
    append_string(out, ">(simt_dynamic_shared());");
    append_newlines(out, tokens[first].begin, tokens[end].begin, tokens[first].in_macro);
    free(type.bytes);
}

/* ---- __constant__ ---- */

/* The ';' of a declaration of __constant__ variables at `token`; NONE if there is none, or a body. */
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

static void rewrite(struct text *out)
{
    size_t copied = 0; /* the source up to here is in the output */
    int depth = 0, namespaces = 0;
    size_t constants = NONE; /* the __constant__ of the declaration that we are in */
    bool *is_namespace = calloc(token_count + 1, sizeof *is_namespace);
    /* Where each launch starts is known only when its chevrons come: find them all first. */
    size_t *launch_at = calloc(token_count + 1, sizeof *launch_at);
    bool *closes = calloc(token_count + 1, sizeof *closes);
    if (!is_namespace || !launch_at || !closes) {
        perror("simt_rewrite");
        exit(EXIT_FAILURE);
    }
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
        size_t end = shared_end(i);
        if (is_punctuation(i, '{')) {
            is_namespace[depth] = opens_namespace(i);
            namespaces += is_namespace[depth++];
        } else if (is_punctuation(i, '}') && depth > 0) {
            namespaces -= is_namespace[--depth];
        }
        if (end != NONE) {
            if (depth == namespaces && !tokens[i].in_macro) {
                fail(tokens[i].begin, "extern __shared__ outside of a function: declare it in the "
                                      "kernel that uses it");
            }
            append(out, source.bytes + copied, tokens[i].begin - copied);
            append_shared(out, i, end);
            copied = tokens[end].end;
            i = end;
        } else if (depth == namespaces && !tokens[i].in_macro && constant_end(i) != NONE &&
                   !(i > 0 && is(i - 1, "extern")) && !(i > 0 && is_punctuation(i - 1, '>'))) {
            constants = i;
        } else if (constants != NONE && i == constant_end(constants)) {
            append(out, source.bytes + copied, tokens[i].end - copied);
            append_constants(out, constants, i);
            copied = tokens[i].end;
            constants = NONE;
        } else if (launch_at[i]) {
            append(out, source.bytes + copied, tokens[i].begin - copied);
            append_launch(out, i, launch_at[i]);
            i = launch_at[i] + 2;
            copied = tokens[i].end;
        } else if (closes[i]) {
            append(out, source.bytes + copied, tokens[i].begin - copied);
            append_string(out, ")");
            i += 2;
            copied = tokens[i].end;
        }
    }
    append(out, source.bytes + copied, source.length - copied);
    free(is_namespace);
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

int main(int argument_count, char **arguments)
{
    struct text out = {NULL, 0, 0};
    bool written;
    if (argument_count != 3) {
        fputs("usage: simt_rewrite in.cu out.cpp\n", stderr);
        return EXIT_FAILURE;
    }
    path = arguments[1];
    read_source();
    tokenize();
    /* nvcc includes this in every .cu file, too. */
    append_string(&out, "#include <cuda_runtime.h>\n#line 1 \"");
    append_quoted(&out, path);
    append_string(&out, "\"\n");
    rewrite(&out);
    written = write_whole(arguments[2], &out);
    free(out.bytes);
    free(source.bytes);
    free(tokens);
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}
