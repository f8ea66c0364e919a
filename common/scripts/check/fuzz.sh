#!/usr/bin/env bash
# Builds and runs the fuzz targets (common/tests/fuzz): see --help.
set -euo pipefail
root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../../.." && pwd -P)
seeds=$root/common/tests/fuzz/seeds

usage() {
    cat <<'EOF'
Usage: common/scripts/check/fuzz.sh [OPTION]... [TARGET]...
Gives a target (default: all) its seeds and inputs made of them, with clang's libFuzzer and the
sanitizers. Targets: options npy png rewriter.

  --runs N          executions for each target (default 100000)
  --seconds N       and at most so long for each (default: no limit)
  --corpus FOLDER   keeps inputs that reached something new in FOLDER/TARGET, and begins with them
                    (default: none are kept)
  --build FOLDER    where it is built (default build/fuzz)
  --coverage        instead: what the seeds, and those in --corpus, cover of each target's sources
  --help            this text

An input that breaks something is kept in the folder of the build, and named. Once it is mended,
add the input to common/tests/fuzz/seeds/TARGET: every build replays these (common.fuzz_seeds_).
Exit status: 0 nothing was found, 1 something was, 2 bad usage, 3 no clang with libFuzzer.
EOF
}

die() {
    echo "fuzz.sh: $2" >&2
    exit "$1"
}

all=(options npy png rewriter)
targets=() runs=100000 seconds=0 corpus='' build=$root/build/fuzz coverage=no
while (($# > 0)); do
    case $1 in
    --runs | --seconds | --corpus | --build) (($# > 1)) || die 2 "$1 needs a value" ;;&
    --runs)
        [[ $2 =~ ^[1-9][0-9]*$ ]] || die 2 "--runs '$2': expected a whole number of at least 1"
        runs=$2
        shift
        ;;
    --seconds)
        [[ $2 =~ ^[1-9][0-9]*$ ]] || die 2 "--seconds '$2': expected a whole number of at least 1"
        seconds=$2
        shift
        ;;
    --corpus)
        corpus=$(realpath -m -- "$2")
        shift
        ;;
    --build)
        build=$(realpath -m -- "$2")
        shift
        ;;
    --coverage) coverage=yes ;;
    --help | -h)
        usage
        exit 0
        ;;
    *)
        [[ " ${all[*]} " == *" $1 "* ]] || die 2 "$1: no such target or option"
        targets+=("$1")
        ;;
    esac
    shift
done
((${#targets[@]} > 0)) || targets=("${all[@]}")

work=$(mktemp -d "${TMPDIR:-/tmp}/fuzz.XXXXXX")
trap 'rm -rf -- "$work"' EXIT
printf '#include <stddef.h>\nint LLVMFuzzerTestOneInput(const char *d, size_t n) { return d && !n; }\n' >"$work/probe.c"
clang -fsanitize=fuzzer,address,undefined "$work/probe.c" -o "$work/probe" >/dev/null 2>&1 ||
    die 3 'clang with libFuzzer was not found'

# build_in FOLDER OPTION...: builds the targets in FOLDER, with these options for cmake.
build_in() {
    local folder=$1
    shift
    {
        cmake -S "$root" --preset fuzz -B "$folder" "$@" &&
            cmake --build "$folder" -j "$(nproc)" --target "${targets[@]/#/fuzz_}"
    } >"$work/build.log" 2>&1 || {
        tail -n 30 "$work/build.log" >&2
        die 1 'the targets do not build'
    }
}

# folders_of TARGET: prints the folders with its seeds.
folders_of() {
    printf '%s\n' "$seeds/$1"
    case $1 in
    npy) printf '%s\n' "$root/common/tests/data" ;;
    rewriter) printf '%s\n' "$root/docs/programs" ;;
    esac
}

# sources_of TARGET: prints the sources that it should cover.
sources_of() {
    case $1 in
    options) printf '%s\n' "$root"/common/{base/option.c,run/options.c,problem/*/options.c} ;;
    npy) printf '%s\n' "$root/common/base/npy.c" ;;
    png) printf '%s\n' "$root/common/base/picture.c" ;;
    rewriter) printf '%s\n' "$root"/common/simt/cc/*.c ;;
    esac
}

if [[ $coverage == yes ]]; then
    build_in "$build/coverage" -DRUNGS_SANITIZE= -DCMAKE_C_FLAGS='-fprofile-instr-generate -fcoverage-mapping'
    for target in "${targets[@]}"; do
        mapfile -t inputs < <(folders_of "$target")
        [[ -z $corpus || ! -d $corpus/$target ]] || inputs+=("$corpus/$target")
        program=$build/coverage/tests/fuzz_$target
        LLVM_PROFILE_FILE=$work/raw "$program" "${inputs[@]}" >/dev/null
        profdata=$(dirname -- "$(readlink -f -- "$(command -v clang)")")
        "$profdata/llvm-profdata" merge -o "$work/profile" "$work/raw"
        mapfile -t sources < <(sources_of "$target")
        echo "== $target"
        "$profdata/llvm-cov" report "$program" -instr-profile="$work/profile" -show-functions "${sources[@]}" >"$work/report"
        if [[ $target == png ]]; then # the file also has code that writes
            awk '$1 ~ /^(picture_read|picture.c:allocate)$/ { printf "%-40s %5d lines %8s\n", $1, $5, $7 }' "$work/report"
        else
            "$profdata/llvm-cov" report "$program" -instr-profile="$work/profile" "${sources[@]}" |
                awk '/^[^-F]/ && NF >= 10 { printf "%-40s %5d lines %8s\n", $1, $8, $10 }'
        fi
    done
    exit 0
fi

build_in "$build"
# malloc returns NULL for half a terabyte of PNG, as it does without a sanitizer.
export ASAN_OPTIONS=allocator_may_return_null=1:malloc_context_size=4:detect_stack_use_after_return=0
found=0
for target in "${targets[@]}"; do
    mapfile -t inputs < <(folders_of "$target")
    kept=$work/$target
    [[ -z $corpus ]] || kept=$corpus/$target
    mkdir -p -- "$kept"
    options=(-runs="$runs" -max_total_time="$seconds" -max_len=512 -timeout=20 -rss_limit_mb=4096 -print_final_stats=1)
    if "$build/tests/fuzz_$target" "${options[@]}" -artifact_prefix="$build/$target-" "$kept" \
        "${inputs[@]}" >"$work/log" 2>&1; then
        awk -v target="$target" '/stat::number_of_executed_units/ { n = $2 }
            /stat::average_exec_per_sec/ { print target ": " n " executions, nothing found" }' "$work/log"
    else
        found=1
        echo "$target: FOUND"
        grep -e '^broken promise' -e '^==.*ERROR' -e 'runtime error' -e '^SUMMARY' -e 'Test unit written' "$work/log" || true
        grep -A 12 -e '^    #0' "$work/log" | head -n 13 || true
    fi
done
exit "$found"
# SPDX-License-Identifier: MIT
