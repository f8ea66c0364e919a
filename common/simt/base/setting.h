/* What the environment sets: SIMT_...; the table in setting.c has all of it. A variable that is
 * empty counts as not set. All are checked before main: one that makes no sense ends the program
 * with one line and status 2, and a file that cannot be used with status 4. */
#ifndef SIMT_SETTING_H
#define SIMT_SETTING_H

/* What the variable is; NULL: it is not set. */
const char *simt_asked(const char *variable);
/* The number that the variable is, or the usual one. */
double simt_setting(const char *variable, double usual);
/* The place of the variable's word among those that it takes, from 0; -1: it is not set. */
int simt_choice(const char *variable);

#endif
/* SPDX-License-Identifier: MIT */
