/* Counts as JSON. */
#include <inttypes.h>
#include <stdlib.h>

#include "count/counted.h"

static void json_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', file);
        }
        if ((unsigned char)*text >= 0x20) {
            fputc(*text, file);
        }
    }
    fputc('"', file);
}

static void json_counters(FILE *file, const struct simt_line_counters *counters)
{
    static const char *const names[SIMT_ACCESSES] = {
        "global_loads",  "global_stores",  "global_atomics", "shared_loads",
        "shared_stores", "shared_atomics", "constant_loads"};
    for (int i = 0; i < SIMT_ACCESSES; i++) {
        const struct simt_access_counters *access = &counters->access[i];
        fprintf(file, "\"%s\": {\"requests\": %" PRIu64 ", \"lanes\": %" PRIu64, names[i],
                access->requests, access->lanes);
        if (simt_is_shared(i)) {
            fprintf(file, ", \"wavefronts\": %" PRIu64 ", \"bank_conflicts\": %" PRIu64,
                    access->units, access->conflicts);
        } else {
            fprintf(file,
                    ", \"sectors\": %" PRIu64 ", \"bytes_moved\": %" PRIu64
                    ", \"bytes_needed\": %" PRIu64,
                    access->units, 32 * access->units, access->bytes);
        }
        if (i == SIMT_GLOBAL_ATOMIC || i == SIMT_SHARED_ATOMIC) {
            fprintf(file, ", \"lanes_on_one_address\": %" PRIu64, access->crowd);
        }
        fprintf(file, "}, ");
    }
    fprintf(file,
            "\"splits\": %" PRIu64 ", \"barriers\": %" PRIu64 ", \"syncwarps\": %" PRIu64
            ", \"shuffles\": %" PRIu64 ", \"votes\": %" PRIu64,
            counters->splits, counters->barriers, counters->syncwarps, counters->shuffles,
            counters->votes);
    if (counters->bulk_copies > 0) {
        fprintf(file, ", \"bulk_copies\": %" PRIu64 ", \"bulk_bytes\": %" PRIu64,
                counters->bulk_copies, counters->bulk_bytes);
    }
    if (counters->matrix > 0) {
        fprintf(file, ", \"matrix\": %" PRIu64 ", \"matrix_wavefronts\": %" PRIu64,
                counters->matrix, counters->matrix_wavefronts);
    }
}

void simt_print_json(FILE *file, const struct simt_kernel_counters *kernels, size_t kernel_count)
{
    fprintf(file, "{\"instrumented\": %s, \"kernels\": [", simt_instrumented() ? "true" : "false");
    for (size_t i = 0; i < kernel_count; i++) {
        const struct simt_kernel_counters *kernel = &kernels[i];
        size_t count;
        struct simt_counted_line *lines = simt_counted_lines(kernel, &count);
        fprintf(file, "%s\n {\"name\": ", i > 0 ? "," : "");
        json_text(file, kernel->name);
        fprintf(file, ", \"file\": ");
        json_text(file, kernel->file);
        fprintf(file,
                ", \"line\": %d, \"launches\": %" PRIu64 ", \"blocks\": %" PRIu64
                ", \"threads\": %" PRIu64 ",\n  ",
                kernel->line, kernel->launches, kernel->blocks, kernel->threads);
        json_counters(file, &kernel->totals);
        fprintf(file, ",\n  \"lines\": [");
        for (size_t j = 0; j < count; j++) {
            fprintf(file, "%s\n   {\"file\": ", j > 0 ? "," : "");
            json_text(file, lines[j].file);
            fprintf(file, ", \"line\": %d, ", lines[j].number);
            json_counters(file, &lines[j].counters);
            fprintf(file, "}");
        }
        fprintf(file, "]}");
        free(lines);
    }
    fprintf(file, "\n]}\n");
}
/* SPDX-License-Identifier: MIT */
