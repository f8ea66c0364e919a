# shellcheck shell=sh disable=SC2154
# The barriers and pipelines of libcu++, without the headers of a CUDA toolkit and, if there are any, with them. Correct
# programs are silent, and reports of wrong ones name the user's lines. Sourced by test_simtcc.sh.

barriers=$here/programs/block_barriers.cu

# finds FAULT TEXT LINE...: the report for this fault has TEXT and names the source lines that contain LINE...
finds() {
    SIMT_WATCHDOG=0.2 ./program "$1" >output 2>&1
    [ $? -eq 1 ] && grep -qF -- "$2" output || fail "fault $1: not reported: $2"
    shift 2
    for line; do
        number=$(grep -nF -- "$line" "$barriers" | head -n 1 | cut -d: -f1)
        grep -q "block_barriers.cu:${number}[^0-9]" output || fail "line $number is not named: $line"
    done
}

barriers_and_their_faults() {
    compile "$barriers" -o program || fail 'block_barriers.cu'
    [ "$(./program)" = passed ] || fail 'block_barriers.cu: not passed'
    finds 1 '1 of 129 arrivals missing' 'bar.wait(cuda::std::move(token));' 'init(&bar, fault == 1'
    finds 2 'no fence.proxy.async between a write and a bulk copy' 'init(&bar, fault == 1' \
        'cuda::memcpy_async(tile, mine'
    finds 3 'is still copying to it asynchronously' 'tile[threadIdx.x] += 1;' 'cuda::memcpy_async(tile, mine'
    finds 4 'no fence.proxy.async between a write and a bulk copy' 'tile[threadIdx.x] += 1;' \
        'cde::cp_async_bulk_shared_to_global(mine'
}

barriers_and_their_faults
export SIMTCC_CCCL=
barriers_and_their_faults
unset SIMTCC_CCCL
