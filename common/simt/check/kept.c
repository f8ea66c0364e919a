#include "check/kept.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/need.h"
#include "base/output.h"
#include "base/setting.h"
#include "check/wording.h"
#include "machine/machine.h"
#include "model/sites.h"
#include "program/source.h"

enum { FILE_ERROR = 4, PLACE = 1024 };

bool simt_goes_on;

static const char *const kinds[] = {
    [RACE] = "race",
    [COPY_RACE] = "copy_race",
    [COPY_UNSET] = "copy_unset",
    [WRONG_WAY] = "copy_direction",
    [HOST_ACCESS] = "host_access",
    [OUT_OF_BOUNDS] = "out_of_bounds",
    [OTHER_DEVICE] = "other_device",
    [BAD_INDEX] = "bad_index",
    [UNINITIALISED] = "uninitialised",
    [MISALIGNED] = "misaligned",
    [HOST_POINTER] = "host_memory",
    [HOST_FUNCTION] = "host_function",
    [NO_PROXY_FENCE] = "proxy_fence",
    [NO_MAP_FENCE] = "tensormap_fence",
    [BEYOND_ROWS] = "beyond_rows",
    [READ_ONLY] = "read_only",
    [LOCAL_OF_OTHER] = "local_of_other",
    [UNDEFINED] = "undefined_shuffle",
    [UNDER_WAY] = "under_way",
    [GOES_ROUND] = "barrier_in_branch",
};

struct place {
    const char *file; /* NULL: none */
    int line;
};

struct kept {
    enum wrong wrong;
    bool is_note;
    bool of_copy; /* of a running copy; the order of the two places matters then */
    char *kernel, *text;
    struct place at, other;
    uint64_t count;
};
static struct kept *kept;
static size_t kept_count, kept_capacity;
static uint64_t suppressed;

/* A copy of the host has no line in a kernel. */
static struct place place_of(const struct finding *finding, unsigned int site)
{
    const struct simt_source *source;
    if (finding->wrong == COPY_RACE || site == 0) {
        return (struct place){NULL, 0};
    }
    source = simt_source_of(simt_site(site)->place);
    return (struct place){source->line > 0 ? source->file : NULL, source->line};
}

static const char *kernel_name(const struct finding *finding)
{
    return !simt_is_of_host(finding) && simt_grid.launch ? simt_grid.launch->name : "";
}

/* ---- suppressions ---- */

struct suppression {
    char kind[32], pattern[PLACE];
};
static struct suppression *suppressions;
static size_t suppression_count, suppression_capacity;

/* Lines "KIND PATTERN". In both, * matches any text. Empty lines and lines that begin with # are
 * comments. */
static void read_suppressions(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[PLACE + 64];
    if (!file) { /* it was readable when the program began */
        fprintf(stderr, "simt: SIMT_SUPPRESSIONS: cannot read %s: %s\n", path, strerror(errno));
        exit(FILE_ERROR);
    }
    for (int number = 1; fgets(line, sizeof line, file); number++) {
        struct suppression one;
        const int words = sscanf(line, "%31s %1023s", one.kind, one.pattern);
        if (words < 1 || one.kind[0] == '#') {
            continue;
        }
        if (words < 2) {
            fprintf(stderr, "simt: %s:%d: want KIND PATTERN, such as: race kernel.cu:12\n", path,
                    number);
            exit(FILE_ERROR);
        }
        suppressions = simt_with_room(suppressions, suppression_count, &suppression_capacity,
                                      sizeof *suppressions, "the checks");
        suppressions[suppression_count++] = one;
    }
    fclose(file);
}

/* Matches the whole path or the file's name. */
static bool fits(const char *pattern, struct place place)
{
    char text[PLACE];
    const char *name;
    if (!place.file) {
        return false;
    }
    snprintf(text, sizeof text, "%s:%d", place.file, place.line);
    name = strrchr(text, '/');
    return fnmatch(pattern, text, 0) == 0 || (name && fnmatch(pattern, name + 1, 0) == 0);
}

/* Runs before main, to report an invalid line before the work starts. */
__attribute__((constructor)) static void prepare(void)
{
    const char *path = simt_asked("SIMT_SUPPRESSIONS");
    if (path) {
        read_suppressions(path);
    }
}

bool simt_is_suppressed(const struct finding *finding)
{
    for (size_t i = 0; i < suppression_count; i++) {
        const struct suppression *one = &suppressions[i];
        if (fnmatch(one->kind, kinds[finding->wrong], 0) == 0 &&
            (fnmatch(one->pattern, kernel_name(finding), 0) == 0 ||
             fits(one->pattern, place_of(finding, finding->site)) ||
             fits(one->pattern, place_of(finding, finding->other_site)))) {
            suppressed += finding->count;
            return true;
        }
    }
    return false;
}

/* ---- stored findings ---- */

static bool is_same_place(struct place a, struct place b)
{
    return a.line == b.line && !a.file == !b.file && (!a.file || strcmp(a.file, b.file) == 0);
}

static struct kept *find(const struct kept *like)
{
    for (size_t i = 0; i < kept_count; i++) {
        if (kept[i].wrong == like->wrong && kept[i].is_note == like->is_note &&
            (like->wrong != COPY_RACE || strcmp(kept[i].text, like->text) == 0) &&
            ((is_same_place(kept[i].at, like->at) && is_same_place(kept[i].other, like->other)) ||
             (!like->of_copy && is_same_place(kept[i].at, like->other) &&
              is_same_place(kept[i].other, like->at)))) {
            return &kept[i];
        }
    }
    return NULL;
}

static char *text_of(const struct finding *finding)
{
    char *text = NULL;
    size_t size;
    FILE *file = simt_needed(open_memstream(&text, &size), "the checks");
    simt_tell_finding(file, finding);
    fclose(file);
    return text;
}

unsigned int simt_keep_finding(const struct finding *finding, bool is_note)
{
    struct kept new = {.wrong = finding->wrong,
                       .is_note = is_note,
                       .of_copy =
                           finding->kind > EVENT_ATOMIC || finding->other_kind > EVENT_ATOMIC,
                       .at = place_of(finding, finding->site),
                       .other = place_of(finding, finding->other_site),
                       .count = finding->count,
                       .text = text_of(finding)};
    struct kept *known = find(&new);
    if (known) {
        known->count += finding->count;
        free(new.text);
        return 0;
    }
    new.kernel = simt_needed(strdup(kernel_name(finding)), "the checks");
    kept = simt_with_room(kept, kept_count, &kept_capacity, sizeof *kept, "the checks");
    kept[kept_count++] = new;
    return (unsigned int)kept_count;
}

/* ---- blocks that were not checked ---- */

static struct unchecked {
    char *kernel;
    struct place at; /* the place of its launch */
    uint64_t launches, blocks;
} * unchecked;
static size_t unchecked_count, unchecked_capacity;

void simt_add_unchecked(const struct simt_launch *launch, uint64_t blocks)
{
    const struct place at = {launch->line > 0 ? launch->file : NULL, launch->line};
    size_t i = 0;
    while (i < unchecked_count && !(is_same_place(unchecked[i].at, at) &&
                                    strcmp(unchecked[i].kernel, launch->name) == 0)) {
        i++;
    }
    if (i == unchecked_count) {
        unchecked = simt_with_room(unchecked, unchecked_count, &unchecked_capacity,
                                   sizeof *unchecked, "the checks");
        unchecked[unchecked_count++] =
            (struct unchecked){.kernel = simt_needed(strdup(launch->name), "the checks"), .at = at};
    }
    unchecked[i].launches++;
    unchecked[i].blocks += blocks;
}

static void put_unchecked(FILE *file, const struct unchecked *one)
{
    fprintf(file, "%" PRIu64 " block%s of kernel %s", one->blocks, one->blocks == 1 ? "" : "s",
            one->kernel);
    if (one->at.file) {
        fprintf(file, " (launched at %s:%d", one->at.file, one->at.line);
        fprintf(file, one->launches > 1 ? ", %" PRIu64 " times)" : ")", one->launches);
    }
}

void simt_tell_unchecked(FILE *file)
{
    for (size_t i = 0; i < unchecked_count; i++) {
        fputs(i == 0 ? "simt: not checked: " : ", ", file);
        put_unchecked(file, &unchecked[i]);
    }
    fputs(unchecked_count > 0 ? "; SIMT_CHECKS=stop checks all\n" : "", file);
}

bool simt_have_kept(void)
{
    for (size_t i = 0; i < kept_count; i++) {
        if (!kept[i].is_note) {
            return true;
        }
    }
    return false;
}

void simt_tell_kept(FILE *file)
{
    size_t findings = 0;
    uint64_t times = 0;
    for (size_t i = 0; i < kept_count; i++) {
        findings += !kept[i].is_note;
        times += kept[i].is_note ? 0 : kept[i].count;
    }
    if (simt_goes_on && findings > 0) {
        fprintf(file, "simt: %zu finding%s, %" PRIu64 " times in all\n", findings,
                findings == 1 ? "" : "s", times);
    }
    if (suppressed > 0) {
        fprintf(file, "simt: suppressed: %" PRIu64 " times\n", suppressed);
    }
}

/* ---- output file ---- */

static void put_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fprintf(file, "\\%c", c);
        } else if (c < 0x20) {
            fprintf(file, "\\u%04x", c);
        } else {
            fputc(c, file);
        }
    }
    fputc('"', file);
}

static void put_member(FILE *file, const char *name, const char *value)
{
    fprintf(file, "\"%s\": ", name);
    put_string(file, value);
}

static void put_json_place(FILE *file, const char *name, struct place place)
{
    if (place.file) {
        fprintf(file, ",\n   \"%s\": {", name);
        put_member(file, "file", place.file);
        fprintf(file, ", \"line\": %d}", place.line);
    }
}

static void put_json(FILE *file)
{
    fputs("{\"findings\": [", file);
    for (size_t i = 0; i < kept_count; i++) {
        fprintf(file, "%s\n  {\"number\": %zu, \"kind\": \"%s\", \"level\": \"%s\", ", i ? "," : "",
                i + 1, kinds[kept[i].wrong], kept[i].is_note ? "note" : "error");
        put_member(file, "kernel", kept[i].kernel);
        put_json_place(file, "at", kept[i].at);
        put_json_place(file, "other", kept[i].other);
        fprintf(file, ",\n   \"times\": %" PRIu64 ",\n   ", kept[i].count);
        put_member(file, "text", kept[i].text);
        fputc('}', file);
    }
    fputs("\n ],\n \"unchecked\": [", file);
    for (size_t i = 0; i < unchecked_count; i++) {
        fprintf(file, "%s\n  {", i ? "," : "");
        put_member(file, "kernel", unchecked[i].kernel);
        put_json_place(file, "at", unchecked[i].at);
        fprintf(file, ",\n   \"launches\": %" PRIu64 ", \"blocks\": %" PRIu64 "}",
                unchecked[i].launches, unchecked[i].blocks);
    }
    fprintf(file, "\n ],\n \"suppressed\": %" PRIu64 "}\n", suppressed);
}

/* Removes the current directory from the path: services know files by relative paths. */
static const char *from_here(const char *path)
{
    char here[PLACE];
    size_t length;
    if (!getcwd(here, sizeof here)) {
        return path;
    }
    length = strlen(here);
    return strncmp(path, here, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

static void put_location(FILE *file, const char *list, struct place place)
{
    if (place.file) {
        fprintf(file, ",\n     \"%s\": [{\"physicalLocation\": {\"artifactLocation\": {", list);
        put_member(file, "uri", from_here(place.file));
        fprintf(file, "}, \"region\": {\"startLine\": %d}}}]", place.line);
    }
}

static void put_sarif(FILE *file)
{
    fputs("{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n"
          " \"version\": \"2.1.0\",\n"
          " \"runs\": [{\"tool\": {\"driver\": {\"name\": \"simt\", \"rules\": [",
          file);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        fprintf(file, "{\"id\": \"%s\"}, ", kinds[i]);
    }
    fputs("{\"id\": \"unchecked\"}]}},\n   \"results\": [", file);
    for (size_t i = 0; i < kept_count; i++) {
        fprintf(
            file, "%s\n    {\"ruleId\": \"%s\", \"level\": \"%s\", \"occurrenceCount\": %" PRIu64,
            i ? "," : "", kinds[kept[i].wrong], kept[i].is_note ? "note" : "error", kept[i].count);
        fputs(",\n     \"message\": {", file);
        put_member(file, "text", kept[i].text);
        fputc('}', file);
        put_location(file, "locations", kept[i].at);
        put_location(file, "relatedLocations", kept[i].other);
        fputc('}', file);
    }
    for (size_t i = 0; i < unchecked_count; i++) {
        char *text;
        size_t size;
        FILE *words = simt_needed(open_memstream(&text, &size), "the checks");
        fputs("not checked: ", words);
        put_unchecked(words, &unchecked[i]);
        fclose(words);
        fprintf(file,
                "%s\n    {\"ruleId\": \"unchecked\", \"level\": \"note\",\n     \"message\": {",
                i || kept_count ? "," : "");
        put_member(file, "text", text);
        fputc('}', file);
        free(text);
        put_location(file, "locations", unchecked[i].at);
        fputc('}', file);
    }
    fputs("\n   ]}]}\n", file);
}

bool simt_write_kept(bool at_end)
{
    static bool failed;
    const char *path = simt_asked("SIMT_FINDINGS"), *suffix;
    struct simt_output output;
    FILE *file;
    if (!path || failed || !(at_end || simt_output_is_regular(path))) {
        return !failed;
    }
    file = simt_output_begin(&output, "SIMT_FINDINGS", path);
    suffix = strrchr(path, '.');
    if (suffix && strcmp(suffix, ".sarif") == 0) {
        put_sarif(file);
    } else {
        put_json(file);
    }
    failed = !simt_output_end(&output, file);
    return !failed;
}
/* SPDX-License-Identifier: MIT */
