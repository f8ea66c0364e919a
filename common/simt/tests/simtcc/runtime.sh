# shellcheck shell=sh disable=SC2154,SC2030,SC2031
# The runtime library: built once, and taken only where it is of these very sources.
# Sourced by test_simtcc.sh.

cat >one.cu <<'END'
#include <cstdio>
__global__ void k() { printf("one\n"); }
int main() { k<<<1, 1>>>(); }
END

# A copy of the back end, at the place where it looks for what a build has kept.
mkdir -p clone/common clone/build
cp -R "$(dirname -- "$simtcc")" clone/common/simt
rm -rf clone/common/simt/tests
copy=$work/clone/common/simt/simtcc
sed -i '/^runtime_flags=/s/-O3/-O0/' "$copy" # compiles in a third of the time
# with CACHE ARGUMENT...: the copy, with this cache.
with() {
    SIMTCC_CACHE=$1 && shift
    SIMTCC_CACHE=$SIMTCC_CACHE "$copy" -ccbin "$compiler" "$@" >output 2>&1
}
# without ARGUMENT...: the copy, where no cache can be written.
without() {
    (unset SIMTCC_CACHE && XDG_CACHE_HOME=/proc/nothing "$copy" -ccbin "$compiler" "$@") >output 2>&1
}

with "$work/cache" --run one.cu && [ "$(cat output)" = one ] || fail 'the runtime is built'
built=$(echo cache/*)
[ -f "$built/libsimt.a" ] && [ -x "$built/simt_rewrite" ] || fail "one folder in the cache: $built"
touch -d '2001-01-01' "$built/libsimt.a"
with "$work/cache" --run one.cu && [ "$(cat output)" = one ] || fail 'the runtime is there'
[ "$built/libsimt.a" -ot one.cu ] || fail 'the runtime is built once'

without --run one.cu
[ $? -eq 3 ] && grep -q '/proc/nothing/rungs: cannot write there' output || fail 'no runtime, no cache'
with "$work/cache" --keep-runtime "$work/clone/build/any/simtcc" "$built/libsimt.a" "$built/simt_rewrite" ||
    fail 'a build keeps its runtime'
[ "$(echo clone/build/any/simtcc/*)" = "clone/build/any/simtcc/${built#cache/}" ] ||
    fail 'what is kept and what is built have the same name'
without --run one.cu && [ "$(cat output)" = one ] || fail 'the runtime that a build has kept'

# Not if the sources have changed, or for sources elsewhere, whose headers have other names.
cp -R clone moved
copy=$work/moved/common/simt/simtcc
without --run one.cu
[ $? -eq 3 ] || fail 'the runtime of another folder is not taken'
copy=$work/clone/common/simt/simtcc
echo '/* changed */' >>clone/common/simt/observe/recorder.h
without --run one.cu
[ $? -eq 3 ] || fail 'the runtime of other sources is not taken'
