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
/* Writes the file that SIMT_FINDINGS names: NAME.sarif as SARIF, any other as JSON. */
void simt_write_kept(void);
/* At the program's end, if there were any: how many. True if one was no note. */
bool simt_tell_kept(FILE *file);

#endif
