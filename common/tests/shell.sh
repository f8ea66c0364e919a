# shellcheck shell=bash
# What the tests that are shell scripts begin with. Sets
#   root       the repository
#   work       a folder of the test's own, which is the current one from here on and goes at the end
#   said       the file, there, with what the command under test said; `fail` shows it
# Relative paths among the arguments are to be resolved before.
# shellcheck disable=SC2034 # for who sources this
root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../.." && pwd -P)
work=$(mktemp -d "${TMPDIR:-/tmp}/$(basename -- "$0" .sh).XXXXXX") || exit 1
trap 'rm -rf -- "$work"' EXIT
cd "$work" || exit 1
said=errors
failures=0

# fail TEXT...: one failure, and what was said last.
fail() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n' "$*"
    [[ ! -e $work/$said ]] || head -n 40 -- "$work/$said" | sed 's/^/    /'
}

# finish [WHAT]: the end of the test and its exit status.
finish() {
    ((failures == 0)) && printf 'all passed%s\n' "${1:+: $1}"
    exit $((failures > 0))
}
# SPDX-License-Identifier: MIT
