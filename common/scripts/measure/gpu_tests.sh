#!/usr/bin/env bash
# Runs the tests of the preset cuda on a GPU, after `cmake --build --preset cuda`: gpu_tests.sh
# Writes docs/results/gpu_tests.txt, the summary of `ctest --preset cuda`, with the card and the commit,
# and gpu_tests.json. Run this script for each release.
set -euo pipefail
cd -- "$(dirname -- "$(readlink -f -- "$0")")/../../.."
nvidia-smi -L >/dev/null 2>&1 || {
    echo "gpu_tests.sh: there is no GPU here: nvidia-smi lists none" >&2
    exit 3
}
log=build/cuda/gpu_tests.log results=docs/results/gpu_tests
status=0
ctest --preset cuda "$@" >"$log" 2>&1 || status=$?
grep -q 'tests passed' "$log" || {
    tail -n 5 "$log" >&2
    exit 1
}
common/scripts/measure/provenance.py write $results.txt "ctest --preset cuda $*"
{
    sed -nE 's/^  "(commit|date|card|driver|cuda|clocks|command)": "(.*)",?$/\1: \2/p' $results.json
    sed -n '/tests passed/,$p' "$log"
} >$results.txt
cat $results.txt
exit "$status"
# SPDX-License-Identifier: MIT
