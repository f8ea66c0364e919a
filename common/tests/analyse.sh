#!/usr/bin/env bash
# Runs one analyser on the sources. A finding is a failure. This file lists what is suppressed, and why.
# Usage: analyse.sh shellcheck|cppcheck|gcc|clang-tidy|valgrind BUILD_FOLDER [SOURCE.c]...
# If sources are given, cppcheck, gcc and clang-tidy analyse these only.
set -u
root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../.." && pwd -P)
tool=$1
build=$(readlink -f -- "$2")
chosen=("${@:3}")
jobs=$(nproc 2>/dev/null || echo 1)
cd "$root" || exit 1

missing() {
    echo "skipped: $1 was not found"
    exit 0
}

# Prints the project's C sources, with those of simt. Excludes the files handed out in exercises and the
# programs that test simtcc.
sources() {
    git ls-files -- "${chosen[@]:-*.c}" 2>/dev/null | grep -v -e "/exercise/.*/" -e simt/tests/programs -e simt/tests/simulators
}

# compile_options FILE: prints its options -I, -isystem, -D, -f and -std in the build; nothing if it is not built.
compile_options() {
    python3 - "$build/compile_commands.json" "$root/$1" <<'END'
import json, shlex, sys
for entry in json.load(open(sys.argv[1])):
    if entry["file"] == sys.argv[2]:
        words = shlex.split(entry["command"])
        print(" ".join(word for before, word in zip([""] + words, words)
                       if word.startswith(("-I", "-isystem", "-D", "-std", "-fopenmp")) or before == "-isystem"))
        break
END
}

case $tool in
shellcheck)
    command -v shellcheck >/dev/null || missing shellcheck
    # SC2015: A && B || C, in which C is "fail" or the test. SC2016: text for other programs in single
    # quotes. SC2181: $? is tested together with other results of the same run. SC2209: a word that is
    # also a command's name. SC3013: -ot, which every sh here has.
    git ls-files '*.sh' common/simt/simtcc | xargs shellcheck -x -S warning -e SC2015,SC2016,SC2181,SC2209,SC3013
    ;;
cppcheck)
    command -v cppcheck >/dev/null || missing cppcheck
    # unusedFunction and style: the compilers and clang-format check these. normalCheckLevel: only says
    # that there is a more thorough mode. cppcheck cannot follow simt's use of addresses and stacks, so
    # its sources are left to the sanitizers. grade.c adds up the counters of a struct as an array, and
    # every exercise has tests. invalidPointerCast: workspaces are bytes. duplicateAssignExpression: a
    # result and its start value.
    mapfile -t files < <(sources | grep -v -e '^common/simt' -e '/test_')
    cppcheck --quiet --error-exitcode=1 --inline-suppr --enable=warning,portability -j "$jobs" \
        --std=c11 --suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches \
        --suppress=objectIndex:common/exercise/grade.c --suppress=zerodiv:common/exercise/grade.c \
        --suppress=invalidPointerCast --suppress=duplicateAssignExpression \
        -D_GNU_SOURCE -D__x86_64__ -DRUNGS_PNG -I common -I common/simt/cuda "${files[@]}"
    ;;
gcc)
    command -v gcc >/dev/null && gcc -fanalyzer -fsyntax-only -x c /dev/null 2>/dev/null || missing 'gcc with -fanalyzer'
    # -Wanalyzer-malloc-leak and -file-leak: gcc reports a leak for what a struct keeps. -use-of-uninitialized
    # -value: wrong for arrays that a loop fills up to a count. -too-complex is off by default.
    export build root
    export -f compile_options
    analyse() {
        local options
        options=$(compile_options "$1")
        [[ -n $options ]] || return 0
        case $1 in # false reports of NULL: the callers of these have already checked
        common/library/openblas.c | common/problem/gemm/reference.c | common/problem/reduction/reduction.c)
            options+=' -Wno-analyzer-null-dereference -Wno-analyzer-null-argument' ;;
        esac
        # shellcheck disable=SC2086
        gcc -c -O1 -o /dev/null $options -fanalyzer -Werror -Wno-analyzer-malloc-leak -Wno-analyzer-file-leak \
            -Wno-analyzer-fd-leak -Wno-analyzer-use-of-uninitialized-value "$root/$1"
    }
    export -f analyse
    sources | grep -v -e '^common/simt' -e /test_ | xargs -P "$jobs" -I{} bash -c 'analyse {}'
    ;;
clang-tidy)
    command -v clang-tidy >/dev/null || missing clang-tidy
    # These checks find errors; checks of taste are left out. reserved-identifier: feature macros and the
    # hooks of the sanitizers. easily-swappable-parameters, implicit-widening and narrowing-conversions:
    # kernels' sizes are pairs and products of numbers of one type. err34: the converted text comes from
    # /proc or from this project's programs. integer-division: depths and widths are whole numbers.
    # memory-comparison: same_bits compares bits. sizeof-expression: arrays of pointers.
    # ignored-optimization-argument: options of gcc that clang does not have.
    checks='-*,bugprone-*,cert-flp30-c,misc-redundant-expression,performance-*,portability-*'
    checks+=',-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier'
    checks+=',-bugprone-implicit-widening-of-multiplication-result,-bugprone-narrowing-conversions'
    checks+=',-bugprone-assignment-in-if-condition,-bugprone-branch-clone,-performance-no-int-to-ptr'
    checks+=',-bugprone-macro-parentheses,-bugprone-integer-division,-bugprone-sizeof-expression'
    checks+=',-bugprone-suspicious-memory-comparison,-clang-diagnostic-ignored-optimization-argument'
    sources | grep -v -e '^common/simt' -e /test_ | while read -r file; do
        [[ -z $(compile_options "$file") ]] || printf '%s\n' "$file"
    done | xargs -P "$jobs" -n 8 clang-tidy --quiet -p "$build" --checks="$checks" --warnings-as-errors='*' 2>&1 |
        grep -v -e 'warnings generated' -e 'Suppressed .* warnings' -e '^Use -header-filter'
    [[ ${PIPESTATUS[1]} -eq 0 ]]
    ;;
valgrind)
    command -v valgrind >/dev/null || missing valgrind
    # The programs of the CPU steps with all rungs except for the libraries, which valgrind would also
    # analyse. The programs end with 1, because nothing is fast enough in valgrind.
    status=0
    work=$(mktemp -d "${TMPDIR:-/tmp}/valgrind.XXXXXX") || exit 1
    for step in 01_cpu_naive 02_cpu_simd_threads; do
        mapfile -t rungs < <("$build/bin/$step" --list | awk '!/\[library\]/ { print "--rung"; print $1 }')
        for options in '--op dot' '--op max --type f64' '--type mixed'; do
            # shellcheck disable=SC2086
            timeout 300 valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect \
                --errors-for-leak-kinds=definite,indirect "$build/bin/$step" --n 1003 $options --reps 1 \
                --warmup 0 --threads 3 "${rungs[@]}" --csv "$work/rows" --json "$work/json" >"$work/out" 2>&1
            (($? <= 1)) || { status=1 && cat "$work/out"; }
        done
    done
    rm -rf -- "$work"
    exit "$status"
    ;;
*)
    echo "analyse.sh: $tool: no such analyser" >&2
    exit 2
    ;;
esac
# SPDX-License-Identifier: MIT
