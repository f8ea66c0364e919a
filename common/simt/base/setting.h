/* Numbers that the environment sets. */
#ifndef SIMT_SETTING_H
#define SIMT_SETTING_H

/* What the variable says, or what is usual; at least 0. Anything else ends the program, which says
 * what is wanted: "a number of seconds". */
double simt_setting(const char *variable, const char *wanted, double usual);

#endif
