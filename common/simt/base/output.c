#include "base/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { EXIT_FILE = 4 }; /* as the programs of the steps */

static void tell(const char *variable, const char *path)
{
    fprintf(stderr, "simt: %s: cannot write %s: %s\n", variable, path, strerror(errno));
}

FILE *simt_output_open(const char *variable, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        tell(variable, path);
        exit(EXIT_FILE);
    }
    return file;
}

size_t simt_line_width(FILE *file)
{
    const char *said = getenv("COLUMNS");
    const long columns = said ? strtol(said, NULL, 10) : 0;
    struct winsize size;
    if (columns > 0) {
        return (size_t)columns;
    }
    return isatty(fileno(file)) && ioctl(fileno(file), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void simt_output_close(FILE *file, const char *variable, const char *path)
{
    int failed = fflush(file) != 0 || ferror(file);
    if (fclose(file) != 0 || failed) {
        tell(variable, path);
        fflush(NULL);
        _exit(EXIT_FILE); /* exit() is under way */
    }
}
