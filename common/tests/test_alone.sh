#!/usr/bin/env bash
# Tests that a step can be built by itself: test_alone.sh ROOT CMAKE C_COMPILER CXX_COMPILER STEP
# Every step is configured; STEP is built, tested and run.
set -u
root=$1 cmake=$2
export CC=$3 CXX=$4
built=$5
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
failures=0 count=0

fail() {
    printf 'FAILED: %s\n' "$*" >&2
    failures=$((failures + 1))
}

for step in "$root"/0[1-8]_*; do
    name=${step##*/}
    count=$((count + 1))
    # Debug compiles faster.
    "$cmake" -S "$step" -B "$folder/$name" -DCMAKE_BUILD_TYPE=Debug >"$folder/said" 2>&1 ||
        fail "$name: does not configure: $(tail -n 5 "$folder/said")"
done
((count == 8)) || fail "$count steps, not 8"
name=$built
"$cmake" --build "$folder/$name" -j 2 --target "$name" "test_${name#0?_???_}" >"$folder/said" 2>&1 ||
    fail "$name: does not build: $(grep -m 5 -i error "$folder/said")"
ctest --test-dir "$folder/$name" -R "^$name" --no-tests=error >"$folder/said" 2>&1 ||
    fail "$name: its tests fail: $(tail -n 8 "$folder/said")"
"$folder/$name/bin/$name" --n 1000 --reps 1 >"$folder/said" 2>&1 ||
    fail "$name: does not run: $(tail -n 3 "$folder/said")"
grep -q ' pass$\|verdict pass' "$folder/said" || fail "$name: nothing passes: $(cat "$folder/said")"
((failures == 0)) && echo "all passed: $count steps"
((failures == 0))
