/* Findings of the whole program: numbered, each pair of lines once, and as a file for an editor or
 * for continuous integration. */
#ifndef SIMT_KEPT_H
#define SIMT_KEPT_H

#include "check/findings.h"

/* Whether the program goes on after a finding: SIMT_CHECKS=report. */
extern bool simt_goes_on;

/* Named in SIMT_SUPPRESSIONS' file, it is only counted. */
bool simt_is_suppressed(const struct finding *finding);
/* Keeps it; its number, or 0 if these lines are known already. */
unsigned int simt_keep_finding(const struct finding *finding, bool is_note);
/* So many blocks of a launch were not checked; and all such, in one line. */
void simt_add_unchecked(const struct simt_launch *launch, uint64_t blocks);
void simt_tell_unchecked(FILE *file);
/* Writes the file that SIMT_FINDINGS names: NAME.sarif as SARIF, any other as JSON. (One that is no
 * regular file can be written only once, at the end.) False after a line that says why not. */
bool simt_write_kept(bool at_end);
/* At the program's end: how many there were, if it went on after them, and were suppressed. */
void simt_tell_kept(FILE *file);
/* Whether one was more than a note. */
bool simt_have_kept(void);

#endif
/* SPDX-License-Identifier: MIT */
