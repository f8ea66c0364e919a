/* SIMT_EXPLORE=FILE.html: any program that simtcc built writes a page when it ends. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "base/setting.h"
#include "cuda/simt_analysis.h"
#include "explore/explore.h"
#include "program/elf.h"

enum { EXIT_USAGE = 2 }; /* the same status as in the programs of the steps */

static const char *path; /* NULL: no page was requested, or it is already written */
static pid_t writer;

static const char *program_name(void)
{
    static char name[4096];
    const char *slash;
    simt_program_path(name, sizeof name);
    slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

/* False if there is no page. A message on stderr then says why. */
static bool write_page(void)
{
    struct simt_output output;
    FILE *file = simt_output_begin(&output, "SIMT_EXPLORE", path);
    if (!simt_explore_write(file, program_name())) {
        fprintf(stderr, "simt: SIMT_EXPLORE: nothing to show: %s\n",
                explored_launch_count == 0 ? "no instrumented kernel was launched"
                                           : "no kernel touched memory in the blocks asked for");
        fclose(file);
        free(output.text);
        return false;
    }
    return simt_output_end(&output, file);
}

/* False: a page was requested but not written. */
static bool finish(void)
{
    bool done = !path || getpid() != writer || write_page();
    path = NULL;
    return done;
}

void explore_forget(void)
{
    path = NULL;
}

void explore_exit(void)
{
    explore_end_report();
    explore_report();
    finish();
}

static void at_exit(void)
{
    if (!finish()) {
        simt_output_failed();
    }
}

/* Runs before main, because handlers registered first run last. */
__attribute__((constructor)) static void prepare(void)
{
    const char *blocks = simt_asked("SIMT_EXPLORE_BLOCKS");
    path = simt_asked("SIMT_EXPLORE");
    if (!path) {
        return;
    }
    if (!explore_record(blocks ? blocks : "0")) {
        fprintf(stderr,
                "simt: SIMT_EXPLORE_BLOCKS=%s: want numbers of blocks, such as 0-3,8, or all\n",
                blocks);
        exit(EXIT_USAGE);
    }
    writer = getpid();
    atexit(at_exit);
}
/* SPDX-License-Identifier: MIT */
