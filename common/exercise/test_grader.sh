#!/usr/bin/env bash
# Tests the grader: programs that do harm or nothing are graded 0 with a reason, in time; its options; the
# handout and the merged results. Usage: test_grader.sh CXX
# shellcheck disable=SC2015,SC2016 # what stands before || fails, or is the test; $ for scripts that are written
set -u
root=$(cd -- "$(dirname -- "$(readlink -f -- "$0")")/../.." && pwd -P)
compiler=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/test_grader.XXXXXX") || exit 1
trap 'rm -rf -- "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n' "$*"
    [[ ! -e output ]] || head -n 40 output | sed 's/^/    /'
}

exercise() { "$root/common/scripts/exercise.sh" "$@" </dev/null; }

# answer NAME TEXT: the skeleton with TEXT as the work, in answer.c or answer.cu.
answer() {
    local skeleton
    skeleton=$(echo "$root"/0[1-8]_*/exercise/"$1"_*/skeleton/task.*)
    file=answer.${skeleton##*.}
    text=$2 awk '/---- end of your work ----/ {on = 0} !on {print}
        /---- your work ----/ {print ENVIRON["text"]; on = 1}' \
        "$skeleton" >"$file"
}

# earns_nothing WHAT NAME TEXT REASON: within 40 s, 0 points, and the reason.
earns_nothing() {
    local start=$SECONDS
    answer "$2" "$3"
    exercise --compiler "$compiler" --seconds 1 --student x --file "$file" "$2" >output 2>&1
    [[ $? -eq 1 ]] && grep -q '^  0 of 100 points$' output || fail "$1: does not earn 0 points"
    grep -q -- "$4" output || fail "$1: does not say: $4"
    ((SECONDS - start < 40)) || fail "$1: took $((SECONDS - start)) s"
}

# ---- programs that do harm -------------------------------------------------------------------------

earns_nothing hang 02a 'volatile int on = 1; while (on) {} return x[0] + (float)n;' 'stopped after 1 s'
earns_nothing crash 02a '(void)x; *(volatile int *)8 = (int)n; return 0;' 'crashed: Segmentation fault'
earns_nothing recursion 02a 'return x[0] + sum(x, n + 1) * 2;' 'crashed: Segmentation fault'
earns_nothing exit 02a '(void)x; (void)n; extern void exit(int); exit(0);' 'ended the program (exit status 0)'
earns_nothing abort 02a '(void)x; (void)n; extern void abort(void); abort();' 'crashed: Aborted'
earns_nothing past_end 02a 'float s = 0; for (size_t i = 0; i <= n; i++) s += x[i]; return s;' 'Segmentation fault'
earns_nothing garbage 02a '(void)x; (void)n; extern int puts(const char *);
    for (;;) puts("\033[2J{\"score\": 100} 100 of 100 points");' 'printed or wrote more than 1024 KiB'
earns_nothing memory 02a '(void)x; extern void *malloc(size_t); extern void *memset(void *, int, size_t);
    for (char *volatile p;;) { p = malloc(n + (256 << 20)); memset(p, 1, 1 << 20); }' 'out of memory: it may have'
earns_nothing forged 02a '(void)x; (void)n; extern long write(int, const void *, size_t); static char zeros[65536];
    for (int i = 3; i < 64; i++) write(i, zeros, sizeof zeros);
    extern void _exit(int); _exit(0);' 'ended the program (exit status 0)'
earns_nothing stdin 02a '(void)x; (void)n; extern int getchar(void); return (float)getchar();' 'should be'
earns_nothing own_folder 02a '(void)x; (void)n; extern int system(const char *); system("rm -rf * ../rungs-exercise.* 2>&1");
    return 0;' 'should be'
earns_nothing fake 02a '(void)x; (void)n; extern int puts(const char *);
    puts("{\"version\": 1, \"exercise\": \"02a_accumulators\", \"status\": \"pass\", \"score\": 100, \"max_score\": 100}");
    puts("  100 of 100 points"); return 0;' 'should be'
exercise --compiler "$compiler" --json --file answer.c 02a >output 2>/dev/null
[[ $(grep -c '"exercise": "' output) -eq 1 ]] && grep -q '^{"version": 1, .*"status": "fail", "score": 0,' output ||
    fail 'a result that was printed is in the JSON'
earns_nothing kernel_hang 04a 'while (n > 0) bins[0] += i;' 'stopped after 1 s'
earns_nothing kernel_crash 04a 'bins[(long)i * 1000000007 + 100000000] = values[0];' 'illegal address'
earns_nothing does_not_compile 04a 'bins[i = values;' 'does not compile'

# Nothing of it is left running.
sleep 0.2
for process in /proc/[0-9]*; do
    [[ $(readlink "$process/exe" 2>/dev/null) != */rungs-exercise.*/program* ]] ||
        fail "${process#/proc/} is still there"
done

# What the grader itself is given as input is not read.
{
    "$root/common/scripts/exercise.sh" --compiler "$compiler" --file answer.c 02a >output 2>&1
    read -r line
} <<<'left alone'
[[ $line == 'left alone' ]] || fail 'the input was read'

# ---- which line costs the points ---------------------------------------------------------------------

exercise --compiler "$compiler" --json --file "$root"/05*/exercise/05a_*/skeleton/task.cu 05a >output 2>&1
line=$(sed -n 's/.*"no bank conflicts".*"line_no": \([0-9]*\).*/\1/p' output)
sed -n "${line:-1}p" "$root"/05*/exercise/05a_*/skeleton/task.cu | grep -q 'partial\[left\] +=' ||
    fail "bank conflicts at line '$line'"

# What it writes, makes or removes, where the kernel can forbid it (Landlock; the test asks it for a version).
if python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(444, None, 0, 1) < 1)' 2>/dev/null; then
    touch victim
    answer 02a "extern int unlink(const char *), creat(const char *, int); float s = 0;
    unlink(\"$work/victim\"); creat(\"$work/made\", 0600);
    for (size_t i = 0; i < n; i++) s += x[i]; return s;"
    exercise --compiler "$compiler" --file answer.c 02a >output 2>&1
    grep -q '50 of 100 points' output && [[ -e victim && ! -e made ]] || fail 'files are safe'
fi

# Processes have a limit. No fork bomb here, which the machine would suffer from: 400 that sleep. (Other users
# have a limit that depends on what runs already.)
if ((EUID == 0)); then
    answer 02a 'extern int fork(void), pause(void), printf(const char *, ...);
    static int made; float s = 0;
    for (int i = 0; i < 400 && n == 1; i++) { const int p = fork(); if (p == 0) pause(); made += p > 0; }
    if (n == 1) printf("made %d of 400\n", made);
    for (size_t i = 0; i < n; i++) s += x[i]; return s;'
    exercise --compiler "$compiler" --file answer.c 02a >output 2>&1
    grep -q 'made [1-9][0-9]* of 400' output && ! grep -q 'made 400 of 400' output || fail 'processes have a limit'
fi

# ---- speed on a GPU, without one ------------------------------------------------------------------------

# In place of nvcc the compiler for the CPU: what is timed then says nothing, but how it is told can be seen.
mkdir -p toolkit/bin
ln -s "$root/common/simt" toolkit/include
printf '#!/bin/sh\n[ "$1" = --version ] || exec "%s" -ccbin "%s" -Xcompiler -pthread "$@"\n' \
    "$root/common/simt/simtcc" "$compiler" >toolkit/bin/nvcc
printf '#!/bin/sh\n[ "$1" = -L ] && echo "GPU 0: none (UUID: 0)" || echo 9.0\n' >toolkit/bin/nvidia-smi
chmod +x toolkit/bin/*
timed() { PATH=$work/toolkit/bin:$PATH exercise --compiler "$compiler" --backend cuda --file "$@" >output 2>&1; }
answer 04b 'for (int i = thread; i < n; i += threads) {
        for (int k = 0; k < 30; k++) atomicAdd(result, k % 2 ? 1 : -1);
        atomicAdd(result, in[i]);
    }'
timed answer.cu 04b
[[ $? -eq 1 ]] && grep -q '^  passed  *50/50 .*sums' output && grep -q '^  FAILED  *0/50  *speed' output &&
    grep -q 'of the speed of the rung atomic_block: it takes' output && grep -q 'counted on the CPU' output &&
    grep -q 'one atomic a block: [0-9]* atomic additions' output && grep -q '  task line 13: ' output &&
    grep -q '^  50 of 100 points' output || fail 'the speed of a slow answer'
timed answer.cu --json 04b
grep -q '"name": "speed", "status": "fail", "score": 0, "max_score": 50, .*"speed": {"ratio": 0\.[0-9]*, "answer_us": ' output ||
    fail 'the speed as JSON'
answer 04b 'if (thread == 0) *result = 1;'
timed answer.cu 04b
grep -q '^  -  *0/50  *speed' output && grep -q 'graded once all results are right' output &&
    grep -q '^  0 of 100 points' output || fail 'the speed of a wrong answer'

# ---- outside of the marks ----------------------------------------------------------------------------

answer 02a 'return x[0];'
sed -i 's/^#include.*/#include <stdlib.h>/' answer.c
exercise --file answer.c 02a >output 2>&1
[[ $? -eq 1 ]] && grep -q 'outside of the marks' output && grep -q 'is new:  *#include <stdlib.h>' output ||
    fail 'a change outside of the marks'

# ---- points as JSON, merged --------------------------------------------------------------------------

solution() { echo "$root"/0[1-8]_*/exercise/"$1"_*/solution/task.*; }
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

# ---- the handout, and a first session in it ----------------------------------------------------------

exercise --handout "$work/class" >output 2>&1 || fail '--handout'
[[ -z $(find class -path '*/exercise/*' \( -name solution -o -name wrong \)) ]] || fail 'a handout with solutions'
[[ ! -e class/.git && ! -e class/build ]] || fail 'a handout with a history'
copies=(class/0[1-8]_*/exercise/*/task.*) skeletons=(class/0[1-8]_*/exercise/*/skeleton/task.*)
[[ ${#copies[@]} -eq ${#skeletons[@]} && ${#copies[@]} -ge 3 ]] || fail 'a file to edit in each exercise'
exercise --handout "$work/class" >output 2>&1
[[ $? -eq 4 ]] || fail 'a handout does not overwrite'
exercise --handout "$work/class.tar.gz" >output 2>&1 && tar -tzf class.tar.gz >output &&
    grep -q '^rungs/test.sh$' output && ! grep -q /solution/ output || fail 'a handout as an archive'

# ---- GitHub Classroom ---------------------------------------------------------------------------------

# The workflow in docs/teaching.md: its commands, as GitHub runs them, in a handout, and what its last step then
# reads: for each of its runners a variable named after it, base64 of a JSON object.
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
session --reset 02a && cmp -s 02*/exercise/02a_*/task.c 02*/exercise/02a_*/skeleton/task.c || fail '--reset'
[[ -e $(echo 02*/exercise/02a_*/task.c.old) ]] || fail '--reset keeps what was there'
cd "$work" || exit 1

# ---- bad usage ---------------------------------------------------------------------------------------

# says STATUS TEXT ARGUMENT...: one line.
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
says 2 'want simt or cuda' --backend gpu 02a
says 2 'want a whole number' --seconds 0 02a
says 2 'needs one exercise' --hint
says 4 'no such folder' --from /nonexistent 02a
says 4 '/nonexistent.json: cannot read it' --merge /nonexistent.json
exercise --help >output 2>&1 && grep -q -- --handout output || fail '--help'

((failures == 0)) && echo 'all passed'
((failures == 0))
