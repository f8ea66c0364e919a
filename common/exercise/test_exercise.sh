#!/usr/bin/env bash
# Tests one exercise: its skeleton fails, its solution earns all points, each wrong answer earns its listed points.
# Usage: test_exercise.sh NAME CXX [all]. Without `all`, only the solution is graded, once. This also shows that
# the skeleton compiles, because the grader is linked with it.
# shellcheck disable=SC2015 # what stands before || fails, or is the test
set -u
root=$(cd -- "$(dirname -- "$(readlink -f -- "$0")")/../.." && pwd -P)
name=$1 compiler=$2 all=${3:-}
folder=$(echo "$root"/0[1-8]_*/exercise/"$name")
json=$(mktemp "${TMPDIR:-/tmp}/test_exercise.XXXXXX") || exit 1
trap 'rm -f -- "$json"' EXIT
failures=0

fail() {
    failures=$((failures + 1))
    printf 'FAILED: %s: %s\n' "$name" "$*"
    sed 's/^/    /' "$json"
}

# points FILE SEED: prints the points that FILE earns; the whole result is in $json.
points() {
    "$root/common/scripts/setup/exercise.sh" --compiler "$compiler" --json --student "$2" --file "$1" "$name" \
        >"$json" 2>&1 </dev/null
    sed -n 's/^{.*"score": \([0-9]*\), "max_score": 100.*/\1/p' "$json"
}

outside() { "$root/common/scripts/setup/exercise.sh" --outside "$1"; }

skeleton=$(echo "$folder"/skeleton/task.*)
if [[ -n $all ]]; then
    score=$(points "$skeleton" first)
    [[ -n $score && $score -lt 100 ]] || fail "the skeleton earns '$score' points"
    grep -q '"status": "fail".*"message": "..*"' "$json" || fail "the skeleton fails without a message"
    ! grep -q '"name": "compiles"' "$json" || fail "the skeleton does not build"
fi

(($(grep -c '^## Hint [1-9]' "$folder/README.md") >= 2)) || fail "two hints at least"
(($(grep -c '^<details>' "$folder/README.md") == $(grep -c '^## Hint [1-9]' "$folder/README.md"))) ||
    fail "each hint is folded"
grep -q '^\*\*Your work:\*\*' "$folder/README.md" && grep -q '\*\*Measured:\*\*' "$folder/README.md" ||
    fail "the README tells the work and what is measured"

# The README names the same rung and the same limits as the check: grade_speed(grade, "the rung X", 0.90, 0.60).
if grep -q GRADE_SPEED "$folder/check.c"; then
    [[ -e $folder/../rungs.cu ]] || fail "a test of speed, and no rungs.cu, which test_rungs.sh tests"
    sources=("$folder/check.c")
    for header in "$folder"/../*.h; do
        [[ ! -e $header ]] || sources+=("$header")
    done
    told=$(tr -s ' \n' ' ' <"$folder/README.md" | grep -o '\*\*On a GPU\*\*.* half of them from 0\.[0-9]*' || true)
    read -r full half < <(sed -n 's/.*_speed(grade,.*\(0\.[0-9]*\), \(0\.[0-9]*\)).*/\1 \2/p' "$folder/check.c")
    [[ $told == *"from $full of its speed on, half of them from $half" ]] ||
        fail "the README does not tell that points begin at '$full' and '$half'"
    grep -q "^| ${name%%_*} | .* | $full | $half |\$" "$root/docs/exercises.md" ||
        fail "docs/exercises.md does not tell that points begin at '$full' and '$half'"
    rung=$(grep -oh '"the rung [a-z_]*"' "${sources[@]}" | head -n 1 | tr -d '"')
    [[ -z $rung || $told == *"\`${rung##* }\`"* ]] || fail "the README does not tell of $rung"
fi

# A student's copy has no solution and no wrong answers.
if [[ -d $folder/solution ]]; then
    solution=$folder/solution/${skeleton##*/}
    for seed in first ${all:+second}; do
        score=$(points "$solution" "$seed")
        [[ $score == 100 ]] || fail "the solution earns '$score' points with seed $seed"
    done
    [[ $(outside "$skeleton") == "$(outside "$solution")" ]] || fail "skeleton and solution differ outside the marks"
    ! cmp -s "$skeleton" "$solution" || fail "skeleton and solution do not differ"
    [[ -s $folder/wrong/points.txt ]] || fail "no wrong answer"
    while read -r wrong wanted why; do
        [[ -n $why ]] || fail "points.txt says nothing of $wrong"
        grep -q "^| \[\`$wrong\`\](\.\./wrong/$wrong\.[cu]*) | $wanted | [A-Z0-9\`].*\.\"* |\$" "$folder/solution/README.md" ||
            fail "solution/README.md does not tell what $wrong costs"
        [[ -n $all ]] || continue
        score=$(points "$folder/wrong/$wrong.${skeleton##*.}" first)
        [[ $score == "$wanted" ]] || fail "$wrong earns '$score' points, not $wanted ($why)"
    done <"$folder/wrong/points.txt"
    for wrong in "$folder"/wrong/*.c*; do
        wrong=${wrong##*/}
        grep -q "^${wrong%.*} " "$folder/wrong/points.txt" || fail "$wrong is not in points.txt"
    done
fi
((failures == 0)) && echo "all passed"
((failures == 0))
# SPDX-License-Identifier: MIT
