#!/usr/bin/env bash
# Measures the CPU's rungs for the pages of steps 01, 02 and 07: measure_cpu.sh BIN_DIR OUT_DIR NAME
#
# Appends one run to OUT_DIR/01_cpu_naive_NAME.csv, 02_cpu_simd_threads_NAME.csv,
# 02_cpu_simd_threads_NAME_threads1.csv (--threads 1) and 07_gemm_NAME_threads1.csv, _threads2.csv
# and one with all threads. The pages compare the shortest medians of three runs on an otherwise idle
# machine. The largest vectors need 2 GB of memory.
set -euo pipefail

usage='usage: measure_cpu.sh BIN_DIR OUT_DIR NAME'
bin=${1:?$usage}
out=${2:?$usage}
name=${3:?$usage}
mkdir -p -- "$out"
part=$(mktemp -d)
trap 'rm -rf -- "$part"' EXIT

# measure FILE PROGRAM OPTION...: appends the program's rows to the file, with one header in all.
measure() {
    local file=$out/$1
    shift
    "$bin/$1" "${@:2}" --csv "$part/rows.csv" >"$part/log" 2>&1 || { cat "$part/log" >&2; return 1; }
    if [[ -s $file ]]; then
        tail -n +2 "$part/rows.csv" >>"$file"
    else
        cat "$part/rows.csv" >"$file"
    fi
    printf '.' >&2
}

# rungs NAME...: sets the array chosen to the options that select these rungs.
rungs() {
    chosen=()
    local rung
    for rung; do
        chosen+=(--rung "$rung")
    done
}

first() { measure "01_cpu_naive_$name.csv" 01_cpu_naive "$@"; }
second() { measure "02_cpu_simd_threads_$name.csv" 02_cpu_simd_threads "$@"; }

for type in f32 f64 mixed f32xf64; do
    first --n 4K --type $type
    first --n 1M --type $type
done
first --n 4K --op sum
first --n 4K --op max
for type in f32 f64; do
    first --n 128M --type $type --reps 5
done

second --n 4K
second --n 64K
second --n 1M
rungs vector race lock atomic adjacent adjacent_plain padded local openmp openmp_simd \
    openmp_vector pool
second --n 1 "${chosen[@]}"
rungs lanes one_register vector
second --n 4K --op max "${chosen[@]}"
rungs vector pool simd_threads openblas
for n in 8K 16K 24K 32K 48K 80K 96K; do
    second --n $n "${chosen[@]}"
done
for n in 12K 32K 64K; do
    second --n $n --type f64 "${chosen[@]}"
done
rungs vector simd_threads openblas
for n in 4M 16M; do
    second --n $n "${chosen[@]}"
done
for problem in "dot f64" "dot mixed" "sum f32" "max f32" "min f32"; do
    read -r op type <<<"$problem"
    for n in 1M 4M 16M; do
        second --n $n --op "$op" --type "$type" "${chosen[@]}"
    done
    second --n 128M --op "$op" --type "$type" --reps 5 "${chosen[@]}"
done
rungs lanes one_register vector local openmp_simd openmp_vector pool simd_threads first_touch openblas
second --n 128M --reps 5 "${chosen[@]}"

rungs vector lock atomic adjacent adjacent_plain padded local
measure "02_cpu_simd_threads_${name}_threads1.csv" 02_cpu_simd_threads --n 1M --threads 1 "${chosen[@]}"

rungs cpu_naive cpu_rows cpu_blocked cpu_vectors cpu_register_tile cpu_packed cpu_threads openblas
for threads in 1 2 "$(nproc)"; do
    for n in 256 512 1000 1024 2048 4096; do
        measure "07_gemm_${name}_threads$threads.csv" \
            07_gemm --m $n --n $n --k $n --threads "$threads" "${chosen[@]}"
    done
    rungs cpu_threads openblas
done
for file in "$out"/0[127]_*"_$name"{,_threads*}.csv; do
    [[ ! -e $file ]] || "$(dirname -- "$0")/provenance.py" add "$file" "common/scripts/measure/measure_cpu.sh $*"
done
echo >&2
# SPDX-License-Identifier: MIT
