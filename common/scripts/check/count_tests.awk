# Counts the tests in a JUnit file of ctest: prints "PASSED FAILED SKIPPED", then a line "NAME: REASON" for
# each that was skipped. POSIX awk.
#
# ctest files a test that skipped itself and one whose program is missing both as "notrun"; only the
# first is a skip. One of ours that was skipped because a program was not built counts as failed: test.sh
# has built what its suite needs.

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
