#!/usr/bin/env bash
# Measures on a GPU the counters that compare_counters.py gets on the CPU: measure_counters.sh BUILD OUT_FILE
#
# BUILD is a build folder of the preset cuda, such as build/cuda. For each command, OUT_FILE gets a
# line "# COMMAND" and then the output of ncu: one line per launch, including launches of the libraries
# that a step is compared with. Needs ncu and permission to read the counters. Takes seven minutes on an
# H200.
set -euo pipefail

build=${1:?usage: measure_counters.sh BUILD OUT_FILE}
out=${2:?usage: measure_counters.sh BUILD OUT_FILE}
programs=$build/common/simt/tests/programs

metrics=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
metrics+=,smsp__sass_inst_executed_op_shared_ld.sum,smsp__sass_inst_executed_op_shared_st.sum
metrics+=,smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
metrics+=,smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum
metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum

# count PROGRAM ARGUMENT...: counts a program's launches. Some textbook programs have no successful
# launch, or end with an error on purpose.
count() {
    printf '# %s\n' "$*"
    ncu --clock-control none --csv --page raw --metrics "$metrics" "$@" 2>/dev/null |
        grep '^"' || [[ $1 == "$programs"/* ]]
    printf '.' >&2
}

rungs() {
    local step=$1
    shift
    count "$build/bin/$step" --all "$@" --warmup 0 --reps 1 --skip-small
}

{
    rungs 03_gpu_single_thread --n 4099
    rungs 04_gpu_atomic --n 65537
    rungs 05_gpu_shared_tree --n 65537
    rungs 05_gpu_shared_tree --n 4099 --op max --type f64
    rungs 05_gpu_shared_tree --n 4099 --type mixed
    rungs 06_gpu_warp_shuffle --n 65537
    rungs 06_gpu_warp_shuffle --n 4099 --op min --type f64
    rungs 06_gpu_warp_shuffle --ladder rows --m 33 --n 777
    rungs 06_gpu_warp_shuffle --ladder columns --m 777 --n 65
    rungs 07_gemm --m 100 --n 67 --k 45 --beta 2
    rungs 08_conv --batch 1 --channels 3 --height 20 --width 70 --filters 5 --pad 1
    rungs 03_gpu_single_thread --n 4096
    rungs 04_gpu_atomic --n 65536
    rungs 05_gpu_shared_tree --n 65536
    rungs 06_gpu_warp_shuffle --n 65536
    rungs 07_gemm --m 256 --n 256 --k 128
    rungs 08_conv --batch 1 --channels 12 --height 34 --width 130 --filters 24
    rungs 07_gemm --type bf16 --m 300 --n 520 --k 264
    rungs 07_gemm --type tf32 --m 300 --n 520 --k 264
    for program in "$programs"/program_*; do
        count "$program"
    done
} >"$out"
"$(dirname -- "$0")/provenance.py" write "$out" "common/scripts/measure/measure_counters.sh $*"
printf '\n' >&2
# SPDX-License-Identifier: MIT
