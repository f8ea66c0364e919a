# shellcheck shell=sh disable=SC2154
# Launches that repeat others: the output, counts and findings must be the same as if all launches were run. Sourced by
# test_simtcc.sh.

compile -O2 "$here/simtcc/repeated.cu" -o repeated || fail 'repeated.cu'
# with SETTING CASE: omits addresses and the number of repeats.
with() {
    SIMT_REPEATED=$1 SIMT_DEVICES=2 SIMT_COUNTERS=lines ./repeated "$2" >"with_$1" 2>"err_$1"
    echo "status $?" >>"with_$1"
    sed '/launches repeated others/d; s/0x[0-9a-f]*/ADDRESS/g' "err_$1" >>"with_$1"
}
# repeats NUMBER CASE...: this number of the case's launches are repeats, in one process and in several.
repeats() {
    wanted=$1
    shift
    for case; do
        with run "$case"
        for SIMT_CORES in 1 3; do
            export SIMT_CORES SIMT_CORES_AFTER=0
            with tell "$case"
            cmp -s with_run with_tell || fail "repeated.cu $case: not the same as if all were run"
            [ "$wanted" = any ] || grep -q "^simt: $wanted of .* launches repeated others" err_tell ||
                fail "repeated.cu $case: not $wanted repeats: $(grep 'repeated others' err_tell)"
        done
        unset SIMT_CORES SIMT_CORES_AFTER
    done
}
repeats 4 plain overloaded same_again graph pointer timed no_race shape
repeats 3 clamped failing counted_again copied_back no_race_of_atomics
repeats 1 output_written found_other put_back elsewhere
repeats 2 started_again
repeats 13 in_turns
repeats 12 barriers
repeats any other_launches symbols output_filled input_written written_beside
repeats 0 input_copied input_filled in_place accumulated counted \
    ping_pong argument new_memory symbol_copied managed_written pinned_written \
    registered_written printed clocks texture fences heap children large_argument devices
for case in unset_shared unset_again other_device unregistered freed race_write_input \
    race_read_output race_fill_input race_copy_output race_after_reader race_after_writer \
    race_before_reader race_after_many race_of_repeat race_read_counter race_of_block_scope; do
    with run "$case"
    with skip "$case"
    cmp -s with_run with_skip || fail "repeated.cu $case: not the finding of all that are run"
    grep -qx 'status 1' with_run || fail "repeated.cu $case: $(grep status with_run)"
done
