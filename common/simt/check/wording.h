/* The text of findings, in words that a learner understands. */
#ifndef SIMT_WORDING_H
#define SIMT_WORDING_H

#include "check/findings.h"

void simt_tell_finding(FILE *file, const struct finding *finding);
/* "FILE:LINE:  text", and the line that called it from a kernel. */
void simt_tell_line(FILE *file, unsigned int site);
bool simt_is_same_line(unsigned int site, unsigned int other_site);
/* Not an error, but worth a note: several threads write the same value. */
bool simt_is_note(const struct finding *finding);
/* findings.c. Whether the two lines race only inside of warps. A fix for that alone would not fix
 * other races. */
bool simt_is_inside_warps(const struct finding *race);

#endif
/* SPDX-License-Identifier: MIT */
