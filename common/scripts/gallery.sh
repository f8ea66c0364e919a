#!/bin/sh
# Makes the explorer's gallery: a page for each lesson, and an index. See --help.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)

usage() {
    cat <<'END'
Usage: common/scripts/gallery.sh [--list] [BIN [FOLDER]]
Makes a page of the explorer for each lesson, and index.html, in FOLDER (build/gallery), with the
programs of the preset simt in BIN (build/simt/bin).

  --list   print the lessons: page, title, place on it, what is to be seen there, command

Exit status: 0 done, 1 a page could not be made, 2 bad usage, 3 a program is missing.
END
}

die() {
    status=$1
    shift
    printf 'gallery: %s\n' "$*" >&2
    exit "$status"
}

# page | title | place | words that are to be seen there | program and its options; "simtcc FILE" is
# a program that simtcc compiles.
lessons() {
    cat <<'END'
divergence|Divergence: the same tree with idle lanes, and without|#launch=interleaved,step=7,beside=sequential|16 lanes|05_gpu_shared_tree --n 64K --rung interleaved --rung sequential
bank_conflicts|Bank conflicts by stride: the third round of a tree|#launch=strided,step=15,beside=sequential|8 wavefronts|05_gpu_shared_tree --n 64K --rung strided --rung sequential
padding|Bank conflicts of a column, and padding that removes them|#launch=2,step=12,beside=3|31 bank conflicts|simtcc common/simt/tests/programs/transpose.cu
coalescing|Coalescing: lanes along a column, and along a row|#launch=naive_rows,step=11,beside=naive|32 sectors|07_gemm --m 64 --n 64 --k 32 --rung naive_rows --rung naive
shuffles|A tree of shuffles, without shared memory|#launch=shuffle,step=6|__shfl_down_sync|06_gpu_warp_shuffle --n 64K --rung shuffle
last_block|One launch: the last block adds up what the others left|#launch=one_launch,block=15,step=19|atomically|06_gpu_warp_shuffle --n 4K --rung one_launch --explore-blocks all
race|A race that loses additions, and atomics|#launch=race,step=3,beside=atomic_element|All lanes want the same|04_gpu_atomic --n 1K --rung race --rung atomic_element
atomics|Atomics: one for each thread, one for each block|#launch=atomic_thread,step=3,beside=atomic_block|atomically|04_gpu_atomic --n 16K --rung atomic_thread --rung atomic_block
tiled_gemm|A tile of a matrix product: loaded once, used 32 times|#launch=shared_tile,step=7|1 wavefront|07_gemm --m 64 --n 64 --k 64 --rung shared_tile
double_buffering|Double buffering and asynchronous copies|#launch=double_buffered,step=37,beside=async_copies|global memory|07_gemm --m 128 --n 128 --k 32 --rung warp_tile --rung double_buffered --rung async_copies
swizzle|Swizzle: chunks change places, and ldmatrix has no bank conflicts|#launch=mma_sync,step=34,beside=swizzled|28 bank conflicts|07_gemm --type bf16 --m 128 --n 128 --k 32 --rung mma_sync --rung swizzled
one_stage|TMA and wgmma with one stage: copies wait for products, and products for copies|#launch=wgmma,step=21,beside=ring|It ends at step 21|07_gemm --type bf16 --m 128 --n 128 --k 192 --rung wgmma --rung ring
mbarrier_ring|The mbarrier ring: a warp brings tiles, two warpgroups multiply|#launch=producers,step=51,warp=8|warp 7 arrives, the last of all|07_gemm --type bf16 --m 128 --n 128 --k 384 --rung producers
cluster|A cluster: a copy for two blocks, and arrivals that cross|#launch=multicast,step=148|of block 1 of the cluster arrives|07_gemm --type bf16 --m 256 --n 256 --k 192 --rung multicast --explore-blocks 0-1
convolution|A convolution's tile with its halo|#launch=shared_tile,step=10|shared memory|08_conv --batch 1 --channels 2 --height 18 --width 34 --filters 4 --rung naive --rung shared_tile
END
}

list=no
case ${1-} in
--help | -h) usage && exit 0 ;;
--list) list=yes && shift ;;
-*) die 2 "$1: no such option; --help lists them" ;;
esac
[ $# -le 2 ] || die 2 "$3: want BIN and FOLDER only"
bin=${1:-$root/build/simt/bin} folder=${2:-$root/build/gallery}
if [ $list = yes ]; then
    lessons
    exit
fi
mkdir -p -- "$folder" && [ -w "$folder" ] || die 1 "$folder: cannot write there"
folder=$(CDPATH='' cd -- "$folder" && pwd -P)
work=$(mktemp -d "${TMPDIR:-/tmp}/gallery.XXXXXX") || die 1 'no folder for temporary files'
trap 'rm -rf -- "$work"' EXIT
unset SIMT_EXPLORE SIMT_EXPLORE_BLOCKS

# make_page PAGE PROGRAM OPTION...
make_page() {
    made=$folder/$1.html program=$2
    shift 2
    if [ "$program" = simtcc ]; then
        "$root/common/simt/simtcc" -o "$work/program" "$root/$1" &&
            SIMT_EXPLORE=$made "$work/program" >/dev/null || die 1 "$made: could not be made"
        return
    fi
    [ -x "$bin/$program" ] ||
        die 3 "$bin/$program is not there: cmake --preset simt && cmake --build --preset simt"
    "$bin/$program" "$@" --explore "$made" >/dev/null || die 1 "$made: could not be made"
}

write_index() {
    cat <<'END'
<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Kernels to watch</title>
<style>body { font: 1.05rem/1.6 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }</style></head>
<body><h1>Kernels to watch</h1>
<p>Each page is a real run of a kernel, step by step. "Guess first" hides each count until you have typed one.</p>
<ul>
END
    lessons | while IFS='|' read -r page title place _; do
        printf '<li><a href="%s.html%s">%s</a> (<a href="%s.html%s,predict=1">guess first</a>)</li>\n' \
            "$page" "$place" "$title" "$page" "$place"
    done
    printf '</ul></body></html>\n'
}

lessons | while IFS='|' read -r page title _ _ command; do
    # shellcheck disable=SC2086 # words
    make_page "$page" $command </dev/null || exit
    printf '%s.html: %s\n' "$page" "$title"
done || exit
write_index >"$folder/index.html" || die 1 "$folder/index.html: cannot write there"
printf '%s/index.html\n' "$folder"
