#!/usr/bin/env bash
# Measures every step over a range of sizes: benchmark.sh [OPTION]... BIN_DIR FILE.csv
# ./run.sh --benchmark FILE.csv builds first and then runs this. See --help.
# shellcheck disable=SC2154 # sizes() sets the arrays of sizes
set -euo pipefail

usage() {
    cat <<'EOF'
Usage: benchmark.sh [OPTION]... BIN_DIR FILE.csv
Measures every step in BIN_DIR over a range of sizes and writes all rows to one CSV file.

  --climbs      instead of ranges of sizes, the rungs of all ladders for a GPU, at its default shapes:
                the times that programs without a GPU show as recorded (common/report/recorded.txt
                names the file)
  --quick       a few small sizes and few samples, to try it out
  --step NN     this step only, such as 05 (may be given again)
  --list        list what would be measured and what is in the file already, and stop
  --help        this text

Rows that are in the file already are kept: after an interruption, the same command resumes where it
stopped. Rows of another machine are not mixed in. On simt only the CPU's rungs have times; the
GPU's are verified at small sizes, in rows without times. common/scripts/draw/plot_results.py FILE.csv
plots the results. FILE.json beside it says with what they were measured.

Exit status: 0 all rows verified, 1 a wrong result, 2 bad usage, 3 a device or memory error, 4 a
file not readable or not writable. A size that fails does not stop the others; the first failure is
the exit status.
EOF
}

die() {
    local status=$1
    shift
    printf 'benchmark.sh: %s\n' "$*" >&2
    exit "$status"
}

# ---- arguments -----------------------------------------------------------------------------------

climbs=no quick=no list=no wanted=() asked=''
(($# <= 2)) || asked=" -- ${*:1:$#-2}"
while (($# > 0)); do
    case $1 in
    --climbs) climbs=yes ;;
    --quick) quick=yes ;;
    --list) list=yes ;;
    --step)
        (($# > 1)) || die 2 "--step needs a value; --help lists the options"
        wanted+=("$2")
        shift
        ;;
    --step=*) wanted+=("${1#*=}") ;;
    --help | -h) usage && exit 0 ;;
    -*) die 2 "$1: no such option; --help lists the options" ;;
    *) break ;;
    esac
    shift
done
(($# == 2)) || die 2 "expected BIN_DIR and FILE.csv; --help lists the options"
bin=${1%/}
file=$2
[[ -x $bin/01_cpu_naive ]] || die 4 "$bin: there is no program 01_cpu_naive (is this a build's folder bin?)"

header=step,rung,op,type,shape,seed,backend,device,cache,warmups,reps,min_us,median_us,mean_us,std_us,max_us
header+=,gb_per_s,gflop_per_s,percent_of_peak,speedup_first,speedup_library,error,error_bound,verdict
if [[ -s $file ]]; then
    read -r first <"$file" || true
    [[ $first == "$header" ]] || die 4 "$file: is there already, and is not a file of results"
fi

part=$(mktemp -d "${TMPDIR:-/tmp}/rungs-benchmark.XXXXXX")
trap 'rm -rf -- "$part"' EXIT
trap 'printf "\nbenchmark.sh: interrupted; the same command goes on from here\n" >&2; exit 130' INT TERM

# ---- this machine --------------------------------------------------------------------------------

# devices_of FILE: the back ends and devices of its rows.
devices_of() { sed -E -e '/^step,/d' -e 's/^([^,]*,){6}([^,]*,("[^"]*"|[^,]*)),.*/\2/' "$1" | sort -u; }

# probe STEP RUNG: runs the rung once to find out the step's back end and device.
probe() {
    "$bin/$1" --n 1 --rung "$2" --warmup 0 --reps 1 --csv "$part/probe.csv" >"$part/log" 2>&1 </dev/null ||
        die 3 "$1 does not run: $(tail -n 1 "$part/log")"
    devices_of "$part/probe.csv" >>"$part/devices"
}

probe 01_cpu_naive naive
backend=none
if [[ -x $bin/03_gpu_single_thread ]]; then
    probe 03_gpu_single_thread single_thread
    backend=$(tail -n 1 "$part/devices")
    backend=${backend%%,*}
fi
if [[ -s $file ]]; then
    others=$(devices_of "$file" | grep -vxF -f "$part/devices" | head -n 1 || true)
    [[ -z $others ]] || die 4 "$file: has rows of another machine or back end ($others); choose another file"
fi

# ---- what there is to measure --------------------------------------------------------------------

# A unit of work is a string: step, op, type, shape as in the CSV, and warm or cold.
units=()
add() { units+=("$1 $2 $3 $4 $5"); }

# vectors STEP OP TYPE CACHE SIZE...: adds a unit for each size.
vectors() {
    local step=$1 op=$2 type=$3 cache=$4 n
    shift 4
    for n; do
        add "$step" "$op" "$type" "$n" "$cache"
    done
}

# sizes VARIABLE FROM TO: sets the array to the powers 4^FROM to 4^TO.
sizes() {
    local -n to=$1
    local e
    to=()
    for ((e = $2; e <= $3; e++)); do
        to+=($((1 << 2 * e)))
    done
}

if [[ $quick == yes ]]; then
    sizes cpu_sizes 5 7
    sizes gpu_sizes 5 6
    sizes slow_sizes 5 6
    squares=(33 64)
    convolutions=(1x2x20x40:4x3x3:s1p0d1)
elif [[ $backend == cuda ]]; then
    sizes cpu_sizes 6 13
    sizes gpu_sizes 6 14
    sizes slow_sizes 6 10
    squares=(256 512 1024 2048 4096)
    convolutions=(2x12x130x514:24x3x3:s1p0d1 32x64x56x56:64x3x3:s1p0d1 32x256x28x28:256x3x3:s1p0d1)
else
    sizes cpu_sizes 6 13
    sizes gpu_sizes 6 9
    sizes slow_sizes 6 8
    squares=(64 128 256)
    convolutions=(2x12x34x130:24x3x3:s1p0d1)
fi
if [[ $climbs == yes ]]; then
    [[ $backend == cuda || $quick == yes ]] || die 3 "--climbs measures a GPU: build with cmake --preset cuda"
    vector_sizes=($((1 << 20)) $((1 << 28))) matrix=4096x4096 product=2048x2048x1024 tensors=4096x4096x4096
    [[ $quick == no ]] || vector_sizes=(4096) matrix=64x64 product=64x64x64 tensors=128x256x256
    vectors 03_gpu_single_thread dot f32 warm "${vector_sizes[0]}"
    for step in 04_gpu_atomic 05_gpu_shared_tree 06_gpu_warp_shuffle; do
        vectors "$step" dot f32 warm "${vector_sizes[@]}"
    done
    add 06_gpu_warp_shuffle row_sum f32 "$matrix" warm
    add 06_gpu_warp_shuffle column_sum f32 "$matrix" warm
    add 07_gemm gemm f32 "$product" warm
    add 07_gemm gemm bf16 "$tensors" warm
    add 07_gemm gemm tf32 "$tensors" warm
    add 08_conv conv f32 "${convolutions[0]}" warm
else
    for step in 01_cpu_naive 02_cpu_simd_threads; do
        vectors "$step" dot f32 warm "${cpu_sizes[@]}"
        if [[ $quick == no ]]; then
            vectors "$step" sum f32 warm $((1 << 20))
            vectors "$step" dot f64 warm $((1 << 20))
        fi
    done
    vectors 03_gpu_single_thread dot f32 warm "${slow_sizes[@]}"
    for step in 04_gpu_atomic 05_gpu_shared_tree 06_gpu_warp_shuffle; do
        vectors "$step" dot f32 warm "${gpu_sizes[@]}"
    done
    if [[ $backend == cuda && $quick == no ]]; then
        vectors 06_gpu_warp_shuffle dot f32 cold $((1 << 20)) $((1 << 28))
        vectors 06_gpu_warp_shuffle sum f32 warm $((1 << 20)) $((1 << 28))
        vectors 06_gpu_warp_shuffle dot f64 warm $((1 << 20)) $((1 << 28))
    fi
    for n in "${squares[@]}"; do
        add 07_gemm gemm f32 "${n}x${n}x${n}" warm
    done
    if [[ $backend == cuda && $quick == no ]]; then
        add 07_gemm gemm f32 2047x2049x1023 warm
        add 07_gemm gemm f32 2048x2048x1024 warm
    fi
    for shape in "${convolutions[@]}"; do
        add 08_conv conv f32 "$shape" warm
    done
fi

if ((${#wanted[@]} > 0)); then
    chosen=()
    for step in "${wanted[@]}"; do
        [[ $step =~ ^0?[1-8]$ ]] || die 2 "--step $step: expected 01 to 08"
        for unit in "${units[@]}"; do
            [[ $unit != "0${step#0}"_* ]] || chosen+=("$unit")
        done
    done
    units=("${chosen[@]}")
fi

# options_of STEP OP TYPE SHAPE CACHE: sets the array arguments to the program's options.
options_of() {
    local images filters how m n k batch channels height width
    case $1 in
    07_*)
        IFS=x read -r m n k <<<"$4"
        arguments=(--type "$3" --m "$m" --n "$n" --k "$k")
        ;;
    08_*)
        IFS=: read -r images filters how <<<"$4"
        IFS=x read -r batch channels height width <<<"$images"
        [[ $how =~ ^s([0-9]+)p([0-9]+)d([0-9]+)$ ]]
        arguments=(--batch "$batch" --channels "$channels" --height "$height" --width "$width"
            --filters "${filters%%x*}" --kernel "${filters#*x}" --stride "${BASH_REMATCH[1]}"
            --pad "${BASH_REMATCH[2]}" --dilation "${BASH_REMATCH[3]}")
        ;;
    *)
        arguments=(--n "${4#*x}" --op "${2#*_}" --type "$3")
        [[ $2 != *_* ]] || arguments+=(--ladder "${2%_*}s" --m "${4%x*}")
        ;;
    esac
    [[ $5 == warm ]] || arguments+=(--cold)
    [[ $quick == no ]] || arguments+=(--warmup 1 --reps 3)
}

# is_measured STEP OP TYPE SHAPE CACHE: whether the file has rows of this unit. A unit's rows are written
# all together, so one is enough. On simt the cache field is empty.
is_measured() {
    [[ -s $file ]] && grep -q -E "^$1,[^,]*,$2,$3,$4,[^,]*,[^,]*,(\"[^\"]*\"|[^,]*),($5|)," "$file"
}

to_do=()
for unit in "${units[@]}"; do
    read -r step op type shape cache <<<"$unit"
    state='to measure'
    if [[ ! -x $bin/$step ]]; then
        state='not built'
    elif is_measured "$step" "$op" "$type" "$shape" "$cache"; then
        state=measured
    else
        to_do+=("$unit")
    fi
    [[ $list == no ]] || printf '%-10s  %s %s %s %s %s\n' "$state" "$step" "$op" "$type" "$shape" "$cache"
done
[[ $list == no ]] || exit 0

# ---- measure -------------------------------------------------------------------------------------

# rungs_of_the_gpu: reads a tree of ladders (--list); prints options for the GPU's rungs and library.
rungs_of_the_gpu() { awk '/^--ladder/ { on_gpu = $2 != "cpu:" } on_gpu && /^  / { print "--rung=" $1 }'; }

minutes() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

if ! { [[ -s $file ]] || printf '%s\n' "$header" >"$file"; } 2>/dev/null || [[ ! -w $file ]]; then
    die 4 "cannot write $file"
fi
total=${#units[@]} left=${#to_do[@]}
before=$((total - left))
((before == 0)) || printf '%d of %d were measured before or are not built\n' "$before" "$total"

status=0 number=0 failed=() begin=$SECONDS added=no
for unit in ${to_do[@]+"${to_do[@]}"}; do
    read -r step op type shape cache <<<"$unit"
    number=$((number + 1))
    printf '[%*d/%d] %-20s %s %s %s %s ... ' ${#total} $((before + number)) "$total" "$step" "$op" "$type" \
        "$shape" "$cache"
    options_of "$step" "$op" "$type" "$shape" "$cache"
    start=$SECONDS
    result=0
    if [[ $climbs == yes && $step == 0[78]_* ]]; then
        mapfile -t -O ${#arguments[@]} arguments < <("$bin/$step" --list "${arguments[@]:0:2}" | rungs_of_the_gpu)
    fi
    rm -f -- "$part/rows.csv"
    "$bin/$step" "${arguments[@]}" --csv "$part/rows.csv" >"$part/log" 2>&1 </dev/null || result=$?
    if ((result != 0)); then
        ((status != 0)) || status=$result
        failed+=("$step ${arguments[*]}: exit status $result: $(tail -n 1 "$part/log")")
        printf 'exit status %d, ' "$result"
    fi
    if [[ -s $part/rows.csv ]]; then
        tail -n +2 "$part/rows.csv" >"$part/new.csv"
        cat "$part/new.csv" >>"$file"
        added=yes
    fi
    printf '%d s (%s so far, about %s to go)\n' $((SECONDS - start)) "$(minutes $((SECONDS - begin)))" \
        "$(minutes $(((SECONDS - begin) * (left - number) / number)))"
done

# Without Python there is no FILE.json; the rows are the same.
if [[ $added == yes && $file == *.csv ]] && command -v python3 >/dev/null; then
    "$(dirname -- "$(readlink -f -- "$0")")/provenance.py" add "$file" "./run.sh --benchmark ${file##*/}$asked"
fi
printf '%d rows in %s\n' $(($(wc -l <"$file") - 1)) "$file"
((${#failed[@]} == 0)) || printf 'failed: %s\n' "${failed[@]}" >&2
exit "$status"
# SPDX-License-Identifier: MIT
