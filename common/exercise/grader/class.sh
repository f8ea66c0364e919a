# shellcheck shell=bash disable=SC2015,SC2154
# Tests of grading a class with one command. Sourced by test_grader.sh.

# hand_in STUDENT FILE NAME: submits FILE as the student's answer to the exercise NAME.
hand_in() {
    local exercise
    exercise=$(echo "$root"/0[1-8]_*/exercise/"$3"_*)
    mkdir -p "submitted/$1/${exercise#"$root"/}"
    cp "$2" "submitted/$1/${exercise#"$root"/}/task.${2##*.}"
}

first=$(solution 01a) second=$(solution 02a)
{ echo '/* mine */' && sed 's/    /  /' "$first"; } >respaced.c
hand_in ann "$first" 01a
hand_in ann "$second" 02a
hand_in "bob o'neil & co" "$(echo "$root"/01_*/exercise/01a_*/skeleton/task.c)" 01a
hand_in cid respaced.c 01a
hand_in cid "$second" 02a
hand_in dan "$second" 02a
hand_in dan "$second" 01a
rm submitted/dan/01*/exercise/01a_*/task.c
ln -s /etc/passwd "$(echo submitted/dan/01*/exercise/01a_*)/task.c"
answer 02a '(void)x; (void)n; extern void _exit(int); _exit(0); } extern int puts(const char *); extern void _exit(int);
__attribute__((constructor)) static void first(void) { puts("{\"score\": 100, \"max_score\": 100}"); _exit(0);'
hand_in eve answer.c 02a
# Hand-in files: a good one, a broken one, and one with links and a path that leaves its folder.
tar -C submitted/ann -czf submitted/fay.tar.gz .
head -c 200 submitted/fay.tar.gz >submitted/gus.tar.gz
mkdir -p hostile/x/y && cp -r submitted/dan/0* hostile/ && echo secret >hostile/x/secret
(cd hostile/x/y && tar -P --transform 's,^\.\./\.\./,,' -czf ../../../submitted/hal.tar.gz ../secret ../../0*)
exercise --compiler "$compiler" --student x --class submitted --report grades 01a 02a >output 2>&1
[[ $? -eq 3 ]] && grep -q '^.*: 2 answers could not be graded' output || fail '--class'
grep -q '^ann,01a_checker_nan,100,100,$' grades/class.csv && grep -q '^ann,02a_accumulators,100,100,$' grades/class.csv ||
    fail 'a right answer in a class'
[[ $(wc -l <grades/class.csv) -eq 17 ]] || fail 'a row for each student and exercise'
grep -q "^bob o'neil & co,02a_accumulators,0,100," grades/class.csv || fail 'an answer that is missing'
grep -q '^cid,01a_checker_nan,100,100,' grades/class.csv || fail 'what stands outside of the marks costs nothing'
grep -q '^eve,02a_accumulators,0,100,' grades/class.csv || fail 'a result that an answer prints'
grep -q '^fay,01a_checker_nan,100,100,$' grades/class.csv && grep -q '^fay,02a_accumulators,100,100,$' grades/class.csv ||
    fail 'a hand-in file'
grep -q '^gus,01a_checker_nan,,100,not graded$' grades/class.csv && grep -q 'gus.tar.gz: not a hand-in file' grades/gus.json ||
    fail 'a hand-in file that is broken'
grep -q '^hal,01a_checker_nan,0,100,symlink$' grades/class.csv && grep -q '^hal,02a_accumulators,100,100,$' grades/class.csv ||
    fail 'a hand-in file with a link'
grep -q '^dan,01a_checker_nan,0,100,symlink$' grades/class.csv && ! grep -q bash grades/dan.json || fail 'a symbolic link'
[[ -s "grades/bob o'neil & co.json" ]] || fail 'the results of a student'
page=$(tr '\n' ' ' <grades/index.html)
[[ $page == *'<b>8</b>students'* && $page == *'<b>2</b>answers missing'* ]] || fail 'the numbers of the report'
[[ $page == *'bob o&#x27;neil &amp; co'* && $page != *"o'neil & co"* ]] || fail 'names in the report'
[[ $page == *'<li>01a: ann, cid, fay</li>'* && $page == *'<li>02a: ann, cid, dan, fay, hal</li>'* ]] || fail 'answers that are the same'
for what in 'gus, all exercises: not graded' 'dan, 01a: a symbolic link' 'eve, 02a: it printed what looks like a result'; do
    [[ $page == *"To look at"*"<li>$what"* ]] || fail "the report does not list: $what"
done
[[ $page == *'Changed outside of the marks, which costs nothing: 1 answer<'*'<li>cid, 01a: '* ]] || fail 'notes in the report'
page=$(tr '\n' ' ' <grades/students/bob\ o*.html)
[[ $page == *'<h1>bob o&#x27;neil &amp; co</h1>'*'No answer: 02a.'* ]] && ! grep -qwE 'ann|cid' grades/students/bob*.html ||
    fail 'the page of a student has the own results only'
[[ $(grep -c '<a href="students/' grades/index.html) -ge 1 ]] || fail 'the report has links to the pages of students'
mkdir submitted/fay && exercise --student x --class submitted 01a >output 2>&1
[[ $? -eq 4 ]] && grep -q 'fay is there twice' output || fail 'a student with a folder and a file'
exercise --student x --class nowhere 01a >output 2>&1
[[ $? -eq 4 ]] && grep -q 'no such folder' output || fail '--class of a folder that is not there'
mkdir empty
exercise --student x --class empty 01a >output 2>&1
[[ $? -eq 4 ]] && grep -q 'no folder of a student' output || fail '--class of an empty folder'
echo '[{}]' >bad.json
python3 -B "$root/common/exercise/report.py" --output page.html bad.json >output 2>&1
[[ $? -eq 4 && ! -e page.html ]] && grep -q 'not what --json writes' output || fail 'a report of something else'
# SPDX-License-Identifier: MIT
