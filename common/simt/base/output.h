/* Files that a variable of the environment asks for. One that cannot be opened ends the program at
 * once, with one line and status 4; what cannot be written ends it so in the end. */
#ifndef SIMT_OUTPUT_H
#define SIMT_OUTPUT_H

#include <stdio.h>

FILE *simt_output_open(const char *variable, const char *path);
/* Called at exit. */
void simt_output_close(FILE *file, const char *variable, const char *path);

/* How many characters a line of any file may have: the environment variable COLUMNS or, of a
 * terminal, its width; otherwise 0, any number. */
size_t simt_line_width(FILE *file);

#endif
