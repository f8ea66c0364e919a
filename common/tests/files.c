#include "files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- folders and files ----------------------------------------------------------------------- */

void folder_create(char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "/tmp/rungs_test_XXXXXX");
    if (mkdtemp(path) == NULL)
        fail_msg("cannot create %s", path);
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

void folder_remove(const char *path)
{
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char inner[PATH_SIZE];
        struct stat status;
        if (is_dots(entry->d_name))
            continue;
        path_join(inner, path, entry->d_name);
        if (lstat(inner, &status) == 0 && S_ISDIR(status.st_mode))
            folder_remove(inner);
        else
            unlink(inner);
    }
    closedir(folder);
    assert_int_equal(rmdir(path), 0);
}

size_t folder_count(const char *path)
{
    size_t count = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += !is_dots(entry->d_name);
    closedir(folder);
    return count;
}

void path_join(char path[PATH_SIZE], const char *folder, const char *name)
{
    const int length = snprintf(path, PATH_SIZE, "%s/%s", folder, name);
    assert_true(length > 0 && length < PATH_SIZE);
}

bool file_exists(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

void file_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

char *file_read(const char *path)
{
    const size_t most = (size_t)1 << 20;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        fail_msg("cannot open %s", path);
    char *text = malloc(most);
    assert_non_null(text);
    const size_t length = fread(text, 1, most, file);
    assert_true(length < most);
    text[length] = '\0';
    fclose(file);
    return text;
}

static void npy_write_shaped(const char *path, const char *type, const char *shape,
                             const void *data, size_t count, size_t element_size)
{
    enum { START = 10, HEADER = 118 };
    char text[HEADER + 1];
    const int length = snprintf(
        text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    assert_true(length > 0 && length < HEADER);
    memset(text + length, ' ', (size_t)(HEADER - length));
    text[HEADER - 1] = '\n';

    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite("\x93NUMPY\x01\x00\x76\x00", 1, START, file), START);
    assert_int_equal(fwrite(text, 1, HEADER, file), HEADER);
    assert_int_equal(fwrite(data, element_size, count, file), count);
    assert_int_equal(fclose(file), 0);
}

void npy_write(const char *path, const char *type, const void *data, size_t count,
               size_t element_size)
{
    char shape[32];

    snprintf(shape, sizeof shape, "(%zu,)", count);
    npy_write_shaped(path, type, shape, data, count, element_size);
}

char *npy_temporary(const char *shape, const float *data, size_t count)
{
    char *const path = strdup("/tmp/rungs_test_XXXXXX");
    const int descriptor = mkstemp(path);

    assert_true(descriptor >= 0);
    assert_int_equal(close(descriptor), 0);
    npy_write_shaped(path, "<f4", shape, data, count, sizeof *data);
    return path;
}

void npy_remove(char *path)
{
    unlink(path);
    free(path);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* Copies one field. Returns a pointer to its end: a comma, the end of the line or of the text. */
static const char *take_field(const char *text, char field[PATH_SIZE])
{
    const bool quoted = *text == '"';
    size_t length = 0;

    text += quoted;
    while (*text != '\0' && (quoted || (*text != ',' && *text != '\n'))) {
        if (quoted && *text == '"') {
            text++;
            if (*text != '"')
                break;
        }
        assert_true(length < PATH_SIZE - 1);
        field[length++] = *text++;
    }
    field[length] = '\0';
    assert_true(*text == ',' || *text == '\n' || *text == '\0');
    return text;
}

bool csv_field_of(const char *text, size_t line, size_t column, char field[PATH_SIZE])
{
    for (size_t l = 0; *text != '\0'; l++) {
        for (size_t c = 0;; c++) {
            text = take_field(text, field);
            if (l == line && c == column)
                return true;
            if (*text != ',')
                break;
            text++;
        }
        text += *text == '\n';
    }
    return false;
}

size_t csv_lines(const char *text)
{
    char field[PATH_SIZE];
    size_t lines = 0;
    while (csv_field_of(text, lines, 0, field))
        lines++;
    return lines;
}

void csv_named(const char *text, size_t line, const char *name, char field[PATH_SIZE])
{
    size_t column = 0;
    while (csv_field_of(text, 0, column, field) && strcmp(field, name) != 0)
        column++;
    if (strcmp(field, name) != 0 || !csv_field_of(text, line, column, field))
        fail_msg("no field %s in line %zu of:\n%s", name, line, text);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static const char *json_value(const char *text);

static const char *json_spaces(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

static const char *json_text(const char *text)
{
    if (*text++ != '"')
        return NULL;
    for (; *text != '"'; text++) {
        if ((unsigned char)*text < 0x20)
            return NULL;
        if (*text != '\\')
            continue;
        text++;
        if (*text == 'u') {
            if (strspn(text + 1, "0123456789abcdefABCDEF") < 4)
                return NULL;
            text += 4;
        } else if (*text == '\0' || strchr("\"\\/bfnrt", *text) == NULL) {
            return NULL;
        }
    }
    return text + 1;
}

static const char *json_digits(const char *text)
{
    const size_t count = strspn(text, "0123456789");
    return count > 0 ? text + count : NULL;
}

static const char *json_number(const char *text)
{
    text += *text == '-';
    if (text[0] == '0' && text[1] >= '0' && text[1] <= '9')
        return NULL;
    text = json_digits(text);
    if (text != NULL && *text == '.')
        text = json_digits(text + 1);
    if (text != NULL && (*text == 'e' || *text == 'E')) {
        text++;
        text = json_digits(text + (*text == '+' || *text == '-'));
    }
    return text;
}

/* An array, or an object, whose members have names. */
static const char *json_members(const char *text, char end, bool named)
{
    text = json_spaces(text + 1);
    if (*text == end)
        return text + 1;
    for (;;) {
        if (named) {
            text = json_text(json_spaces(text));
            if (text == NULL)
                return NULL;
            text = json_spaces(text);
            if (*text++ != ':')
                return NULL;
        }
        text = json_value(text);
        if (text == NULL)
            return NULL;
        if (*text == end)
            return text + 1;
        if (*text++ != ',')
            return NULL;
    }
}

/* Returns the text after the value and spaces, or NULL if there is no value. */
static const char *json_value(const char *text)
{
    static const char *const words[] = {"true", "false", "null"};

    text = json_spaces(text);
    if (*text == '{') {
        text = json_members(text, '}', true);
    } else if (*text == '[') {
        text = json_members(text, ']', false);
    } else if (*text == '"') {
        text = json_text(text);
    } else {
        for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
            if (strncmp(text, words[w], strlen(words[w])) == 0)
                return json_spaces(text + strlen(words[w]));
        text = json_number(text);
    }
    return text != NULL ? json_spaces(text) : NULL;
}

bool json_is_valid(const char *text)
{
    const char *const end = json_value(text);
    return end != NULL && *end == '\0';
}

/* ---- standard output ------------------------------------------------------------------------- */

static int saved_output = -1;

void output_redirect(const char *path)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    fflush(stdout);
    saved_output = dup(STDOUT_FILENO);
    assert_true(saved_output >= 0);
    assert_true(dup2(file, STDOUT_FILENO) >= 0);
    close(file);
}

void output_restore(void)
{
    fflush(stdout);
    assert_true(dup2(saved_output, STDOUT_FILENO) >= 0);
    close(saved_output);
}
/* SPDX-License-Identifier: MIT */
