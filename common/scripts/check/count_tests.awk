# Counts the tests in a JUnit file of ctest. Prints "PASSED FAILED SKIPPED", then a line "NAME: REASON" for
# each skipped test. POSIX awk.
#
# ctest writes "notrun" both for a test that skipped itself and for a test whose program is missing. Only
# the first is a skip. A test of this repository that was skipped because a program was not built counts as
# failed, because test.sh has built everything that its suite needs.

/^[ \t]*<testcase / {
    end_test()
    name = $0
    sub(/.*<testcase name="/, "", name)
    sub(/".*/, "", name)
    waiting = /status="notrun"/
    if (/status="run"/)
        passed++
    else if (/status="fail"/)
        failed++
    else if (/status="disabled"/)
        skipped++
}
/^[ \t]*<skipped / && waiting && /message="SKIP_/ { skips = 1 }
/<system-out>/ { printing = 1 }
printing {
    line = $0
    sub(/.*<system-out>/, "", line)
    sub(/<\/system-out>.*/, "", line)
    if (line != "" && said !~ /^skipped: /)
        said = line
}
/<\/system-out>/ { printing = 0 }
END {
    end_test()
    print passed + 0, failed + 0, skipped + 0
    printf "%s", reasons
}

function end_test() {
    if (waiting && (!skips || said ~ /^skipped: .* was not built$/))
        failed++
    else if (waiting) {
        skipped++
        sub(/^skipped: /, "", said)
        gsub(/&quot;/, "\"", said)
        gsub(/&lt;/, "<", said)
        gsub(/&gt;/, ">", said)
        gsub(/&amp;/, "\\&", said)
        reasons = reasons name ": " (said == "" ? "gave no reason" : said) "\n"
    }
    waiting = skips = printing = 0
    said = ""
}
# SPDX-License-Identifier: MIT
