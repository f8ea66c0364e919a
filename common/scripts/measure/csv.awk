# Reads result rows (report.h), for scripts that name this file before their own. POSIX awk.

# Call it with the header. It sets column[NAME] to the number of the field NAME.
function take_header(line,    at, count) {
    for (at in column)
        delete column[at]
    count = split_csv(line)
    for (at = 1; at <= count; at++)
        column[field[at]] = at
}

# Splits a line of CSV into field[1..]. A quoted field may contain commas and doubled quotes.
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
# SPDX-License-Identifier: MIT
