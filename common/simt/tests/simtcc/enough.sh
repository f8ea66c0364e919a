# shellcheck shell=sh disable=SC2154
# Kernels that have been checked for long enough continue without checks. The results must be the same, with no false
# findings and with a note. Sourced by test_simtcc.sh.

compile -O2 "$here/simtcc/enough.cu" -o enough || fail 'enough.cu'
# runs STATUS NOTES CASE: checks only the first block of each kernel.
runs() {
    env -u SIMT_CHECKS SIMT_CHECK_SECONDS=1e-9 timeout 60 ./enough "$3" >few 2>output
    status=$?
    [ $status -eq "$1" ] || fail "enough.cu $3: status $status, not $1"
    found=$(grep -c '^simt: note: kernel .* what is left of it runs without checks' output)
    [ "$found" -eq "$2" ] || fail "enough.cu $3: $found notes, not $2"
}
# as_whole CASE: the output must be the same as with all checks.
as_whole() {
    SIMT_CHECKS=stop ./enough "$1" >whole 2>output || fail "enough.cu $1: all is checked"
    [ ! -s output ] || fail "enough.cu $1: says something where all is checked"
    cmp -s few whole || fail "enough.cu $1: not what it prints if all is checked"
}
runs 0 1 right
as_whole right
runs 0 2 filled_before # the last launch reads uninitialized memory, but without checks this is not known
runs 1 0 wrong_first
runs 0 1 wrong_late
runs 1 0 last_blocks # the first and last blocks of a grid are always checked
runs 0 1 waits
as_whole waits
runs 0 1 looks_back # the last block waits for all others
as_whole looks_back
runs 1 1 other_shape # for a new launch shape, the first and last blocks are checked
runs 0 1 right
tail -n 1 output | grep -q '^simt: not checked: 15997 blocks of kernel step (launched at .*enough.cu:[0-9]*, 40 times); SIMT_CHECKS=stop checks all$' ||
    fail 'what was not checked is not in the last line'
SIMT_CHECK_SECONDS=1e-9 SIMT_FINDINGS=few.sarif ./enough right >few 2>&1
grep -q '"ruleId": "unchecked", "level": "note"' few.sarif || fail 'SARIF does not tell what was not checked'

# Time during which the program is stopped does not count.
SIMT_CHECK_SECONDS=2 ./enough wrong_late >few 2>output &
process=$!
sleep 0.1
kill -STOP $process
sleep 4
kill -CONT $process
wait $process
[ $? -eq 1 ] || fail 'a program that was stopped for a while loses its finding'

# Unchecked launches are skipped if they repeat others, and no other launches are skipped.
compile -O2 "$here/simtcc/repeated.cu" -o repeated || fail 'repeated.cu'
# repeats NUMBER CASE...: this number of the case's launches are repeats.
repeats() {
    wanted=$1
    shift
    for case; do
        for setting in run tell; do
            SIMT_REPEATED=$setting SIMT_DEVICES=2 SIMT_CHECK_SECONDS=1e-9 ./repeated "$case" >"with_$setting" 2>output
        done
        cmp -s with_run with_tell || fail "repeated.cu $case, not looked at: not the same as if all were run"
        grep -q "^simt: $wanted of .* launches repeated others" output ||
            fail "repeated.cu $case, not looked at: not $wanted repeats"
    done
}
repeats 3 plain same_again graph pointer timed no_race clamped counted_again copied_back no_race_of_atomics
repeats 9 barriers other_launches symbols
repeats 12 in_turns
repeats 0 shape input_written output_filled input_copied input_filled in_place accumulated counted ping_pong argument \
    new_memory symbol_copied managed_written pinned_written registered_written printed clocks texture heap children \
    large_argument devices

# Nothing is skipped if the user sets checks, requests counters or collects findings.
for setting in SIMT_CHECKS=stop SIMT_CHECKS=report SIMT_COUNTERS=table SIMT_FINDINGS=findings.json; do
    for case in wrong_late last_blocks filled_before; do
        env "$setting" ./enough "$case" >whole 2>output
        [ $? -eq 1 ] || fail "enough.cu $case: nothing found with $setting"
    done
done
SIMT_CHECK_SECONDS=0 ./enough wrong_late >whole 2>output
[ $? -eq 1 ] || fail 'enough.cu wrong_late: nothing found with SIMT_CHECK_SECONDS=0'
