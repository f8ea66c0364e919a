/* Replaces libFuzzer for compilers that do not have it. Calls the target with each named file, and
 * with each file in a named folder. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static size_t replayed;

static void stop(const char *path)
{
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    exit(EXIT_FAILURE);
}

static void replay_file(const char *path)
{
    static uint8_t bytes[1 << 20];
    FILE *const file = fopen(path, "rb");
    if (file == NULL)
        stop(path);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    if (ferror(file))
        stop(path);
    fclose(file);

    /* The copy has exactly this size, so a sanitizer detects reads past its end. */
    uint8_t *const copy = malloc(size > 0 ? size : 1);
    if (copy == NULL)
        stop(path);
    memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    replayed++;
}

static void replay(const char *path)
{
    DIR *const folder = opendir(path);
    if (folder == NULL) {
        replay_file(path);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            replay_file(name);
    }
    closedir(folder);
}

int main(int count, char **arguments)
{
    for (int i = 1; i < count; i++)
        replay(arguments[i]);
    printf("%zu inputs\n", replayed);
    return replayed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
/* SPDX-License-Identifier: MIT */
