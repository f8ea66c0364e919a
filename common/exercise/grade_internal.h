/* Between grade.c and what counts: grade_gpu.c, grade_threads.c, or neither (grade_plain.c). */
#ifndef RUNGS_GRADE_INTERNAL_H
#define RUNGS_GRADE_INTERNAL_H

#include "grade.h"

enum { GRADE_MOST_FINDINGS = 8192 };

/* What one run did. */
struct grade_record {
    struct grade_line lines[GRADE_MOST_LINES];
    size_t line_count;
    uint64_t launches, threads;
    char findings[GRADE_MOST_FINDINGS]; /* broken rules, "" if none */
};

/* In the answer's process, around the run. */
void grade_record_begin(void);
void grade_record_end(struct grade_record *record);

/* Whether that process may have a limit of address space. */
extern const bool grade_limits_memory;

/* Whether what is found is about a GPU. */
extern const bool grade_counts_gpu;

#endif
