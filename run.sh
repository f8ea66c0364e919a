#!/usr/bin/env bash
# Installs what is missing, builds, climbs the eight steps and prints one ladder. See --help.
set -euo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" && pwd -P)
install=yes
# shellcheck source=common/scripts/setup/setup.sh
. "$root/common/scripts/setup/setup.sh"

usage() {
    cat <<'EOF'
Usage: ./run.sh [OPTION]... [-- ARGUMENT...]
Installs what is missing (Debian, Ubuntu), builds, and climbs the eight steps.

  --backend simt|cuda   choose what runs the GPU steps: the CPU or a GPU. The default is cuda if
                        there is a GPU and nvcc is installed, otherwise simt
  --step NN             climb this step only, such as 05 (repeat for more)
  --benchmark FILE.csv  instead of climbing, measure the steps over a range of sizes and write
                        the results to this file; resumes if it was interrupted. To plot them:
                        common/scripts/draw/plot_results.py FILE.csv
  --site                instead of climbing, build the pages as a site in build/site, with search and
                        the explorer's gallery (MkDocs from PyPI), and print how to open it
  --no-install          install nothing: print what is missing and stop
  --help                print this text

Arguments after -- are passed to each step's program: ./run.sh --step 05 -- --n 4M --op sum
(with --benchmark, to common/scripts/measure/benchmark.sh: ./run.sh --benchmark all.csv -- --quick)

Each step's rows are written to build/BACKEND/results/NN_step.csv.
Exit status: 0 all results verified, 1 a wrong result (or a build that failed), 2 bad usage,
3 something missing on this machine, or a device or memory error, 4 a file not readable or not
writable. A step that fails does not stop the others; the first failure is the exit status.
EOF
}

# ---- arguments -----------------------------------------------------------------------------------

steps=()
for folder in "$root"/0[1-8]_*/; do
    folder=${folder%/}
    steps+=("${folder##*/}")
done

# choose STEP: adds the step with that number or name to the steps to climb.
choose() {
    local step
    for step in "${steps[@]}"; do
        if [[ $1 == "$step" || $1 == "${step%%_*}" || 0$1 == "${step%%_*}" ]]; then
            chosen+=("$step")
            return
        fi
    done
    die_usage "--step $1: expected 01 to 08"
}

backend=
benchmark=
site=no
chosen=()
while (($# > 0)); do
    case $1 in
    --backend | --step | --benchmark) (($# > 1)) || die_usage "$1 needs a value" ;;&
    --backend) backend=$2 && shift ;;
    --backend=*) backend=${1#*=} ;;
    --step) choose "$2" && shift ;;
    --step=*) choose "${1#*=}" ;;
    --benchmark) benchmark=$2 && shift ;;&
    --benchmark=*) benchmark=${1#*=} ;;&
    --benchmark | --benchmark=*) [[ -n $benchmark ]] || die_usage "--benchmark: expected the name of a file to write" ;;
    --site) site=yes ;;
    --no-install) install=no ;;
    --help | -h)
        say "$(usage)"
        exit 0
        ;;
    --) shift && break ;;
    *) die_usage "$1: no such option (what is for the steps' programs goes after --)" ;;
    esac
    shift
done
case $backend in
'' | simt | cuda) ;;
*) die_usage "--backend $backend: expected simt or cuda" ;;
esac
if [[ $site == yes ]]; then
    [[ -z $benchmark && ${#chosen[@]} -eq 0 && $# -eq 0 && $backend != cuda ]] ||
        die_usage "--site takes no other option but --no-install"
    options=()
    [[ $install == yes ]] || options=(--no-install)
    exec "$root/common/site/build.sh" ${options[@]+"${options[@]}"}
fi
if ((${#chosen[@]} > 0)); then
    mapfile -t steps < <(printf '%s\n' "${chosen[@]}" | sort -u)
fi
stop_on_interrupt

# ---- what runs the GPU steps ---------------------------------------------------------------------

gpu=
have_nvcc=no
! nvcc_works || have_nvcc=yes
case $backend in
'')
    backend=simt
    if gpu_works && [[ $have_nvcc == yes ]]; then
        backend=cuda
        say "Back end: cuda ($gpu, $(command -v nvcc))"
    elif [[ -n $gpu ]]; then
        say "Back end: simt, the CPU. There is a GPU ($gpu) but no nvcc: with the CUDA toolkit"
        say "installed, the same command uses the GPU."
    else
        say "Back end: simt, the CPU (nvidia-smi lists no GPU)"
    fi
    ;;
cuda)
    if [[ $have_nvcc == no ]]; then
        die "$exit_machine" "--backend cuda: nvcc was found neither on PATH nor in /usr/local/cuda/bin" \
            "Please install the CUDA toolkit, or use --backend simt."
    fi
    if gpu_works; then
        say "Back end: cuda ($gpu, $(command -v nvcc))"
    else
        say "Back end: cuda, as asked for, though nvidia-smi lists no GPU"
    fi
    ;;
simt) say "Back end: simt, the CPU" ;;
esac

# ---- build ---------------------------------------------------------------------------------------

require_packages build
options=(-DBUILD_TESTING=OFF)
! have_cmocka || options=(-DBUILD_TESTING=ON)
say "Building in $(shown "$root/build/$backend") with $jobs jobs ..."
start=$SECONDS
status=0
{ configure "$backend" "${options[@]}" && build "$backend" "${steps[@]}"; } || status=$?
if ((status != 0)); then
    [[ $backend == simt ]] || say "To climb on the CPU instead: ./run.sh --backend simt" >&2
    exit "$status"
fi
say "Built in $((SECONDS - start)) s."

# ---- or measure ----------------------------------------------------------------------------------

if [[ -n $benchmark ]]; then
    only=()
    for step in ${chosen[@]+"${chosen[@]}"}; do
        only+=(--step "${step%%_*}")
    done
    status=0
    "$root/common/scripts/measure/benchmark.sh" ${only[@]+"${only[@]}"} "$@" "$root/build/$backend/bin" "$benchmark" ||
        status=$?
    ((status != 0)) || say "To draw it: $(shown "$root/common/scripts/draw/plot_results.py") $(shown "$benchmark")"
    exit "$status"
fi

# ---- climb ---------------------------------------------------------------------------------------

results=$root/build/$backend/results
mkdir -p -- "$results"
rows_here=$(mktemp "$results/.rows.XXXXXX") || die "$exit_file" "cannot write $(shown "$results")"
trap 'rm -f -- "$rows_here"' EXIT
ladder=
first_failure=0
failed=()
number=0
rows=0
for step in "${steps[@]}"; do
    number=$((number + 1))
    heading "== step $number of ${#steps[@]}: $step"
    csv=$results/$step.csv
    status=0
    # Another run.sh may write the same CSV file. For this reason the rows go to a file of this run first.
    rm -f -- "$rows_here"
    "$root/build/$backend/bin/$step" --csv "$rows_here" "$@" || status=$?
    if ((status != 0)); then
        failed+=("$step (exit status $status)")
        ((first_failure != 0)) || first_failure=$status
    fi
    ladder+="step $step $status"$'\n'
    rm -f -- "$csv"
    if [[ -s $rows_here ]]; then
        ladder+=$(<"$rows_here")$'\n'
        rows=$((rows + 1))
        mv -f -- "$rows_here" "$csv"
    fi
done

# ---- summary -------------------------------------------------------------------------------------

scripts=$root/common/scripts
if [[ $ladder == *,simt,* ]]; then
    ladder+=$(awk -v as=rows -v results="$root/docs/results" -f "$scripts/measure/csv.awk" -f "$scripts/measure/recorded.awk" \
        "$root/common/report/recorded.txt")$'\n'
fi
say "$(printf '%s' "$ladder" | LC_ALL=C awk -v bold="$bold" -v plain="$plain" -v red="$red" -v green="$green" \
    -v yellow="$yellow" -v columns="$columns" -f "$scripts/measure/csv.awk" -f "$scripts/measure/ladder.awk")"
say
if ((rows > 0)); then
    say "The rows behind this, as CSV: $(shown "$results")"
fi
if ((first_failure != 0)); then
    put '%s%s%s\n' "$red" "Not verified: $(printf '%s, ' "${failed[@]}" | sed 's/, $//')." "$plain"
elif ((rows > 0)); then
    say "${green}All results verified.$plain"
fi
if ((first_failure == exit_machine)) && [[ $backend == cuda ]]; then
    say "To climb on the CPU instead: ./run.sh --backend simt"
fi
say "Next: docs/README.md explains the rungs. The options of a step:"
say "      $(shown "$root/build/$backend/bin/${steps[0]}") --help"
exit "$first_failure"
# SPDX-License-Identifier: MIT
