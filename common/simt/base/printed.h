/* Detects whether a kernel prints. Between these two calls, a launch that writes to standard output
 * is marked as not repeatable. */
#ifndef SIMT_PRINTED_H
#define SIMT_PRINTED_H

void simt_printed_begin(void);
void simt_printed_end(void);

#endif
/* SPDX-License-Identifier: MIT */
