#!/usr/bin/env bash
# Tests the grader. Programs that do harm or nothing get 0 points and a reason, within a time limit. Other parts test
# the options, the handout and merged results. Each part is grader/PART.sh. Usage: test_grader.sh CXX PART...
# shellcheck disable=SC2015,SC2016 # what stands before || fails, or is the test; $ for scripts that are written
set -u
compiler=$1
shift
# shellcheck source=common/tests/shell.sh
. "$(dirname -- "$(readlink -f -- "$0")")/../tests/shell.sh"
said=output
export LC_ALL=C # English, unless a test sets another language

exercise() { "$root/common/scripts/setup/exercise.sh" "$@" </dev/null; }

# answer NAME TEXT: writes the skeleton with TEXT as the work to answer.c or answer.cu.
answer() {
    local skeleton
    skeleton=$(echo "$root"/0[1-8]_*/exercise/"$1"_*/skeleton/task.*)
    file=answer.${skeleton##*.}
    text=$2 awk '/---- end of your work ----/ {on = 0} !on {print}
        /---- your work ----/ {print ENVIRON["text"]; on = 1}' \
        "$skeleton" >"$file"
}

# processor_time: prints the processor time of this script's child processes, in seconds.
processor_time() {
    local fields
    read -ra fields <"/proc/$$/stat"
    echo $(((fields[15] + fields[16]) / $(getconf CLK_TCK)))
}

# earns_nothing WHAT NAME TEXT REASON: the answer must get 0 points and REASON, in 40 s of processor time.
earns_nothing() {
    local start
    start=$(processor_time)
    answer "$2" "$3"
    exercise --compiler "$compiler" --seconds 1 --student x --file "$file" "$2" >output 2>&1
    [[ $? -eq 1 ]] && grep -q '^  0 of 100 points$' output || fail "$1: does not earn 0 points"
    grep -q -- "$4" output || fail "$1: does not say: $4"
    (($(processor_time) - start < 40)) || fail "$1: took $(($(processor_time) - start)) s of processor time"
}

solution() { echo "$root"/0[1-8]_*/exercise/"$1"_*/solution/task.*; }

for part; do
    # shellcheck source=/dev/null
    . "$root/common/exercise/grader/$part.sh"
done
finish
# SPDX-License-Identifier: MIT
