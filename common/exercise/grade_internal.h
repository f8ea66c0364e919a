/* The interface between the parts of the grader. grade.c judges. grade_run.c starts a process for
 * each run of the answer, and grade_answer.c runs in that process. grade_gpu.c or grade_threads.c
 * counts there; grade_plain.c counts nothing.
 *
 * Two programs are linked from the same object files. The grader, which judges, is linked with the
 * skeleton and never calls it. The answer's program is linked with the answer. Therefore no code of
 * the answer runs in the grader: no constructor, no resolver of an ifunc, and no function with the
 * name of a function in libc. */
#ifndef RUNGS_GRADE_INTERNAL_H
#define RUNGS_GRADE_INTERNAL_H

#include "grade.h"
#include "speed.h"

enum {
    GRADE_MOST_FINDINGS = 8192,
    GRADE_MOST_BUFFERS = 256,
    GRADE_MOST_ARGUMENTS = 8192, /* bytes */
    GRADE_SHOWN_OUTPUT = 600,    /* bytes of the answer's output that are shown */
    GRADE_MOST_PAGE = 8 << 20,   /* bytes of a page of the explorer */
    GRADE_MACHINE_ERROR = 3      /* exit status */
};

/* What the grader knows about one run. */
struct grade_record {
    struct grade_line lines[GRADE_MOST_LINES];
    size_t line_count;
    uint64_t launches, threads;
    uint64_t least_reads;               /* CPU threads: words that the least busy thread read */
    char findings[GRADE_MOST_FINDINGS]; /* broken rules, "" if none */
    struct speed speed;                 /* measured by grade_time */
    char device[64];                    /* the GPU that ran the measurement */
};

/* ---- between the grader and the answer's process --------------------------------------------- */

/* Whole pages at the same address in both programs, followed by an inaccessible page. The answer's
 * process has a copy of them. */
struct grade_buffer {
    void *map;
    size_t bytes; /* without that page */
    bool is_output;
};

/* The job for the answer's process, in a file without a name. The buffers' contents follow it. */
struct grade_job {
    uint64_t number;  /* random for each run: a reply with another number is not valid */
    ptrdiff_t runner; /* distance of run() from the anchor: both are in one section of check.o */
    bool has_page;
    size_t buffer_count, argument_bytes;
    struct grade_buffer buffers[GRADE_MOST_BUFFERS];
    _Alignas(16) char arguments[GRADE_MOST_ARGUMENTS];
};

/* The reply of the answer's process. The contents of the outputs follow it. */
struct grade_reply {
    uint64_t number;
    bool is_machine; /* this machine cannot run it: record.findings says why; no outputs follow */
    struct grade_record record;
};

enum { GRADE_JOB_FILE = 3, GRADE_REPLY_FILE, GRADE_PAGE_FILE }; /* open in the answer's process */

#define GRADE_ANSWER_ARGUMENT "--answer" /* the only argument of the answer's program */

/* A function of check.o. */
const char *grade_anchor(void);

/* main() of the answer's program. */
_Noreturn void grade_answer(void);

/* For the answer's process, before it calls the answer: reports that this machine cannot run it. */
_Noreturn void grade_not_here(const char *what, const char *why);

/* ---- between grade.c and grade_run.c --------------------------------------------------------- */

enum grade_verdict { GRADE_PASSED, GRADE_FAILED, GRADE_NOT_GRADED, GRADE_LEFT_OUT };

struct grade {
    uint64_t seed, drawn;
    struct grade_buffer buffers[GRADE_MOST_BUFFERS];
    size_t buffer_count;
    struct grade_record record; /* the last run */
    enum grade_verdict verdict;
    int part; /* percent of the points, for a test of speed that has failed */
    struct speed speed;
    char reference[64];
    int line;
    char text[200];
    char message[2048], on_a_gpu[512];
};

/* The state that outlives a test. */
struct grade_session {
    const char *output_path;              /* a file for what the answer prints */
    int answer_program;                   /* an open file */
    int seconds;                          /* the limit of processor time and of waiting per run */
    unsigned runs;                        /* the answer's runs so far */
    bool out_of_time;                     /* a run was stopped: the tests after it are not run */
    bool printed_result;                  /* the answer printed what looks like a grader's result */
    char findings[GRADE_MOST_FINDINGS];   /* of the first run that broke a rule */
    char printed[GRADE_SHOWN_OUTPUT + 1]; /* the answer's output in the first run that printed */
    int page;                             /* an open file for a page of the explorer, or -1 */
};
extern struct grade_session grade_session;

_Noreturn void grade_stop(const char *what); /* prints errno's text; ends the grader */
uint64_t grade_fresh_number(void);
int grade_first_report(const char *reports); /* the length of the first report */
void grade_confine_grader(void);             /* once, before the first run */

/* ---- what counts ----------------------------------------------------------------------------- */

/* The answer's process calls these before and after the run. */
void grade_record_begin(void);
void grade_record_end(struct grade_record *record);

/* For the answer's process: writes a page of the explorer (docs/explorer.md) to the open file when
 * the run is over or when a report ends it. */
void grade_explore_begin(int page);
void grade_explore_end(void);

/* Whether the answer runs on a GPU. If so, the grader times and does not count. The process then
 * has no limit of address space, because the driver reserves more of it than there is memory. */
extern const bool grade_on_gpu;

/* Whether the findings are about a GPU. */
extern const bool grade_counts_gpu;

#endif
/* SPDX-License-Identifier: MIT */
