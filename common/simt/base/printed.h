/* Whether a kernel prints: while it is looked for, what comes to standard output is no launch that
 * can be repeated. */
#ifndef SIMT_PRINTED_H
#define SIMT_PRINTED_H

void simt_printed_begin(void);
void simt_printed_end(void);

#endif
/* SPDX-License-Identifier: MIT */
