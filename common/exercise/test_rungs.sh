#!/usr/bin/env bash
# Answers are timed against rungs in STEP/exercise/rungs.cu. Tests that these files still define what the
# exercises' checks call, by compiling both for the CPU. Usage: test_rungs.sh CXX
set -u
compiler=$1
# shellcheck source=common/tests/shell.sh
. "$(dirname -- "$(readlink -f -- "$0")")/../tests/shell.sh"
count=0

for rungs in "$root"/0[1-8]_*/exercise/rungs.cu; do
    folder=${rungs%/*}
    step=${folder%/exercise}
    step=${step##*/}
    "$root/common/simt/simtcc" -ccbin "$compiler" -w -I "$root/common" -I "${folder%/*}" -c "$rungs" -o "$work/rungs.o" \
        >"$work/said" 2>&1 || fail "$step: rungs.cu does not compile: $(head -n 20 "$work/said")"
    while read -r function; do
        count=$((count + 1))
        nm "$work/rungs.o" | grep -q " T $function\$" || fail "$step: rungs.cu has no $function"
    done < <(find "$folder" \( -name check.c -o -name '*.h' \) -exec \
        sed -n 's/^GRADE_ON_GPU_ONLY [a-z]* \([a-z_]*\).*/\1/p' {} +)
done
((count > 0)) || fail 'no check calls a rung'
finish "$count functions"
# SPDX-License-Identifier: MIT
