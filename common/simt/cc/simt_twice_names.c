/* The names in an assembly source, for simt_twice.c. */
#include "cc/simt_twice.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

/* FNV-1a. */
uint64_t hash_of(const char *bytes, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static struct symbol *slot_of(const struct names *names, const char *begin, size_t length)
{
    const uint64_t hash = hash_of(begin, length);
    for (size_t at = (size_t)(hash ^ hash >> 32);; at++) {
        struct symbol *slot = &names->slots[at & (names->capacity - 1)];
        if (!slot->begin || (slot->length == length && memcmp(slot->begin, begin, length) == 0)) {
            return slot;
        }
    }
}

size_t index_of(const struct names *names, const char *begin, size_t length)
{
    const struct symbol *slot = names->count > 0 ? slot_of(names, begin, length) : NULL;
    return slot && slot->begin ? (size_t)(slot - names->slots) : NO_SYMBOL;
}

bool has_name(const struct names *names, const char *begin, size_t length)
{
    return index_of(names, begin, length) != NO_SYMBOL;
}

void keep_name(struct names *names, const char *begin, size_t length)
{
    struct symbol *slot;
    if (2 * names->count >= names->capacity) {
        struct names larger = {NULL, 0, names->capacity ? 2 * names->capacity : 64};
        larger.slots = zeroed(larger.capacity, sizeof *larger.slots);
        for (size_t i = 0; i < names->capacity; i++) {
            if (names->slots[i].begin) {
                *slot_of(&larger, names->slots[i].begin, names->slots[i].length) = names->slots[i];
                larger.count++;
            }
        }
        free(names->slots);
        *names = larger;
    }
    slot = slot_of(names, begin, length);
    names->count += !slot->begin;
    *slot = (struct symbol){begin, length};
}

/* ---- lines ---- */

static bool is_of_name(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.';
}

size_t name_length(const char *at)
{
    size_t length = 0;
    while (is_of_name(at[length])) {
        length++;
    }
    return length;
}

bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

void read_assembly(struct file *file)
{
    static const char *const externals[] = {"\t.globl\t", "\t.weak\t"};
    append(&file->text, "", 1); /* a 0 byte */
    for (const char *line = file->text.bytes; *line; line = next_line(line)) {
        const char *name = begins(line, "\t.type\t") ? line + 7 : NULL;
        if (name) {
            const size_t length = name_length(name);
            const bool function = begins(name + length, ", @function");
            keep_name(function ? &file->functions : &file->data, name, length);
        } else if (begins(line, "\t.local\t")) {
            keep_name(&file->data, line + 8, name_length(line + 8));
        }
        for (size_t i = 0; i < 2; i++) {
            if (begins(line, externals[i])) {
                name = line + strlen(externals[i]);
                keep_name(&file->external, name, name_length(name));
            }
        }
    }
}
/* SPDX-License-Identifier: MIT */
