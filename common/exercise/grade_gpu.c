/* Exercises in CUDA C: device memory, and the counts of common/simt. Without GRADE_SIMT, this file
 * is for a GPU. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "grade_internal.h"

static void must(cudaError_t status, const char *call)
{
    if (status == cudaSuccess)
        return;
    fprintf(stderr, "grader: %s: %s\n", call, cudaGetErrorString(status));
    fflush(NULL);
    _exit(3);
}

void *grade_to_device(const void *from, size_t bytes)
{
    void *memory = NULL;

    must(cudaMalloc(&memory, bytes > 0 ? bytes : 1), "cudaMalloc");
    if (from == NULL)
        must(cudaMemset(memory, 0xFF, bytes), "cudaMemset");
    else
        must(cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    return memory;
}

void grade_from_device(void *to, const void *from, size_t bytes)
{
    must(cudaGetLastError(), "kernel launch");
    must(cudaDeviceSynchronize(), "kernel");
    must(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

void grade_clear(void *memory, size_t bytes)
{
    must(cudaMemsetAsync(memory, 0, bytes, 0), "cudaMemsetAsync");
}

/* ---- speed ----------------------------------------------------------------------------------- */

static struct speed measured; /* in the answer's process */

struct timed {
    void (*answer)(void *data);
    void (*reference)(void *data);
    void *data;
    cudaEvent_t begin, end;
};

static double time_calls(void *of, bool reference, unsigned calls)
{
    const struct timed *const timed = of;
    void (*const call)(void *) = reference ? timed->reference : timed->answer;
    float milliseconds = 0;

    must(cudaDeviceSynchronize(), "kernel");
    must(cudaEventRecord(timed->begin, 0), "cudaEventRecord");
    for (unsigned i = 0; i < calls; i++)
        call(timed->data);
    must(cudaEventRecord(timed->end, 0), "cudaEventRecord");
    must(cudaGetLastError(), "kernel launch");
    must(cudaEventSynchronize(timed->end), "kernel");
    must(cudaEventElapsedTime(&milliseconds, timed->begin, timed->end), "cudaEventElapsedTime");
    return (double)milliseconds * 1e3;
}

void grade_time(void (*answer)(void *data), void (*reference)(void *data), void *data)
{
    struct timed timed = {answer, reference, data, NULL, NULL};

    must(cudaEventCreate(&timed.begin), "cudaEventCreate");
    must(cudaEventCreate(&timed.end), "cudaEventCreate");
    measured = speed_measure(time_calls, &timed);
    cudaEventDestroy(timed.begin);
    cudaEventDestroy(timed.end);
}

#ifdef GRADE_SIMT
#include "simt.h"
#include "simt_analysis.h"

const bool grade_on_gpu = false, grade_counts_gpu = true;

void grade_record_begin(void)
{
    simt_findings_keep(true);
    simt_analyse(true);
    simt_analysis_reset();
    simt_counters_reset();
}

static FILE *page_file;
static const char page_title[] = "your answer";

void grade_explore_begin(int page)
{
    page_file = ftruncate(page, 0) == 0 && lseek(page, 0, SEEK_SET) == 0 ? fdopen(page, "w") : NULL;
    if (page_file == NULL || !simt_explore_start("0"))
        return;
    simt_explore_at_report(page_file, page_title);
}

void grade_explore_end(void)
{
    if (page_file != NULL && (!simt_explore_write(page_file, page_title) || fflush(page_file) != 0))
        fprintf(stderr, "grader: the page could not be written\n");
}

static bool is_answer(const char *file)
{
    const char *const slash = strrchr(file, '/');
    return strncmp(slash != NULL ? slash + 1 : file, "task.", 5) == 0;
}

void grade_record_end(struct grade_record *record)
{
    static struct simt_line found[GRADE_MOST_LINES];
    const size_t count = simt_analysis_lines(found, GRADE_MOST_LINES);
    struct simt_counters counters;

    simt_counters_read(&counters);
    record->launches = counters.launches;
    record->threads = counters.threads;
    record->line_count = count;
    for (size_t i = 0; i < count; i++) {
        const struct simt_line_counters *const from = &found[i].counters;
        const struct simt_access_counters *const access = from->access;
        record->lines[i] = (struct grade_line){
            .line = is_answer(found[i].file) ? found[i].line : 0,
            .load_requests = access[SIMT_GLOBAL_LOAD].requests,
            .load_sectors = access[SIMT_GLOBAL_LOAD].units,
            .load_bytes = access[SIMT_GLOBAL_LOAD].bytes,
            .store_requests = access[SIMT_GLOBAL_STORE].requests,
            .store_sectors = access[SIMT_GLOBAL_STORE].units,
            .store_bytes = access[SIMT_GLOBAL_STORE].bytes,
            .atomics = access[SIMT_GLOBAL_ATOMIC].requests,
            .atomic_lanes = access[SIMT_GLOBAL_ATOMIC].lanes,
            .shared_atomics = access[SIMT_SHARED_ATOMIC].requests,
            .crowd = access[SIMT_GLOBAL_ATOMIC].crowd + access[SIMT_SHARED_ATOMIC].crowd,
            .shared_requests =
                access[SIMT_SHARED_LOAD].requests + access[SIMT_SHARED_STORE].requests,
            .shared_lanes = access[SIMT_SHARED_LOAD].lanes + access[SIMT_SHARED_STORE].lanes,
            .conflicts = access[SIMT_SHARED_LOAD].conflicts + access[SIMT_SHARED_STORE].conflicts,
            .splits = from->splits,
            .barriers = from->barriers,
            .shuffles = from->shuffles,
            .votes = from->votes,
        };
    }
    snprintf(record->findings, sizeof record->findings, "%s", simt_findings());
}
#else
const bool grade_on_gpu = true, grade_counts_gpu = true;

void grade_explore_begin(int page)
{
    (void)page;
}

void grade_explore_end(void)
{
}

/* Sets up the device before the answer runs: an error here is not the answer's fault. */
void grade_record_begin(void)
{
    const cudaError_t status = cudaFree(NULL); /* the first call sets up the device */

    if (status != cudaSuccess)
        grade_not_here("the GPU", cudaGetErrorString(status));
}

void grade_record_end(struct grade_record *record)
{
    struct cudaDeviceProp properties;
    int device = 0;

    record->speed = measured;
    if (measured.pairs > 0 && cudaGetDevice(&device) == cudaSuccess &&
        cudaGetDeviceProperties(&properties, device) == cudaSuccess)
        snprintf(record->device, sizeof record->device, "%.60s", properties.name);
}
#endif
/* SPDX-License-Identifier: MIT */
