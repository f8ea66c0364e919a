#!/usr/bin/env bash
# Makes each allocation, file, thread, process and CUDA call of a program fail once (inject.c, SIMT_FAIL). The
# program must end in time, with its results or with one line and the code in README.md. An existing file must
# be unchanged or be the complete new one. Also tests the programs without /proc.
# Usage: test_injected.sh BIN_FOLDER INJECT.so MOST. At most MOST failures per kind and program.
set -u
bin=$(readlink -f -- "$1")
library=$(readlink -f -- "$2")
most=$3
# shellcheck source=common/tests/shell.sh
. "$(dirname -- "$(readlink -f -- "$0")")/shell.sh"
injected=0

# is_whole FILE FIRST LAST: whether FILE is the old file, or begins with FIRST and ends with LAST.
is_whole() {
    [[ $(<"$1") == old || ($(head -n 1 "$1") == "$2"* && $(tail -n 1 "$1") == *"$3") ]]
}

# judge WHAT COMMAND...: checks the outcome of a command that ended with $code.
judge() {
    injected=$((injected + 1))
    case $code in
    0)
        [[ $(head -c 9 rows.csv) == step,rung && ! -s errors ]] || fail "$1: rows lost: ${*:2}"
        ;;
    3 | 4)
        (($(wc -l <errors) == 1)) || fail "$1: not one line: ${*:2}"
        ;;
    *) fail "$1: exit code $code: ${*:2}" ;;
    esac
    is_whole rows.csv step,rung, '' && is_whole rows.json '{' '}' || fail "$1: a file is broken: ${*:2}"
    leftover=(rows.*.*)
    [[ ! -e ${leftover[0]} ]] || fail "$1: leaves ${leftover[0]}: ${*:2}"
}

# start COMMAND...: runs the command with old files and a time limit. Sets `code`.
start() {
    printf old | tee rows.csv >rows.json
    rm -f rows.*.* count
    timeout 60 "$@" >output 2>errors </dev/null
    code=$?
}

# ---- the C library ------------------------------------------------------------------------------

# attempt KIND N COMMAND...: runs the command with that failure.
attempt() {
    start env LD_PRELOAD="$library" INJECT="$1:$2" INJECT_COUNT="$work/count" "${@:3}"
}

# try COMMAND...: makes each of its calls fail, or about MOST per kind, evenly spaced.
try() {
    local kind n all step
    for kind in memory file write rename thread process; do
        attempt "$kind" 0 "$@"
        ((code == 0)) || fail "exit code $code without a failure: $*"
        all=$(cat count)
        step=$(((all + most - 1) / most))
        for ((n = 1; n <= all; n += step > 0 ? step : 1)); do
            attempt "$kind" "$n" "$@"
            judge "$kind $n of $all" "$@"
        done
    done
}

files=(--csv rows.csv --json rows.json)
quick=(--n 1000 --reps 1 --warmup 0 "${files[@]}")
try "$bin/01_cpu_naive" "${quick[@]}" --rung naive --rung unrolled
try "$bin/02_cpu_simd_threads" "${quick[@]}" --threads 3 --rung local --rung atomic --rung pool --rung simd_threads
if [[ -x $bin/05_gpu_shared_tree ]]; then
    try "$bin/05_gpu_shared_tree" "${quick[@]}" --rung sequential
    attempt process 0 "$bin/05_gpu_shared_tree" "${quick[@]}"
    [[ $(cat count) -eq 0 ]] || fail "05_gpu_shared_tree starts $(cat count) processes"
fi

# ---- the CUDA runtime ---------------------------------------------------------------------------

# cuda_calls COMMAND...: prints the number of its CUDA calls.
cuda_calls() {
    SIMT_FAIL=0 "$@" 2>&1 >/dev/null | sed -n 's/.* \([0-9]*\) calls of the CUDA runtime, none failed$/\1/p'
}

# try_cuda STEP OPTION...: makes each CUDA call of the step's program fail, once with a likely error and once
# with an error after which the device no longer works.
try_cuda() {
    local step=$1 all n every error
    shift
    [[ -x $bin/$step ]] || return 0
    all=$(cuda_calls "$bin/$step" "$@")
    [[ $all -gt 0 ]] || fail "SIMT_FAIL=0 counts no calls: $step $*"
    every=$(((all + most - 1) / most))
    for error in '' :cudaErrorIllegalAddress; do
        for ((n = 1; n <= all; n += every)); do
            start env SIMT_FAIL="$n$error" "$bin/$step" "$@" "${files[@]}"
            grep -q '^simt: SIMT_FAIL=.* fails (' errors || fail "call $n does not fail: $step $*"
            sed -i '/^simt: SIMT_FAIL=/d' errors
            judge "CUDA call $n$error of $all" "$step" "$@"
        done
    done
}

try_cuda 05_gpu_shared_tree --reps 1 --warmup 0 --n 1000 --rung sequential # with the small problems
once=(--reps 1 --warmup 0 --skip-small)
try_cuda 06_gpu_warp_shuffle "${once[@]}" --ladder rows --m 20 --n 30
try_cuda 07_gemm "${once[@]}" --m 17 --n 18 --k 19 --rung naive --rung any_shape
SIMT_DEVICES=2 try_cuda 06_gpu_warp_shuffle "${once[@]}" --gpus 2 --n 1000
SIMT_DEVICES=2 try_cuda 07_gemm "${once[@]}" --gpus 2 --m 33 --n 34 --k 8
small_conv=(--batch 1 --channels 2 --height 9 --width 9 --filters 2)
((most > 3)) || small_conv+=(--rung planned_copies --rung im2col --rung implicit_gemm_split --rung winograd_2x2)
try_cuda 08_conv "${once[@]}" "${small_conv[@]}"
if ((most > 3)); then # the other ladders, and calls that the first sizes do not make
    try_cuda 06_gpu_warp_shuffle "${once[@]}" --n 1000
    try_cuda 06_gpu_warp_shuffle "${once[@]}" --ladder columns --m 20 --n 30
    try_cuda 07_gemm "${once[@]}" --m 17 --n 24 --k 24 --rung stream_k --rung tensor_3xtf32
    for type in bf16 tf32; do
        try_cuda 07_gemm "${once[@]}" --all --type $type --m 17 --n 24 --k 24
    done
    try_cuda 08_conv "${once[@]}" --all --batch 1 --channels 4 --height 9 --width 9 --filters 4 --groups 2
fi

# ---- no /proc -----------------------------------------------------------------------------------

# without_proc CODE COMMAND...: hides /proc with the preload and, if permitted, with a mount namespace.
hide=(unshare -rm bash -c 'mount -t tmpfs none /proc && exec "$@"' hide)
without_proc() {
    local wanted=$1 how hidden
    shift
    for how in preload namespace; do
        hidden=(env LD_PRELOAD="$library" INJECT=proc:0)
        if [[ $how == namespace ]]; then
            "${hide[@]}" true 2>/dev/null || continue
            hidden=("${hide[@]}")
        fi
        start "${hidden[@]}" "$@" "${once[@]}" "${files[@]}"
        [[ $code -eq $wanted ]] || fail "without /proc ($how): exit code $code, not $wanted: $*"
        judge "without /proc ($how)" "$@"
    done
}
without_proc 0 "$bin/01_cpu_naive" --n 1000
without_proc 0 "$bin/02_cpu_simd_threads" --n 1000 --rung pool
if [[ -x $bin/05_gpu_shared_tree ]]; then
    without_proc 0 "$bin/05_gpu_shared_tree" --n 1000 --rung sequential
    without_proc 0 "$bin/05_gpu_shared_tree" --n 1000 --rung sequential --counters
fi
"${hide[@]}" true 2>/dev/null || echo 'without /proc: by a preload only (no namespaces here)'
printf '%d failures injected\n' "$injected"
finish
# SPDX-License-Identifier: MIT
