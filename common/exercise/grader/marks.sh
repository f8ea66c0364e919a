# shellcheck shell=bash disable=SC2015,SC2016,SC2154
# The code between the marks is graded, whatever the format of the file. A file that cannot be graded has no
# points. Sourced by test_grader.sh.

# graded WHAT SCORE EXERCISE FILE [PATTERN]: grades FILE; its JSON must have SCORE and match PATTERN.
graded() {
    exercise --compiler "$compiler" --json --student x --file "$4" "$3" >output 2>&1
    grep -q "\"score\": $2, \"max_score\": 100" output || fail "$1: not $2 points"
    [[ -z ${5:-} ]] || grep -q -- "$5" output || fail "$1: does not say: $5"
}

# ---- formatting -----------------------------------------------------------------------------------

answer 02a 'float s[8] = {0}, all = 0;
    for (size_t i = 0; i < n; i++) s[i % 8] += x[i];
    for (int k = 0; k < 8; k++) all += s[k];
    return all;'
cp answer.c right.c
graded 'a right answer' 100 02a right.c
! grep -q '"note"' output || fail 'a note on an untouched skeleton'
sed 's/$/\r/' right.c >it.c && graded CRLF 100 02a it.c
tr '\n' '\r' <right.c >it.c && graded 'CR alone' 100 02a it.c
sed 's/$/  \t/; s/^ *//; 2s/$/\n\n/' right.c >it.c && graded 'blanks and empty lines' 100 02a it.c
! grep -q '"note"' output || fail 'a note on blanks'
{ printf '\357\273\277' && cat right.c; } >it.c && graded 'a byte order mark' 100 02a it.c
sed 's/\* ---- \(.*your work\) ---- \*/*----\1  ----*/' right.c >it.c && graded 'blanks within the marks' 100 02a it.c
tr '\n' ' ' <right.c | sed 's/#include <[a-z.]*>/\n&\n/g' >it.c && graded 'all in a line' 100 02a it.c
sed 's/^#include.*/#include <stdlib.h>/' right.c >it.c
graded 'a change outside of the marks' 100 02a it.c '"note": "Outside of the marks .*line [0-9]* of yours: #include <stdlib.h>.*line [0-9]* as given: #include'
sed 's/ n)/ n)\xc2\xa0/' right.c >it.c && graded 'a blank that cannot be seen' 100 02a it.c 'M-BM- '

# The answer defines functions with names that libc and the grader also have.
answer 02a 'extern float read(const float *, size_t); float s[8] = {0}, all = 0;
    for (size_t i = 0; i < n; i++) s[i % 8] += read(x, i);
    for (int k = 0; k < 8; k++) all += s[k];
    return all; }
    float read(const float *x, size_t i) { return x[i]; }
    int main(void) { return 1;'
graded 'names that libc has' 100 02a answer.c

# Line numbers are those of the student's file, on both sides of the marks.
skeleton=$(echo "$root"/04*/exercise/04a_*/skeleton/task.cu)
{ echo && sed 's/^__global__/\n&/; s/^extern/\n\n&/; s/$/\r/' "$skeleton"; } >it.cu
line=$(grep -n 'bins\[values\[i\]\]++' it.cu | cut -d: -f1) launch=$(grep -n '<<<' it.cu | cut -d: -f1)
graded 'lines of a race' 50 04a it.cu "launched at task.cu:$launch).*task.cu:$line:  bins\[values\[i\]\]++"
grep -q "\"no races, no bad accesses\".*\"line_no\": $line," output || fail "line_no is not $line"
sed -i 's/\]\]++/]]+)/' it.cu && graded 'the line of an error' 0 04a it.cu "\"name\": \"compiles\".*task.cu:$line:"
! grep -q '?' <(grep -o '"message": .*error: [^\\]*' output) || fail 'quotes of the compiler'

# ---- marks, files ---------------------------------------------------------------------------------

grep -v 'end of your work' right.c >it.c && graded 'no end' 0 02a it.c '"name": "marks".*end of your work.*is missing'
grep -v -- '---- your work' right.c >it.c && graded 'no beginning' 0 02a it.c '"name": "marks".*is missing'
sed 's/.*---- your work.*/&\n&/' right.c >it.c && graded 'two beginnings' 0 02a it.c '"name": "marks".*2 times, in lines'
tac right.c >it.c && graded 'upside down' 0 02a it.c '"name": "marks".*before the other'
: >it.c && graded 'an empty file' 0 02a it.c '"name": "marks"'
head -c 1100000 /dev/zero >it.c && graded 'a large file' 0 02a it.c '"name": "too_large"'
echo 'secret: of another' >secret
rm it.c && ln -s secret it.c && graded 'a link' 0 02a it.c '"name": "symlink"'
grep -q '"look": "a symbolic link' output || fail 'a link is to be looked at'
! grep -q secret: output || fail 'a link tells what it leads to'

# ---- not graded -----------------------------------------------------------------------------------

# not_graded WHAT: `output` must say so, and `status` must be 3.
not_graded() {
    [[ $status -eq 3 ]] && grep -q '"status": "error", "score": null' output && ! grep -q '"score": 0' output ||
        fail "$1: status $status, or points"
}
(ulimit -v 1500000 && exercise --compiler "$compiler" --json --file right.c 02a >output 2>&1)
status=$? && not_graded 'less memory than an answer may have'
mkdir bin
for name in cc gcc clang c++ g++ clang++; do
    ! real=$(command -v "$name") || printf '#!/bin/sh\ncase " $* " in *" -v"* | *-version* | *-fsyntax-only*) exec "%s" "$@" ;; esac\nexit 1\n' "$real" >"bin/$name"
done
chmod +x bin/*
PATH=$work/bin:$PATH exercise --json --file right.c 02a >output 2>&1
status=$? && not_graded 'a compiler that does not work'
cp output ann.json
exercise --merge ann.json >output 2>&1
grep -q '^ann,02a_accumulators,,100,not graded$' output || fail 'not graded: no points in the table'
! command -v python3 >/dev/null || { python3 -B "$root/common/exercise/report.py" --output page.html ann.json >output 2>&1 &&
    grep -q 'ann, 02a: not graded' page.html; } || fail 'not graded: in the report'

# A compiler that exhausts its memory limit on this answer, but not on the skeleton.
sed -i 's/^exit 1$/grep -qs -- EXHAUST "$@" \&\& echo "virtual memory exhausted: Cannot allocate memory" >\&2 \&\& exit 1/' bin/*
for name in cc gcc clang c++ g++ clang++; do
    ! real=$(command -v "$name") || [[ ! -e bin/$name ]] || printf 'exec "%s" "$@"\n' "$real" >>"bin/$name"
done
answer 02a '/* EXHAUST */ (void)n; return x[0];'
PATH=$work/bin:$PATH graded 'a compiler out of memory' 0 02a answer.c '"name": "compiles"'

# The time limit applies to processor time and to waiting time separately.
answer 02a 'extern long clock(void); extern int usleep(unsigned); static int done;
    if (!done++ && n == 33) { usleep(700000); while (clock() < 700000) {} }
    float s = 0; for (size_t i = 0; i < n; i++) s += x[i]; return s;'
exercise --compiler "$compiler" --seconds 1 --file answer.c 02a >output 2>&1
grep -q '50 of 100 points' output || fail 'time by the clock is counted'

# ---- a narrow terminal ----------------------------------------------------------------------------

COLUMNS=60 exercise --compiler "$compiler" --file "$(echo "$root"/05*/exercise/05c_*/skeleton/task.cu)" 05c >output 2>&1
[[ $(wc -L <output) -le 60 ]] && grep -q 'too many warps take part' output && grep -q 'graded once whole warps work' output ||
    fail 'messages at the width of the terminal'
# SPDX-License-Identifier: MIT
