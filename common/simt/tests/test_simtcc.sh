#!/usr/bin/env bash
# Tests simtcc. The tests of a PART are in simtcc/PART.sh. Usage: test_simtcc.sh SIMTCC CXX PART...
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
simtcc=$(readlink -f -- "$1") compiler=$2
shift 2
# shellcheck source=common/tests/shell.sh
. "$(dirname -- "$(readlink -f -- "$0")")/../../tests/shell.sh"
said=output

compile() {
    "$simtcc" -ccbin "$compiler" "$@" >output 2>&1
}

# refuses NAME LINE: simtcc rejects the program on stdin with one line that starts with its file and LINE.
refuses() {
    cat >kernel.cu
    compile kernel.cu -o program
    status=$?
    expected="kernel.cu:$2: error: not available on the CPU back end: $1"
    [ $status -eq 1 ] && [ "$(cat output)" = "$expected" ] && [ ! -e program ] ||
        fail "status $status, not 1 with: $expected"
}

# says STATUS TEXT ARGUMENT...: simtcc ends with this status and prints one line that contains the text.
says() {
    status=$1 text=$2
    shift 2
    compile "$@"
    found=$?
    if [ $found -ne "$status" ] || [ "$(wc -l <output)" -ne 1 ] || ! grep -qF -- "$text" output; then
        fail "simtcc $*: status $found, not $status with: $text"
    fi
}

# prints TEXT ARGUMENT...: simtcc ends with status 0 and prints exactly this text.
prints() {
    text=$1
    shift
    compile "$@" || fail "simtcc $*: status $?"
    [ "$(cat output)" = "$text" ] || fail "simtcc $*: not: $text"
}

for part; do
    # shellcheck source=/dev/null
    . "$here/simtcc/$part.sh"
done
finish
