#!/bin/sh
# test_tensor_sums.sh PROGRAM FILE: whether tensor_sums.cu gives, bit by bit, what an H200 gave.
out=$(mktemp) || exit 3
trap 'rm -f "$out"' EXIT
"$1" >"$out" || exit 1
[ "$(wc -l <"$2")" -ge 1000 ] || { echo "$2: too short" && exit 1; }
cmp "$out" "$2" || { diff "$out" "$2" | head -20 && exit 1; }
