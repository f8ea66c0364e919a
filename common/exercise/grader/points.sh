# shellcheck shell=bash disable=SC2015,SC2016,SC2154
# Tests of points as JSON, of merging them, and of bad usage. Sourced by test_grader.sh.

# ---- points as JSON, merged -----------------------------------------------------------------------

if [[ -e $(solution 02a) ]]; then
    exercise --json --file "$(solution 02a)" 02a >ann.json 2>output || fail 'a solution as JSON'
    answer 02a 'float s = 0; for (size_t i = 0; i < n; i++) s += x[i]; return s;'
    exercise --json --file answer.c 02a >'bob "b", jr.json' 2>output && fail 'not all points: status 1'
    if command -v python3 >/dev/null; then
        python3 -c 'import json, sys
for path in sys.argv[1:]:
    result = json.load(open(path))
    tests = result["tests"]
    assert result["max_score"] == sum(t["max_score"] for t in tests) == 100
    assert result["score"] == sum(t["score"] for t in tests)
    # A reporter that counts tests passed comes to the same points.
    assert result["score"] == 100 * sum(t["status"] == "pass" for t in tests) / len(tests)
' ann.json 'bob "b", jr.json' >output 2>&1 || fail 'valid JSON with points that add up'
    fi
    exercise --merge ann.json 'bob "b", jr.json' >all.csv 2>output || fail '--merge'
    cat >wanted.csv <<'END'
student,exercise,score,max_score,failed_tests
ann,02a_accumulators,100,100,
"bob ""b"", jr",02a_accumulators,50,100,two chains or more; eight chains or more
END
    cmp -s wanted.csv all.csv || { cp all.csv output; fail 'the merged CSV'; }
fi

# ---- the list, in a tree of its own: what is kept of the scores is its reader's --------------------

mkdir -p tree/common tree/build/exercise
cp -r -- "$root/common/scripts" tree/common/
ln -s -- "$root"/0[1-8]_* tree/
list() { tree/common/scripts/setup/exercise.sh </dev/null >output 2>&1; }
list && grep -q '^Begin with: .* 01a$' output || fail 'the list: begin with the first'
echo 100 >tree/build/exercise/01a_checker_nan.score
echo 75 >tree/build/exercise/02a_accumulators.score
list && grep -q '^Go on with: .* 02a$' output || fail 'the list: go on with the one that was begun'
rm tree/build/exercise/02a_accumulators.score
echo 100 >tree/build/exercise/04a_race.score
list && grep -q '^Go on with: .* 04b$' output || fail 'the list: go on after the last that is solved'
for folder in "$root"/0[1-8]_*/exercise/*/; do
    folder=${folder%/}
    echo 100 >"tree/build/exercise/${folder##*/}.score"
done
list && grep -q '^All are solved' output || fail 'the list: all solved'

# ---- in the reader's language ---------------------------------------------------------------------

chinese() { LC_ALL='' LC_MESSAGES='' LANG=zh_CN.UTF-8 "$@" </dev/null >output 2>errors; }
answer 02a 'float s = 0; for (size_t i = 0; i < n; i++) s += x[i]; return s;'
chinese exercise --student x --file answer.c 02a && fail 'in Chinese: not all points: status 1'
for line in '02a_accumulators: 用几个累加器求和' '  通过      25/25  几千个元素的和' '  失败       0/25  至少两条链' \
    '  得 50 分，满分 100 分'; do
    grep -qx -- "$line" output || fail "in Chinese: $line"
done
grep -q '^           从元素 [0-9]* 看，加法链有 [0-9.]* 条；' output || fail 'in Chinese: why'
chinese exercise --json --student x --file answer.c 02a && fail 'in Chinese: status of --json'
exercise --json --student x --file answer.c 02a 2>errors | cmp -s - output || fail 'JSON is English'
ln -s -- "$root/docs" tree/
mkdir -p tree/08_mine/exercise/08z_mine/skeleton
echo >tree/08_mine/exercise/08z_mine/skeleton/task.c
printf '# Mine\n\nTask.\n\n## Hint 1\n\nLook.\n' >tree/08_mine/exercise/08z_mine/README.md
hint() { tree/common/scripts/setup/exercise.sh --hint "$1"; }
chinese hint 02a && grep -q '^第 1 条提示，共 3 条。 同一个累加器' output || fail 'a hint in Chinese'
hint 02a >output && grep -q '^Hint 2 of 3. Eight variables' output || fail 'a hint in English'
chinese hint 08z && grep -qx '第 1 条提示，共 1 条。 Look.' output || fail 'a hint that has no Chinese'

# ---- bad usage ------------------------------------------------------------------------------------

# says STATUS TEXT ARGUMENT...: the grader must exit with STATUS and print one line that matches TEXT.
says() {
    local status=$1 text=$2 found
    shift 2
    exercise "$@" >output 2>&1
    found=$?
    [[ $found -eq $status && $(wc -l <output) -eq 1 ]] && grep -q -- "$text" output ||
        fail "$*: status $found, not $status with one line: $text"
}
says 2 '09z: no such exercise' 09z
says 2 '--nothing: no such option' --nothing
says 2 '--student needs a value' --student
says 2 'expected simt or cuda' --backend gpu 02a
says 2 'expected a whole number' --seconds 0 02a
says 2 'needs one exercise' --hint
says 2 '--file needs one exercise' --file answer.c 02a 02a
says 2 '--explore needs one exercise' --explore page.html 04a 04b
says 2 '02a_accumulators has no kernel' --explore page.html 02a
says 4 'cannot write /nonexistent/page.html' --explore /nonexistent/page.html 04a
says 4 '--file /nonexistent: cannot read it' --file /nonexistent 02a
says 4 'no such folder' --from /nonexistent 02a
TMPDIR=/nonexistent says 4 'no folder for temporary files' 02a
says 4 '/nonexistent.json: cannot read it' --merge /nonexistent.json
exercise --help >output 2>&1 && grep -q -- --handout output || fail '--help'

# If standard output cannot be written: one line of message, exit status 4.
for what in --help '' '--hint 02a' "--json --file answer.c 02a" '--file answer.c 02a'; do
    # shellcheck disable=SC2086
    exercise $what 2>output >/dev/full
    [[ $? -eq 4 && $(wc -l <output) -eq 1 ]] && grep -q 'cannot write standard output' output ||
        fail "a full disk: exercise $what"
done
# SPDX-License-Identifier: MIT
