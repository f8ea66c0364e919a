/* The settings in the environment, SIMT_...; the table in setting.c lists all of them. An empty
 * variable counts as not set. All are checked before main. An invalid value ends the program with
 * one line and status 2, an unusable file with status 4. */
#ifndef SIMT_SETTING_H
#define SIMT_SETTING_H

/* The value of the variable; NULL: not set. */
const char *simt_asked(const char *variable);
/* The number in the variable, or `usual` if it is not set. */
double simt_setting(const char *variable, double usual);
/* The index (from 0) of the variable's word in its list of words; -1: not set. */
int simt_choice(const char *variable);

#endif
/* SPDX-License-Identifier: MIT */
