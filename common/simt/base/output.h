/* Files that a variable of the environment asks for. One that cannot be opened ends the program at
 * once, with one line and status 4; what cannot be written ends it so in the end. */
#ifndef SIMT_OUTPUT_H
#define SIMT_OUTPUT_H

#include <stdio.h>

FILE *simt_output_open(const char *variable, const char *path);
/* Called at exit. */
void simt_output_close(FILE *file, const char *variable, const char *path);

#endif
