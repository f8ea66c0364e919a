#!/bin/sh
# test_same_as_h200.sh PROGRAM FILE: checks that PROGRAM prints FILE, its output on an H200.
out=$(mktemp) || exit 3
trap 'rm -f "$out"' EXIT
"$1" >"$out" || exit 1
[ -s "$2" ] || { echo "$2: empty" && exit 1; }
cmp "$out" "$2" || { diff "$out" "$2" | head -20 && exit 1; }
