/* Numbers the source places that a page mentions, and their files. */
#include <stdlib.h>
#include <string.h>

#include "explore/explore.h"
#include "program/source.h"

/* ---- text ---- */

/* The number of bytes of the UTF-8 character that begins here; 0: not a valid one. */
static unsigned int character_bytes(const unsigned char *text)
{
    unsigned int bytes = text[0] < 0x80                      ? 1
                         : text[0] >= 0xc2 && text[0] < 0xe0 ? 2
                         : text[0] >= 0xe0 && text[0] < 0xf0 ? 3
                         : text[0] >= 0xf0 && text[0] < 0xf5 ? 4
                                                             : 0;
    for (unsigned int i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    /* Overlong forms, surrogates, and numbers above the last character. */
    if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
        (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f)) {
        return 0;
    }
    return bytes;
}

/* Escapes "<", because the data are inside a <script>. */
void explore_put_text(FILE *file, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    fputc('"', file);
    while (*at) {
        unsigned int bytes = character_bytes(at);
        if (bytes == 0) {
            fputs("\\ufffd", file);
            at++;
        } else if (bytes == 1 && (*at < ' ' || *at == '<' || *at == '"' || *at == '\\')) {
            fprintf(file, "\\u%04x", *at++);
        } else {
            fwrite(at, 1, bytes, file);
            at += bytes;
        }
    }
    fputc('"', file);
}

/* ---- places and files ---- */

static uint32_t *places;
static size_t place_count, place_capacity;
enum { MOST_FILES = 64 };
static const char *files[MOST_FILES];
static char *real_paths[MOST_FILES];
static size_t file_count;

static void note_place(uint32_t place)
{
    places = explore_room(places, place_count, &place_capacity, sizeof *places);
    places[place_count++] = place;
}

static int compare_places(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

int explore_file_number(const char *path)
{
    char *real;
    size_t i = 0;
    while (i < file_count && strcmp(files[i], path) != 0) {
        i++;
    }
    if (path[0] == '?' || i < file_count) {
        return path[0] == '?' ? -1 : (int)i;
    }
    real = realpath(path, NULL); /* a launch may name its file relative to another directory */
    for (i = 0; real && i < file_count && (!real_paths[i] || strcmp(real_paths[i], real) != 0);) {
        i++;
    }
    i = real ? i : file_count;
    if (i < file_count || i == MOST_FILES) {
        free(real);
        return i < file_count ? (int)i : -1;
    }
    files[i] = path;
    real_paths[i] = real;
    file_count++;
    return (int)i;
}

void explore_collect_places(void)
{
    size_t kept = 0;
    place_count = file_count = 0;
    for (size_t i = 0; i < explored_launch_count; i++) {
        const struct explored_launch *launch = &explored_launches[i];
        for (size_t j = 0; j < launch->site_count; j++) {
            note_place(launch->sites[j].place);
        }
        for (size_t j = 0; j < launch->finding_count; j++) {
            note_place(launch->findings[j].place);
            note_place(launch->findings[j].other_place);
        }
        for (size_t j = 0; j < launch->block_count; j++) {
            for (size_t k = 0; k < launch->blocks[j]->count; k++) {
                note_place(launch->blocks[j]->steps[k].place);
            }
        }
    }
    if (place_count == 0) {
        return;
    }
    qsort(places, place_count, sizeof *places, compare_places);
    for (size_t i = 0; i < place_count; i++) {
        if (places[i] && (kept == 0 || places[kept - 1] != places[i])) {
            places[kept++] = places[i];
        }
    }
    place_count = kept;
    simt_sources_load(places, place_count);
    for (size_t i = 0; i < place_count; i++) {
        explore_file_number(simt_source_of(places[i])->kernel_file);
        explore_file_number(simt_source_of(places[i])->file);
    }
    for (size_t i = 0; i < explored_launch_count; i++) {
        explore_file_number(explored_launches[i].file);
    }
}

size_t explore_number_of(uint32_t place)
{
    const uint32_t *found = bsearch(&place, places, place_count, sizeof *places, compare_places);
    return found ? (size_t)(found - places) : 0;
}

void explore_put_sites(FILE *file)
{
    fputs(",\n\"sites\": [", file);
    for (size_t i = 0; i < place_count; i++) {
        const struct simt_source *source = simt_source_of(places[i]);
        fprintf(file, "%s[%d, %d, %d, %d, ", i ? ",\n" : "\n",
                explore_file_number(source->kernel_file), source->kernel_line,
                explore_file_number(source->file), source->line);
        explore_put_text(file, source->function);
        fputc(']', file);
    }
    fputs("]", file);
}

/* The file name with its last folder only. The full path is private. */
static const char *short_path(const char *path)
{
    const char *at = path + strlen(path);
    for (int slashes = 0; at > path && slashes < 2; at--) {
        slashes += at[-1] == '/';
        if (slashes == 2) {
            break;
        }
    }
    return at;
}

/* For a long file, the page shows only the lines around the recorded places. */
enum { LONG_FILE = 3000, LINES_AROUND = 200 };

static void mark_around(bool *shown, int count, int line)
{
    for (int i = line - LINES_AROUND; i <= line + LINES_AROUND; i++) {
        if (line > 0 && i > 0 && i <= count) {
            shown[i] = true;
        }
    }
}

/* Per line: whether the page shows it. */
static bool *lines_shown(const char *path, int count)
{
    bool *shown = explore_need(calloc((size_t)count + 2, sizeof *shown));
    for (size_t i = 0; i < place_count; i++) {
        const struct simt_source *source = simt_source_of(places[i]);
        mark_around(shown, count, strcmp(source->kernel_file, path) == 0 ? source->kernel_line : 0);
        mark_around(shown, count, strcmp(source->file, path) == 0 ? source->line : 0);
    }
    for (size_t i = 0; i < explored_launch_count; i++) {
        const struct explored_launch *launch = &explored_launches[i];
        mark_around(shown, count, strcmp(launch->file, path) == 0 ? launch->line : 0);
    }
    return shown;
}

/* A number instead of lines is the number of lines left out. */
static void put_lines(FILE *file, const char *path)
{
    const char *before = "\n";
    int count = 0;
    bool *shown;
    while (simt_source_text(path, count + 1)) {
        count++;
    }
    shown = count > LONG_FILE ? lines_shown(path, count) : NULL;
    for (int line = 1, left_out = 0; line <= count; line++) {
        left_out = shown && !shown[line] ? left_out + 1 : 0;
        if (left_out == 0) {
            fputs(before, file);
            explore_put_text(file, simt_source_text(path, line));
        } else if (line == count || shown[line + 1]) {
            fprintf(file, "%s%d", before, left_out);
        } else {
            continue;
        }
        before = ",\n";
    }
    free(shown);
}

void explore_put_files(FILE *file)
{
    fputs(",\n\"files\": [", file);
    for (size_t i = 0; i < file_count; i++) {
        fprintf(file, "%s{\"name\": ", i ? ",\n" : "\n");
        explore_put_text(file, short_path(files[i]));
        fputs(", \"lines\": [", file);
        put_lines(file, files[i]);
        fputs("]}", file);
    }
    fputs("]", file);
}

char *explore_shortened(const char *text)
{
    char *result = explore_need(strdup(text));
    for (size_t i = 0; i < file_count; i++) {
        const char *name = short_path(files[i]);
        for (char *at = result; name > files[i] && (at = strstr(at, files[i])) != NULL;) {
            memmove(at, at + (name - files[i]), strlen(at + (name - files[i])) + 1);
        }
    }
    return result;
}
/* SPDX-License-Identifier: MIT */
