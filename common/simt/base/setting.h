/* Numbers and words that the environment sets. */
#ifndef SIMT_SETTING_H
#define SIMT_SETTING_H

/* What the variable says, or what is usual; at least 0. Anything else ends the program, which says
 * what is wanted: "a number of seconds". */
double simt_setting(const char *variable, const char *wanted, double usual);
/* The number, in a list that ends with NULL, of the word that the variable is; 0 if it is not set.
 * Anything else ends the program in the same way. */
unsigned int simt_choice(const char *variable, const char *wanted, const char *const *words);

#endif
