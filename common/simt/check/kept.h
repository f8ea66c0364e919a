/* The findings of the whole program: numbered, one per pair of lines, and written to a file for an
 * editor or for continuous integration. */
#ifndef SIMT_KEPT_H
#define SIMT_KEPT_H

#include "check/findings.h"

/* Whether the program continues after a finding: SIMT_CHECKS=report. */
extern bool simt_goes_on;

/* True if the file of SIMT_SUPPRESSIONS lists it. Then it is only counted. */
bool simt_is_suppressed(const struct finding *finding);
/* Stores it. Returns its number, or 0 if these lines are known already. */
unsigned int simt_keep_finding(const struct finding *finding, bool is_note);
/* Counts unchecked blocks of a launch; and reports all of them in one line. */
void simt_add_unchecked(const struct simt_launch *launch, uint64_t blocks);
void simt_tell_unchecked(FILE *file);
/* Writes the file of SIMT_FINDINGS: NAME.sarif as SARIF, others as JSON. (A pipe or device is
 * written only once, at the end.) On failure, prints the reason and returns false. */
bool simt_write_kept(bool at_end);
/* At the program's end: reports the number of findings, and of suppressed ones. */
void simt_tell_kept(FILE *file);
/* Whether there was a finding other than notes. */
bool simt_have_kept(void);

#endif
/* SPDX-License-Identifier: MIT */
