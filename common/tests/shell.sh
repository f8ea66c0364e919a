# shellcheck shell=bash
# Test scripts source this file first. It sets
#   root       the repository
#   work       the test's own folder, which becomes the current folder and is removed at the end
#   said       a file in it for the output of the command under test; `fail` shows it
# Resolve relative paths in the arguments before you source this file.
# shellcheck disable=SC2034 # the script that sources this uses them
root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../.." && pwd -P)
work=$(mktemp -d "${TMPDIR:-/tmp}/$(basename -- "$0" .sh).XXXXXX") || exit 1
trap 'rm -rf -- "$work"' EXIT
cd "$work" || exit 1
said=errors
failures=0

# fail TEXT...: reports a failure and the last output.
fail() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n' "$*"
    [[ ! -e $work/$said ]] || head -n 40 -- "$work/$said" | sed 's/^/    /'
}

# finish [WHAT]: ends the test and sets its exit status.
finish() {
    ((failures == 0)) && printf 'all passed%s\n' "${1:+: $1}"
    exit $((failures > 0))
}
# SPDX-License-Identifier: MIT
