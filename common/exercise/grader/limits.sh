# shellcheck shell=bash disable=SC2015,SC2016,SC2154
# Tests of the line that costs the points, and of what an answer may not do. Sourced by test_grader.sh.

exercise --compiler "$compiler" --json --file "$root"/05*/exercise/05a_*/skeleton/task.cu 05a >output 2>&1
line=$(sed -n 's/.*"no bank conflicts".*"line_no": \([0-9]*\).*/\1/p' output)
sed -n "${line:-1}p" "$root"/05*/exercise/05a_*/skeleton/task.cu | grep -q 'partial\[left\] +=' ||
    fail "bank conflicts at line '$line'"

# A page of the explorer, opened at the line with the data race.
exercise --compiler "$compiler" --explore page.html --file "$root"/04*/exercise/04a_*/skeleton/task.cu 04a >output 2>&1
line=$(sed -n 's/.*Watch it: .*page.html#line=//p' output)
sed -n "${line:-1}p" "$root"/04*/exercise/04a_*/skeleton/task.cu | grep -q 'bins\[values\[i\]\]++' ||
    fail "a page at line '$line'"
[[ $(tail -n 1 page.html) == '</html>' ]] && grep -q 'data race' page.html && ! grep -q rungs-exercise page.html ||
    fail 'a page with the race, and no folder of the grader'

# The answer cannot write, make or remove files if the kernel has Landlock (the test asks for its version).
if python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(444, None, 0, 1) < 1)' 2>/dev/null; then
    touch victim
    answer 02a "extern int unlink(const char *), creat(const char *, int); float s = 0;
    unlink(\"$work/victim\"); creat(\"$work/made\", 0600);
    for (size_t i = 0; i < n; i++) s += x[i]; return s;"
    exercise --compiler "$compiler" --file answer.c 02a >output 2>&1
    grep -q '50 of 100 points' output && [[ -e victim && ! -e made ]] || fail 'files are safe'
fi

# The answer has no network if the kernel permits a new, empty network namespace.
if unshare -n true 2>/dev/null; then
    answer 02a 'extern int socket(int, int, int), connect(int, const void *, unsigned), puts(const char *);
    static const unsigned short to[8] = {2, 0x0900, 127, 0x0100}; float s = 0;
    if (connect(socket(2, 2, 0), to, sizeof to) == 0) puts("connected");
    for (size_t i = 0; i < n; i++) s += x[i]; return s;'
    exercise --compiler "$compiler" --file answer.c 02a >output 2>&1
    grep -q '50 of 100 points' output && ! grep -q connected output || fail 'no network'
fi

# The number of processes has a limit. A fork bomb would slow the machine down, so the answer starts 400 processes
# that sleep. This runs as root only, because other users' limit depends on what runs already.
if ((EUID == 0)); then
    answer 02a 'extern int fork(void), pause(void), printf(const char *, ...);
    static int made; float s = 0;
    for (int i = 0; i < 400 && n == 1; i++) { const int p = fork(); if (p == 0) pause(); made += p > 0; }
    if (n == 1) printf("made %d of 400\n", made);
    for (size_t i = 0; i < n; i++) s += x[i]; return s;'
    exercise --compiler "$compiler" --file answer.c 02a >output 2>&1
    grep -q 'made [1-9][0-9]* of 400' output && ! grep -q 'made 400 of 400' output || fail 'processes have a limit'
fi
# SPDX-License-Identifier: MIT
