/* Asynchronous copies to shared memory: queued per thread, made when the thread waits. */
#include <stdio.h>
#include <string.h>

#include "machine/pipeline.h"

#include "base/exit.h"
#include "base/need.h"
#include "machine/hooks.h"
#include "machine/reports.h"

static struct simt_pipeline *current_pipeline(void)
{
    simt_grid.pipelines_used = true;
    return &simt_current->pipeline;
}

void simt_pipeline_copy(void *destination, const void *source, size_t size, size_t zero_fill,
                        const char *file, int line)
{
    struct simt_pipeline *pipeline = current_pipeline();
    const char *wrong = size != 4 && size != 8 && size != 16 ? "copies 4, 8 or 16 bytes"
                        : zero_fill > size                   ? "cannot fill more than it copies"
                        : (uintptr_t)destination % size != 0 ? "needs an aligned destination"
                        : (uintptr_t)source % size != 0      ? "needs an aligned source"
                                                             : NULL;
    if (wrong) {
        simt_report_place();
        fprintf(stderr, ": __pipeline_memcpy_async() at %s:%d %s\n", file, line, wrong);
        simt_exit();
    }
    pipeline->copies = simt_with_room(pipeline->copies, pipeline->count, &pipeline->capacity,
                                      sizeof *pipeline->copies, "asynchronous copies");
    pipeline->copies[pipeline->count++] = (struct simt_pipeline_copy){destination,
                                                                      source,
                                                                      __builtin_return_address(0),
                                                                      (unsigned char)size,
                                                                      (unsigned char)zero_fill,
                                                                      pipeline->group};
    /* The load and the store are one instruction of the warp. */
    if (simt_tracing && size > zero_fill) {
        simt_trace_event(EVENT_LOAD, __builtin_return_address(0), (uintptr_t)source,
                         (unsigned int)(size - zero_fill));
    }
    if (simt_tracing) {
        simt_trace_event(EVENT_COPY, __builtin_return_address(0), (uintptr_t)destination,
                         (unsigned int)size);
    }
}

void simt_pipeline_drain(struct simt_pipeline *pipeline, size_t first_kept_group)
{
    size_t done = 0;
    while (done < pipeline->count && pipeline->copies[done].group < first_kept_group) {
        const struct simt_pipeline_copy *copy = &pipeline->copies[done++];
        size_t copied = (size_t)(copy->size - copy->zero_fill);
        if (simt_tracing) {
            simt_trace_event(EVENT_COPIED, copy->caller, (uintptr_t)copy->destination, copy->size);
        }
        memcpy(copy->destination, copy->source, copied);
        memset((char *)copy->destination + copied, 0, copy->zero_fill);
    }
    if (done > 0) {
        pipeline->count -= done;
        memmove(pipeline->copies, pipeline->copies + done,
                pipeline->count * sizeof *pipeline->copies);
    }
}

void simt_pipeline_commit(void)
{
    current_pipeline()->group++;
}

void simt_pipeline_wait_prior(size_t groups)
{
    struct simt_pipeline *pipeline = current_pipeline();
    if (groups < pipeline->group) {
        simt_pipeline_drain(pipeline, pipeline->group - groups);
    }
}
/* SPDX-License-Identifier: MIT */
