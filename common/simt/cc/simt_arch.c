/* __CUDA_ARCH__ in device code.
 *
 * It stays undefined here because host and device code are compiled together. nvcc never compiles
 * the host's branch in a __global__ function, or in one that is __device__ and not __host__. In
 * such bodies, tests of __CUDA_ARCH__ become tests of __SIMT_ARCH__, a name of the same length. So
 * do tests around whole functions, if each branch has only device functions and nothing that the
 * host could use. nvcc compiles a __host__ __device__ function twice. So its body is written twice,
 * and a test at run time chooses:
 *
 *   { if (SIMT_ON_DEVICE) { ... }      with __SIMT_ARCH__
 *   else { ... } }                     with __SIMT_HOST__, which is never defined
 *
 * This step runs before the preprocessor. So it knows the file but not the files that it includes.
 * It knows macros only by name, unless the file itself defines one as qualifiers. */
#include "cc/simt_rewrite.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SCOPES = 200, MOST_CONDITIONS = 60, MOST_QUALIFIERS = 20 };

/* The position: open braces, which of them are device code, and the qualifiers just read. */
struct place {
    size_t depth;
    bool is_device[MOST_SCOPES + 1];
    bool for_device, for_host;
};

static struct place here, before[MOST_CONDITIONS]; /* for each open #if */
static bool around_functions[MOST_CONDITIONS];     /* its branches have device functions only */
static size_t conditions;
static bool lost; /* the nesting is deeper than the arrays allow */
static bool in_host_copy;

/* Macros of this file that stand for __host__ __device__, or one of them. */
static struct qualifier {
    size_t begin, length;
    bool for_device, for_host;
} qualifiers[MOST_QUALIFIERS];
static size_t qualifier_count;

static bool is_word(size_t begin, size_t end, const char *word)
{
    return end - begin == strlen(word) && memcmp(source.bytes + begin, word, end - begin) == 0;
}

static bool is_name_byte(size_t i)
{
    return i < source.length && (isalnum((unsigned char)source.bytes[i]) || source.bytes[i] == '_');
}

static size_t name_end(size_t i)
{
    while (is_name_byte(i)) {
        i++;
    }
    return i;
}

static size_t find(size_t from, const char *what)
{
    while (from < source.length && !starts(from, what)) {
        from++;
    }
    return from < source.length ? from + strlen(what) : from;
}

/* R"delimiter( ... )delimiter", from the quote on. */
static size_t raw_string_end(size_t quote)
{
    char close[24] = ")";
    size_t open = quote + 1, length;
    while (open < source.length && source.bytes[open] != '(') {
        open++;
    }
    length = open - quote - 1;
    if (length > sizeof close - 3) {
        return quote + 1;
    }
    memcpy(close + 1, source.bytes + quote + 1, length);
    strcpy(close + 1 + length, "\"");
    return find(open, close);
}

static size_t quoted_end(size_t quote)
{
    size_t i = quote + 1;
    while (i < source.length && source.bytes[i] != source.bytes[quote] && source.bytes[i] != '\n') {
        i += source.bytes[i] == '\\' ? 2 : 1;
    }
    return i < source.length ? i + 1 : source.length;
}

/* The end of the comment or literal that starts here; else `i`. */
static size_t skipped(size_t i)
{
    const bool in_name = i > 0 && is_name_byte(i - 1);
    if (starts(i, "//")) {
        while (i < source.length && source.bytes[i] != '\n') {
            i += source.bytes[i] == '\\' && i + 1 < source.length ? 2 : 1;
        }
        return i;
    }
    if (starts(i, "/*")) {
        return find(i + 2, "*/");
    }
    if (source.bytes[i] == '"') {
        return in_name && source.bytes[i - 1] == 'R' ? raw_string_end(i) : quoted_end(i);
    }
    return source.bytes[i] == '\'' && !in_name ? quoted_end(i) : i; /* 1'000 is not a literal */
}

static bool in_device_code(void)
{
    return !lost && here.is_device[here.depth];
}

/* The position of the word after the '#' at `i`. */
static size_t directive_word(size_t i)
{
    do {
        i++;
    } while (i < source.length && (source.bytes[i] == ' ' || source.bytes[i] == '\t'));
    return i;
}

static size_t directive_end(size_t i)
{
    while (i < source.length && source.bytes[i] != '\n') {
        size_t comment = source.bytes[i] == '/' ? skipped(i) : i;
        i = comment > i ? comment : i + (source.bytes[i] == '\\' ? 2 : 1);
    }
    return i < source.length ? i : source.length;
}

static bool is_opening(size_t word, size_t end)
{
    return is_word(word, end, "if") || is_word(word, end, "ifdef") || is_word(word, end, "ifndef");
}

/* Whether every branch of the condition, up to its #endif, is empty or has device functions only.
 * Its directive ends at `i`. */
static bool has_only_device_functions(size_t i)
{
    size_t nested = 0;
    bool starts_line = false, any = false, blank = true, for_device = false, has_body = false;
    while (i < source.length) {
        size_t next = skipped(i);
        const char byte = source.bytes[i];
        if (next > i) {
            blank = blank && byte == '/';
        } else if (byte == '#' && starts_line) {
            const size_t word = directive_word(i), end = name_end(word);
            const bool closes = is_word(word, end, "endif");
            next = directive_end(i);
            if (is_opening(word, end)) {
                nested++;
            } else if (nested > 0 && closes) {
                nested--;
            } else if (closes || is_word(word, end, "else") || is_word(word, end, "elif")) {
                if (nested == 0 && !blank && !(for_device && has_body)) {
                    return false;
                }
                if (nested == 0) {
                    any = any || !blank;
                    blank = true;
                    for_device = has_body = false;
                }
                if (nested == 0 && closes) {
                    return any;
                }
            } else if (!is_word(word, end, "pragma")) {
                return false; /* a #define, for example, which */
            }
        } else if (is_name_byte(i)) {
            next = name_end(i);
            blank = false;
            for_device =
                for_device || is_word(i, next, "__device__") || is_word(i, next, "__global__");
            if (is_word(i, next, "__host__")) {
                return false;
            }
        } else {
            next = i + 1;
            blank = blank && isspace((unsigned char)byte);
            has_body = has_body || byte == '{';
        }
        starts_line = byte == '\n' || (starts_line && (byte == ' ' || byte == '\t' || byte == '/'));
        i = next;
    }
    return false;
}

/* Copies from `begin` to `end`. Renames __CUDA_ARCH__ in device code and around it. */
static void append_renamed(struct text *out, size_t begin, size_t end, bool is_around)
{
    for (size_t i = begin; i < end;) {
        size_t next = is_name_byte(i) ? name_end(i) : i + 1;
        if (is_word(i, next, "__CUDA_ARCH__") && (is_around || in_device_code() || in_host_copy)) {
            append_string(out, is_around || in_device_code() ? "__SIMT_ARCH__" : "__SIMT_HOST__");
        } else {
            append(out, source.bytes + i, next - i);
        }
        i = next;
    }
}

/* Each branch begins in the state before the condition. `behind`: the directive's end. */
static void follow_condition(size_t word, size_t end, size_t behind)
{
    if (is_opening(word, end)) {
        lost = lost || conditions == MOST_CONDITIONS;
        if (!lost) {
            around_functions[conditions] = has_only_device_functions(behind);
            before[conditions++] = here;
        }
    } else if (conditions > 0 && !lost) {
        if (is_word(word, end, "else") || is_word(word, end, "elif")) {
            here = before[conditions - 1];
        } else if (is_word(word, end, "endif")) {
            conditions--;
        }
    }
}

/* Records a #define whose name begins at `i`, if only qualifiers follow the name. */
static void note_qualifiers(size_t i, size_t end)
{
    struct qualifier found = {i, name_end(i) - i, false, false};
    for (i += found.length; i < end; i++) {
        if (is_name_byte(i)) {
            const size_t next = name_end(i);
            const bool host = is_word(i, next, "__host__");
            if (!host && !is_word(i, next, "__device__") && !is_word(i, next, "inline") &&
                !is_word(i, next, "__inline__") && !is_word(i, next, "__forceinline__")) {
                return;
            }
            found.for_host = found.for_host || host;
            found.for_device = found.for_device || is_word(i, next, "__device__");
            i = next - 1;
        } else if (!isspace((unsigned char)source.bytes[i]) && source.bytes[i] != '\\') {
            return;
        }
    }
    if ((found.for_host || found.for_device) && qualifier_count < MOST_QUALIFIERS) {
        qualifiers[qualifier_count++] = found;
    }
}

static size_t first_name(size_t i, size_t end)
{
    while (i < end && !is_name_byte(i)) {
        i++;
    }
    return i;
}

/* Appends the directive whose '#' is at `i`; returns its end. */
static size_t append_directive(struct text *out, size_t i)
{
    const size_t word = directive_word(i), name = name_end(word), end = directive_end(i);
    follow_condition(word, name, end);
    if (is_word(word, name, "define")) {
        append(out, source.bytes + i, end - i); /* its uses are unknown */
        note_qualifiers(first_name(name, end), end);
    } else {
        append_renamed(out, i, end,
                       (is_opening(word, name) || is_word(word, name, "elif")) && conditions > 0 &&
                           !lost && around_functions[conditions - 1]);
    }
    return end;
}

static void follow_byte(char byte)
{
    if (byte == '{') {
        const bool is_device = here.is_device[here.depth] || (here.for_device && !here.for_host);
        lost = lost || here.depth == MOST_SCOPES;
        if (!lost) {
            here.is_device[++here.depth] = is_device;
        }
    } else if (byte == '}' && here.depth > 0) {
        here.depth--;
    }
    if (byte == '{' || byte == '}' || byte == ';') {
        here.for_device = here.for_host = false;
    }
}

static void follow_name(size_t begin, size_t end)
{
    here.for_device =
        here.for_device || is_word(begin, end, "__global__") || is_word(begin, end, "__device__");
    here.for_host = here.for_host || is_word(begin, end, "__host__");
    for (size_t i = 0; i < qualifier_count; i++) {
        const struct qualifier *const known = &qualifiers[i];
        if (end - begin == known->length &&
            memcmp(source.bytes + begin, source.bytes + known->begin, known->length) == 0) {
            here.for_device = here.for_device || known->for_device;
            here.for_host = here.for_host || known->for_host;
        }
    }
}

static bool tests_arch(size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i = is_name_byte(i) ? name_end(i) : i + 1) {
        if (is_name_byte(i) && is_word(i, name_end(i), "__CUDA_ARCH__")) {
            return true;
        }
    }
    return false;
}

/* The end of the braces that open at `i`, if a directive in them tests __CUDA_ARCH__; else 0. Also
 * 0 if they have a goto, because a function cannot have the same label twice. */
static size_t end_of_both(size_t i)
{
    size_t depth = 0, depths[MOST_CONDITIONS], open = 0;
    bool starts_line = false, found = false;
    while (i < source.length) {
        size_t next = skipped(i);
        const char byte = source.bytes[i];
        if (next == i && byte == '#' && starts_line) {
            const size_t word = directive_word(i), end = name_end(word);
            next = directive_end(i);
            found = found || (!is_word(word, end, "define") && tests_arch(end, next));
            if (is_opening(word, end)) {
                if (open == MOST_CONDITIONS) {
                    return 0;
                }
                depths[open++] = depth;
            } else if (open > 0 && is_word(word, end, "endif")) {
                open--;
            } else if (open > 0 && (is_word(word, end, "else") || is_word(word, end, "elif"))) {
                depth = depths[open - 1];
            }
        } else if (next == i && is_name_byte(i)) {
            next = name_end(i);
            if (is_word(i, next, "goto")) {
                return 0;
            }
        } else if (next == i) {
            next = i + 1;
            depth += (byte == '{') - (byte == '}');
            if (depth == 0) {
                return found ? next : 0;
            }
        }
        starts_line = byte == '\n' || (starts_line && (byte == ' ' || byte == '\t' || byte == '/'));
        i = next;
    }
    return 0;
}

static void append_stretch(struct text *out, size_t begin, size_t end);

/* Appends the body from `open` to `end` twice: for the device and for the host. */
static void append_both(struct text *out, size_t open, size_t end)
{
    const struct place outside = here;
    char line[64];
    size_t number = 1;
    for (size_t i = 0; i < open; i++) {
        number += source.bytes[i] == '\n';
    }
    snprintf(line, sizeof line, " else\n#line %zu\n", number);
    append_string(out, "{ if (SIMT_ON_DEVICE) ");
    here.for_host = false;
    append_stretch(out, open, end);
    append_string(out, line);
    here = outside;
    here.for_device = false;
    in_host_copy = true;
    append_stretch(out, open, end);
    in_host_copy = false;
    append_string(out, " }");
}

static void append_stretch(struct text *out, size_t begin, size_t end)
{
    bool starts_line = true;
    for (size_t i = begin; i < end;) {
        size_t next = skipped(i);
        const char byte = source.bytes[i];
        if (next > i) {
            append(out, source.bytes + i, next - i);
        } else if (byte == '#' && starts_line) {
            next = append_directive(out, i);
        } else if (is_name_byte(i)) {
            next = name_end(i);
            follow_name(i, next);
            append_renamed(out, i, next, false);
        } else {
            const bool is_of_both =
                byte == '{' && here.for_device && here.for_host && !lost && !in_device_code();
            next = is_of_both && !in_host_copy ? end_of_both(i) : 0;
            if (next > 0) {
                append_both(out, i, next);
            } else {
                follow_byte(byte);
                append(out, &source.bytes[i], 1);
                next = i + 1;
            }
        }
        starts_line = byte == '\n' || (starts_line && (byte == ' ' || byte == '\t' || byte == '/'));
        i = next;
    }
}

void append_with_arch(struct text *out)
{
    memset(&here, 0, sizeof here);
    conditions = qualifier_count = 0;
    lost = false;
    /* A byte order mark is valid only at the very beginning, where #line will stand: skip it. */
    append_stretch(out, starts(0, "\xEF\xBB\xBF") ? 3 : 0, source.length);
}
/* SPDX-License-Identifier: MIT */
