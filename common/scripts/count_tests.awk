# Counts the tests in a JUnit file of ctest and prints "PASSED FAILED SKIPPED". POSIX awk.
#
# ctest files a test that skipped itself and one whose program is missing both as "notrun"; only the
# first is a skip.

/^[ \t]*<testcase .*status="run"/ { passed++ }
/^[ \t]*<testcase .*status="fail"/ { failed++ }
/^[ \t]*<testcase .*status="disabled"/ { skipped++ }
/^[ \t]*<testcase .*status="notrun"/ { waiting = 1 }
/^[ \t]*<skipped / && waiting {
    if (/message="SKIP_/)
        skipped++
    else
        failed++
    waiting = 0
}
END { print passed + 0, failed + waiting + 0, skipped + 0 }
