#!/usr/bin/env bash
# Installs what is missing, builds each preset and runs its tests. See --help.
set -euo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" && pwd -P)
install=yes
# shellcheck source=common/scripts/setup.sh
. "$root/common/scripts/setup.sh"

if [[ ${1:-} == exercise ]]; then
    shift
    exec "$root/common/scripts/exercise.sh" "$@"
fi

usage() {
    cat <<'EOF'
Usage: ./test.sh [OPTION]...
       ./test.sh exercise ...      the exercises and their grader: ./test.sh exercise --help
Installs what is missing (Debian, Ubuntu), builds and tests: all steps on the CPU at the sizes where
kernels break, the checker, the CPU back end, the counters, the pages.

  --all           also the same with more inputs (every exercise and its solution, every program
                  that simtcc is tried on, seeded faults of every kind, failures around the
                  programs, the first pages' commands, the scripts that measure and draw), and
                  these suites, one for each preset:
                    asan    with the address and undefined-behaviour sanitizers: not large inputs
                    tsan    the tests of the CPU steps with the thread sanitizer
                    clang   the back end and all kernels, instrumented, compiled by clang, if that is
                            installed: the back end's quick tests, and what every rung counts
                    cuda    compiled by nvcc and run, if that is installed and there is a GPU; without
                            a GPU: nvcc, only compiled, without optimisations
  -L LABEL        only tests with a label that matches this regular expression, as in ctest;
                  -L slow: analysers, mutants, other compilers, failures injected by the hundred,
                  every wrong answer to the exercises, every command, count, error and picture of
                  the pages, what the explorer shows of every rung: minutes, in no suite
  -R NAME         only tests with a name that matches
  --no-install    install nothing: say what is missing and stop
  --help          this text

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

# build_suite PRESET OPTION...: builds a suite; one that does not build counts as a failed test.
build_suite() {
    local preset=$1 targets=() testing=ON
    [[ $preset != clang ]] || targets=(simt_tests)
    [[ $preset != tsan ]] || targets=(step_tests)
    [[ $preset != simt || $all == yes || ${#filter[@]} -gt 0 ]] || targets=(quick_tests)
    [[ $preset != nvcc ]] || testing=OFF # the programs have all the kernels
    started=$SECONDS
    say "Building ..."
    if ! { configure "$@" -DBUILD_TESTING=$testing && build "$preset" ${targets[@]+"${targets[@]}"}; }; then
        close_suite "$preset" 0 1 0 $((SECONDS - started))
        return 1
    fi
}

# test_suite PRESET COMMAND...: runs the tests of what was built; COMMAND, if any, starts ctest.
test_suite() {
    local preset=$1 folder=$root/build/$1 status=0 passed failed skipped only=()
    shift
    # Only the steps have several threads, and the sanitizer slows other tests down tenfold.
    [[ $preset != tsan ]] || only=(-L '^step$')
    # Only kernels and their back end can differ with another C++ compiler; that every rung counts
    # and computes the same is one test, simt.test_simt_rungs. What a script or the rewriter does is
    # the same with each compiler; of simtcc that leaves the counts and the findings.
    [[ $preset != clang ]] || only=(-L '^simt$' -LE '^(exercise|step|checker|all)$'
        -E '^simt\.simtcc_(libcudacxx|messages|options|refusals|runtime)$')
    # Large inputs take a sanitizer minutes.
    [[ $preset != asan ]] || only=(-LE '^large$')
    # With -L or -R, any test can be selected.
    if [[ $preset == simt && ${#filter[@]} -eq 0 ]]; then
        only=(-LE '^slow$')
        [[ $all == yes ]] || only=(-LE '^(all|later)$')
    fi
    # Some wait more than they compute: for a browser, a time limit, processes that start.
    local at_once=$((jobs + (jobs + 1) / 2))
    say "Built in $((SECONDS - started)) s. Testing ..."
    rm -f -- "$folder/tests.xml"
    (cd "$root" && "$@" ctest --preset "$preset" -j "$at_once" --output-junit "$folder/tests.xml" \
        ${only[@]+"${only[@]}"} ${filter[@]+"${filter[@]}"}) >"$folder/test.log" 2>&1 </dev/null || status=$?
    if [[ -s $folder/tests.xml ]]; then
        read -r passed failed skipped < <(awk -f "$root/common/scripts/count_tests.awk" "$folder/tests.xml")
    else
        passed=0 failed=0 skipped=0
    fi
    if ((status != 0 && failed == 0)); then
        failed=1 # ctest itself failed
    fi
    if ((failed > 0)); then
        show_end "$folder/test.log"
    fi
    close_suite "$preset" "$passed" "$failed" "$skipped" $((SECONDS - started))
}

# sanitizer_runs NAME: whether the compiler has the sanitizer, and how its programs must be started.
# Old sanitizers fail if the kernel randomizes addresses more than they expect; their programs run
# without address space randomization.
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

require_packages tests simt
presets=(simt)
if [[ $all == yes ]]; then
    presets+=(asan tsan clang)
    if nvcc_works; then
        if gpu_works; then presets+=(cuda); else presets+=(nvcc); fi
    fi
fi

number=0
for preset in "${presets[@]}"; do
    number=$((number + 1))
    heading "== suite $number of ${#presets[@]}: $preset"
    case $preset in
    simt)
        if build_suite simt; then
            test_suite simt
        fi
        ;;
    asan | tsan)
        sanitizer=address
        [[ $preset == asan ]] || sanitizer=thread
        if ! sanitizer_runs "$sanitizer"; then
            leave_out "$preset" "programs with -fsanitize=$sanitizer do not build or run here"
        elif build_suite "$preset"; then
            test_suite "$preset" ${starter[@]+"${starter[@]}"}
        fi
        ;;
    clang)
        if ! have clang || ! compiles c++ vector clang++; then
            leave_out clang "clang is not installed"
        elif build_suite clang; then
            test_suite clang
        fi
        ;;
    cuda)
        if build_suite cuda -DRUNGS_WERROR=ON; then
            test_suite cuda
        fi
        ;;
    nvcc)
        if build_suite nvcc; then
            say "Built in $((SECONDS - started)) s."
            leave_out "cuda's tests" "no GPU answers here; the programs compiled"
        fi
        ;;
    esac
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
