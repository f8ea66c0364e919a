#!/usr/bin/env bash
# Measures steps 03 to 06 on a GPU: measure_reductions.sh BIN_DIR OUT_DIR
#
# Writes OUT_DIR/reductions.csv (result rows), OUT_DIR/matrix.csv (rows and columns of matrices)
# and, if ncu is installed, OUT_DIR/shared_tree_counters.csv (hardware counters of step 05's first
# launch at n = 65536, one row per rung and metric). The vectors of 2^30 elements need 24 GB of host
# memory.
set -euo pipefail

bin=${1:?usage: measure_reductions.sh BIN_DIR OUT_DIR}
out=${2:?usage: measure_reductions.sh BIN_DIR OUT_DIR}
mkdir -p -- "$out"
part=$(mktemp -d)
trap 'rm -rf -- "$part"' EXIT

# Appends a program's rows to a file, with one header in all.
measure() {
    local file=$1
    shift
    "$@" --csv "$part/rows.csv" >"$part/log" 2>&1 || { cat "$part/log" >&2; return 1; }
    if [[ -s $file ]]; then
        tail -n +2 "$part/rows.csv" >>"$file"
    else
        cat "$part/rows.csv" >"$file"
    fi
    printf '.' >&2
}

rm -f -- "$out/reductions.csv" "$out/matrix.csv"
for step in 03_gpu_single_thread 04_gpu_atomic; do
    measure "$out/reductions.csv" "$bin/$step" --n 1M
    measure "$out/reductions.csv" "$bin/$step" --n 1M --type mixed
    measure "$out/reductions.csv" "$bin/$step" --n 1M --type f32xf64
done
for n in 64K 1M 64M; do
    measure "$out/reductions.csv" "$bin/05_gpu_shared_tree" --n $n
done
for n in 1M 64M; do
    for problem in "--op sum" "--op max" "--op min" "--type mixed" "--type f32xf64"; do
        read -ra options <<<"$problem"
        measure "$out/reductions.csv" "$bin/05_gpu_shared_tree" --n $n "${options[@]}"
    done
done
for n in 4K 16K 64K 256K 1M 4M 16M 64M 256M 1G; do
    measure "$out/reductions.csv" "$bin/06_gpu_warp_shuffle" --n $n
done
for n in 4K 1M 256M 1G; do
    measure "$out/reductions.csv" "$bin/06_gpu_warp_shuffle" --n $n --op sum
done
for op in max min; do
    for n in 4K 1M 256M; do
        measure "$out/reductions.csv" "$bin/06_gpu_warp_shuffle" --n $n --op $op
    done
done
for n in 4K 1M 256M 1G; do
    measure "$out/reductions.csv" "$bin/06_gpu_warp_shuffle" --n $n --type f64
done
for n in 1M 256M; do
    measure "$out/reductions.csv" "$bin/06_gpu_warp_shuffle" --n $n --type mixed
    measure "$out/reductions.csv" "$bin/06_gpu_warp_shuffle" --n $n --type f32xf64
    measure "$out/reductions.csv" "$bin/06_gpu_warp_shuffle" --n $n --type f16
    measure "$out/reductions.csv" "$bin/06_gpu_warp_shuffle" --n $n --cold
done
for axis in rows columns; do
    for shape in "1M 256" "256K 1K" "16K 16K" "1K 256K" "256 1M" "4M 16"; do
        read -r rows columns <<<"$shape"
        measure "$out/matrix.csv" "$bin/06_gpu_warp_shuffle" --ladder $axis --m "$rows" --n "$columns"
    done
done

for axis in rows columns; do
    for shape in "256K 1K" "1K 256K"; do
        read -r rows columns <<<"$shape"
        for problem in "sum f64" "max f32" "max f64" "min f32" "min f64"; do
            read -r op type <<<"$problem"
            measure "$out/matrix.csv" "$bin/06_gpu_warp_shuffle" --ladder $axis --m "$rows" \
                --n "$columns" --op "$op" --type "$type"
        done
    done
done

if command -v ncu >/dev/null; then
    metrics=smsp__sass_inst_executed_op_shared_ld.sum,smsp__sass_inst_executed_op_shared_st.sum
    metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
    metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
    metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
    metrics+=,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
    metrics+=,smsp__thread_inst_executed_pred_on_per_inst_executed.ratio
    metrics+=,smsp__sass_branch_targets_threads_divergent.sum,smsp__inst_executed.sum
    echo "rung,metric,value" >"$out/shared_tree_counters.csv"
    for rung in $("$bin/05_gpu_shared_tree" --list | awk '!/\[library\]/ { print $1 }'); do
        ncu --clock-control none --launch-count 1 --csv --metrics $metrics \
            "$bin/05_gpu_shared_tree" --n 64K --rung "$rung" --warmup 0 --reps 1 --skip-small 2>/dev/null |
            awk -F'","' -v rung="$rung" '/^"[0-9]+",/ {
                gsub(/[",]/, "", $NF); print rung "," $(NF - 2) "," $NF }' \
                >>"$out/shared_tree_counters.csv"
        printf '.' >&2
    done
fi
for file in reductions matrix shared_tree_counters; do
    [[ ! -e $out/$file.csv ]] ||
        "$(dirname -- "$0")/provenance.py" write "$out/$file.csv" "common/scripts/measure/measure_reductions.sh $*"
done
echo >&2
# SPDX-License-Identifier: MIT
