# shellcheck shell=bash disable=SC2015,SC2016,SC2154
# Tests of the grading of speed, on a machine without a GPU. Sourced by test_grader.sh.

# The compiler for the CPU replaces nvcc: the times mean nothing, but the report can be checked. All launches run,
# so a slow answer really is slow.
mkdir -p toolkit/bin
ln -s "$root/common/simt/cuda" toolkit/include
printf '#!/bin/sh\n[ "$1" = --version ] || exec "%s" -ccbin "%s" -pthread "$@"\n' \
    "$root/common/simt/simtcc" "$compiler" >toolkit/bin/nvcc
printf '#!/bin/sh\n[ "$1" = -L ] && echo "GPU 0: none (UUID: 0)" || echo 9.0\n' >toolkit/bin/nvidia-smi
chmod +x toolkit/bin/*
timed() { SIMT_REPEATED=run PATH=$work/toolkit/bin:$PATH exercise --compiler "$compiler" --backend cuda --file "$@" >output 2>&1; }
answer 04b 'for (int i = thread; i < n; i += threads) {
        for (int k = 0; k < 6; k++) atomicAdd(result, k % 2 ? 1 : -1);
        atomicAdd(result, in[i]);
    }'
timed answer.cu 04b
[[ $? -eq 1 ]] && grep -q '^  passed  *50/50 .*sums' output && grep -q '^  FAILED  *0/50  *speed' output &&
    grep -q 'of the speed of the rung atomic_block: it takes' output && grep -q 'counted on the CPU' output &&
    grep -q 'one atomic a block: the work is not spread over the threads: [0-9]* accesses' output && grep -q '  task line 13: ' output &&
    grep -q '^  50 of 100 points' output || fail 'the speed of a slow answer'
timed answer.cu --json 04b
grep -q '"name": "speed", "status": "fail", "score": 0, "max_score": 50, .*"speed": {"ratio": 0\.[0-9]*, "answer_us": ' output ||
    fail 'the speed as JSON'
answer 04b 'if (thread == 0) *result = 1;'
timed answer.cu 04b
grep -q '^  -  *0/50  *speed' output && grep -q 'graded once all results are right' output &&
    grep -q '^  0 of 100 points' output || fail 'the speed of a wrong answer'
# SPDX-License-Identifier: MIT
