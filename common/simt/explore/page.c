/* Writes the page: its text, style and scripts (embed.S), and the data. */
#include <string.h>

#include "cuda/simt_analysis.h"
#include "explore/explore.h"

extern const char explore_html[], explore_style[], explore_scripts[];

/* Writes the text before the mark. Returns the text after it. */
static const char *put_up_to(FILE *file, const char *text, const char *mark)
{
    const char *found = strstr(text, mark);
    size_t length = found ? (size_t)(found - text) : strlen(text);
    fwrite(text, 1, length, file);
    return found ? found + strlen(mark) : text + length;
}

void explore_write_page(FILE *file, const char *title)
{
    const char *rest = put_up_to(file, explore_html, "/* style */");
    fputs(explore_style, file);
    rest = put_up_to(file, rest, "\"recorded\"");
    explore_write_data(file, title);
    rest = put_up_to(file, rest, "/* scripts */");
    fputs(explore_scripts, file);
    fputs(rest, file);
}

bool simt_explore_start(const char *blocks)
{
    if (!blocks) {
        explore_forget();
        return false;
    }
    return explore_record(blocks);
}

void simt_explore_part(const char *name)
{
    explore_part(name);
}

static FILE *report_file;
static const char *report_title;

void simt_explore_at_report(FILE *file, const char *title)
{
    report_file = file;
    report_title = title;
}

void explore_report(void)
{
    if (report_file) {
        simt_explore_write(report_file, report_title);
    }
}

bool simt_explore_write(FILE *file, const char *title)
{
    size_t steps = 0;
    explore_share_page();
    for (size_t i = 0; i < explored_launch_count; i++) {
        for (size_t j = 0; j < explored_launches[i].block_count; j++) {
            steps += explored_launches[i].blocks[j]->count;
        }
    }
    if (steps > 0) {
        explore_write_page(file, title);
    }
    return steps > 0;
}
/* SPDX-License-Identifier: MIT */
