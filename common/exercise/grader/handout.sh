# shellcheck shell=bash disable=SC2015,SC2016,SC2154
# Tests of the handout, of a student's first steps in it, and of GitHub Classroom. Sourced by test_grader.sh.

# ---- the handout, and a first session in it -------------------------------------------------------

exercise --handout "$work/class" >output 2>&1 || fail '--handout'
[[ -z $(find class -path '*/exercise/*' \( -name solution -o -name wrong \)) ]] || fail 'a handout with solutions'
[[ ! -e class/.git && ! -e class/build ]] || fail 'a handout with a history'
copies=(class/0[1-8]_*/exercise/*/task.*) skeletons=(class/0[1-8]_*/exercise/*/skeleton/task.*)
[[ ${#copies[@]} -eq ${#skeletons[@]} && ${#copies[@]} -ge 3 ]] || fail 'a file to edit in each exercise'
exercise --handout "$work/class" >output 2>&1
[[ $? -eq 4 ]] || fail 'a handout does not overwrite'
exercise --handout "$work/class.tar.gz" >output 2>&1 && tar -tzf class.tar.gz >output &&
    grep -q '^rungs/test.sh$' output && ! grep -q /solution/ output || fail 'a handout as an archive'

# The list ends with the next exercise, or says that all are solved.
list_class() { class/common/scripts/setup/exercise.sh </dev/null >output 2>&1; }
mkdir -p class/build/exercise
echo 100 >class/build/exercise/01a_checker_nan.score
echo 75 >class/build/exercise/02a_accumulators.score
list_class && grep -q '^Go on with: .* 02a$' output || fail 'the list names the next exercise'
for copy in "${copies[@]}"; do
    copy=${copy%/*}
    echo 100 >"class/build/exercise/${copy##*/}.score"
done
list_class && grep -q '^All are solved\.$' output && ! grep -q 'solution' output ||
    fail 'the list of one who is done'
rm -r class/build

# ---- GitHub Classroom -----------------------------------------------------------------------------

# The workflow in docs/teaching.md. This runs its commands in a handout, as GitHub does. The workflow's last step
# reads a variable per runner, named after the runner: base64 of a JSON object. This checks the variables.
awk '/^```/ {on = 0} on; /^```yaml/ {on = 1}' class/docs/teaching.md >workflow
awk '/^ *run: \|/ {match($0, /^ */); in_run = RLENGTH; next}
    {match($0, /^ */)} in_run && RLENGTH <= in_run {in_run = 0} in_run' workflow >commands
runners=$(sed -n 's/^ *runners: *//p' workflow | tr , ' ')
[[ -s commands && -n $runners ]] || fail 'the workflow has commands and runners'
: >github_output
(cd class && GITHUB_OUTPUT=$work/github_output bash --noprofile --norc -e ../commands) >output 2>&1 </dev/null ||
    fail 'the commands of the workflow'
for runner in $runners; do
    variable=$(tr '[:lower:]' '[:upper:]' <<<"$runner")_RESULTS
    key=$(sed -n "s/^ *$variable: \\\${{ steps\.grade\.outputs\.\([a-z0-9_]*\) }}\$/\1/p" workflow)
    [[ -n $key ]] || fail "the workflow sets no $variable"
    grep -q "^ *- id: grade$" workflow || fail 'the workflow has no step grade'
    [[ $(grep -c "^$key=[A-Za-z0-9+/=]*$" github_output) -eq 1 ]] || fail "the commands write no $key"
    sed -n "s/^$key=//p" github_output | base64 -d >"$runner.json" || fail "$key is base64"
    grep -q '^{"version": 1, "exercise": "' "$runner.json" || fail "$runner: JSON"
    ! command -v python3 >/dev/null || python3 -c 'import json, sys
result = json.load(open(sys.argv[1]))
assert result["version"] == 1 and result["status"] in ("pass", "fail", "error")
assert result["max_score"] == 100 and result["tests"]
for test in result["tests"]:
    assert isinstance(test["name"], str) and test["status"] in ("pass", "fail", "error")
    assert type(test["score"]) is int and type(test["line_no"]) is int and isinstance(test["message"], str)
assert sum(test["score"] for test in result["tests"]) == result["score"] < 100
' "$runner.json" >output 2>&1 || fail "$runner: what the reporter reads"
done
git -C "$root" check-ignore -q "$(cd class && echo 04*/exercise/04a_*/task.cu)" 2>/dev/null && fail 'git ignores answers'

cd class || exit 1
session() { ./test.sh exercise "$@" >"$work/output" 2>&1 </dev/null; }
session && grep -q '02a  *-  ' "$work/output" || fail 'the list'
session 02a && fail 'the skeleton in a handout earns all points'
grep -q '50 of 100 points' "$work/output" || fail 'the first grading'
session && grep -q '02a .*50/100' "$work/output" || fail 'the list has the last score'
session --hint 02a && grep -q 'Hint 1 of' "$work/output" && ! grep -q 'Hint 2 of' "$work/output" || fail 'one hint'
session --hint 02a && grep -q 'Hint 2 of' "$work/output" || fail 'two hints'
if [[ -e $(solution 02a) ]]; then
    cp "$(solution 02a)" 02*/exercise/02a_*/task.c
    session 02a && grep -q '100 of 100 points' "$work/output" && grep -q 'Next: ./test.sh exercise 02b ' "$work/output" || fail 'the solution in a handout'
    exercise --from "$work/class" 02a >"$work/output" 2>&1 || fail '--from'
fi
session --pack "$work/ann.tar.gz" 02a 01a && tar -tzf "$work/ann.tar.gz" >"$work/output" &&
    [[ $(tr '\n' ' ' <"$work/output") == 02*/exercise/02a_*/task.c\ 01*/exercise/01a_*/task.c\  ]] || fail '--pack'
session --reset 02a && cmp -s 02*/exercise/02a_*/task.c 02*/exercise/02a_*/skeleton/task.c || fail '--reset'
[[ -e $(echo 02*/exercise/02a_*/task.c.old) ]] || fail '--reset keeps what was there'
cd "$work" || exit 1
# SPDX-License-Identifier: MIT
