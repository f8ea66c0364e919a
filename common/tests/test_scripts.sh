#!/usr/bin/env bash
# Tests run.sh and test.sh: arguments that they refuse at once, a full disk, a toolkit that is too old, and two
# of them at the same time. Builds nothing. Usage: test_scripts.sh
set -u
# shellcheck source=common/tests/shell.sh
. "$(dirname -- "$(readlink -f -- "$0")")/shell.sh"

# ends CODE TEXT SCRIPT ARGUMENT...: the script must end within 20 s with that code, and with one line that
# contains the text on standard error. Standard output goes to the file `to`.
to=/dev/null
ends() {
    local code=$1 text=$2 found
    shift 2
    timeout 20 "$root/$1" "${@:2}" >"$to" 2>"$work/errors" </dev/null
    found=$?
    [[ $found -eq $code ]] || fail "exit code $found, not $code: $*"
    if [[ $(wc -l <"$work/errors") -ne 1 ]] || ! grep -qF -- "$text" "$work/errors"; then
        fail "not the line '$text': $*"
    fi
}

for bad in '(' '[' 'a**('; do
    ends 2 'not a regular expression' test.sh -R "$bad"
    ends 2 'not a regular expression' test.sh -L "$bad"
done
ends 2 'no such option' run.sh --nosuch
ends 2 'expected 01 to 08' run.sh --step 9
ends 2 'expected the name of a file' run.sh --benchmark=
ends 2 'expected the name of a file' run.sh --benchmark ''
ends 2 'no other option' run.sh --site --step 05
ends 2 'exercise comes first' test.sh --no-install exercise 03a
if [[ -e /dev/full ]]; then
    to=/dev/full
    for script in run.sh test.sh; do
        ends 4 'cannot write standard output' "$script" --help
    done
    ends 4 'cannot write standard output' run.sh --no-install --step 01
    # If one of its packages is missing, test.sh reports that first.
    if pkg-config --exists cmocka 2>/dev/null; then
        ends 4 'cannot write standard output' test.sh --no-install
    fi
    ends 4 'cannot write standard output' test.sh exercise
fi
timeout 20 "$root/run.sh" --help >&- 2>"$work/errors"
[[ $? -eq 4 ]] || fail 'standard output is closed'

# ---- the site, without what it needs --------------------------------------------------------------

# A separate folder for common/site, in which nothing has been installed.
mkdir -p "$work/fresh/common" "$work/no_python"
cp -r "$root/common/site" "$root/common/scripts" "$work/fresh/common"
printf '#!/bin/sh\nexit 1\n' >"$work/no_python/python3"
chmod +x "$work/no_python/python3"
# lacks TEXT ARGUMENT...: build.sh must report in one line that it lacks TEXT.
lacks() {
    local text=$1 found
    shift
    timeout 60 "$work/fresh/common/site/build.sh" "$@" >/dev/null 2>"$work/errors" </dev/null
    found=$?
    [[ $found -eq 3 ]] || fail "build.sh $*: exit code $found, not 3"
    if [[ $(wc -l <"$work/errors") -ne 1 ]] || ! grep -qF -- "$text" "$work/errors"; then
        fail "build.sh $*: not the line '$text'"
    fi
}
lacks 'MkDocs is not in' --no-install
PATH=$work/no_python:$PATH lacks 'needs python3 with venv'

# ---- a toolkit that is of no use ------------------------------------------------------------------

# A repository with one preset. Its nvcc is a script.
mini=$work/mini
mkdir -p "$mini/common/scripts/setup" "$mini/build"
cp -- "$root/common/toolkit.cmake" "$mini/common"
cp -- "$root/common/scripts/setup/setup.sh" "$mini/common/scripts/setup"
cat >"$mini/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(mini LANGUAGES NONE)
include(common/toolkit.cmake)
rungs_check_toolkit()
END
cat >"$mini/CMakePresets.json" <<'END'
{"version": 3, "configurePresets": [{"name": "cuda", "generator": "Unix Makefiles", "binaryDir": "${sourceDir}/build/cuda"}]}
END
cat >"$work/nvcc" <<'END'
#!/bin/sh
case $* in --version) echo "Cuda compilation tools, release $RELEASE, V$RELEASE.99" && exit ;; esac
[ "${TAKES:-}" != "$2" ] || exit 0 # behind -ccbin
printf '%s\n' "${SAID:-}" >&2
exit 1
END
chmod +x "$work/nvcc"
# configures STATUS TEXT: configure must return that status and print one line with the text to standard error.
configures() {
    local found=0
    rm -rf "$mini/build/cuda"
    bash -c 'set -euo pipefail; root=$1 install=no; . "$1/common/scripts/setup/setup.sh"; configure cuda' \
        mini.sh "$mini" >/dev/null 2>"$work/errors" || found=$?
    [[ $found -eq $1 ]] || fail "configure: $found, not $1: $2"
    if [[ $1 -eq 3 && $(wc -l <"$work/errors") -ne 1 || $1 -ne 0 && $(<"$work/errors") != *"$2"* ]]; then
        fail "configure: not the line '$2'"
    fi
}
export CUDACXX=$work/nvcc CUDAHOSTCXX=g++-99 RELEASE=11.8 SAID TAKES
oldest=$(sed -n 's/^set(RUNGS_OLDEST_CUDA \(.*\))/\1/p' "$root/common/toolkit.cmake")
configures 3 "CUDA $oldest or later is needed, and $work/nvcc is 11.8: "
RELEASE=12.4
SAID="host_config.h:143: #error -- unsupported GNU version! gcc versions later than 13 are not supported!"
configures 3 'nvcc 12.4 takes g++ 13 at most, and g++-99 is newer: install g++-13 and name it in the environment, CUDAHOSTCXX=g++-13'
SAID=$'In file included\n/usr/include/math.h(79): error: exception specification is incompatible\nmore'
configures 3 'It says: /usr/include/math.h(79): error: exception specification is incompatible'
SAID="nvcc fatal   : Failed to preprocess host compiler properties."
configures 3 'nvcc 12.4 does not compile with g++-99 here'
TAKES=g++-99 configures 0 ''
RELEASE=$oldest TAKES=g++-99 configures 0 ''
CUDACXX=$work/nosuch configures 3 "nvcc was not found: install the CUDA toolkit, $oldest or later"
echo 'nosuch()' >>"$mini/CMakeLists.txt"
TAKES=g++-99 configures 1 'Unknown CMake command "nosuch"'
unset CUDACXX CUDAHOSTCXX RELEASE SAID TAKES

# ---- two at a time --------------------------------------------------------------------------------

# Scripts with a cmake that only prints when it begins and ends. If the lock works, the builds do not
# overlap.
mkdir -p "$work/repository/build"
cat >"$work/build_it" <<'END'
set -euo pipefail
root=$1 install=no
. "$2/common/scripts/setup/setup.sh"
cmake() {
    echo "$$" >>"$root/calls"
    sleep 0.1
    echo "$$" >>"$root/calls"
}
configure simt && build simt
END
if command -v flock >/dev/null; then
    pids=()
    for _ in 1 2 3 4; do
        bash "$work/build_it" "$work/repository" "$root" >>"$work/output" 2>"$work/errors" &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do
        wait "$pid" || fail 'a build'
    done
    # Four lines per script, without lines of another script between them.
    if (($(uniq "$work/repository/calls" | wc -l) != 4 || $(wc -l <"$work/repository/calls") != 16)); then
        fail "two scripts build at a time: $(tr '\n' ' ' <"$work/repository/calls")"
    fi
    grep -q 'waiting for it' "$work/output" || fail 'it does not say that it waits'
fi

# ---- mutants --------------------------------------------------------------------------------------

# mutate.py: a program that refuses has noticed nothing. A program that fails without a mutant proves nothing.
if command -v python3 >/dev/null; then
    PYTHONPATH=$root/common/scripts/check python3 -B - <<'END' || fail 'mutate.py takes a refusal for a mutant that was noticed'
import threading, types, mutate
assert [mutate.what_noticed(status, "") for status in (0, 2, 3, 4, -11, None)] == [None] * 4 + ["crash"] * 2
assert mutate.what_noticed(1, "verdict\n  a: got 1, expected 2\n") == "verdict"
step = types.SimpleNamespace(unchanged={}, lock=threading.Lock())
mutate.Step.require_success(step, ["true"], {}, 10)
try:
    mutate.Step.require_success(step, ["sh", "-c", "exit 2"], {}, 10)
except mutate.Unusable:
    pass
else:
    raise AssertionError
END
fi

# ---- the totals of test.sh ------------------------------------------------------------------------

# The output of ctest for four tests: one passed, one skipped itself, one whose program ctest did not find, and one
# whose program run_test.sh did not find.
cat >"$work/tests.xml" <<'END'
	<testcase name="pages.pages" classname="pages.pages" time="9.1" status="run">
		<system-out>skipped: nothing, it passed
</system-out>
	</testcase>
	<testcase name="pages.site" classname="pages.site" time="0.2" status="notrun">
		<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
		<system-out>a line before
skipped: MkDocs &amp; others are missing
a line after
</system-out>
	</testcase>
	<testcase name="common.ranks" classname="common.ranks" time="0.2" status="notrun">
		<skipped message="SKIP_RETURN_CODE=3"/>
		<system-out>no mpirun here
</system-out>
	</testcase>
	<testcase name="common.silent" classname="common.silent" time="0.2" status="notrun">
		<skipped message="SKIP_RETURN_CODE=3"/>
		<system-out></system-out>
	</testcase>
	<testcase name="common.gone" classname="common.gone" time="0" status="notrun">
		<skipped message=""/>
		<system-out>Unable to find executable: gone</system-out>
	</testcase>
	<testcase name="simt.gone" classname="simt.gone" time="0" status="notrun">
		<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
		<system-out>skipped: bin/gone was not built
</system-out>
	</testcase>
	<testcase name="simt.wrong" classname="simt.wrong" time="0" status="fail">
		<failure message=""/>
		<system-out>skipped: no
</system-out>
	</testcase>
END
printf '1 3 3\npages.site: MkDocs & others are missing\ncommon.ranks: no mpirun here\ncommon.silent: gave no reason\n' \
    >"$work/expected"
awk -f "$root/common/scripts/check/count_tests.awk" "$work/tests.xml" | diff "$work/expected" - ||
    fail 'tests are counted wrong'

# run_test.sh runs a command with its arguments and returns its exit code, or prints what was not built.
run_test=$root/common/tests/run_test.sh
"$run_test" "$work/tests.xml" -- sh -c 'test "$1" = "a b" && exit 7' sh 'a b'
[[ $? -eq 7 ]] || fail 'run_test.sh does not run the command as it is'
"$run_test" "$work/tests.xml" "$work/gone" -- echo ran >"$work/output"
[[ $? -ne 0 && $(cat "$work/output") == "skipped: $work/gone was not built" ]] ||
    fail 'run_test.sh runs a command that needs what is not there'
finish
# SPDX-License-Identifier: MIT
