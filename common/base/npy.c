#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* fstat */
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

#include "base/npy.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the data of an .npy file is taken as it lies, which is right on little-endian hosts only"
#endif

enum {
    MAGIC_SIZE = 6,
    VERSION_SIZE = 2,
    /* A header that can be accepted takes about 130 bytes. The limit only prevents that a forged
     * length costs memory. It is above what version 1.0 can express. */
    MAX_HEADER_SIZE = 1 << 20,
    SHOWN_PATH_SIZE = 200,
    SHOWN_TEXT_SIZE = 64
};

static const unsigned char magic[MAGIC_SIZE] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

#define ACCEPTED_TYPES                                                                             \
    "accepted are float16 (<f2), float32 (<f4), float64 (<f8), bool (|b1), uint8 (|u1)"

size_t npy_element_size(enum npy_type type)
{
    switch (type) {
    case NPY_FLOAT16:
        return 2;
    case NPY_FLOAT32:
        return 4;
    case NPY_FLOAT64:
        return 8;
    case NPY_BOOL:
    case NPY_UINT8:
        return 1;
    }
    return 0;
}

const char *npy_type_name(enum npy_type type)
{
    switch (type) {
    case NPY_FLOAT16:
        return "float16";
    case NPY_FLOAT32:
        return "float32";
    case NPY_FLOAT64:
        return "float64";
    case NPY_BOOL:
        return "bool";
    case NPY_UINT8:
        return "uint8";
    }
    return "unknown";
}

/* ---- text from files and users, made safe for a one-line message ---- */

/* Copies `length` bytes. If they do not fit, the rest is cut off and replaced by "...". Control
 * characters, which could break the line or control a terminal, become '.'. If ascii_only, bytes
 * that are not ASCII also do. */
static void copy_shown(char *shown, size_t size, const char *text, size_t length, bool ascii_only)
{
    bool cut = length >= size;
    size_t kept = cut ? size - 4 : length;
    for (size_t i = 0; i < kept; i++) {
        unsigned char byte = (unsigned char)text[i];
        bool strange = byte < 32 || byte == 127 || (ascii_only && byte > 127);
        shown[i] = strange ? '.' : text[i];
    }
    snprintf(shown + kept, size - kept, "%s", cut ? "..." : "");
}

/* ---- the header: a Python dictionary ---- */

struct header {
    char type[SHOWN_TEXT_SIZE]; /* the value of 'descr', as text */
    bool type_is_string;        /* false: a list or a tuple, as structured dtypes have */
    bool fortran_order;
    size_t dimensions;
    size_t shape[NPY_MAX_DIMENSIONS]; /* the first four */
    bool overflow;                    /* a dimension does not fit in size_t */
};

/* The parser's state. Only peek and take read the text, and they cannot overrun it. */
struct parser {
    const char *text;
    size_t length;
    size_t position;
    const char *problem; /* the syntax error, or NULL */
};

static int peek(const struct parser *parser)
{
    return parser->position < parser->length ? (unsigned char)parser->text[parser->position] : EOF;
}

static bool fail(struct parser *parser, const char *problem)
{
    parser->problem = problem;
    return false;
}

static void skip_spaces(struct parser *parser)
{
    for (int c = peek(parser); c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
         c = peek(parser))
        parser->position++;
}

/* Skips spaces, and then the character if it comes next. Returns whether it did. */
static bool take(struct parser *parser, char wanted)
{
    skip_spaces(parser);
    if (peek(parser) != (unsigned char)wanted)
        return false;
    parser->position++;
    return true;
}

/* Skips a word such as True, if it comes next and no other letter or digit follows. */
static bool take_word(struct parser *parser, const char *word)
{
    skip_spaces(parser);
    size_t length = strlen(word);
    if (parser->length - parser->position < length ||
        memcmp(parser->text + parser->position, word, length) != 0)
        return false;
    size_t before = parser->position;
    parser->position += length;
    int next = peek(parser);
    if ((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') ||
        (next >= '0' && next <= '9') || next == '_') {
        parser->position = before;
        return false;
    }
    return true;
}

/* A string in single or double quotes; *begin and *length leave out the quotes. */
static bool parse_string(struct parser *parser, const char **begin, size_t *length)
{
    skip_spaces(parser);
    int quote = peek(parser);
    if (quote != '\'' && quote != '"')
        return fail(parser, "expected a quoted string");
    parser->position++;
    size_t start = parser->position;
    for (int c = peek(parser); c != quote; c = peek(parser)) {
        if (c == EOF || c == '\n')
            return fail(parser, "a string is not closed");
        parser->position++;
        if (c == '\\' && peek(parser) != EOF)
            parser->position++; /* an escaped quote does not close the string */
    }
    *begin = parser->text + start;
    *length = parser->position - start;
    parser->position++;
    return true;
}

/* The value of 'descr'. A list or tuple is skipped by counting brackets. (Recursion could overflow
 * the stack on deep nesting.) Its text is kept for the message that rejects it. */
static bool parse_type(struct parser *parser, struct header *header)
{
    const char *begin = NULL;
    size_t length = 0;
    skip_spaces(parser);
    int first = peek(parser);
    header->type_is_string = first != '[' && first != '(';
    if (header->type_is_string) {
        if (!parse_string(parser, &begin, &length))
            return false;
    } else {
        size_t start = parser->position;
        size_t depth = 0;
        do {
            int c = peek(parser);
            if (c == EOF)
                return fail(parser, "a bracket is not closed");
            if (c == '\'' || c == '"') {
                const char *ignored;
                size_t ignored_length;
                if (!parse_string(parser, &ignored, &ignored_length))
                    return false;
                continue;
            }
            if (c == '[' || c == '(')
                depth++;
            if (c == ']' || c == ')')
                depth--;
            parser->position++;
        } while (depth > 0);
        begin = parser->text + start;
        length = parser->position - start;
    }
    copy_shown(header->type, sizeof header->type, begin, length, true);
    return true;
}

/* A non-negative decimal number; Python 2 may have written an L after it. */
static bool parse_dimension(struct parser *parser, size_t *value, bool *overflow)
{
    skip_spaces(parser);
    int c = peek(parser);
    if (c < '0' || c > '9')
        return fail(parser, "expected a non-negative number in 'shape'");
    *value = 0;
    for (; c >= '0' && c <= '9'; c = peek(parser)) {
        size_t digit = (size_t)(c - '0');
        if (*value > (SIZE_MAX - digit) / 10)
            *overflow = true; /* continues, to find syntax errors further on also */
        else
            *value = *value * 10 + digit;
        parser->position++;
    }
    if (c == 'L')
        parser->position++;
    return true;
}

/* A tuple: () or (3,) or (3, 4). As in Python, (3) is not a tuple. */
static bool parse_shape(struct parser *parser, struct header *header)
{
    if (!take(parser, '('))
        return fail(parser, "expected a tuple as 'shape'");
    bool comma = true;
    while (!take(parser, ')')) {
        if (!comma)
            return fail(parser, "expected ',' or ')' in 'shape'");
        size_t dimension;
        if (!parse_dimension(parser, &dimension, &header->overflow))
            return false;
        if (header->dimensions < NPY_MAX_DIMENSIONS)
            header->shape[header->dimensions] = dimension;
        header->dimensions++;
        comma = take(parser, ',');
    }
    if (header->dimensions == 1 && !comma)
        return fail(parser, "expected a tuple as 'shape': (N,) with a comma");
    return true;
}

static bool parse_header(struct parser *parser, struct header *header)
{
    enum { KEY_COUNT = 3 };
    static const char *const keys[KEY_COUNT] = {"descr", "fortran_order", "shape"};
    bool seen[KEY_COUNT] = {false, false, false};

    memset(header, 0, sizeof *header);
    if (!take(parser, '{'))
        return fail(parser, "expected '{'");
    bool comma = true;
    while (!take(parser, '}')) {
        if (!comma)
            return fail(parser, "expected ',' or '}'");
        const char *name;
        size_t length;
        if (!parse_string(parser, &name, &length))
            return false;
        size_t key = 0;
        while (key < KEY_COUNT &&
               (strlen(keys[key]) != length || memcmp(keys[key], name, length) != 0))
            key++;
        if (key == KEY_COUNT)
            return fail(parser, "a key other than 'descr', 'fortran_order', 'shape'");
        if (seen[key])
            return fail(parser, "the same key twice");
        seen[key] = true;
        if (!take(parser, ':'))
            return fail(parser, "expected ':'");
        switch (key) {
        case 0:
            if (!parse_type(parser, header))
                return false;
            break;
        case 1:
            header->fortran_order = take_word(parser, "True");
            if (!header->fortran_order && !take_word(parser, "False"))
                return fail(parser, "expected True or False as 'fortran_order'");
            break;
        default:
            if (!parse_shape(parser, header))
                return false;
        }
        comma = take(parser, ',');
    }
    skip_spaces(parser);
    if (parser->position != parser->length)
        return fail(parser, "something follows the closing '}'");
    if (!seen[0])
        return fail(parser, "no key 'descr'");
    if (!seen[1])
        return fail(parser, "no key 'fortran_order'");
    if (!seen[2])
        return fail(parser, "no key 'shape'");
    return true;
}

/* ---- what the header means ---- */

/* Looks up NumPy's type string. It may begin with a byte order: '<' little-endian, '>' big-endian,
 * '=' or none the host's, '|' not applicable. Any of them is valid for one-byte elements. */
static bool find_type(const struct header *header, const char *shown_path, enum npy_type *type,
                      struct error *error)
{
    if (!header->type_is_string)
        return error_set(error, EXIT_FILE_ERROR,
                         "%s: dtype %s is structured; %s: save one field, as in np.save(path, "
                         "np.ascontiguousarray(a['field']))",
                         shown_path, header->type, ACCEPTED_TYPES);

    char order = header->type[0];
    bool has_order = order != '\0' && strchr("<>=|", order) != NULL;
    const char *kind = header->type + (has_order ? 1 : 0);
    static const struct {
        const char *kind;
        enum npy_type type;
    } known[] = {{"f2", NPY_FLOAT16}, {"f4", NPY_FLOAT32}, {"f8", NPY_FLOAT64},
                 {"b1", NPY_BOOL},    {"?", NPY_BOOL},     {"u1", NPY_UINT8}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(kind, known[i].kind) != 0)
            continue;
        if (order == '>' && npy_element_size(known[i].type) > 1)
            return error_set(error, EXIT_FILE_ERROR,
                             "%s: dtype '%s' is big-endian; %s: convert with a.astype('<%s')",
                             shown_path, header->type, ACCEPTED_TYPES, kind);
        *type = known[i].type;
        return true;
    }
    return error_set(error, EXIT_FILE_ERROR, "%s: dtype '%s' is not supported; %s: convert with %s",
                     shown_path, header->type, ACCEPTED_TYPES,
                     kind[0] == 'c' ? "a.real.astype(np.float32)" : "a.astype(np.float32)");
}

/* Fills *array, except for the data, and *bytes. */
static bool interpret_header(const struct header *header, const char *shown_path, struct npy *array,
                             size_t *bytes, struct error *error)
{
    if (!find_type(header, shown_path, &array->type, error))
        return false;
    if (header->dimensions > NPY_MAX_DIMENSIONS)
        return error_set(error, EXIT_FILE_ERROR,
                         "%s: the array has %zu dimensions; accepted are at most %d: reshape with "
                         "a.reshape(...)",
                         shown_path, header->dimensions, NPY_MAX_DIMENSIONS);
    /* With one dimension, C order and Fortran order are the same. */
    if (header->fortran_order && header->dimensions > 1)
        return error_set(error, EXIT_FILE_ERROR,
                         "%s: the array is in Fortran order; accepted is C order: save with "
                         "np.save(path, np.ascontiguousarray(a))",
                         shown_path);

    array->dimensions = header->dimensions;
    array->count = 1;
    bool empty = false;
    bool overflow = header->overflow;
    for (size_t i = 0; i < header->dimensions; i++) {
        array->shape[i] = header->shape[i];
        empty = empty || header->shape[i] == 0;
    }
    size_t most = SIZE_MAX / npy_element_size(array->type);
    for (size_t i = 0; i < header->dimensions && !empty && !overflow; i++) {
        overflow = array->shape[i] > most / array->count;
        if (!overflow)
            array->count *= array->shape[i];
    }
    if (overflow)
        return error_set(error, EXIT_FILE_ERROR,
                         "%s: the shape in the header holds more bytes than a size can express",
                         shown_path);
    if (empty)
        array->count = 0;
    *bytes = array->count * npy_element_size(array->type);
    return true;
}

/* ---- the file ---- */

/* Reads `size` bytes, or fewer if the file ends or reading fails; *got is how many were read. */
static bool read_fully(int file, void *buffer, size_t size, size_t *got)
{
    *got = 0;
    while (*got < size) {
        ssize_t step = read(file, (char *)buffer + *got, size - *got);
        if (step == 0)
            break;
        if (step < 0 && errno == EINTR)
            continue;
        if (step < 0)
            return false;
        *got += (size_t)step;
    }
    return true;
}

static bool read_failed(const char *shown_path, struct error *error)
{
    return error_set(error, EXIT_FILE_ERROR, "%s: cannot read: %s", shown_path, strerror(errno));
}

/* Reads and checks everything before the data. *header_end is the offset of the data. */
static bool read_header(int file, uintmax_t file_size, const char *shown_path,
                        struct header *header, uintmax_t *header_end, struct error *error)
{
    unsigned char start[MAGIC_SIZE + VERSION_SIZE] = {0};
    size_t got;
    if (!read_fully(file, start, sizeof start, &got))
        return read_failed(shown_path, error);
    if (got < MAGIC_SIZE || memcmp(start, magic, MAGIC_SIZE) != 0)
        return error_set(error, EXIT_FILE_ERROR,
                         "%s: not an .npy file (it does not start with \\x93NUMPY): write it with "
                         "np.save(path, a)",
                         shown_path);
    if (got < sizeof start)
        return error_set(error, EXIT_FILE_ERROR,
                         "%s: truncated header: the file ends after %zu bytes", shown_path, got);
    unsigned major = start[MAGIC_SIZE];
    unsigned minor = start[MAGIC_SIZE + 1];
    if (major < 1 || major > 3 || minor != 0)
        return error_set(error, EXIT_FILE_ERROR,
                         "%s: .npy version %u.%u is not supported; accepted are 1.0, 2.0 and 3.0",
                         shown_path, major, minor);

    unsigned char length_bytes[4] = {0};
    size_t length_size = major == 1 ? 2 : 4;
    if (!read_fully(file, length_bytes, length_size, &got))
        return read_failed(shown_path, error);
    uintmax_t text_start = sizeof start + length_size;
    if (got < length_size)
        return error_set(error, EXIT_FILE_ERROR,
                         "%s: truncated header: the file ends after %zu bytes", shown_path,
                         sizeof start + got);
    size_t length = (size_t)length_bytes[0] | (size_t)length_bytes[1] << 8 |
                    (size_t)length_bytes[2] << 16 | (size_t)length_bytes[3] << 24;
    if (file_size < text_start || length > file_size - text_start)
        return error_set(error, EXIT_FILE_ERROR,
                         "%s: truncated header: its length is given as %zu bytes, %" PRIuMAX
                         " follow",
                         shown_path, length, file_size < text_start ? 0 : file_size - text_start);
    if (length > MAX_HEADER_SIZE)
        return error_set(error, EXIT_FILE_ERROR,
                         "%s: the header has %zu bytes; accepted are at most %d", shown_path,
                         length, MAX_HEADER_SIZE);

    char *text = malloc(length > 0 ? length : 1);
    if (text == NULL)
        return error_set(error, EXIT_DEVICE_ERROR, "out of memory: %zu bytes for the header of %s",
                         length, shown_path);
    bool success = read_fully(file, text, length, &got);
    if (!success) {
        success = read_failed(shown_path, error);
    } else if (got < length) {
        success =
            error_set(error, EXIT_FILE_ERROR, "%s: truncated header: %zu bytes expected, %zu found",
                      shown_path, length, got);
    } else {
        struct parser parser = {text, length, 0, NULL};
        success = parse_header(&parser, header);
        if (!success)
            error_set(error, EXIT_FILE_ERROR, "%s: malformed header, byte %zu: %s", shown_path,
                      (size_t)text_start + parser.position, parser.problem);
    }
    free(text);
    *header_end = text_start + length;
    return success;
}

/* Drops a NaN's sign and payload. The verifier regards an element with all bits set as never
 * written. */
static void canonical_nans(struct npy *array)
{
    float *const floats = array->data;
    double *const doubles = array->data;

    for (size_t i = 0; array->type == NPY_FLOAT32 && i < array->count; i++)
        if (isnan(floats[i]))
            floats[i] = NAN;
    for (size_t i = 0; array->type == NPY_FLOAT64 && i < array->count; i++)
        if (isnan(doubles[i]))
            doubles[i] = (double)NAN;
}

/* Reads the data into array->data, which it allocates; on failure npy_read frees it. */
static bool read_data(int file, size_t bytes, const char *shown_path, struct npy *array,
                      struct error *error)
{
    /* aligned_alloc requires a multiple of the alignment. An empty array also gets a valid pointer.
     * There is no overflow, because the file holds `bytes` bytes. */
    size_t rounded = (bytes / NPY_ALIGNMENT + 1) * NPY_ALIGNMENT;
    array->data = aligned_alloc(NPY_ALIGNMENT, rounded);
    if (array->data == NULL)
        return error_set(error, EXIT_DEVICE_ERROR, "out of memory: %zu bytes for the data of %s",
                         bytes, shown_path);
    size_t got;
    if (!read_fully(file, array->data, bytes, &got))
        return read_failed(shown_path, error);
    if (got < bytes) /* the file was long enough before, so another process truncated it */
        return error_set(error, EXIT_FILE_ERROR,
                         "%s: truncated data: %zu bytes expected, %zu found", shown_path, bytes,
                         got);
    if (array->type == NPY_BOOL) {
        const unsigned char *values = array->data;
        for (size_t i = 0; i < array->count; i++)
            if (values[i] > 1)
                return error_set(error, EXIT_FILE_ERROR,
                                 "%s: bool element %zu is the byte %u; accepted are 0 and 1: "
                                 "convert with (a != 0)",
                                 shown_path, i, (unsigned)values[i]);
    }
    canonical_nans(array);
    return true;
}

static bool read_open_file(int file, const char *shown_path, struct npy *array, struct error *error)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        return read_failed(shown_path, error);
    uintmax_t file_size = (uintmax_t)status.st_size;

    struct header header = {.dimensions = 0};
    uintmax_t header_end = 0;
    size_t bytes = 0;
    if (!read_header(file, file_size, shown_path, &header, &header_end, error) ||
        !interpret_header(&header, shown_path, array, &bytes, error))
        return false;
    uintmax_t found = file_size > header_end ? file_size - header_end : 0;
    if (found < bytes)
        return error_set(error, EXIT_FILE_ERROR,
                         "%s: truncated data: %zu bytes expected, %" PRIuMAX " found", shown_path,
                         bytes, found);
    if (found > bytes)
        return error_set(error, EXIT_FILE_ERROR,
                         "%s: %" PRIuMAX " bytes follow the data; expected are %zu bytes of data "
                         "and nothing more",
                         shown_path, found - bytes, bytes);
    return read_data(file, bytes, shown_path, array, error);
}

bool npy_read(const char *path, struct npy *array, struct error *error)
{
    memset(array, 0, sizeof *array);
    char shown_path[SHOWN_PATH_SIZE];
    copy_shown(shown_path, sizeof shown_path, path, strlen(path), false);

    const int file = regular_file_open(path, shown_path, ".npy", error);
    if (file < 0)
        return false;
    bool success = read_open_file(file, shown_path, array, error);
    close(file);
    if (!success)
        npy_free(array);
    return success;
}

void npy_free(struct npy *array)
{
    if (array == NULL)
        return;
    free(array->data);
    memset(array, 0, sizeof *array);
}
/* SPDX-License-Identifier: MIT */
