/* Writes the record as JSON. page/model.js reads it. */
#include <inttypes.h>
#include <stdlib.h>

#include "explore/explore.h"
#include "machine/machine.h"

/* The operations after the collectives, in the order of struct lane_matrix. */
static const char tensor_core_names[] = "\"mma.sync\", \"ldmatrix\", \"stmatrix\", \"movmatrix\", "
                                        "\"wgmma.mma_async\", \"wgmma.fence\", "
                                        "\"wgmma.commit_group\", \"wgmma.wait_group\"";

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
    size_t site = explore_number_of(step->place);
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

/* The offsets of the launch's arguments that point into this memory. */
static void put_pointers(FILE *file, const struct explored_launch *launch,
                         const struct explored_memory *memory)
{
    const char *before = "";
    fputs(",[", file);
    for (size_t i = 0; i < launch->pointer_count; i++) {
        if (launch->pointers[i].address - memory->base < memory->size) {
            fprintf(file, "%s%zu", before, launch->pointers[i].offset);
            before = ",";
        }
    }
    fputc(']', file);
}

static void put_block(FILE *file, const struct explored_launch *launch,
                      const struct explored_block *block)
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
        explore_put_text(file, memory->name ? memory->name : "");
        fprintf(file, ",%d", memory->rank);
        if (memory->space == SPACE_GLOBAL && !memory->name) {
            put_pointers(file, launch, memory);
        }
        fputc(']', file);
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
        fprintf(file, "%s[%zu", i ? ",\n" : "\n", explore_number_of(launch->sites[i].place));
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

static void put_findings(FILE *file, const struct explored_launch *launch)
{
    fputs(" \"findings\": [", file);
    for (size_t i = 0; i < launch->finding_count; i++) {
        const struct explored_finding *finding = &launch->findings[i];
        char *text = explore_shortened(finding->text);
        fprintf(file, "%s[%d,%d,", i ? ",\n" : "",
                finding->place ? (int)explore_number_of(finding->place) : -1,
                finding->other_place ? (int)explore_number_of(finding->other_place) : -1);
        explore_put_text(file, text);
        free(text);
        fputc(']', file);
    }
    fputs("],\n", file);
}

static void put_launch(FILE *file, const struct explored_launch *launch)
{
    const struct uint3 grid = launch->grid, block = launch->block;
    fputs("{\"part\": ", file);
    explore_put_text(file, launch->part ? launch->part : "");
    fputs(", \"kernel\": ", file);
    explore_put_text(file, launch->name);
    fprintf(file,
            ", \"launched\": [%d,%d], \"grid\": [%u,%u,%u], \"block\": [%u,%u,%u], "
            "\"shared\": %zu, \"ended\": %s, \"notKept\": %zu, \"argumentBytes\": %zu,\n",
            explore_file_number(launch->file), launch->line, grid.x, grid.y, grid.z, block.x,
            block.y, block.z, launch->shared_bytes, launch->ended ? "true" : "false",
            launch->not_kept, launch->argument_bytes);
    if (launch->stopped) {
        const struct uint3 in = launch->stopped_in;
        fprintf(file, " \"stopped\": [%u,%u,%u],\n", in.x, in.y, in.z);
    }
    put_counters(file, launch);
    put_findings(file, launch);
    fputs(" \"blocks\": [", file);
    for (size_t i = 0; i < launch->block_count; i++) {
        fputs(i ? ",\n" : "\n", file);
        put_block(file, launch, launch->blocks[i]);
    }
    fputs("]}", file);
}

void explore_write_data(FILE *file, const char *title)
{
    explore_collect_places();
    fputs("{\"title\": ", file);
    explore_put_text(file, title);
    fputs(",\n\"operations\": [", file);
    for (int i = 0; i < SIMT_COLLECTIVES; i++) {
        explore_put_text(file, simt_collective_name((enum simt_collective)i));
        fputs(", ", file);
    }
    fputs(tensor_core_names, file);
    fputs("],\n\"launches\": [", file);
    for (size_t i = 0; i < explored_launch_count; i++) {
        fputs(i ? ",\n" : "\n", file);
        put_launch(file, &explored_launches[i]);
    }
    fputs("]", file);
    explore_put_sites(file);
    explore_put_files(file);
    fputs("}\n", file);
}
/* SPDX-License-Identifier: MIT */
