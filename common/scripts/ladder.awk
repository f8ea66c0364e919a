# The summary ladder of run.sh: a line for every step with its best verified rung.
#
# Input: for every step a line "step NAME EXIT_STATUS", then the step's CSV file (report.h), or
# nothing where it wrote none. Variables bold, red, green, yellow and plain hold terminal codes or
# nothing; columns is the width of the terminal, or 0. POSIX awk.

# Splits a line of CSV into field[1..]; a quoted field may hold commas and doubled quotes.
function split_csv(line,    count, text, at) {
    for (at in field)
        delete field[at]
    count = 0
    while (1) {
        text = ""
        if (substr(line, 1, 1) == "\"") {
            line = substr(line, 2)
            while ((at = index(line, "\"")) > 0) {
                text = text substr(line, 1, at - 1)
                line = substr(line, at + 1)
                if (substr(line, 1, 1) != "\"")
                    break
                text = text "\""
                line = substr(line, 2)
            }
            field[++count] = text
            if (substr(line, 1, 1) != ",")
                return count
            line = substr(line, 2)
        } else {
            at = index(line, ",")
            if (at == 0) {
                field[++count] = line
                return count
            }
            field[++count] = substr(line, 1, at - 1)
            line = substr(line, at + 1)
        }
    }
}

function value(name) {
    return (name in column) ? field[column[name]] : ""
}

# Three digits and a unit, as the programs print times.
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

# Arithmetic where it outweighs the traffic (as in the programs' tables), otherwise bandwidth.
function rate_text(gb_per_s, gflop_per_s) {
    if (gb_per_s == "" && gflop_per_s == "")
        return "-"
    gb_per_s += 0
    gflop_per_s += 0
    if (gflop_per_s > 4 * gb_per_s)
        return sprintf(gflop_per_s < 100 ? "%.1f GFLOP/s" : "%.0f GFLOP/s", gflop_per_s)
    return sprintf(gb_per_s < 100 ? "%.1f GB/s" : "%.0f GB/s", gb_per_s)
}

# 1048576 as 1M; a shape of several numbers as it is.
function shape_text(shape,    suffix) {
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

# A CSV holds one or more sizes (--sweep); the line shows the last, the verdicts are of all.
function take_row(    verdict, median) {
    verdict = value("verdict")
    verdicts[steps, verdict]++
    rungs[steps]++
    emulated[steps] = emulated[steps] || value("backend") == "simt"
    # In a GPU step, rungs on the host are what the others are measured against, and no best rung.
    if (value("backend") != "cpu" && !on_gpu[steps]) {
        on_gpu[steps] = 1
        shape[steps] = ""
    }
    if (value("backend") == "cpu" && on_gpu[steps])
        return
    if (value("shape") != shape[steps]) {
        shape[steps] = value("shape")
        best[steps] = ""
    }
    median = value("median_us")
    if (verdict != "pass" || median == "" || is_library(value("rung")))
        return
    if (best[steps] != "" && best_median[steps] + 0 <= median + 0)
        return
    best[steps] = value("rung")
    best_median[steps] = median
    rate[steps] = rate_text(value("gb_per_s"), value("gflop_per_s"))
    of_peak[steps] = value("percent_of_peak") == "" ? "-" : \
        sprintf("%.1f%%", value("percent_of_peak"))
    first[steps] = times_text(value("speedup_first"))
    library[steps] = times_text(value("speedup_library"))
}

/^step [^ ,]+ [0-9]+$/ {
    steps++
    name[steps] = $2
    status[steps] = $3
    next
}

/^step,rung,/ {
    for (at in column)
        delete column[at]
    count = split_csv($0)
    for (at = 1; at <= count; at++)
        column[field[at]] = at
    next
}

NF > 0 {
    split_csv($0)
    take_row()
}

# ---- output --------------------------------------------------------------------------------------

# Cells are kept until all are known: a column is as wide as its widest cell, and one that is empty
# throughout is left out.
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

# The row's step and its columns `from` to `last`.
function print_row(row, from, last,    at, line, colour) {
    line = "  " sprintf("%-" width[1] "s", cell[row, 1])
    for (at = from; at <= last && at <= 8; at++)
        if (used[at])
            line = line "  " sprintf("%" (at <= 2 ? "-" : "") width[at] "s", cell[row, at])
    colour = row == 0 ? bold : status[row] != 0 || verdicts[row, "fail"] > 0 ? red : \
        rungs[row] > 0 ? green : yellow
    if (last == 9)
        line = line "  " (row == 0 ? "" : colour) cell[row, 9] (row == 0 ? "" : plain)
    print row == 0 ? bold line plain : line
}

# In lines of at most `columns` characters, where that is not 0 and two columns fit: what does not
# fit beside is continued below.
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

END {
    for (row = 1; row <= steps; row++)
        any += rungs[row] > 0 || status[row] != 0
    if (!any)
        exit # nothing was run: --list and the like

    split("step|best rung|shape|median|rate|of peak|vs first|vs library|verdicts", heads, "|")
    for (at = 1; at <= 9; at++)
        set(0, at, heads[at])
    for (row = 1; row <= steps; row++) {
        set(row, 1, name[row])
        # Emulated time says nothing about a GPU; what was verified does.
        if (emulated[row])
            set(row, 2, "(simt: not timed)")
        else
            set(row, 2, best[row])
        set(row, 3, shape_text(shape[row]))
        if (best[row] != "") {
            set(row, 4, time_text(best_median[row]))
            set(row, 5, rate[row])
            set(row, 6, of_peak[row])
            set(row, 7, first[row])
            set(row, 8, library[row])
        } else {
            for (at = 4; at <= 8; at++)
                set(row, at, "-")
        }
        set(row, 9, verdict_text(row))
    }
    print "\n" bold "== the ladder" plain "\n"
    print_table()
}
