/* Between the parts of the grader. grade.c judges; grade_run.c starts a process for each run of the
 * answer; grade_answer.c is what that process does. What counts there is grade_gpu.c,
 * grade_threads.c, or neither (grade_plain.c).
 *
 * There are two programs of the same object files. The grader, which judges, is linked with the
 * skeleton and never calls it. The answer's program is linked with the answer. So no code of the
 * answer runs in the grader: no constructor, no resolver of an ifunc, and no function that has a
 * name of libc's. */
#ifndef RUNGS_GRADE_INTERNAL_H
#define RUNGS_GRADE_INTERNAL_H

#include "grade.h"
#include "speed.h"

enum {
    GRADE_MOST_FINDINGS = 8192,
    GRADE_MOST_BUFFERS = 256,
    GRADE_MOST_ARGUMENTS = 8192, /* bytes */
    GRADE_SHOWN_OUTPUT = 600,    /* bytes of what the answer prints that are shown */
    GRADE_MOST_PAGE = 8 << 20,   /* bytes of a page of the explorer */
    GRADE_MACHINE_ERROR = 3      /* exit status */
};

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

/* ---- between the grader and the answer's process --------------------------------------------- */

/* Whole pages at the same address in both programs, and a page behind them that may not be
 * touched. The answer's process has a copy. */
struct grade_buffer {
    void *map;
    size_t bytes; /* without that page */
    bool is_output;
};

/* What the answer's process is given, in a file without a name; the buffers' contents follow. */
struct grade_job {
    uint64_t number;  /* new for each run: what an answer may write by chance is no reply */
    ptrdiff_t runner; /* run(), seen from the anchor: both are in check.o, in one section */
    bool has_page;
    size_t buffer_count, argument_bytes;
    struct grade_buffer buffers[GRADE_MOST_BUFFERS];
    _Alignas(16) char arguments[GRADE_MOST_ARGUMENTS];
};

/* What it replies; the contents of the outputs follow. */
struct grade_reply {
    uint64_t number;
    bool is_machine; /* this machine cannot run it: record.findings says why, and nothing follows */
    struct grade_record record;
};

enum { GRADE_JOB_FILE = 3, GRADE_REPLY_FILE, GRADE_PAGE_FILE }; /* open in the answer's process */

#define GRADE_ANSWER_ARGUMENT "--answer" /* of the answer's program, and its only one */

/* A function of check.o. */
const char *grade_anchor(void);

/* main() of the answer's program. */
_Noreturn void grade_answer(void);

/* In the answer's process, before the answer is called: this machine cannot run it. */
_Noreturn void grade_not_here(const char *what, const char *why);

/* ---- between grade.c and grade_run.c --------------------------------------------------------- */

enum grade_verdict { GRADE_PASSED, GRADE_FAILED, GRADE_NOT_GRADED, GRADE_LEFT_OUT };

struct grade {
    uint64_t seed, drawn;
    struct grade_buffer buffers[GRADE_MOST_BUFFERS];
    size_t buffer_count;
    struct grade_record record; /* of the last run */
    enum grade_verdict verdict;
    int part; /* of 100, for a test of speed that has failed */
    struct speed speed;
    char reference[64];
    int line;
    char text[200];
    char message[2048], on_a_gpu[512];
};

/* What outlives a test. */
struct grade_session {
    const char *output_path;              /* a file for what the answer prints */
    int answer_program;                   /* open */
    int seconds;                          /* of processor time for a run, or of waiting */
    unsigned runs;                        /* of the answer, so far */
    bool out_of_time;                     /* a run was stopped: the tests after it are not run */
    bool printed_result;                  /* something in what it printed looks like the grader's */
    char findings[GRADE_MOST_FINDINGS];   /* of all runs: the first that broke a rule */
    char printed[GRADE_SHOWN_OUTPUT + 1]; /* by the answer, in the first run that printed */
    int page;                             /* open: a run shall write a page there; or -1 */
};
extern struct grade_session grade_session;

_Noreturn void grade_stop(const char *what); /* with errno: this machine cannot grade it */
uint64_t grade_fresh_number(void);
int grade_first_report(const char *reports); /* the length of the first; others often follow it */
void grade_confine_grader(void);             /* once, before the first run */

/* ---- what counts ----------------------------------------------------------------------------- */

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
/* SPDX-License-Identifier: MIT */
