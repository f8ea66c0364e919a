/* Records every request to memory of the first block of each launch, to draw or read them:
 * SIMT_REQUESTS=FILE. They are kept until the end, because source lines are looked up all at once.
 * simt_analysis_reset() also drops them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/requests.h"

#include "base/bits.h"
#include "base/need.h"
#include "base/output.h"
#include "base/setting.h"
#include "machine/machine.h"
#include "model/spaces.h"
#include "program/source.h"

struct request {
    unsigned int launch, barriers, warp, lanes, size;
    uint32_t place;
    enum simt_space space;
    enum simt_event_kind kind;
    uint64_t base, addresses[SIMT_WARP_SIZE]; /* base: the start of the allocation */
};

bool simt_requests_wanted;

static const char *path;
static struct request *requests;
static size_t count, capacity;
static char (*names)[64]; /* the names of the launches */
static unsigned int launch_count, barriers;
static size_t launch_capacity;

static bool is_first_block(void)
{
    const struct uint3 block = simt_running_block();
    return (block.x | block.y | block.z) == 0;
}

void simt_requests_launch(const struct simt_launch *launch)
{
    if (!simt_requests_wanted) {
        return;
    }
    names = simt_with_room(names, launch_count, &launch_capacity, sizeof *names, "SIMT_REQUESTS");
    snprintf(names[launch_count++], sizeof *names, "%s", launch->name);
    barriers = 0;
}

void simt_requests_barrier(void)
{
    if (simt_requests_wanted && is_first_block()) {
        barriers++;
    }
}

void simt_requests_add(uint32_t place, enum simt_space space, enum simt_event_kind kind,
                       unsigned int size, unsigned int warp, unsigned int lanes,
                       const uint64_t *addresses)
{
    if (!is_first_block()) {
        return;
    }
    requests = simt_with_room(requests, count, &capacity, sizeof *requests, "SIMT_REQUESTS");
    struct request *request = &requests[count++];
    *request = (struct request){.launch = launch_count,
                                .barriers = barriers,
                                .warp = warp,
                                .lanes = lanes,
                                .size = size,
                                .place = place,
                                .space = space,
                                .kind = kind};
    for (unsigned int set = lanes; set; set &= set - 1) {
        unsigned int lane = simt_lowest(set);
        request->addresses[lane] = addresses[lane];
    }
    request->base = simt_range_of(addresses[simt_lowest(lanes)])->base;
}

void simt_requests_reset(void)
{
    count = 0;
    launch_count = 0;
}

/* ---- at the end of the program ---- */

static void print_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', file);
        }
        fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
    }
    fputc('"', file);
}

static void print_request(FILE *file, const struct request *request)
{
    static const char *const spaces[] = {[SPACE_LOCAL] = "local",
                                         [SPACE_GLOBAL] = "global",
                                         [SPACE_SHARED] = "shared",
                                         [SPACE_CONSTANT] = "constant",
                                         [SPACE_HOST] = "host"};
    static const char *const kinds[] = {
        [EVENT_LOAD] = "load", [EVENT_STORE] = "store", [EVENT_ATOMIC] = "atomic"};
    const struct simt_source *source = simt_source_of(request->place);
    int line = source->kernel_file ? source->kernel_line : source->line;
    const char *in = source->kernel_file ? source->kernel_file : source->file;
    char text[160];

    fprintf(file, "{\"launch\": %u, \"kernel\": ", request->launch);
    print_text(file, names[request->launch - 1]);
    fprintf(file, ", \"barriers\": %u, \"warp\": %u, \"line\": %d, \"source\": ", request->barriers,
            request->warp, line);
    print_text(file, in && simt_source_line(in, line, text, sizeof text) ? text : "");
    fprintf(file, ", \"space\": \"%s\", \"access\": \"%s\", \"bytes\": %u, \"base\": %" PRIu64,
            spaces[request->space], kinds[request->kind], request->size, request->base);
    fputs(", \"offsets\": [", file);
    for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
        fputs(lane ? ", " : "", file);
        if (request->lanes >> lane & 1) {
            fprintf(file, "%" PRIu64, request->addresses[lane] - request->base);
        } else {
            fputs("null", file);
        }
    }
    fputs("]}", file);
}

static void print_at_end(void)
{
    struct simt_output output;
    FILE *file = simt_output_begin(&output, "SIMT_REQUESTS", path);
    uint32_t *places = simt_needed(malloc((count + 1) * sizeof *places), "SIMT_REQUESTS");
    for (size_t i = 0; i < count; i++) {
        places[i] = requests[i].place;
    }
    simt_sources_load(places, count);
    free(places);
    fputs("[", file);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",\n" : "\n", file);
        print_request(file, &requests[i]);
    }
    fputs("\n]\n", file);
    if (!simt_output_end(&output, file)) {
        simt_output_failed();
    }
}

void simt_requests_prepare(void)
{
    static bool prepared;
    if (prepared) {
        return;
    }
    prepared = true;
    path = simt_asked("SIMT_REQUESTS");
    simt_requests_wanted = path != NULL;
    if (path) {
        atexit(print_at_end);
    }
}
/* SPDX-License-Identifier: MIT */
