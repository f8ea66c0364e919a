#!/usr/bin/env bash
# Every allocation, file, thread and process that a program asks for fails once (inject.c): it ends in
# time, with its results or with one line and the code that README.md gives, and an old file is as it
# was. Usage: test_injected.sh BIN_FOLDER INJECT.so MOST, at most MOST failures of a kind for a program.
set -u
bin=$(readlink -f -- "$1")
library=$(readlink -f -- "$2")
most=$3
# shellcheck source=common/tests/shell.sh
. "$(dirname -- "$(readlink -f -- "$0")")/shell.sh"
injected=0

# attempt KIND N COMMAND...: runs it with that failure; sets `code`.
attempt() {
    printf old >rows.csv
    rm -f rows.csv.* count
    timeout 60 env LD_PRELOAD="$library" INJECT="$1:$2" INJECT_COUNT="$work/count" "${@:3}" \
        >output 2>errors </dev/null
    code=$?
}

# try COMMAND...: all its calls, or MOST of each kind, evenly.
try() {
    local kind n all step
    for kind in memory file write rename thread process; do
        attempt "$kind" 0 "$@"
        ((code == 0)) || fail "exit code $code without a failure: $*"
        all=$(cat count)
        step=$(((all + most - 1) / most))
        for ((n = 1; n <= all; n += step > 0 ? step : 1)); do
            attempt "$kind" "$n" "$@"
            injected=$((injected + 1))
            case $code in
            0)
                [[ $(head -c 9 rows.csv) == step,rung && ! -s errors ]] || fail "$kind $n: rows lost: $*"
                ;;
            3 | 4)
                (($(wc -l <errors) == 1)) || fail "$kind $n: not one line: $*"
                [[ $(<rows.csv) == old || $(head -c 9 rows.csv) == step,rung ]] || fail "$kind $n: rows.csv is broken: $*"
                ;;
            *) fail "$kind $n of $all: exit code $code: $*" ;;
            esac
            # (A program that is not checked says so in its rows as well.)
            leftover=(rows.csv.*)
            [[ ! -e ${leftover[0]} ]] || fail "$kind $n: leaves ${leftover[0]}: $*"
        done
    done
}

quick=(--n 1000 --reps 1 --warmup 0 --csv rows.csv)
try "$bin/01_cpu_naive" "${quick[@]}" --rung naive --rung unrolled
try "$bin/02_cpu_simd_threads" "${quick[@]}" --threads 3 --rung local --rung atomic --rung pool --rung simd_threads
if [[ -x $bin/counted/05_gpu_shared_tree ]]; then
    try "$bin/05_gpu_shared_tree" "${quick[@]}" --rung sequential
fi
printf '%d failures injected\n' "$injected"
finish
