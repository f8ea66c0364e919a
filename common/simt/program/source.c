/* Maps places in the program to source lines. Uses addr2line, which comes with the compiler. */
#include <ctype.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/need.h"
#include "program/elf.h"
#include "program/source.h"

enum { LINE_BYTES = 4096, PLACES_A_CALL = 256 };

struct known_source {
    uint32_t place;
    struct simt_source source;
};
static struct known_source *sources;
static size_t source_count, source_capacity;

static struct simt_source nowhere = {"?", "?", 0, "?", 0};

/* ---- names, each stored once ---- */

static const char *kept(const char *text)
{
    static char **names;
    static size_t count, capacity;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], text) == 0) {
            return names[i];
        }
    }
    if (count == capacity) {
        capacity = capacity ? 2 * capacity : 64;
        names = realloc(names, capacity * sizeof *names);
    }
    if (!names || !(names[count] = strdup(text))) {
        return "?";
    }
    return names[count++];
}

/* ---- the answers of addr2line ---- */

/* False for headers of the runtime and of the system: a learner does not look there. The runtime's
 * folder is recognized by the header simt_host_api.h, whatever path the compiler used. */
static bool is_users(const char *file)
{
    char header[PATH_BYTES + 32];
    const char *slash = strrchr(file, '/');
    if (file[0] == '?' || strncmp(file, "/usr/", 5) == 0 || strstr(file, "/include/cccl/")) {
        return false;
    }
    for (int up = 0; up < 2; up++) { /* the folder, and the one above it */
        snprintf(header, sizeof header, "%.*s/%ssimt_host_api.h", slash ? (int)(slash - file) : 1,
                 slash ? file : ".", up ? "../" : "");
        if (access(header, R_OK) == 0) {
            return false;
        }
    }
    return true;
}

static bool is_kernel_file(const char *file)
{
    size_t length = strlen(file);
    return length > 3 && strcmp(file + length - 3, ".cu") == 0;
}

/* Whether the function is a copy that the compiler defines (simt.cmake: -fno-elide-constructors).
 * Its line is that of the structure, where a learner does not look. */
static bool is_implicit_copy(const char *function, const char *file, int line)
{
    const char *text = strstr(function, "&)") ? simt_source_text(file, line) : NULL;
    const size_t length = strcspn(function, "(");
    const char *name = text ? memrchr(function, ':', length) : NULL;
    if (!name || !(strstr(text, "struct") || strstr(text, "class") || strstr(text, "union"))) {
        return false;
    }
    name++;
    return strncmp(name, "operator=(", 10) == 0 || /* or a constructor: named like its scope */
           memmem(function, (size_t)(name - function), name, length - (size_t)(name - function));
}

/* Reads one frame of a place. Frames come from the innermost outwards. */
static void take_frame(struct simt_source *source, const char *function, char *location)
{
    char *colon = strrchr(location, ':');
    int line = colon ? atoi(colon + 1) : 0;
    if (!colon || line <= 0) {
        return;
    }
    *colon = '\0';
    if (!is_users(location) || is_implicit_copy(function, location, line)) {
        return;
    }
    if (source->line == 0) {
        source->file = kept(location);
        source->function = kept(function);
        source->line = line;
    }
    if (source->kernel_line == 0 && is_kernel_file(location)) {
        source->kernel_file = kept(location);
        source->kernel_line = line;
    }
}

static void add_source(uint32_t place, const struct simt_source *found)
{
    struct known_source new = {place, *found};
    if (new.source.kernel_line == 0) {
        new.source.kernel_file = new.source.file;
        new.source.kernel_line = new.source.line;
    }
    sources =
        simt_with_room(sources, source_count, &source_capacity, sizeof *sources, "source lines");
    sources[source_count++] = new;
}

static int find_bias(struct dl_phdr_info *information, size_t size, void *bias)
{
    (void)size;
    *(uintptr_t *)bias = information->dlpi_addr;
    return 1;
}

static void ask(const uint32_t *places, size_t count)
{
    extern const char __executable_start[];
    static char command[64 + PATH_BYTES + PLACES_A_CALL * 20];
    char program[PATH_BYTES], line[LINE_BYTES], function[LINE_BYTES] = "";
    uintptr_t bias = 0;
    size_t used, answered = 0;
    struct simt_source source = nowhere;
    bool is_function = true;
    FILE *pipe;
    dl_iterate_phdr(find_bias, &bias);
    simt_program_path(program, sizeof program);
    used = (size_t)snprintf(command, sizeof command, "addr2line -a -i -f -C -e '%s'", program);
    for (size_t i = 0; i < count; i++) {
        /* Subtract 1: the address of the call, not of the instruction after it. */
        used += (size_t)snprintf(command + used, sizeof command - used, " %#" PRIxPTR,
                                 (uintptr_t)__executable_start + places[i] - 1 - bias);
    }
    snprintf(command + used, sizeof command - used, " 2>/dev/null");
    pipe = popen(command, "r");
    while (pipe && fgets(line, sizeof line, pipe)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '0' && line[1] == 'x') {
            if (answered > 0) {
                add_source(places[answered - 1], &source);
            }
            answered++;
            source = nowhere;
            is_function = true;
        } else if (is_function) {
            strcpy(function, line);
            is_function = false;
        } else {
            char *more = strstr(line, " (discriminator ");
            if (more) {
                *more = '\0';
            }
            take_frame(&source, function, line);
            is_function = true;
        }
    }
    if (pipe) {
        pclose(pipe);
    }
    for (size_t i = answered > 0 ? answered - 1 : 0; i < count; i++) {
        add_source(places[i], &source);
        source = nowhere;
    }
}

static const struct simt_source *find_source(uint32_t place)
{
    for (size_t i = 0; i < source_count; i++) {
        if (sources[i].place == place) {
            return &sources[i].source;
        }
    }
    return NULL;
}

void simt_sources_load(const uint32_t *places, size_t count)
{
    uint32_t wanted[PLACES_A_CALL];
    size_t number = 0;
    for (size_t i = 0; i < count; i++) {
        if (!find_source(places[i])) {
            wanted[number++] = places[i];
        }
        if (number == PLACES_A_CALL) {
            ask(wanted, number);
            number = 0;
        }
    }
    if (number > 0) {
        ask(wanted, number);
    }
}

const struct simt_source *simt_source_of(uint32_t place)
{
    const struct simt_source *found = find_source(place);
    if (!found) {
        ask(&place, 1);
        found = find_source(place);
    }
    return found ? found : &nowhere;
}

/* ---- text of the source ---- */

struct file_text {
    const char *path;
    char **lines;
    int count;
};

static const struct file_text *read_file(const char *path)
{
    static struct file_text files[32];
    static size_t file_count;
    struct file_text *file;
    char line[LINE_BYTES];
    FILE *stream;
    for (size_t i = 0; i < file_count; i++) {
        if (strcmp(files[i].path, path) == 0) {
            return &files[i];
        }
    }
    stream = file_count < sizeof files / sizeof *files ? fopen(path, "r") : NULL;
    if (!stream) {
        return NULL;
    }
    file = &files[file_count++];
    file->path = kept(path);
    while (fgets(line, sizeof line, stream)) {
        char **lines = realloc(file->lines, ((size_t)file->count + 1) * sizeof *lines);
        if (!lines) {
            break;
        }
        file->lines = lines;
        line[strcspn(line, "\r\n")] = '\0';
        lines[file->count++] = strdup(line);
    }
    fclose(stream);
    return file;
}

const char *simt_source_text(const char *path, int line)
{
    const struct file_text *file = read_file(path);
    return file && line >= 1 && line <= file->count ? file->lines[line - 1] : NULL;
}

bool simt_source_line(const char *path, int line, char *text, size_t size)
{
    const char *found = simt_source_text(path, line);
    if (!found) {
        return false;
    }
    while (isspace((unsigned char)*found)) {
        found++;
    }
    snprintf(text, size, "%s", found);
    return text[0] != '\0';
}
/* SPDX-License-Identifier: MIT */
