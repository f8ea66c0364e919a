#include "base/option.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/nearest.h"

static bool set_size(const struct option_field *field, const char *text, size_t *value,
                     struct error *error)
{
    if (!parse_size(text, value) || *value < field->minimum)
        return error_set(error, EXIT_BAD_USAGE,
                         "--%s '%s': expected a whole number%s, such as 1000, 64K, 1M or 2G "
                         "(K, M and G are powers of two)",
                         field->name, text, field->minimum > 0 ? " of at least 1" : "");
    return true;
}

static bool set_int(const struct option_field *field, const char *text, int *value,
                    struct error *error)
{
    size_t size;
    const size_t most = field->maximum != 0 ? field->maximum : INT_MAX;
    if (!parse_size(text, &size) || size > INT_MAX || size < field->minimum)
        return error_set(error, EXIT_BAD_USAGE,
                         "--%s '%s': expected a whole number of at least %zu", field->name, text,
                         field->minimum);
    if (size > most)
        return error_set(error, EXIT_BAD_USAGE, "--%s '%s': expected at most %zu", field->name,
                         text, most);
    *value = (int)size;
    return true;
}

static bool set_float(const struct option_field *field, const char *text, float *value,
                      struct error *error)
{
    char *end;
    *value = strtof(text, &end);
    if (end == text || *end != '\0' || !isfinite(*value))
        return error_set(error, EXIT_BAD_USAGE, "--%s '%s': expected a finite number", field->name,
                         text);
    return true;
}

static bool set_name(const struct option_field *field, const char *text, int *value,
                     struct error *error)
{
    struct nearest nearest = {.text = text};
    char accepted[256] = "", hint[HINT_SIZE];

    for (int i = 0; field->names[i] != NULL; i++) {
        const size_t used = strlen(accepted);
        const char *const separator = i == 0 ? "" : field->names[i + 1] == NULL ? " or " : ", ";
        if (strcmp(text, field->names[i]) == 0) {
            *value = i;
            return true;
        }
        snprintf(accepted + used, sizeof accepted - used, "%s%s", separator, field->names[i]);
        nearest_try(&nearest, field->names[i]);
    }
    nearest_hint(&nearest, "", hint);
    return error_set(error, EXIT_BAD_USAGE, "--%s '%s': expected %s%s%s", field->name, text,
                     accepted, hint[0] != '\0' ? "." : "", hint);
}

static bool set_pair(const struct option_field *field, const char *text, size_t values[2],
                     struct error *error)
{
    char first[32];
    const char *const cross = strchr(text, 'x');
    const size_t length = cross != NULL ? (size_t)(cross - text) : 0;

    if (length > 0 && length < sizeof first) {
        memcpy(first, text, length);
        first[length] = '\0';
        if (parse_size(first, &values[0]) && parse_size(cross + 1, &values[1]) &&
            values[0] >= field->minimum && values[1] >= field->minimum)
            return true;
    } else if (cross == NULL && field->square && parse_size(text, &values[0]) &&
               values[0] >= field->minimum) {
        values[1] = values[0];
        return true;
    }
    return error_set(error, EXIT_BAD_USAGE, "--%s '%s': expected height x width, such as %s",
                     field->name, text, field->square ? "2x1, or 2 for 2x2" : "3x3");
}

static bool set_count(const struct option_field *field, const char *text, unsigned *value,
                      struct error *error)
{
    char names[64] = "";
    size_t size;

    for (unsigned i = 0; field->names[i] != NULL; i++) {
        const size_t used = strlen(names);
        if (strcmp(text, field->names[i]) == 0) {
            *value = UINT_MAX - i;
            return true;
        }
        snprintf(names + used, sizeof names - used, " or %s", field->names[i]);
    }
    if (!parse_size(text, &size) || size < field->minimum || size > field->maximum)
        return error_set(error, EXIT_BAD_USAGE,
                         "--%s '%s': expected a whole number from %zu to %zu%s", field->name, text,
                         field->minimum, field->maximum, names);
    *value = (unsigned)size;
    return true;
}

bool option_set(const struct option_field *field, const char *text, void *options,
                struct error *error)
{
    void *const member = (char *)options + field->member;
    size_t size;

    if (text == NULL)
        text = field->left_out;
    switch (field->kind) {
    case OPTION_FLAG:
        *(bool *)member = true;
        return true;
    case OPTION_SIZE:
        return set_size(field, text, member, error);
    case OPTION_INT:
        return set_int(field, text, member, error);
    case OPTION_SEED:
        if (!set_size(field, text, &size, error))
            return false;
        *(uint64_t *)member = size;
        return true;
    case OPTION_FLOAT:
        return set_float(field, text, member, error);
    case OPTION_TEXT:
    case OPTION_INPUT:
    case OPTION_OUTPUT:
        *(const char **)member = text;
        return true;
    case OPTION_NAME:
        return set_name(field, text, member, error);
    case OPTION_PAIR:
        return set_pair(field, text, member, error);
    case OPTION_COUNT:
        return set_count(field, text, member, error);
    }
    return error_set(error, EXIT_BAD_USAGE, "--%s: unknown kind of option", field->name);
}
/* SPDX-License-Identifier: MIT */
