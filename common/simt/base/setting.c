#include "base/setting.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"

enum { USAGE_ERROR = 2 }; /* as in the programs of the steps */

/* Settings with a syntax of their own (SIMT_SCHEDULE, SIMT_FAIL, SIMT_EXPLORE_BLOCKS) are checked
 * by the code that reads them, also before main. */
static const struct setting {
    const char *name;
    enum { NUMBER, WHOLE, WORD, WRITTEN, READ } kind;
    const char *wanted;
    const char *words[4];
    double least, most;
} settings[] = {
    {"SIMT_CHECKS", WORD, "stop, report or off", {"stop", "report", "off"}, 0, 0},
    {"SIMT_COUNTERS", WORD, "table, lines or json", {"table", "lines", "json"}, 0, 0},
    {"SIMT_REPEATED", WORD, "run, skip or tell", {"run", "skip", "tell"}, 0, 0},
    {"SIMT_WATCHDOG", NUMBER, "a number of seconds, 0 for never", {0}, 0, 1e9},
    {"SIMT_CHECK_SECONDS", NUMBER, "a number of seconds, 0 for no limit", {0}, 0, 1e9},
    {"SIMT_PROGRESS", NUMBER, "a number of seconds, 0 for never", {0}, 0, 1e9},
    {"SIMT_CORES_AFTER", NUMBER, "a number of seconds", {0}, 0, 1e9},
    {"SIMT_SHADOW_MB", NUMBER, "a number of megabytes", {0}, 0, 1e9},
    {"SIMT_CORES", WHOLE, "a number of cores, 1 to 4096", {0}, 1, 4096},
    {"SIMT_DEVICES", WHOLE, "a number of devices, 1 to 16", {0}, 1, 16},
    {"SIMT_MEMORY", WHOLE, "a number of GiB, 1 to 1024", {0}, 1, 1024},
    {"SIMT_MULTIPROCESSORS", WHOLE, "a number of multiprocessors, 1 to 132", {0}, 1, 132},
    {"SIMT_OUT", WRITTEN, NULL, {0}, 0, 0},
    {"SIMT_REQUESTS", WRITTEN, NULL, {0}, 0, 0},
    {"SIMT_FINDINGS", WRITTEN, NULL, {0}, 0, 0},
    {"SIMT_EXPLORE", WRITTEN, NULL, {0}, 0, 0},
    {"SIMT_SUPPRESSIONS", READ, NULL, {0}, 0, 0},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static const struct setting *find(const char *name)
{
    size_t i = 0;
    while (i < SETTINGS && strcmp(settings[i].name, name) != 0) {
        i++;
    }
    if (i == SETTINGS) {
        abort(); /* it is missing from the table */
    }
    return &settings[i];
}

const char *simt_asked(const char *variable)
{
    const char *asked = getenv(variable);
    return asked && asked[0] != '\0' ? asked : NULL;
}

__attribute__((noreturn)) static void refuse(const struct setting *setting, const char *asked)
{
    fprintf(stderr, "simt: %s=%s: want %s\n", setting->name, asked, setting->wanted);
    exit(USAGE_ERROR);
}

static double number_of(const struct setting *setting, const char *asked)
{
    const char *const known = setting->kind == WHOLE ? "0123456789" : "0123456789.eE+-";
    char *end;
    const double value = strtod(asked, &end);
    if (end == asked || *end != '\0' || asked[strspn(asked, known)] != '\0' ||
        !(value >= setting->least && value <= setting->most)) {
        refuse(setting, asked);
    }
    return value;
}

static int place_of(const struct setting *setting, const char *asked)
{
    int place = 0;
    while (setting->words[place] && strcmp(asked, setting->words[place]) != 0) {
        place++;
    }
    if (!setting->words[place]) {
        refuse(setting, asked);
    }
    return place;
}

double simt_setting(const char *variable, double usual)
{
    const char *asked = simt_asked(variable);
    return asked ? number_of(find(variable), asked) : usual;
}

int simt_choice(const char *variable)
{
    const char *asked = simt_asked(variable);
    return asked ? place_of(find(variable), asked) : -1;
}

static void check_readable(const struct setting *setting, const char *path)
{
    if (access(path, R_OK) != 0) {
        fprintf(stderr, "simt: %s: cannot read %s: %s\n", setting->name, path, strerror(errno));
        exit(SIMT_EXIT_FILE);
    }
}

/* Runs before main, before the program has any effect; also if it launches no kernel. */
__attribute__((constructor(101))) static void check_all(void)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        const char *asked = simt_asked(settings[i].name);
        switch (asked ? (int)settings[i].kind : -1) {
        case NUMBER:
        case WHOLE:
            number_of(&settings[i], asked);
            break;
        case WORD:
            place_of(&settings[i], asked);
            break;
        case WRITTEN:
            simt_output_check(settings[i].name, asked);
            break;
        case READ:
            check_readable(&settings[i], asked);
            break;
        }
    }
}
/* SPDX-License-Identifier: MIT */
