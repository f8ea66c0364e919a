# shellcheck shell=sh disable=SC2154
# Runs blocks on several cores. The output, counts and findings must be the same as on one core. Sourced by
# test_simtcc.sh.

compile -O2 "$here/simtcc/cores.cu" -o cores || fail 'cores.cu'
# on CORES CASE: runs the case with this number of cores, block by block. Omits addresses.
on() {
    SIMT_CORES=$1 SIMT_CORES_AFTER=0 SIMT_COUNTERS=lines timeout 60 ./cores "$2" >"on_$1" 2>"err_$1"
    echo "status $?" >>"on_$1"
    sed 's/0x[0-9a-f]*/ADDRESS/g' "err_$1" >>"on_$1"
}
for case in apart reduced own mixed tickets last_block prints launches ways allocates neighbours \
    same_word read_after atomic_and_plain unwritten beyond cached traps; do
    on 1 "$case"
    for cores in 2 5; do
        on "$cores" "$case"
        cmp -s on_1 "on_$cores" || fail "cores.cu $case: not the same on $cores cores"
    done
    case $case in
    apart | reduced | own | mixed | tickets | last_block | prints | launches | ways | allocates) expected=0 ;;
    *) expected=1 ;;
    esac
    grep -qx "status $expected" on_1 || fail "cores.cu $case: $(grep status on_1)"
done
on 4 processes
grep -qx 'several processes' on_4 || fail 'no block ran on another core'
on 1 processes
grep -qx 'one process' on_1 || fail 'SIMT_CORES=1'
