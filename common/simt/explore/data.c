/* What was recorded, as JSON. page/model.js reads it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "explore/explore.h"
#include "machine/machine.h"
#include "program/source.h"

/* What comes behind the collectives, in the order of struct lane_matrix. */
static const char tensor_core_names[] =
    "\"mma.sync\", \"ldmatrix\", \"stmatrix\", \"wgmma.mma_async\", \"wgmma.fence\", "
    "\"wgmma.commit_group\", \"wgmma.wait_group\"";

/* ---- text ---- */

/* How many bytes the UTF-8 character has that begins here; 0: it is none. */
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
    /* Longer than need be, surrogates, beyond the last. */
    if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
        (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f)) {
        return 0;
    }
    return bytes;
}

/* No "<": the data stand inside of a <script>. */
static void put_text(FILE *file, const char *text)
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

static void put_base64(FILE *file, const unsigned char *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        uint32_t three = (uint32_t)bytes[i] << 16 | (i + 1 < count ? bytes[i + 1] : 0u) << 8 |
                         (i + 2 < count ? bytes[i + 2] : 0u);
        fputc(digits[three >> 18], file);
        fputc(digits[three >> 12 & 63], file);
        fputc(i + 1 < count ? digits[three >> 6 & 63] : '=', file);
        fputc(i + 2 < count ? digits[three & 63] : '=', file);
    }
}

/* ---- places and files, by number ---- */

static uint32_t *places;
static size_t place_count, place_capacity;
static const char *files[64];
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

static int file_number(const char *path)
{
    size_t i = 0;
    while (i < file_count && strcmp(files[i], path) != 0) {
        i++;
    }
    if (i == sizeof files / sizeof *files || path[0] == '?') {
        return -1;
    }
    files[i] = path;
    file_count += i == file_count;
    return (int)i;
}

static void collect_places(void)
{
    size_t kept = 0;
    place_count = 0;
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
        file_number(simt_source_of(places[i])->kernel_file);
        file_number(simt_source_of(places[i])->file);
    }
    for (size_t i = 0; i < explored_launch_count; i++) {
        file_number(explored_launches[i].file);
    }
}

static size_t number_of(uint32_t place)
{
    const uint32_t *found = bsearch(&place, places, place_count, sizeof *places, compare_places);
    return found ? (size_t)(found - places) : 0;
}

static void put_sites(FILE *file)
{
    fputs(",\n\"sites\": [", file);
    for (size_t i = 0; i < place_count; i++) {
        const struct simt_source *source = simt_source_of(places[i]);
        fprintf(file, "%s[%d, %d, %d, %d, ", i ? ",\n" : "\n", file_number(source->kernel_file),
                source->kernel_line, file_number(source->file), source->line);
        put_text(file, source->function);
        fputc(']', file);
    }
    fputs("]", file);
}

/* The file in its folder: where that is, is nobody's business. */
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

static void put_files(FILE *file)
{
    fputs(",\n\"files\": [", file);
    for (size_t i = 0; i < file_count; i++) {
        fprintf(file, "%s{\"name\": ", i ? ",\n" : "\n");
        put_text(file, short_path(files[i]));
        fputs(", \"lines\": [", file);
        for (int line = 1; simt_source_text(files[i], line); line++) {
            fputs(line > 1 ? ",\n" : "\n", file);
            put_text(file, simt_source_text(files[i], line));
        }
        fputs("]}", file);
    }
    fputs("]", file);
}

/* ---- steps ---- */

static void put_values(FILE *file, const struct explored_block *block,
                       const struct explored_step *step)
{
    size_t lanes = step->same ? 1 : (size_t)__builtin_popcount(step->lanes);
    if (step->width == 0) {
        return;
    }
    fprintf(file, ",\"%s", step->same ? "*" : "");
    put_base64(file, block->values + step->values, lanes * step->width);
    fputc('"', file);
}

static void put_offsets(FILE *file, const struct explored_block *block,
                        const struct explored_step *step, int64_t from)
{
    int count = __builtin_popcount(step->lanes);
    fputc('[', file);
    for (int i = 0; i < count; i++) {
        fprintf(file, "%s%" PRId64, i ? "," : "", block->offsets[step->offsets + (size_t)i] - from);
    }
    fputc(']', file);
}

static void put_step(FILE *file, const struct explored_block *block,
                     const struct explored_step *step)
{
    size_t site = number_of(step->place);
    fprintf(file, "[%d,%u,%" PRIu32 ",%zu", step->kind, step->warp, step->lanes, site);
    if (step->kind <= EXPLORED_COPIED || step->kind == EXPLORED_MBARRIER) {
        fprintf(file, ",%d,%u,%" PRId64 ",", step->size, step->allocation, step->first);
        if (step->stride == EXPLORED_LIST) {
            put_offsets(file, block, step, step->first);
        } else {
            fprintf(file, "%" PRId64, step->stride);
        }
        put_values(file, block, step);
    } else if (step->kind == EXPLORED_COLLECTIVE) {
        fprintf(file, ",%d,%d,", step->operation, step->size);
        if (step->stride == EXPLORED_LIST) {
            put_offsets(file, block, step, 0);
        } else {
            fputc('0', file);
        }
        put_values(file, block, step);
    } else if (step->kind == EXPLORED_BRANCH) {
        fprintf(file, ",%" PRId64, step->first);
    }
    for (unsigned int i = 0; i < step->number_count; i++) {
        fprintf(file, ",%" PRId64, block->offsets[step->numbers + i]);
    }
    fputc(']', file);
}

static void put_block(FILE *file, const struct explored_block *block)
{
    static const char *const spaces[] = {[SPACE_LOCAL] = "local",
                                         [SPACE_GLOBAL] = "global",
                                         [SPACE_SHARED] = "shared",
                                         [SPACE_CONSTANT] = "constant",
                                         [SPACE_HOST] = "host"};
    fprintf(file,
            "{\"number\": %zu, \"index\": [%u,%u,%u], \"threads\": %u, \"seen\": %zu, "
            "\"barriers\": %zu, \"keptBarriers\": %zu, \"full\": %s, \"late\": %s,\n \"memory\": [",
            block->number, block->index.x, block->index.y, block->index.z, block->threads,
            block->seen, block->barriers, block->kept_barriers, block->full ? "true" : "false",
            block->joined_late ? "true" : "false");
    for (size_t i = 0; i < block->memory_count; i++) {
        const struct explored_memory *memory = &block->memory[i];
        fprintf(file, "%s[\"%s\",%zu,%d,%d,", i ? "," : "", spaces[memory->space], memory->size,
                memory->is_dynamic, memory->space == SPACE_SHARED ? 0 : (int)(memory->base % 128));
        put_text(file, memory->name ? memory->name : "");
        fprintf(file, ",%d]", memory->rank);
    }
    fputs("],\n \"steps\": [", file);
    for (size_t i = 0; i < block->count; i++) {
        fputs(i ? ",\n" : "\n", file);
        put_step(file, block, &block->steps[i]);
    }
    fputs("]}", file);
}

/* ---- launches ---- */

static void put_counters(FILE *file, const struct explored_launch *launch)
{
    const struct simt_counters *counts = &launch->counts;
    fprintf(file,
            " \"counts\": {\"launches\": %" PRIu64 ", \"blocks\": %" PRIu64
            ", \"threads\": %" PRIu64 ", \"block_barriers\": %" PRIu64
            ", \"warp_barriers\": %" PRIu64 ", \"shuffles\": %" PRIu64 ", \"votes\": %" PRIu64
            ", \"atomics\": %" PRIu64 "},\n",
            counts->launches, counts->blocks, counts->threads, counts->block_barriers,
            counts->warp_barriers, counts->shuffles, counts->votes, counts->atomics);
    fputs(" \"counted\": [", file);
    for (size_t i = 0; i < launch->site_count; i++) {
        const struct simt_line_counters *at = &launch->sites[i].counters;
        const uint64_t others[] = {at->splits, at->barriers,    at->syncwarps,  at->shuffles,
                                   at->votes,  at->bulk_copies, at->bulk_bytes, at->matrix};
        fprintf(file, "%s[%zu", i ? ",\n" : "\n", number_of(launch->sites[i].place));
        for (size_t j = 0; j < sizeof others / sizeof *others; j++) {
            fprintf(file, ",%" PRIu64, others[j]);
        }
        for (int j = 0; j < SIMT_ACCESSES; j++) {
            const struct simt_access_counters *access = &at->access[j];
            if (access->requests > 0) {
                fprintf(file,
                        ",[%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                        "]",
                        j, access->requests, access->lanes, access->units, access->conflicts,
                        access->bytes, access->crowd);
            }
        }
        fputc(']', file);
    }
    fputs("],\n", file);
}

/* The text with short names of files. */
static char *shortened(const char *text)
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

static void put_findings(FILE *file, const struct explored_launch *launch)
{
    fputs(" \"findings\": [", file);
    for (size_t i = 0; i < launch->finding_count; i++) {
        const struct explored_finding *finding = &launch->findings[i];
        char *text = shortened(finding->text);
        fprintf(file, "%s[%d,%d,", i ? ",\n" : "",
                finding->place ? (int)number_of(finding->place) : -1,
                finding->other_place ? (int)number_of(finding->other_place) : -1);
        put_text(file, text);
        free(text);
        fputc(']', file);
    }
    fputs("],\n", file);
}

static void put_launch(FILE *file, const struct explored_launch *launch)
{
    const struct uint3 grid = launch->grid, block = launch->block;
    fputs("{\"part\": ", file);
    put_text(file, launch->part ? launch->part : "");
    fputs(", \"kernel\": ", file);
    put_text(file, launch->name);
    fprintf(file,
            ", \"launched\": [%d,%d], \"grid\": [%u,%u,%u], \"block\": [%u,%u,%u], "
            "\"shared\": %zu, \"ended\": %s, \"notKept\": %zu,\n",
            file_number(launch->file), launch->line, grid.x, grid.y, grid.z, block.x, block.y,
            block.z, launch->shared_bytes, launch->ended ? "true" : "false", launch->not_kept);
    if (launch->stopped) {
        const struct uint3 in = launch->stopped_in;
        fprintf(file, " \"stopped\": [%u,%u,%u],\n", in.x, in.y, in.z);
    }
    put_counters(file, launch);
    put_findings(file, launch);
    fputs(" \"blocks\": [", file);
    for (size_t i = 0; i < launch->block_count; i++) {
        fputs(i ? ",\n" : "\n", file);
        put_block(file, launch->blocks[i]);
    }
    fputs("]}", file);
}

void explore_write_data(FILE *file, const char *title)
{
    file_count = 0;
    collect_places();
    fputs("{\"title\": ", file);
    put_text(file, title);
    fputs(",\n\"operations\": [", file);
    for (int i = 0; i < SIMT_COLLECTIVES; i++) {
        put_text(file, simt_collective_name((enum simt_collective)i));
        fputs(", ", file);
    }
    fputs(tensor_core_names, file);
    fputs("],\n\"launches\": [", file);
    for (size_t i = 0; i < explored_launch_count; i++) {
        fputs(i ? ",\n" : "\n", file);
        put_launch(file, &explored_launches[i]);
    }
    fputs("]", file);
    put_sites(file);
    put_files(file);
    fputs("}\n", file);
}
