/* Findings, in words that a learner understands. */
#ifndef SIMT_WORDING_H
#define SIMT_WORDING_H

#include "check/findings.h"

void simt_tell_finding(FILE *file, const struct finding *finding);
/* "FILE:LINE:  text", and the line that called it from a kernel. */
void simt_tell_line(FILE *file, unsigned int site);
bool simt_is_same_line(unsigned int site, unsigned int other_site);
/* Not wrong, but worth a word: several threads write the same value. */
bool simt_is_note(const struct finding *finding);
/* findings.c. Whether the two lines race inside of warps only. What helps against that race alone
 * would leave the others. */
bool simt_is_inside_warps(const struct finding *race);

#endif
/* SPDX-License-Identifier: MIT */
