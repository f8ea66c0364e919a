#!/bin/sh
# test_tensor_counts.sh PROGRAM FILE: compares the counters of the pipeline of faults_wgmma.cu with those of ncu on an
# H200: l1tex__tmain_requests, l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld,
# sm__inst_executed_pipe_tensor_op_gmma.
out=$(SIMT_COUNTERS=json "$1" ok_pipeline 2>&1 >/dev/null | grep '"matrix"' | head -n 1)
while read -r name count; do
    case $out in
    *"\"$name\": $count,"* | *"\"$name\": $count}"* | *"\"$name\": $count") ;;
    *) echo "$name is not $count in: $out" && exit 1 ;;
    esac
done <"$2"
