#!/usr/bin/env bash
# Installs what is missing, builds each preset and runs its tests. See --help.
set -euo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" && pwd -P)
install=yes
# shellcheck source=common/scripts/setup/setup.sh
. "$root/common/scripts/setup/setup.sh"

if [[ ${1:-} == exercise ]]; then
    shift
    exec "$root/common/scripts/setup/exercise.sh" "$@"
fi

usage() {
    cat <<'EOF'
Usage: ./test.sh [OPTION]...
       ./test.sh exercise ...      the exercises and their grader: ./test.sh exercise --help
Installs what is missing (Debian, Ubuntu), builds and tests: all steps on the CPU at the sizes where
kernels break, the checker, the CPU back end, the counters.

  --all           also test the pages and the house (how the repository is written), the same with more
                  inputs (every exercise and its solution, every program that simtcc is tried on,
                  seeded faults of every kind, failures around the programs), and these suites, one
                  for each preset:
                    asan    with the address and undefined-behaviour sanitizers, without large inputs
                    tsan    the tests of the CPU steps with the thread sanitizer
                    cuda    compiled by nvcc and run, if that is installed and there is a GPU; without
                            a GPU: nvcc, only compiled, without optimizations
  -L LABEL        run only tests with a label that matches this regular expression, as in ctest. Each
                  test has its subject: step, common, simt, exercise, pages or house.
                  -L slow: analysers, mutants, other compilers, failures injected by the hundred,
                  every wrong answer to the exercises, every command, count, error and picture of
                  the pages, what the explorer shows of every rung: minutes, in no suite
  -R NAME         run only tests with a name that matches
  --no-install    install nothing: print what is missing and stop
  --help          print this text

Each suite's output is in build/PRESET/test.log. Exit status: 0 all passed, 1 a test failed or a
suite did not build, 2 bad usage, 3 something missing on this machine, 4 a file not writable.
EOF
}

# ---- arguments -----------------------------------------------------------------------------------

# is_expression TEXT: whether it is a regular expression; grep returns 2 for one that is not.
is_expression() {
    local status=0
    grep -qE -e "$1" /dev/null 2>/dev/null || status=$?
    ((status < 2))
}

all=no
filter=()
while (($# > 0)); do
    case $1 in
    -L | -R) (($# > 1)) || die_usage "$1 needs a value" ;;&
    -L | -R)
        is_expression "$2" || die_usage "$1 '$2': not a regular expression"
        filter+=("$1" "$2")
        shift
        ;;
    --all) all=yes ;;
    --no-install) install=no ;;
    --help | -h)
        say "$(usage)"
        exit 0
        ;;
    exercise) die_usage "exercise comes first, and takes options of its own" ;;
    *) die_usage "$1: no such option" ;;
    esac
    shift
done
stop_on_interrupt

# ---- one suite -----------------------------------------------------------------------------------

all_passed=0 all_failed=0 all_skipped=0
bad_suites=()
left_out=()

# close_suite NAME PASSED FAILED SKIPPED SECONDS: prints a suite's last line.
close_suite() {
    local colour=$green skipped=''
    (($3 == 0)) || colour=$red
    (($4 == 0)) || skipped=", $4 skipped"
    put '%s%s: %d passed, %d failed%s%s (%d s)\n' "$colour" "$1" "$2" "$3" "$skipped" "$plain" "$5"
    all_passed=$((all_passed + $2))
    all_failed=$((all_failed + $3))
    all_skipped=$((all_skipped + $4))
    (($3 == 0)) || bad_suites+=("$1")
}

leave_out() {
    left_out+=("$1: $2")
    say "$yellow$1: not run: $2$plain"
}

# build_suite PRESET OPTION...: configures and builds a suite.
build_suite() {
    local preset=$1 targets=() testing=ON
    [[ $preset != tsan ]] || targets=(01_cpu_naive 02_cpu_simd_threads)
    [[ $preset != simt || $all == yes || ${#filter[@]} -gt 0 ]] || targets=(quick_tests)
    [[ $preset != nvcc ]] || testing=OFF # the programs contain all kernels
    [[ $preset != cuda ]] || set -- "$@" -DRUNGS_WERROR=ON
    configure "$@" -DBUILD_TESTING=$testing && build "$preset" ${targets[@]+"${targets[@]}"}
}

# begin_build PRESET: builds a suite in the background while the tests of the suite before run, which
# often wait. end_build prints its output later.
begin_build() {
    builds=${builds:-$(mktemp -d "${TMPDIR:-/tmp}/rungs-build.XXXXXX")}
    (
        trap - INT
        renice -n 10 -p "$BASHPID" >/dev/null 2>&1 || true
        begun=$SECONDS status=0
        build_suite "$1" || status=$?
        echo $((SECONDS - begun)) >"$builds/seconds"
        exit "$status"
    ) >"$builds/said" 2>&1 &
    build_job=$!
}

# end_build PRESET NEXT: waits for the build in the background, or builds the suite if there is none. Prints
# the result and what comes next. A suite that does not build counts as a failed test.
end_build() {
    local status=0 seconds
    say "Building ..."
    if [[ -n $build_job ]]; then
        wait "$build_job" || status=$?
        cat -- "$builds/said" >&2
        seconds=$(cat -- "$builds/seconds")
    else
        build_suite "$1" || status=$?
        seconds=$((SECONDS - started))
    fi
    build_job=
    if ((status == exit_machine)) && [[ $1 != simt ]]; then
        leave_out "$1" "$(refusal "$1")" # the compiler or toolkit is installed, but too old
        return 1
    fi
    if ((status == exit_file || status == exit_machine)); then
        exit "$status"
    fi
    if ((status != 0)); then
        close_suite "$1" 0 1 0 $((SECONDS - started))
        return 1
    fi
    say "Built in $seconds s.$2"
}

# test_suite PRESET COMMAND...: runs the tests of the suite. COMMAND, if any, starts ctest.
test_suite() {
    local preset=$1 folder=$root/build/$1 status=0 passed failed skipped only=() reasons=() reason
    shift
    # Only the steps have several threads, and the sanitizer makes other tests ten times as slow.
    [[ $preset != tsan ]] || only=(-L '^step$')
    # With a sanitizer, tests of large inputs take minutes.
    [[ $preset != asan ]] || only=(-LE '^large$')
    # With -L or -R, any test can be selected.
    if [[ $preset == simt && ${#filter[@]} -eq 0 ]]; then
        only=(-LE '^slow$')
        [[ $all == yes ]] || only=(-LE '^(all|slow|pages|house)$')
    fi
    # More tests than processors run at once: some mostly wait for a browser, a time limit or new processes.
    local at_once=$((jobs + (jobs + 1) / 2))
    rm -f -- "$folder/tests.xml"
    (cd "$root" && "$@" ctest --preset "$preset" -j "$at_once" --output-junit "$folder/tests.xml" \
        ${only[@]+"${only[@]}"} ${filter[@]+"${filter[@]}"}) >"$folder/test.log" 2>&1 </dev/null || status=$?
    if [[ -s $folder/tests.xml ]]; then
        {
            read -r passed failed skipped
            mapfile -t reasons
        } < <(awk -f "$root/common/scripts/check/count_tests.awk" "$folder/tests.xml")
    else
        passed=0 failed=0 skipped=0
    fi
    if ((status != 0 && failed == 0)); then
        failed=1 # ctest itself failed
    fi
    if ((failed > 0)); then
        show_end "$folder/test.log"
    fi
    for reason in ${reasons[@]+"${reasons[@]}"}; do
        put '%sskipped: %s%s\n' "$yellow" "$reason" "$plain"
    done
    close_suite "$preset" "$passed" "$failed" "$skipped" $((SECONDS - started))
}

# sanitizer_runs NAME: whether the compiler has the sanitizer; `starter` is the command that starts its
# programs. Old sanitizers fail if the kernel randomizes more address bits than they expect. For this
# reason their programs run without address space randomization.
sanitizer_runs() {
    local folder result=1
    folder=$(mktemp -d "${TMPDIR:-/tmp}/rungs-sanitizer.XXXXXX")
    starter=()
    if printf 'int main(void) { return 0; }\n' |
        "$(c_compiler)" -fsanitize="$1" -x c - -o "$folder/probe" >/dev/null 2>&1; then
        result=0
        if [[ $(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 28) -gt 28 ]] &&
            setarch -R true 2>/dev/null; then
            starter=(setarch -R)
        fi
        ${starter[@]+"${starter[@]}"} "$folder/probe" >/dev/null 2>&1 || result=1
    fi
    rm -rf -- "$folder"
    return "$result"
}

# ---- the suites ----------------------------------------------------------------------------------

require_packages tests
presets=(simt)
if [[ $all == yes ]]; then
    presets+=(asan tsan)
    if nvcc_works; then
        if gpu_works; then presets+=(cuda); else presets+=(nvcc); fi
    fi
fi

# can_run PRESET: whether this machine can run the suite. Sets `starter` (see above), or `reason` if it cannot.
can_run() {
    local sanitizer=address
    starter=() reason=
    if [[ $1 == [at]san ]]; then
        [[ $1 == asan ]] || sanitizer=thread
        sanitizer_runs "$sanitizer" || reason="programs with -fsanitize=$sanitizer do not build or run here"
    fi
    [[ -z $reason ]]
}

builds='' build_job=''
trap '[[ -z $builds ]] || rm -rf -- "$builds"' EXIT
for number in "${!presets[@]}"; do
    preset=${presets[number]} next=${presets[number + 1]:-}
    started=$SECONDS built=no
    heading "== suite $((number + 1)) of ${#presets[@]}: $preset"
    if ! can_run "$preset"; then
        leave_out "$preset" "$reason"
    elif [[ $preset == nvcc ]]; then
        ! end_build nvcc '' || leave_out "cuda's tests" "no GPU answers here; the programs compiled"
    elif end_build "$preset" ' Testing ...'; then
        built=yes
    fi
    command=(${starter[@]+"${starter[@]}"})
    if [[ -n $next ]] && can_run "$next"; then
        begin_build "$next"
    fi
    if [[ $built == yes ]]; then
        test_suite "$preset" ${command[@]+"${command[@]}"}
    fi
done

# ---- summary -------------------------------------------------------------------------------------

heading "== all suites ($SECONDS s)"
if ((${#left_out[@]} > 0)); then
    put 'not run: %s\n' "${left_out[@]}"
fi
if ((${#bad_suites[@]} > 0)); then
    put 'failed: %s\n' "${bad_suites[@]}"
fi
if ((all_passed + all_failed + all_skipped == 0 && ${#filter[@]} > 0)); then
    die "$exit_usage" "${filter[*]}: no test matches; ctest -N --test-dir build/simt lists the tests"
fi
skipped=''
((all_skipped == 0)) || skipped=", $all_skipped skipped"
put '%d passed, %d failed%s\n' "$all_passed" "$all_failed" "$skipped"
((all_failed == 0))
# SPDX-License-Identifier: MIT
