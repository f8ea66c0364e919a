#!/usr/bin/env bash
# Tests steps 06 and 07 in several processes, which mpirun starts: right results and one report. If
# something fails: one line, the right exit code, and no process that still waits. Exit status 3: no
# mpirun, or built without MPI. Usage: test_ranks.sh BIN_FOLDER
# shellcheck disable=SC2015,SC2119 # what stands before || fails, or is the test
set -u
bin=$(readlink -f -- "$1")
# shellcheck source=common/tests/shell.sh
. "$(dirname -- "$(readlink -f -- "$0")")/shell.sh"
said=both

reduction=$bin/06_gpu_warp_shuffle product=$bin/07_gemm
small=(--gpus 1 --n 1003) square=(--gpus 1 --m 70 --n 257 --k 9)

# A program without MPI: there is no rungs_mpi.so next to this copy.
cp "$reduction" alone
OMPI_COMM_WORLD_SIZE=2 ./alone "${small[@]}" >both 2>&1
[[ $? -eq 3 && $(wc -l <both) -eq 1 ]] && grep -q 'mpirun has started 2 processes, which need MPI' both ||
    fail 'several processes without MPI'
((failures == 0)) || finish

if [[ ! -e $bin/rungs_mpi.so ]] || ! command -v mpirun >/dev/null; then
    echo 'skipped: no mpirun, or built without MPI'
    exit 3
fi
export NO_COLOR=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 SIMT_DEVICES=4
mpi=(timeout -k 5 100 mpirun --oversubscribe --bind-to none)
if ! "${mpi[@]}" -n 2 true >both 2>&1; then
    echo "skipped: mpirun does not work here: $(head -n 1 both)"
    exit 3
fi

# ends CODE TEXT ARGUMENT...: mpirun with these arguments must end with that code. The text must be in
# exactly one line of the output (mpirun adds other lines).
ends() {
    local code=$1 text=$2 found
    shift 2
    "${mpi[@]}" "$@" >both 2>&1 </dev/null
    found=$?
    [[ $found -eq $code ]] || fail "exit code $found, not $code: $*"
    [[ $(grep -cF -- "$text" both) -eq 1 ]] || fail "not one line with '$text': $*"
}

# ---- right ------------------------------------------------------------------------------------------

for ranks in 2 4; do
    ends 0 "$ranks x CPU back end" -n $ranks "$reduction" "${small[@]}" --op sum --type f64
    [[ $(grep -c ' pass$' both) -eq 2 ]] || fail "06, $ranks ranks: not two rungs right"
    types=(f32 bf16)
    for type in "${types[@]:ranks == 4}"; do
        ends 0 "$ranks x CPU back end" -n $ranks "$product" "${square[@]}" --type "$type" --csv rows.csv
        [[ $(grep -c ' pass$' both) -eq 4 && $(wc -l <rows.csv) -ge 6 ]] || fail "07 $type, $ranks ranks: not four rungs right"
    done
done
ends 0 'rungs ' -n 2 "$product" --version
ends 0 'all_gather' -n 2 "$product" --gpus 1 --list

# ---- wrong ------------------------------------------------------------------------------------------

SIMT_DEVICES=1 ends 3 'rank 1: mpirun has started more processes on this machine than it has GPUs: 1' -n 2 "$reduction" "${small[@]}"
ends 2 'rank 1: mpirun has started it with other arguments than rank 0' -n 1 "$reduction" "${small[@]}" : -n 1 "$reduction" --gpus 1 --n 1004
ends 2 'rank 1: mpirun has started it with other arguments than rank 0' -n 1 "$product" "${square[@]}" : -n 1 "$product" --gpus 1
ends 2 'give --gpus 1, a GPU for each' -n 2 "$reduction" --n 1003
ends 2 'each process has one GPU: give --gpus 1' -n 2 "$product" --gpus 2 --n 5
ends 2 'leave mpirun out' -n 2 "$reduction" "${small[@]}" --counters
ends 2 '--nonsense' -n 2 "$reduction" "${small[@]}" --nonsense
ends 4 'cannot write nowhere/rows.csv' -n 2 "$reduction" "${small[@]}" --csv nowhere/rows.csv
ends 4 'nofile.npy' -n 2 "$reduction" --gpus 1 --a nofile.npy --b nofile.npy

# ---- a rank that ends -------------------------------------------------------------------------------

# A runtime call fails in one rank, in the middle of a rung. (The call's number depends on the calls before;
# one of these is in a rung.)
for call in 20 60; do
    "${mpi[@]}" -n 1 "$product" "${square[@]}" : -n 1 env SIMT_FAIL=$call "$product" "${square[@]}" >both 2>&1 </dev/null
    found=$?
    [[ $found -eq 3 ]] || fail "exit code $found, not 3: call $call fails in rank 1"
done
# One process is killed long before the others finish.
cat >killed <<'END'
#!/usr/bin/env bash
(sleep 1; kill -9 $$) &
exec "$@"
END
chmod +x killed
large=(--gpus 1 --m 700 --n 700 --k 700)
SECONDS=0
"${mpi[@]}" -n 1 "$product" "${large[@]}" : -n 1 ./killed "$product" "${large[@]}" >both 2>&1 </dev/null
found=$?
[[ $found -ne 0 && $found -ne 124 && $found -ne 137 || $found -eq 137 && $SECONDS -lt 90 ]] || fail "exit code $found after $SECONDS s: a rank was killed"
grep -q 'pass$' both && fail 'it was done before it was killed: too small a problem'
sleep 0.2
pgrep -f -- "$product --gpus 1 --m 700" >both && fail 'a rank goes on'

finish
# SPDX-License-Identifier: MIT
