/* Between grade.c and what counts: grade_gpu.c, grade_threads.c, or neither (grade_plain.c). */
#ifndef RUNGS_GRADE_INTERNAL_H
#define RUNGS_GRADE_INTERNAL_H

#include "grade.h"
#include "speed.h"

enum { GRADE_MOST_FINDINGS = 8192 };

/* What one run did. */
struct grade_record {
    struct grade_line lines[GRADE_MOST_LINES];
    size_t line_count;
    uint64_t launches, threads;
    uint64_t least_reads;               /* CPU threads: words that the least busy one has read */
    char findings[GRADE_MOST_FINDINGS]; /* broken rules, "" if none */
    struct speed speed;                 /* of grade_time */
    char device[64];                    /* on which it was measured */
};

/* In the answer's process, around the run. */
void grade_record_begin(void);
void grade_record_end(struct grade_record *record);

/* In the answer's process: a page of the explorer (docs/explorer.md) goes to the open file, once
 * the run is over, or when a report ends it. */
void grade_explore_begin(int page);
void grade_explore_end(void);

/* Whether the answer runs on a GPU: there speed is timed, nothing is counted, and the process can
 * have no limit of address space, since the driver reserves more of it than there is memory. */
extern const bool grade_on_gpu;

/* Whether what is found is about a GPU. */
extern const bool grade_counts_gpu;

#endif
