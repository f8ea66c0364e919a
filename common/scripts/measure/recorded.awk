# Selects the rows of docs/results that programs show as recorded:
#
#   awk -v results=docs/results -v as=c -f csv.awk -f recorded.awk common/report/recorded.txt
#
# as=c writes the table `recordings` (report/recorded.h). as=rows, for ladder.awk, writes per step a line
# "recorded STEP" and the rows of the step's first line. All rows come from one run. Rows of one run imply
# the same time of the library (or of the first rung). If a file has several runs, the largest is taken.

function fail(text) {
    print "recorded.awk: " FILENAME ":" FNR ": " text >"/dev/stderr"
    failed = 1
    exit 1
}

# Returns the run that the row in field[] belongs to.
function run_of_row(    time, run) {
    time = value("median_us") * (value("speedup_library") != "" ? value("speedup_library") : value("speedup_first"))
    for (run = 1; run <= runs; run++)
        if (time > run_time[run] * 0.99998 && time < run_time[run] * 1.00002)
            return run
    run_time[++runs] = time
    run_rows[runs] = 0
    return runs
}

function is_wanted(    at) {
    for (at = 6; at <= NF; at++)
        if ($at == value("rung"))
            return 0
    return value("step") == $1 && value("op") == $2 && value("type") == $3 && value("shape") == $4 && \
        value("backend") == "cuda" && value("cache") == "warm" && value("verdict") ~ /^(pass|racy)$/
}

# Sets header, and lines[1..count] to the lines of the run with the most rows.
function read_rows(file,    line, run, best, row) {
    runs = count = 0
    if ((getline header <file) <= 0)
        fail(file ": cannot be read")
    take_header(header)
    while ((getline line <file) > 0) {
        split_csv(line)
        if (is_wanted()) {
            run = run_of_row()
            rows_of[run, ++run_rows[run]] = line
        }
    }
    close(file)
    best = 1
    for (run = 2; run <= runs; run++)
        if (run_rows[run] > run_rows[best])
            best = run
    for (row = 1; row <= run_rows[best]; row++)
        lines[++count] = rows_of[best, row]
    if (count == 0)
        fail("no such rows in " file)
}

function number(text) {
    return text == "" ? "NAN" : text
}

function write_c(    row) {
    print "static const struct recorded_row rows_" ++written "[] = {"
    for (row = 1; row <= count; row++) {
        split_csv(lines[row])
        print "    {\"" value("rung") "\", " value("median_us") ", " number(value("percent_of_peak")) ", " \
            number(value("speedup_library")) "},"
    }
    print "};"
    table = table "    {\"" $1 "\", \"" $2 "\", \"" $3 "\", \"" $4 "\", \"" value("device") "\", \"" $5 "\",\n" \
        "     rows_" written ", " count "},\n"
}

function write_rows(    row) {
    if (seen[$1]++)
        return
    print "recorded " $1
    print header
    for (row = 1; row <= count; row++)
        print lines[row]
}

BEGIN {
    if (as == "c")
        print "/* Made by recorded.awk. */\n#include <math.h>\n\n#include \"report/recorded.h\"\n"
}

/^[^#]/ {
    read_rows(results "/" $5)
    if (as == "c")
        write_c()
    else
        write_rows()
}

END {
    if (as == "c" && !failed)
        printf "\nconst struct recorded_ladder recordings[] = {\n%s};\nconst size_t recording_count = %d;\n", table, written
}
# SPDX-License-Identifier: MIT
