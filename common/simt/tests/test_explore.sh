#!/bin/sh
# Tests the contents of explorer pages, and the errors if a page cannot be
# made.
set -u
program=$(readlink -f -- "$1") bin=$(readlink -f -- "$2")
folder=$(mktemp -d "${TMPDIR:-/tmp}/test_explore.XXXXXX") || exit 1
trap 'chmod -R u+w "$folder"; rm -rf -- "$folder"' EXIT
cd "$folder" || exit 1
unset SIMT_EXPLORE SIMT_EXPLORE_BLOCKS
failures=0

fail() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n' "$1"
    sed 's/^/    /' output
}

# ends STATUS TEXT COMMAND...: the command ends with this status and prints one line with this text on stderr.
ends() {
    wanted=$1 text=$2
    shift 2
    "$@" >printed 2>output
    status=$?
    [ $status -eq "$wanted" ] && [ "$(wc -l <output)" -eq 1 ] && grep -qF -- "$text" output ||
        fail "$*: status $status, not $wanted with one line: $text"
}

# makes STATUS COMMAND...: the command writes the page page.html and ends with this status.
makes() {
    wanted=$1
    shift
    rm -f page.html
    "$@" >printed 2>output
    status=$?
    [ $status -eq "$wanted" ] && [ -s page.html ] && [ "$(tail -n 1 page.html)" = '</html>' ] ||
        fail "$*: status $status, not $wanted with a page"
}

only_these() {
    # shellcheck disable=SC2010 # the names are our own
    [ "$(ls | tr '\n' ' ')" = "$1" ] || fail "files are left: $(ls | tr '\n' ' ')"
}

# ---- SIMT_EXPLORE --------------------------------------------------------------------------------

makes 0 env SIMT_EXPLORE=page.html "$program" banks
[ ! -s output ] && [ ! -s printed ] || fail 'a page, and something is printed'
cp page.html old.html
makes 0 env SIMT_EXPLORE=page.html "$program" banks
cmp -s page.html old.html || fail 'two pages of one program differ'
grep -q '"quads",-1\]' page.html || fail 'a shared variable without its name'

makes 1 env SIMT_EXPLORE=page.html "$program" race
grep -q 'data race in shared memory' page.html || fail 'a race that is not on the page'
# The page shows the program up to its end and the reason for the end, but no counters of the launch.
for end in stuck fault; do
    makes 1 env SIMT_EXPLORE=page.html "$program" $end
    grep -q '"ended": false' page.html && grep -q '"barriers": 1, "keptBarriers": 1' page.html || fail "up to its end: $end"
    grep -q 'illegal address 0x8\|livelock' page.html && grep -q "illegal address 0x8\|livelock" output || fail "what stopped it: $end"
done
# The block in which the program stops is on the page even if it was not requested.
makes 1 env SIMT_EXPLORE=page.html "$program" early
grep -q '"number": 1, "index": \[1,0,0\].*"late": true' page.html && grep -q 'illegal address 0: a null' page.html || fail 'a fault at once'
makes 0 env SIMT_EXPLORE=page.html SIMT_CHECKS=off "$program" blocks
[ "$(grep -c '"number": ' page.html)" -eq 1 ] && grep -q '"number": 0,' page.html || fail 'the first block'
makes 0 env SIMT_EXPLORE=page.html SIMT_EXPLORE_BLOCKS=1-2,4 "$program" blocks
[ "$(grep -c '"number": ' page.html)" -eq 3 ] && grep -q '"number": 4, "index": \[4,0,0\]' page.html ||
    fail 'blocks 1, 2 and 4'
makes 0 env SIMT_EXPLORE=page.html SIMT_EXPLORE_BLOCKS=all "$program" blocks
[ "$(grep -c '"number": ' page.html)" -eq 6 ] || fail 'all blocks'
makes 0 env SIMT_EXPLORE=page.html "$program" long
[ "$(wc -c <page.html)" -lt 4000000 ] && grep -q '"barriers": 1000, "keptBarriers": [1-9][0-9]*, "full": true' page.html ||
    fail 'a block that is too long'
# Blocks have the same numbers in any order of execution.
for schedule in 1 3 4; do
    makes 0 env SIMT_SCHEDULE=$schedule SIMT_EXPLORE=page.html SIMT_EXPLORE_BLOCKS=all "$program" cluster
    [ "$(grep -c '"number": 0, "index": \[0,0,0\]' page.html)" -eq 1 ] && [ "$(grep -c '"number": 1, "index": \[1,0,0\]' page.html)" -eq 1 ] ||
        fail "the blocks of a cluster, schedule $schedule"
done
# A full page contains the first blocks completely.
makes 0 env SIMT_EXPLORE=page.html SIMT_EXPLORE_BLOCKS=all "$program" crowd
[ "$(wc -c <page.html)" -lt 5000000 ] && grep -q '"notKept": [1-9]' page.html && ! grep -q '"full": true' page.html ||
    fail 'a page with too many blocks'

rm -f ./*
for list in x '1,2,' 3-1 -1 '1 2' all,1; do
    ends 2 'want numbers of blocks' env SIMT_EXPLORE=page.html "SIMT_EXPLORE_BLOCKS=$list" "$program" blocks
done
ends 4 'nothing to show: no instrumented kernel was launched' env SIMT_EXPLORE=page.html "$program" none
ends 4 'nothing to show: no kernel touched memory in the blocks' \
    env SIMT_EXPLORE=page.html SIMT_EXPLORE_BLOCKS=77 "$program" blocks
ends 4 'cannot write no/folder/page.html: No such file' env SIMT_EXPLORE=no/folder/page.html "$program" blocks
ends 4 'Is a directory' env SIMT_EXPLORE=. "$program" blocks
ends 4 'cannot write /dev/full: No space left' env SIMT_EXPLORE=/dev/full "$program" blocks
only_these 'output printed '
printf 'the old page\n' >page.html
# Writing fails because the file may not exceed 8 blocks (ulimit -f).
ends 4 'cannot write page.html: File too large' \
    sh -c 'trap "" XFSZ; ulimit -f 8; SIMT_EXPLORE=page.html exec "$1" blocks' sh "$program"
only_these 'output page.html printed '
[ "$(cat page.html)" = 'the old page' ] || fail 'the old page was lost'
ln -s page.html link.html
SIMT_EXPLORE=link.html "$program" blocks || fail 'a page through a link'
[ -L link.html ] && [ "$(tail -n 1 page.html)" = '</html>' ] || fail 'a link was replaced'

# ---- --explore -----------------------------------------------------------------------------------

rm -f ./*
step=$bin/05_gpu_shared_tree
makes 0 "$step" --n 4K --rung strided --explore page.html
grep -q '"part": "strided", "kernel": "strided"' page.html || fail 'the rung on its page'
makes 0 "$step" --sweep 1K:2K --rung strided --explore page.html --explore-blocks all
grep -q '"part": "strided, 2048"' page.html || fail 'two sizes on a page'
rm -f ./*
for cpu in 01_cpu_naive 02_cpu_simd_threads; do
    ends 2 'cmake --preset simt' "$bin/$cpu" --n 1K --explore page.html
done
ends 2 '--explore-blocks needs --explore FILE.html' "$step" --n 1K --explore-blocks 0
ends 2 "--explore-blocks '0-': expected numbers of blocks" "$step" --n 1K --explore page.html --explore-blocks 0-
for list in 18446744073709551616 0-99999999999999999999; do
    ends 2 "--explore-blocks '$list': expected numbers of blocks" "$step" --n 1K --explore page.html --explore-blocks "$list"
done
ends 2 'name the same file' "$step" --n 1K --explore page.html --csv page.html
ends 2 'use --explore FILE.html' env SIMT_EXPLORE=page.html "$step" --n 1K
ends 4 'cannot write no/page.html' "$step" --n 1K --explore no/page.html
ends 4 'nothing to show' "$step" --n 1K --explore page.html --explore-blocks 999999
ends 4 'cannot write /dev/full' "$step" --n 1K --explore /dev/full
only_these 'output printed '

[ $failures -eq 0 ] && echo 'all passed'
[ $failures -eq 0 ]
