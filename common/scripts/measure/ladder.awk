# The summary of run.sh: one line per step with its best verified rung. Load it after csv.awk.
#
# Input: for every step a line "step NAME EXIT_STATUS", then the step's CSV file (report.h) if it wrote
# one. Then, for each climb that was recorded on a GPU, a line "recorded NAME" and its rows
# (recorded.awk). Shows the recorded rows of rungs that the step ran on the CPU back end. The variables
# bold, red, green, yellow and plain are terminal codes or empty; columns is the width of the
# terminal, or 0. POSIX awk.

# Writes a time as the programs print it, with three digits and a unit.
function time_text(microseconds,    size, unit) {
    if (microseconds == "")
        return "-"
    size = microseconds * 1000
    unit = "ns"
    if (size >= 999.5) { size /= 1000; unit = "us" }
    if (size >= 999.5) { size /= 1000; unit = "ms" }
    if (size >= 999.5) { size /= 1000; unit = "s" }
    return sprintf(size < 9.995 ? "%.2f %s" : size < 99.95 ? "%.1f %s" : "%.0f %s", size, unit)
}

# Writes 1048576 as 1M. Keeps a shape of several numbers, except for a convolution's default suffix.
function shape_text(shape,    suffix) {
    sub(/:s1p0d1$/, "", shape)
    if (shape !~ /^[1-9][0-9]*$/)
        return shape
    suffix = 0
    while (suffix < 4 && shape % 1024 == 0) {
        shape /= 1024
        suffix++
    }
    return sprintf("%.0f", shape) substr(" KMGT", suffix + 1, suffix > 0)
}

function times_text(factor) {
    return factor == "" ? "-" : sprintf("%.2fx", factor)
}

function is_library(rung) {
    return rung ~ /^(openblas|cublas|cub|cudnn)/
}

# The GPU's name: "NVIDIA H100 80GB HBM3; sm_90, ..." is an H100.
function device_text(device) {
    sub(/;.*/, "", device)
    sub(/^NVIDIA /, "", device)
    sub(/ .*/, "", device)
    return device
}

# Uses the row in field[] for its step's line if it is the step's best so far.
function take_best(at,    median) {
    if (value("shape") != shape[at]) {
        shape[at] = value("shape")
        best[at] = ""
    }
    median = value("median_us")
    if (value("verdict") != "pass" || median == "" || is_library(value("rung")))
        return
    if (best[at] != "" && best_median[at] + 0 <= median + 0)
        return
    best[at] = value("rung")
    best_median[at] = median
    of_peak[at] = value("percent_of_peak") == "" ? "-" : sprintf(value("percent_of_peak") < 0.95 ? "%.2f%%" : "%.1f%%", \
        value("percent_of_peak"))
    first[at] = times_text(value("speedup_first"))
    library[at] = times_text(value("speedup_library"))
}

# A CSV has one or more sizes (--sweep). The line shows the last size, and the verdicts of all sizes.
function take_row() {
    verdicts[steps, value("verdict")]++
    rungs[steps]++
    emulated[steps] = emulated[steps] || value("backend") == "simt"
    # In a GPU step, a rung on the host is the reference for the others and cannot be the best rung.
    if (value("backend") != "cpu" && !on_gpu[steps]) {
        on_gpu[steps] = 1
        shape[steps] = ""
    }
    if (value("backend") == "cpu" && on_gpu[steps])
        return
    where[steps] = "here"
    ran[steps, value("rung")] = 1
    take_best(steps)
}

/^step [^ ,]+ [0-9]+$/ {
    steps++
    place[$2] = steps
    name[steps] = $2
    status[steps] = $3
    next
}

/^step,rung,/ {
    take_header($0)
    next
}

/^recorded / {
    is_recorded = 1
    at_step = place[$2]
    next
}

NF > 0 {
    split_csv($0)
    if (!is_recorded) {
        take_row()
    } else if (emulated[at_step] && (at_step, value("rung")) in ran) {
        where[at_step] = device_text(value("device"))
        recorded[where[at_step]] = 1
        take_best(at_step)
    }
}

# ---- output --------------------------------------------------------------------------------------

# Stores a cell until all are known: a column is as wide as its widest cell, and an empty column is
# left out.
function set(row, at, text) {
    if (text == "")
        text = "-"
    cell[row, at] = text
    if (length(text) > width[at])
        width[at] = length(text)
    if (row > 0 && text != "-")
        used[at] = 1
}

function verdict_text(row,    i, n, words, text) {
    n = split("pass racy skip fail", words, " ")
    text = ""
    for (i = 1; i <= n; i++)
        if (verdicts[row, words[i]] > 0)
            text = text (text == "" ? "" : ", ") verdicts[row, words[i]] " " words[i]
    if (rungs[row] == 0)
        text = "no result"
    if (status[row] != 0)
        text = text " (exit status " status[row] ")"
    return text
}

# Prints the row's step and its columns `from` to `last`.
function print_row(row, from, last,    at, line, colour) {
    line = "  " sprintf("%-" width[1] "s", cell[row, 1])
    for (at = from; at <= last && at <= 8; at++)
        if (used[at])
            line = line "  " sprintf("%" (at <= 2 || at == 8 ? "-" : "") width[at] "s", cell[row, at])
    colour = row == 0 ? bold : status[row] != 0 || verdicts[row, "fail"] > 0 ? red : \
        rungs[row] > 0 ? green : yellow
    if (last == 9)
        line = line "  " (row == 0 ? "" : colour) cell[row, 9] (row == 0 ? "" : plain)
    print row == 0 ? bold line plain : line
}

# Prints the table. If `columns` is not 0 and two columns fit, a line has at most `columns` characters;
# columns that do not fit continue in a second block below.
function print_table(    from, last, long, row) {
    for (from = 2; from <= 9; from = last + 1) {
        long = 2 + width[1]
        for (last = from - 1; last < 9; last++) {
            if (!used[last + 1])
                continue
            if (columns > 0 && last >= from && long + 2 + width[last + 1] > columns)
                break
            long += 2 + width[last + 1]
        }
        if (from > 2)
            print ""
        for (row = 0; row <= steps; row++)
            print_row(row, from, last)
    }
}

# The GPUs of the recorded rows: "H200, H100".
function recorded_text(    row, text, told) {
    for (row = 1; row <= steps; row++)
        if (where[row] in recorded && !told[where[row]]++)
            text = text (text == "" ? "" : ", ") where[row]
    return text
}

END {
    for (row = 1; row <= steps; row++)
        any += rungs[row] > 0 || status[row] != 0
    if (!any)
        exit # nothing was run: --list and the like

    split("step|best rung|time|vs library|of peak|timed on|vs first|shape|verdicts", heads, "|")
    for (at = 1; at <= 9; at++)
        set(0, at, heads[at])
    for (row = 1; row <= steps; row++) {
        set(row, 1, name[row])
        set(row, 2, best[row])
        set(row, 8, shape_text(shape[row]))
        if (best[row] != "") {
            set(row, 3, time_text(best_median[row]))
            set(row, 4, library[row])
            set(row, 5, of_peak[row])
            set(row, 6, where[row])
            set(row, 7, first[row])
        } else {
            for (at = 3; at <= 7; at++)
                set(row, at, "-")
        }
        set(row, 9, verdict_text(row))
    }
    print "\n" bold "== the ladder" plain "\n"
    print_table()
    if (recorded_text() != "")
        print "\n  " recorded_text() ": recorded on such a GPU, at this shape (docs/results). Here the same" \
            "\n  kernels were verified, checked for races and counted." \
            "\n  vs first: over the first rung of the step (in 04, race, which is wrong)."
}
# SPDX-License-Identifier: MIT
