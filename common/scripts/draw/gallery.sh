#!/bin/sh
# Makes the explorer's gallery: one page per lesson, the bench, and an index. See --help.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../../.." && pwd -P)

usage() {
    cat <<'EOF2'
Usage: common/scripts/draw/gallery.sh [--list | --cards PREFIX | --bench] [--build] [BIN [FOLDER]]
Makes a page of the explorer for each lesson, the bench for addresses, and index.html, in FOLDER
(build/gallery), with the programs of the preset simt in BIN (build/simt/bin). Where Chromium is
installed, the index has a picture of each page.

  --list          print the lessons: page, title, place on it, words that it shows there, what to
                  look at, group, command
  --cards PREFIX  print the lessons as links to PREFIX/PAGE.html; pictures are those in FOLDER
  --bench         make only the bench, which needs no program
  --build         build the programs that are needed, and keep pages in build/gallery-kept: a page
                  is made again only if a source that it depends on has changed

Exit status: 0 done, 1 a page could not be made, 2 bad usage, 3 a program is missing.
EOF2
}

die() {
    status=$1
    shift
    printf 'gallery: %s\n' "$*" >&2
    exit "$status"
}

# page | title | place | words that must be visible there | what to look at | group | program and its
# options. "simtcc FILE" is a program that simtcc compiles. The lessons are in the order of learning.
lessons() {
    cat <<'EOF2'
coalescing|Coalescing: lanes along a column, and along a row|#launch=naive_rows,step=11,beside=naive|32 sectors|The lanes go down a column on the left, and one load moves 32 sectors. On the right all lanes load the same word: one sector.|Start here|07_gemm --m 64 --n 64 --k 32 --rung naive_rows --rung naive
divergence|Divergence: the same tree with idle lanes, and without|#launch=interleaved,step=7,beside=sequential|16 lanes|Every second lane is off on the left, in all eight warps. On the right four whole warps work, and four have nothing to do.|Start here|05_gpu_shared_tree --n 64K --rung interleaved --rung sequential
bank_conflicts|Bank conflicts by stride: the third round of a tree|#launch=strided,step=15,beside=sequential|8 wavefronts|The words are 8 apart on the left, so 4 banks hold all of them. On the right they are neighbours, and each bank holds one.|Start here|05_gpu_shared_tree --n 64K --rung strided --rung sequential
padding|Bank conflicts of a column, and padding that removes them|#launch=2,step=12,beside=3|31 bank conflicts|A row has 32 words on the left, so a column lies in one bank. On the right it has 33, and the column spreads over all banks.|Start here|simtcc common/simt/tests/programs/transpose.cu
shuffles|A tree of shuffles, without shared memory|#launch=shuffle,step=6|__shfl_down_sync|Each lane reads a register of the lane 16 further, then 8, 4, 2 and 1. These five steps need no shared memory.|Warps and atomics|06_gpu_warp_shuffle --n 64K --rung shuffle
last_block|One launch: the last block adds up what the others left|#launch=one_launch,block=15,step=19|atomically|One lane draws a ticket with an atomic. The block with the last ticket adds up the results of all blocks.|Warps and atomics|06_gpu_warp_shuffle --n 4K --rung one_launch --explore-blocks all
race|A race that loses additions, and atomics|#launch=race,step=4,beside=atomic_element|All lanes store to the same word|All lanes have loaded one word, and store to it here: 31 of 32 additions get lost. An atomic loads, adds and stores in one step.|Warps and atomics|04_gpu_atomic --n 1K --rung race --rung atomic_element
atomics|Atomics: one for each thread, one for each block|#launch=atomic_thread,step=3,beside=atomic_block|atomically|Each of the 32 lanes adds to the same word on the left, one after the other. On the right the block adds once.|Warps and atomics|04_gpu_atomic --n 16K --rung atomic_thread --rung atomic_block
tiled_gemm|A tile of a matrix product: loaded once, used 32 times|#launch=shared_tile,step=7|1 wavefront|After the barrier all loads are from shared memory, and none of them has a bank conflict.|Tiles|07_gemm --m 64 --n 64 --k 64 --rung shared_tile
double_buffering|Double buffering and asynchronous copies|#launch=double_buffered,step=37,beside=async_copies|global memory|The warp loads the next tile here and uses it only later: memory works while the warp computes.|Tiles|07_gemm --m 128 --n 128 --k 32 --rung warp_tile --rung double_buffered --rung async_copies
swizzle|Swizzle: chunks change places, and ldmatrix has no bank conflicts|#launch=mma_sync,step=34,beside=swizzled|28 bank conflicts|Eight rows of a tile begin in the same bank on the left. The swizzle moves each row's chunks to other banks.|Tiles|07_gemm --type bf16 --m 128 --n 128 --k 32 --rung mma_sync --rung swizzled
convolution|A convolution's tile with its halo|#launch=shared_tile,step=10|shared memory|Two lanes fill the border of the tile, the halo. Then each lane finds its neighbours in shared memory.|Tiles|08_conv --batch 1 --channels 2 --height 18 --width 34 --filters 4 --rung naive --rung shared_tile
one_stage|TMA and wgmma with one stage: copies wait for MMAs, and MMAs for copies|#launch=wgmma,step=20,warp=1,beside=ring|It ends at step 21|With one stage on the left, copies and MMAs never overlap. Compare the rows below the warps with those of the ring.|Hopper: TMA, mbarriers, wgmma|07_gemm --type bf16 --m 128 --n 128 --k 192 --rung wgmma --rung ring
mbarrier_ring|The mbarrier ring: a warp loads tiles, two warpgroups multiply|#launch=producers,step=51,warp=8|warp 7 arrives, the last of all|Warp 8 waits because all four stages are in use. It goes on when the last of the eight other warps has arrived at the mbarrier.|Hopper: TMA, mbarriers, wgmma|07_gemm --type bf16 --m 128 --n 128 --k 384 --rung producers
cluster|A cluster: a copy for two blocks, and arrivals that cross|#launch=multicast,step=53|of block 1 of the cluster arrives|The triangle in an mbarrier's row is an arrival from the other block, which shares this block's tile.|Hopper: TMA, mbarriers, wgmma|07_gemm --type bf16 --m 256 --n 256 --k 192 --rung multicast --explore-blocks 0-1
EOF2
}

list=no bench=no build=no prefix=
while [ $# -gt 0 ]; do
    case $1 in
    --help | -h) usage && exit 0 ;;
    --list) list=yes ;;
    --bench) bench=yes ;;
    --build) build=yes ;;
    --cards) [ $# -gt 1 ] || die 2 '--cards: name a prefix' && prefix=$2 && shift ;;
    -*) die 2 "$1: no such option; --help lists them" ;;
    *) break ;;
    esac
    shift
done
[ $# -le 2 ] || die 2 "$3: expected BIN and FOLDER only"
bin=${1:-$root/build/simt/bin} folder=${2:-$root/build/gallery} kept=$root/build/gallery-kept

# Prints the lessons as links, group by group.
cards() {
    before=
    lessons | while IFS='|' read -r page title place _ look group _; do
        [ "$group" = "$before" ] || printf '%s<h2>%s</h2>\n<ol class="cards">\n' \
            "${before:+</ol>
}" "$group"
        before=$group
        printf '<li><a href="%s/%s.html%s">' "$1" "$page" "$place"
        [ ! -s "$folder/$page.png" ] || printf '<img src="%s/%s.png" alt="" loading="lazy">' "$1" "$page"
        printf '<b>%s</b></a> <span>%s</span> <a href="%s/%s.html%s,predict=1">Guess first</a></li>\n' \
            "$title" "$look" "$1" "$page" "$place"
    done
    printf '</ol>\n'
}

if [ $list = yes ]; then
    lessons
    exit
elif [ -n "$prefix" ]; then
    cards "$prefix"
    exit
fi
mkdir -p -- "$folder" && [ -w "$folder" ] || die 1 "$folder: cannot write there"
folder=$(CDPATH='' cd -- "$folder" && pwd -P)
work=$(mktemp -d "${TMPDIR:-/tmp}/gallery.XXXXXX") || die 1 'no folder for temporary files'
trap 'rm -rf -- "$work"' EXIT
unset SIMT_EXPLORE SIMT_EXPLORE_BLOCKS

# ---- what a page depends on ------------------------------------------------------------------------

digest() {
    if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -c 1-32
}

# A step's page depends on the step and on common, except for tests. A program's page depends on the program and simt.
sources_of() {
    where=$root/common step=$root/$1
    [ "$1" != simtcc ] || where=$root/common/simt step=$root/$2
    find "$where" "$step" -type d \( -name tests -o -name site -o -name exercise -o -name scripts \) \
        -prune -o -type f ! -name '*.md' -print | LC_ALL=C sort | tr '\n' '\0' | xargs -0 cat
}

# Writes page|key for each lesson.
keys() {
    lessons | while IFS='|' read -r page rest; do
        program=${rest##*|}
        # shellcheck disable=SC2086 # words
        set -- $program
        [ -s "$work/digest.$1" ] || sources_of "$1" "${2-}" | digest >"$work/digest.$1"
        printf '%s|%s\n' "$page" "$(printf '%s' "$page|$rest" | cat - "$work/digest.$1" | digest)"
    done >"$work/keys"
}

key_of() {
    sed -n "s/^$1|//p" "$work/keys"
}

build_programs() {
    keys
    lessons | while IFS='|' read -r page rest; do
        program=${rest##*|}
        [ -s "$kept/$(key_of "$page").html" ] || printf '%s\n' "${program%% *}"
    done | sort -u | grep -v simtcc >"$work/targets"
    [ -s "$work/targets" ] || return 0
    # shellcheck disable=SC2046 # words
    { [ -e "$root/build/simt/CMakeCache.txt" ] || (cd -- "$root" && cmake --preset simt -DBUILD_TESTING=OFF) >"$work/log" 2>&1; } &&
        cmake --build "$root/build/simt" --parallel "$(getconf _NPROCESSORS_ONLN)" \
            --target $(cat "$work/targets") >"$work/log" 2>&1 ||
        { tail -n 20 "$work/log" >&2 && die 3 'a program could not be built'; }
}

forget_old() {
    for file in "$kept"/*; do
        name=${file##*/}
        grep -q "|${name%.*}\$" "$work/keys" || rm -f -- "$file"
    done
}

# ---- pages ---------------------------------------------------------------------------------------

# make_page PAGE PROGRAM OPTION...
make_page() {
    made=$folder/$1.html program=$2
    shift 2
    if [ "$program" = simtcc ]; then
        "$root/common/simt/simtcc" -o "$work/program" "$root/$1" 2>"$work/log" &&
            SIMT_EXPLORE=$made "$work/program" >/dev/null || die 1 "$made: could not be made"
        return
    fi
    [ -x "$bin/$program" ] ||
        die 3 "$bin/$program is not there: cmake --preset simt && cmake --build --preset simt"
    "$bin/$program" "$@" --explore "$made" >/dev/null || die 1 "$made: could not be made"
}

# finish_page PAGE TITLE PLACE LOOK: adds its lesson to the page.
finish_page() {
    lesson=$(printf '{"title": "%s", "place": "%s", "look": "%s"}' "$2" "$3" "$4" | sed 's/[&|\\]/\\&/g')
    sed "s|\(id=\"lesson\">\)null|\1$lesson|" "$folder/$1.html" >"$work/page" && cat "$work/page" >"$folder/$1.html"
}

chromium=$(command -v chromium || command -v google-chrome || command -v chrome) || chromium=

# make_picture PAGE PLACE: makes a picture of the place, if there is a browser.
make_picture() {
    [ -z "$chromium" ] || "$chromium" --headless=new --no-sandbox --disable-gpu --hide-scrollbars \
        --user-data-dir="$work/profile" --window-size=640,480 --screenshot="$folder/$1.png" \
        "file://$folder/$1.html$2,only=pictures" >/dev/null 2>&1 || rm -f -- "$folder/$1.png"
}

# Makes the bench: its text, with the style and the scripts included.
make_bench() (
    cd -- "$root/common/simt/explore/page" || exit
    cat rules.js words.js memory.js expression.js bench.js >"$work/scripts" &&
        sed -e '/^\/\* style \*\/$/{r explorer.css' -e 'd;}' \
            -e "/^\/\* scripts \*\/\$/{r $work/scripts" -e 'd;}' bench.html >"$folder/bench.html"
)

write_index() {
    cat <<'EOF2'
<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Kernels to watch</title>
<style>
body { font: 1.05rem/1.5 system-ui, sans-serif; max-width: 76rem; margin: 1.5rem auto; padding: 0 1rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 1rem; padding: 0; list-style: none; }
.cards li { border: 1px solid #8888; border-radius: .5rem; padding: .7rem; }
.cards img { display: block; width: 100%; aspect-ratio: 4 / 3; object-fit: cover; object-position: top; margin-bottom: .5rem; background: #fff; }
.cards span { display: block; margin: .3rem 0; }
</style></head>
<body><h1>Kernels to watch</h1>
<p>Each page replays a real run of a kernel, step by step, warp by warp, lane by lane.
Start with the first. "Guess first" hides each count until you have typed one.</p>
<p>The <a href="bench.html">bench for addresses</a> shows what an index of your own costs: banks, wavefronts and sectors.</p>
EOF2
    cards .
    printf '</body></html>\n'
}

make_bench || die 1 "$folder/bench.html: could not be made"
[ $bench = no ] || exit 0
[ $build = no ] || build_programs || exit
lessons | while IFS='|' read -r page title place _ look _ command; do
    key=$kept/$([ $build = no ] || key_of "$page")
    if [ $build = yes ] && [ -s "$key.html" ]; then
        cp -- "$key.html" "$folder/$page.html"
        [ ! -s "$key.png" ] || cp -- "$key.png" "$folder/$page.png"
    else
        # shellcheck disable=SC2086 # words
        make_page "$page" $command </dev/null && finish_page "$page" "$title" "$place" "$look" || exit
        make_picture "$page" "$place"
    fi
    [ $build = no ] || [ -s "$key.html" ] || { mkdir -p -- "$kept" && cp -- "$folder/$page.html" "$key.html" &&
        { [ ! -s "$folder/$page.png" ] || cp -- "$folder/$page.png" "$key.png"; }; } || die 1 "$kept: cannot write there"
    printf '%s.html: %s\n' "$page" "$title"
done || exit
[ $build = no ] || forget_old
write_index >"$folder/index.html" || die 1 "$folder/index.html: cannot write there"
printf '%s/index.html\n' "$folder"
# SPDX-License-Identifier: MIT
