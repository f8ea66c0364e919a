#!/usr/bin/env bash
# Tests of common/scripts/measure/benchmark.sh: test_benchmark.sh BIN_DIR
set -euo pipefail

benchmark=$(dirname -- "$(readlink -f -- "$0")")/../scripts/measure/benchmark.sh
bin=$1
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
file=$folder/all.csv
failures=0

fail() {
    printf 'FAILED: %s\n' "$*" >&2
    failures=$((failures + 1))
}

# expect STATUS TEXT ARGUMENT...: benchmark.sh must exit with STATUS and print TEXT.
expect() {
    local wanted=$1 text=$2 status=0
    shift 2
    "$benchmark" "$@" >"$folder/said" 2>&1 || status=$?
    ((status == wanted)) || fail "benchmark.sh $*: exit status $status, not $wanted: $(tail -n 3 "$folder/said")"
    grep -qF -- "$text" "$folder/said" || fail "benchmark.sh $*: '$text' is not in: $(<"$folder/said")"
}

expect 0 Usage --help
expect 2 'expected BIN_DIR and FILE.csv'
expect 2 'no such option' --fast "$bin" "$file"
expect 2 'expected 01 to 08' --step 09 "$bin" "$file"
expect 4 'no program 01_cpu_naive' "$folder" "$file"
expect 4 'cannot write' --quick --step 01 "$bin" "$folder/none/all.csv"
echo 'a,b' >"$folder/foreign.csv"
expect 4 'not a file of results' --quick "$bin" "$folder/foreign.csv"

expect 0 'to measure  01_cpu_naive dot f32 1024 warm' --list --quick --step 1 "$bin" "$file"
[[ ! -e $file ]] || fail "--list has written the file"

if [[ -x $bin/06_gpu_warp_shuffle ]]; then # the ladders of a climb, each selected by its options
    expect 0 '06_gpu_warp_shuffle  column_sum f32 64x64 ' --climbs --quick --step 06 "$bin" "$folder/climbs.csv"
    grep -q '^06_gpu_warp_shuffle,column_tile,column_sum,f32,64x64,' "$folder/climbs.csv" || fail "no rows of --ladder columns"
    expect 0 '3 of 3 were measured before' --climbs --quick --step 06 "$bin" "$folder/climbs.csv"
fi

expect 0 '[3/3] 01_cpu_naive' --quick --step 01 "$bin" "$file"
rows=$(($(wc -l <"$file") - 1))
rungs=$("$bin/01_cpu_naive" --list | wc -l)
((rows == 3 * rungs)) || fail "$rows rows of 3 sizes and $rungs rungs"
expect 0 'measured    01_cpu_naive dot f32 1024 warm' --list --quick --step 1 "$bin" "$file"

# A second run measures only what is missing.
cp "$file" "$folder/before.csv"
expect 0 '3 of 3 were measured before' --quick --step 01 "$bin" "$file"
cmp -s "$file" "$folder/before.csv" || fail "the file has changed though all was measured"
grep -v ',dot,f32,4096,' "$folder/before.csv" >"$file"
expect 0 '2 of 3 were measured before' --quick --step 01 "$bin" "$file"
[[ $(grep -c ',dot,f32,4096,' "$file") == "$rungs" ]] || fail "the size that was missing is not there once"
[[ $(sort "$file" | cut -d, -f1-6 | uniq -d) == '' ]] || fail "rows are there twice"

sed 's/^\(01_cpu_naive,.*,cpu,\)/\1Another /' "$folder/before.csv" >"$folder/other.csv"
expect 4 'rows of another machine' --quick --step 01 "$bin" "$folder/other.csv"

# If a program fails, its rows are kept, the others still run, and the script exits with its status.
mkdir "$folder/bin"
for program in "$bin"/0[1-8]_*; do
    [[ ! -f $program ]] || ln -s "$program" "$folder/bin/"
done
rm "$folder/bin/02_cpu_simd_threads"
cat >"$folder/bin/02_cpu_simd_threads" <<'EOF'
#!/bin/sh
echo 'out of memory' >&2
exit 3
EOF
chmod +x "$folder/bin/02_cpu_simd_threads"
expect 3 'exit status 3: out of memory' --quick --step 02 --step 01 "$folder/bin" "$folder/failed.csv"
(($(wc -l <"$folder/failed.csv") == 1 + 3 * rungs)) || fail "after a failure the others have not gone on"

# A GPU step on simt: its rows have no times, but it is still measured only once.
if [[ -x $bin/03_gpu_single_thread ]]; then
    expect 0 '[2/2] 03_gpu_single_thread' --quick --step 03 "$bin" "$folder/gpu.csv"
    expect 0 '2 of 2 were measured before' --quick --step 03 "$bin" "$folder/gpu.csv"
fi
((failures == 0)) && echo "all right"
exit "$((failures > 0))"
# SPDX-License-Identifier: MIT
