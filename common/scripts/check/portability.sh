#!/usr/bin/env bash
# Builds and tests with each compiler, and for each system, that is available. See --help.
set -euo pipefail
root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../../.." && pwd -P)

usage() {
    cat <<'EOF'
Usage: common/scripts/check/portability.sh [OPTION]... [NAME]...
Builds a part of the repository that has all of the CPU back end in it, without the warnings being
errors, and runs its tests, once for each NAME (default: all that are at hand):

  gcc-9 ... clang-11 ...   each version of gcc and clang that is installed with its C++ compiler
  gcc                      the one without a number, if there is no other
  clang                    the one without a number: everything, with warnings being errors, and all
                           tests of the CPU back end, with what every rung counts
  arm64                    a cross-compiler, its programs run by qemu-aarch64
  musl                     the CPU steps with musl-gcc; and that the CPU back end is refused there
  nvcc                     all kernels for each compute capability from 7.5 to 12.0 that it knows:
                           compiled, not run
  commands                 ./run.sh and ./test.sh without an option, in the file system of --root,
                           which may be bare: they install what is missing. Only if named

  --sysroot FOLDER   where arm64's cmocka is (default /usr)
  --root FOLDER      in this file system instead (of another Debian or Ubuntu, say), as root: the
                     compilers that are installed there
  --jobs N           (default: as many as there are processors)
  --csv FILE         adds a row for each NAME: system, compiler, its version, tests, failed, warnings
  --list             what is at hand

Exit status: 0 all passed, 1 something did not, 2 bad usage.
EOF
}

die() {
    echo "portability.sh: $1" >&2
    exit 2
}

sysroot=/usr into='' csv='' list=no jobs=$(nproc)
names=()
while (($# > 0)); do
    case $1 in
    --sysroot | --root | --jobs | --csv) (($# > 1)) || die "$1 needs a value" ;;&
    --sysroot) sysroot=$(realpath -- "$2") && shift ;;
    --root) into=$(realpath -- "$2") && shift ;;
    --jobs) jobs=$2 && shift ;;
    --csv) csv=$(realpath -m -- "$2") && shift ;;
    --list) list=yes ;;
    --help | -h)
        usage
        exit 0
        ;;
    -*) die "$1: no such option" ;;
    *) names+=("$1") ;;
    esac
    shift
done

have() { command -v "$1" >/dev/null 2>&1; }
header=system,compiler,version,tests,failed,warnings,note

# ---- another file system ------------------------------------------------------------------------

if [[ -n $into ]]; then
    ((EUID == 0)) || die '--root needs root'
    rm -rf -- "$into/rungs"
    mkdir "$into/rungs"
    (cd "$root" && git ls-files -z | tar -c --null -T -) | tar -x -C "$into/rungs"
    status=0
    mountpoint -q "$into/proc" || mount -t proc proc "$into/proc"
    [[ -e $into/etc/resolv.conf ]] || cp -L /etc/resolv.conf "$into/etc"
    chroot "$into" env PATH="${PORTABILITY_PATH:-}${PORTABILITY_PATH:+:}/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
        HOME=/root LANG=C.UTF-8 PORTABILITY_ROOT=yes \
        /rungs/common/scripts/check/portability.sh --jobs "$jobs" --csv /rungs.csv "${names[@]}" || status=$?
    umount "$into/proc"
    if [[ -n $csv && -e $into/rungs.csv ]]; then
        [[ -s $csv ]] || echo "$header" >"$csv"
        tail -n +2 "$into/rungs.csv" >>"$csv"
    fi
    rm -rf -- "$into/rungs" "$into/rungs.csv"
    exit "$status"
fi

# ---- what is at hand ----------------------------------------------------------------------------

at_hand() {
    local n found
    for n in {9..30}; do
        ! { have "gcc-$n" && have "g++-$n"; } || echo "gcc-$n"
    done
    for n in {11..30}; do
        ! { have "clang-$n" && have "clang++-$n"; } || echo "clang-$n"
    done
    found=$(compgen -c | grep -E '^gcc-[0-9]+$' || true)
    [[ -n $found ]] || ! have g++ || echo gcc
    ! { have clang && have clang++; } || echo clang
    ! { have aarch64-linux-gnu-g++ && have qemu-aarch64 && [[ -e $sysroot/lib/aarch64-linux-gnu/libcmocka.so ]]; } || echo arm64
    ! have musl-gcc || echo musl
    ! { have nvcc || [[ -x /usr/local/cuda/bin/nvcc ]]; } || echo nvcc
}
mapfile -t all < <(at_hand)
((${#names[@]} > 0)) || names=("${all[@]}")
[[ -z ${PORTABILITY_ROOT:-} ]] || all+=(commands)
if [[ $list == yes ]]; then
    printf '%s\n' "${all[@]}"
    exit 0
fi
for name in ${names[@]+"${names[@]}"}; do
    [[ " ${all[*]} " == *" $name "* ]] || die "$name: not at hand; --list tells what is"
done

# ---- one of them --------------------------------------------------------------------------------

work=$(mktemp -d "${TMPDIR:-/tmp}/portability.XXXXXX")
trap 'rm -rf -- "$work"' EXIT
# shellcheck disable=SC1091
system=$(. /etc/os-release && echo "$ID-${VERSION_ID:-${VERSION_CODENAME:-unstable}}")
bad=0

# row NAME VERSION TESTS FAILED WARNINGS NOTE: prints a result, and appends it to the CSV file if there is one.
row() {
    printf '%-15s %-9s %-9s %s tests, %s failed, %s warnings%s\n' "$system" "$1" "$2" "$3" "$4" "$5" "${6:+: $6}"
    (($4 == 0)) || bad=1
    if [[ -n $csv ]]; then
        [[ -s $csv ]] || echo "$header" >"$csv"
        echo "$system,$1,$2,$3,$4,$5,$6" >>"$csv"
    fi
}

# Counts the warnings in the last build of run.sh or test.sh. There is no log if the build never began.
warnings_of_commands() {
    cat -- "$root/build/simt/build.log" 2>/dev/null | grep -c 'warning:' || true
}

# build NAME OPTION...: builds in $work/NAME, with the output in $work/log.
build() {
    local name=$1
    shift
    # -O1 takes the compiler half the time of -O3. The CPU back end compiles kernels with -O1 anyway.
    cmake -S "$root" -B "$work/$name" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O1 -DRUNGS_BACKEND=simt "$@" >"$work/log" 2>&1 &&
        cmake --build "$work/$name" -j "$jobs" --target "${targets[@]}" >>"$work/log" 2>&1
}

# run NAME VERSION NOTE: runs the tests of what was built.
run() {
    local passed failed
    ctest --test-dir "$work/$1" -j "$jobs" "${tests[@]}" --output-on-failure >"$work/tests" 2>&1 || true
    passed=$(grep -c ' Passed ' "$work/tests" || true)
    failed=$(grep -cE '\*\*\*(Failed|Timeout|Not Run|Skipped|Exception)' "$work/tests" || true)
    ((failed == 0 && passed > 0)) || sed 's/^/    /' "$work/tests"
    ((passed > 0)) || failed=$((failed + 1))
    row "$1" "$2" $((passed + failed)) "$failed" "$(grep -c 'warning:' "$work/log" || true)" "$3"
}

not_built() {
    if grep -q 'needs g++ [0-9]* or later' "$work/log"; then
        row "$1" "$2" 1 0 0 'too old for the CPU back end and refused'
        return
    fi
    grep -m 5 -A 3 -iE 'error' "$work/log" | sed 's/^/    /' || true
    row "$1" "$2" 1 1 0 'does not build'
}

for name in "${names[@]}"; do
    # The targets to build, and their tests.
    targets=(01_cpu_naive 02_cpu_simd_threads 05_gpu_shared_tree test_simt_api test_simt_failing
        test_simt_execution test_simt_counts_1 test_simt_faults simt_faults)
    tests=(-R '^(0[125]_.*\.run|simt\.test_simt_(api|failing|execution|counts_1|faults))$')
    case $name in
    clang)
        targets=(all) tests=(-L '^simt$' -LE '^slow$' -E 'test_(explorer|bench)')
        version=$(clang -dumpversion)
        # -O3 as in the preset, because at -O1 clang leaves out frames that reports name.
        if build clang --preset clang -DCMAKE_C_FLAGS_RELEASE='-O3 -DNDEBUG'; then
            run clang "$version" 'everything; all tests of the back end'
        else
            not_built clang "$version"
        fi
        ;;
    gcc* | clang-*)
        other=${name/gcc/g++}
        other=${other/clang/clang++}
        version=$("$name" -dumpfullversion 2>/dev/null || "$name" -dumpversion)
        if build "$name" -DCMAKE_C_COMPILER="$name" -DCMAKE_CXX_COMPILER="$other" -DCMAKE_ASM_COMPILER="$name"; then
            run "$name" "$version" ''
        else
            not_built "$name" "$version"
        fi
        ;;
    commands)
        failed=0
        (cd "$root" && ./run.sh </dev/null) >"$work/log" 2>&1 || failed=1
        warnings=$(warnings_of_commands)
        (cd "$root" && ./test.sh </dev/null) >"$work/tests" 2>&1 || true
        warnings=$((warnings + $(warnings_of_commands)))
        read -r passed tests_failed < <(tail -n 1 "$work/tests" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed.*/\1 \2/p') ||
            passed=0 tests_failed=1
        ((failed == 0)) || sed 's/^/    /' "$work/log"
        ((tests_failed == 0)) || sed 's/^/    /' "$work/tests"
        row commands "$(g++ -dumpfullversion)" $((1 + passed + tests_failed)) $((failed + tests_failed)) \
            "$warnings" "./run.sh and ./test.sh with cmake $(cmake --version | sed -n '1s/.*version //p')"
        ;;
    arm64)
        cross=aarch64-linux-gnu
        version=$($cross-gcc -dumpfullversion)
        libraries=$sysroot/lib/$cross
        emulator="qemu-aarch64;-L;/usr/$cross"
        if build arm64 -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
            -DCMAKE_C_COMPILER=$cross-gcc -DCMAKE_CXX_COMPILER=$cross-g++ -DCMAKE_ASM_COMPILER=$cross-gcc \
            -DCMAKE_CROSSCOMPILING_EMULATOR="$emulator" -DCMAKE_DISABLE_FIND_PACKAGE_PNG=ON \
            -DCMOCKA_INCLUDE_DIR="$sysroot/include" -DCMOCKA_LIBRARY="$libraries/libcmocka.so"; then
            # A test program starts these programs. A script starts them through qemu, which alone can run them.
            for program in "$work"/arm64/tests/{simt_faults,test_simt_failing}; do
                mkdir -p "${program%/*}/.arm64"
                mv "$program" "${program%/*}/.arm64/"
                printf '#!/bin/sh\nexec %s %q "$@"\n' "${emulator//;/ }" "${program%/*}/.arm64/${program##*/}" >"$program"
                chmod +x "$program"
            done
            tests=("${tests[@]/failing|/}") # ctest would start the script through qemu
            run arm64 "$version" "$(qemu-aarch64 --version | sed -n '1s/.*version \([0-9.]*\).*/qemu \1/p')"
        else
            not_built arm64 "$version"
        fi
        ;;
    musl)
        version=$(dpkg-query -W -f '${Version}' musl 2>/dev/null || echo '?')
        targets=(01_cpu_naive 02_cpu_simd_threads)
        if build musl -DCMAKE_C_COMPILER=musl-gcc -DRUNGS_BACKEND=none -DBUILD_TESTING=OFF \
            -DCMAKE_DISABLE_FIND_PACKAGE_PNG=ON -DCMAKE_DISABLE_FIND_PACKAGE_OpenMP=ON &&
            timeout 60 "$work/musl/bin/01_cpu_naive" --n 1000 >/dev/null &&
            timeout 60 "$work/musl/bin/02_cpu_simd_threads" --n 1000 --threads 3 >/dev/null; then
            failed=0
            cmake -S "$root" -B "$work/refused" -DCMAKE_C_COMPILER=musl-gcc -DCMAKE_CXX_COMPILER=g++ \
                -DRUNGS_BACKEND=simt -DBUILD_TESTING=OFF >"$work/log.refused" 2>&1 && failed=1
            grep -q 'needs glibc' "$work/log.refused" || failed=1
            row musl "$version" 3 "$failed" "$(grep -c 'warning:' "$work/log" || true)" 'steps 01 and 02; the CPU back end is refused'
        else
            not_built musl "$version"
        fi
        ;;
    nvcc)
        PATH=$PATH:/usr/local/cuda/bin
        version=$(nvcc --version | sed -n 's/.* V\([0-9.]*\).*/\1/p')
        targets=(all)
        known=' ' architectures='' count=0
        for one in 7.5 8.0 8.6 8.9 9.0a 10.0 12.0; do # CUDA 12.4 does not know the last two
            if nvcc --list-gpu-code | grep -qx "sm_${one//[.a]/}"; then
                architectures+="${architectures:+;}${one/./}-real" known+="$one " count=$((count + 1))
            fi
        done
        if build nvcc -DRUNGS_BACKEND=cuda -DBUILD_TESTING=OFF -DCMAKE_CUDA_ARCHITECTURES="$architectures"; then
            row nvcc "$version" "$count" 0 "$(grep -c 'warning' "$work/log" || true)" "compiled for${known% }; not run"
        else
            not_built nvcc "$version"
        fi
        ;;
    esac
done
exit "$bad"
# SPDX-License-Identifier: MIT
