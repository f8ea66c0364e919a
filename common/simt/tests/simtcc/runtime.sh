# shellcheck shell=sh disable=SC2154,SC2030,SC2031
# The runtime library is built once and is used only with the sources that it was built from. Sourced by
# test_simtcc.sh.

cat >one.cu <<'END'
#include <cstdio>
__global__ void k() { printf("one\n"); }
int main() { k<<<1, 1>>>(); }
END

# A copy of the back end, in a place where it looks for a library that a build has kept.
mkdir -p clone/common clone/build
cp -R "$(dirname -- "$simtcc")" clone/common/simt
rm -rf clone/common/simt/tests
copy=$work/clone/common/simt/simtcc
sed -i 's/level=-O[13]/level=-O0/' "$copy"
# with CACHE ARGUMENT...: runs the copy with this cache.
with() {
    SIMTCC_CACHE=$1 && shift
    SIMTCC_CACHE=$SIMTCC_CACHE "$copy" -ccbin "$compiler" "$@" >output 2>&1
}
# without ARGUMENT...: runs the copy without a writable cache.
without() {
    (unset SIMTCC_CACHE && XDG_CACHE_HOME=/proc/nothing "$copy" -ccbin "$compiler" "$@") >output 2>&1
}

with "$work/cache" --run one.cu && [ "$(tail -n 1 output)" = one ] || fail 'the runtime is built'
grep -q '^simtcc: note: building the runtime once' output || fail 'that it takes a while is told'
built=$(echo cache/*)
[ -f "$built/libsimt.a" ] && [ -x "$built/simt_rewrite" ] || fail "one folder in the cache: $built"
touch -d '2001-01-01' "$built/libsimt.a"
with "$work/cache" --run one.cu && [ "$(cat output)" = one ] || fail 'the runtime is there'
[ "$built/libsimt.a" -ot one.cu ] || fail 'the runtime is built once'

# With the precompiled header, without it, and with a damaged one.
sed 's/<cstdio>/<cuda_runtime.h>/' one.cu >with_header.cu
for options in '' '-std=c++20 -DNULL=0' '-Xcompiler -O2'; do
    # shellcheck disable=SC2086 # several options
    with "$work/cache" $options --run with_header.cu && [ "$(cat output)" = one ] || fail "cuda_runtime.h: $options"
done
case $($compiler --version) in
*clang*) ;;
*)
    [ -s "$built/cuda_runtime.h.gch" ] || fail 'no precompiled header'
    [ "$(with "$work/cache" -v -c one.cu && grep -c pch-preprocess output)" = 2 ] || fail 'the precompiled header is not asked for'
    echo damaged >"$built/cuda_runtime.h.gch"
    with "$work/cache" --run one.cu && [ "$(cat output)" = one ] || fail 'a damaged precompiled header'
    ;;
esac

without --run one.cu
[ $? -eq 3 ] && grep -q '/proc/nothing/rungs: cannot write there' output || fail 'no runtime, no cache'
with "$work/cache" --keep-runtime "$work/clone/build/any/simtcc" "$built/libsimt.a" "$built/simt_rewrite" ||
    fail 'a build keeps its runtime'
[ "$(echo clone/build/any/simtcc/*)" = "clone/build/any/simtcc/${built#cache/}" ] ||
    fail 'what is kept and what is built have the same name'
without --run one.cu && [ "$(cat output)" = one ] || fail 'the runtime that a build has kept'

# Not used if the sources have changed, or for sources in another folder, whose headers have other names.
cp -R clone moved
copy=$work/moved/common/simt/simtcc
without --run one.cu
[ $? -eq 3 ] || fail 'the runtime of another folder is not taken'
copy=$work/clone/common/simt/simtcc
echo '/* changed */' >>clone/common/simt/observe/recorder.h
without --run one.cu
[ $? -eq 3 ] || fail 'the runtime of other sources is not taken'

# A cache with a missing part is completed. An interrupted build continues. Of two simultaneous builds, one waits.
# `quick` and `slow` wrap the real compiler but do not compile the runtime's own sources (most are removed). `slow` also
# waits at the sources in machine/, which come after others.
(cd clone/common/simt && rm -rf api check count memory model observe)
$compiler -x c -c -o nothing.o /dev/null
for name in quick slow; do
    # shellcheck disable=SC2016 # for the script that is written
    does='[ -f "$last" ] && echo "$last" >>"$work/compiled" && cp "$work/nothing.o" "$(basename -- "${last%.*}").o"'
    # shellcheck disable=SC2016
    [ $name = quick ] || does='case $last in */machine/*) touch "$work/waits" && exec sleep 600 ;; esac
    '$does
    cat >$name <<END
#!/bin/sh
work='$work'
for last; do :; done
case " \$* " in
*' c++-header '*) exit 1 ;;
*' -o simt_rewrite '*) exec cp "\$work/$built/simt_rewrite" simt_rewrite ;;
*' -o '* | *' --version '* | *' -E '*) exec $compiler "\$@" ;;
*) $does ;;
esac
END
    chmod +x $name
done
for lost in nothing libsimt.a simt_rewrite; do
    rm -f other/*/$lost
    SIMTCC_CACHE=$work/other "$copy" -ccbin "$work/quick" -c -o one.o one.cu >output 2>&1 || fail "without $lost"
    [ -s "$(echo other/*/libsimt.a)" ] && [ -x "$(echo other/*/simt_rewrite)" ] || fail "a cache without $lost stays so"
done
rm other/*/libsimt.a
SIMTCC_CACHE=$work/other setsid "$copy" -ccbin "$work/slow" -c -o one.o one.cu >output 2>&1 &
first=$(find clone/common/simt/base clone/common/simt/cc clone/common/simt/explore -name '*.c' | wc -l)
for _ in $(seq 3000); do
    [ -e waits ] && [ "$(find other -path '*/parts-*.o' | wc -l)" -ge "$first" ] && break || sleep 0.1
done
[ -e waits ] && kill -TERM -- -$! || fail 'a build to interrupt'
wait $!
find other -path '*/parts-*.o' -exec basename {} .o \; >kept
[ "$(wc -l <kept)" -ge "$first" ] && [ ! -e "$(echo other/building.*)" ] || fail 'an interrupted build keeps what is compiled'
: >compiled
SIMTCC_CACHE=$work/other "$copy" -ccbin "$work/quick" -c -o one.o one.cu >output 2>&1 &
SIMTCC_CACHE=$work/other "$copy" -ccbin "$work/quick" -c -o two.o one.cu >output2 2>&1 || fail 'two builds at once: one'
wait $! || fail 'two builds at once: the other'
sed 's|.*/||; s|\.[cS]$||' compiled >>kept
[ -z "$(sort kept | uniq -d)" ] || ! command -v flock >/dev/null || fail "compiled twice: $(sort kept | uniq -d | head -n 3)"
[ -s compiled ] && [ "$(ar t other/*/libsimt.a | wc -l)" -gt 40 ] || fail 'a build is continued'
[ "$(echo other/*)" = "$(echo other/simtcc-*)" ] || fail "a build leaves $(echo other/*)"
