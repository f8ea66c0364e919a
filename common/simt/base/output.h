/* Files that a variable of the environment asks for. They are opened when the program begins: it ends
 * at once, with one line and status 4, if one cannot be, and so it does at its end if what it has
 * written is lost. */
#ifndef SIMT_OUTPUT_H
#define SIMT_OUTPUT_H

#include <stdio.h>

FILE *simt_output_open(const char *variable, const char *path);
/* Called at exit. */
void simt_output_close(FILE *file, const char *variable, const char *path);

#endif
