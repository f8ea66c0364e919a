#include "report/report.h"

bool report_open(struct report_file *report, const char *path, struct error *error)
{
    *report = (struct report_file){.rows = 0};
    return path == NULL || whole_file_open(&report->file, path, error);
}

bool report_commit(struct report_file *report, struct error *error)
{
    if (report->file.text == NULL)
        return true;
    if (report->ending != NULL)
        fputs(report->ending, report->file.text);
    return whole_file_commit(&report->file, error);
}

void report_discard(struct report_file *report)
{
    whole_file_discard(&report->file);
}
/* SPDX-License-Identifier: MIT */
