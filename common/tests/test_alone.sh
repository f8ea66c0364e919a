#!/usr/bin/env bash
# Tests that a step can be built by itself: test_alone.sh ROOT CMAKE C_COMPILER CXX_COMPILER STEP
# Configures every step. Builds, tests and installs STEP, and runs the installed program.
set -u
root=$1 cmake=$2
export CC=$3 CXX=$4 CUDACXX=/none # without nvcc, the back end `auto` is simt
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
    wanted=simt
    [[ $name != 0[12]* ]] || wanted=none
    grep -q "^-- Back end: $wanted, " "$folder/said" || fail "$name: does not say that its back end is $wanted"
done
((count == 8)) || fail "$count steps, not 8"
name=$built
"$cmake" --build "$folder/$name" -j 2 --target "$name" >"$folder/said" 2>&1 ||
    fail "$name: does not build: $(grep -m 5 -i error "$folder/said")"
ctest --test-dir "$folder/$name" -R "^$name" --no-tests=error >"$folder/said" 2>&1 ||
    fail "$name: its tests fail: $(tail -n 8 "$folder/said")"
"$cmake" --install "$folder/$name" --component "$name" --prefix "$folder/prefix" >"$folder/said" 2>&1 ||
    fail "$name: is not installed: $(tail -n 3 "$folder/said")"
rm -rf -- "${folder:?}/$name"
"$folder/prefix/bin/$name" --n 1000 --reps 1 >"$folder/said" 2>&1 ||
    fail "$name: does not run: $(tail -n 3 "$folder/said")"
grep -q ' pass$\|verdict pass' "$folder/said" || fail "$name: nothing passes: $(cat "$folder/said")"
((failures == 0)) && echo "all passed: $count steps"
((failures == 0))
# SPDX-License-Identifier: MIT
