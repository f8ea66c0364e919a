# shellcheck shell=sh disable=SC2154
# The translation of device code without hooks, for unchecked kernels. Sourced by test_simtcc.sh.

# in_all_ways: ./program must print the same with either translation.
in_all_ways() {
    SIMT_CHECKS=stop SIMT_REPEATED=run ./program >checked 2>output || fail "$1: status $?"
    for setting in SIMT_CHECKS=off SIMT_CHECK_SECONDS=1e-9; do
        env "$setting" SIMT_REPEATED=run timeout 60 ./program >"not" 2>output || fail "$1, $setting: status $?"
        cmp -s checked not || fail "$1, $setting: $(cat not), not $(cat checked)"
    done
}
compile -dc "$here/simtcc/twice.cu" -o first.o && compile -dc "$here/simtcc/twice_other.cu" -o second.o &&
    compile first.o second.o -o program || fail 'twice.cu'
in_all_ways twice.cu
# has_table FILE: its kernels exist without hooks. Otherwise only host functions do.
has_table() {
    LC_ALL=C readelf -SW "$1" | grep -q ' simt_plain '
}
has_table program && twice=yes || twice=no
case $("$compiler" --version):$(uname -m) in
*clang*) ;;
*:x86_64) [ $twice = yes ] || fail 'twice.cu is translated once' ;;
esac
# Host code has no hooks, whether the kernels need them or not.
for how in '60 0 0' '61 1 1:-DPOLLS'; do
    [ $twice = yes ] || break
    case $how in *:*) flag=${how#*:} ;; *) flag= ;; esac
    compile ${flag:+"$flag"} "$here/simtcc/twice_host.cu" -o program || fail "twice_host.cu $flag"
    [ "$(./program 2>&1)" = '61 1 1' ] || fail "twice_host.cu $flag: $(./program 2>&1)"
    [ "$(SIMT_CHECKS=off ./program 2>&1)" = "${how%%:*}" ] ||
        fail "twice_host.cu $flag, unchecked: $(SIMT_CHECKS=off ./program 2>&1)"
done
# Kernels that poll need the hooks, and no others
# do.
is_in_table() {
    LC_ALL=C readelf -rW "$1" | sed -n '/relasimt_plain/,/^$/p' | grep -v '\.simt_plain' | grep -q "$2"
}
compile -DPOLLS -DPOLLS_ATOMIC -DPOLLS_LDCV -dc "$here/simtcc/twice.cu" -o first.o || fail 'twice.cu that polls'
! is_in_table first.o 'wait_for\|wait_by_ldcv' || fail 'twice.cu: a kernel that polls has no hooks'
[ $twice = no ] || is_in_table first.o ' add ' || fail 'twice.cu that polls: add() has its hooks'
compile first.o second.o -o program || fail 'twice.cu that polls, linked'
in_all_ways 'twice.cu that polls'

# A kernel that waits for the clock lets other threads run.
compile -O2 "$here/simtcc/clocks.cu" -o program || fail 'clocks.cu'
in_all_ways clocks.cu
printf '1\n1\n' >expected
cmp -s checked expected || fail "clocks.cu: $(cat checked)"

# C++ atomics of all sizes.
compile -dc "$here/simtcc/narrow.cu" -o first.o && ! is_in_table first.o 'turns\|steps\|ask' || fail 'narrow.cu'
compile first.o -o program || fail 'narrow.cu, linked'
in_all_ways narrow.cu
cat >expected <<'END'
1 bytes: 1234 1234; 64 64 64 64; 9
2 bytes: 1234 1234; 16192 16192 16192 16192; 9
4 bytes: 1234 1234; 16192 16192 16192 16192; 9
8 bytes: 1234 1234; 16192 16192 16192 16192; 9
END
cmp -s checked expected || fail "narrow.cu: $(cat checked)"
SIMT_WATCHDOG=0.2 ./program never >output 2>&1
[ $? -eq 1 ] && grep -q 'it reads a word of managed memory' output || fail 'a byte that no thread sets'
compile -DRACE --run "$here/simtcc/narrow.cu"
[ $? -eq 1 ] && grep -q 'data race in global memory' output || fail 'a race beside an atomic of a byte'

# Conversions beyond the range of a type. (Clang moves some to places where they are not found.)
case $("$compiler" --version):$(uname -m) in
*clang*) ;;
*:x86_64)
    compile "$here/simtcc/conversions.cu" -o program || fail 'conversions.cu'
    in_all_ways conversions.cu
    yes '0 0 0 0' | head -4 >expected
    cmp -s checked expected || fail "conversions.cu: $(cat checked)"
    ;;
esac
