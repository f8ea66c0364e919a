#!/usr/bin/env bash
# Tests the programs when something fails around them: they print one line, exit with the right code, lose
# no data and never wait forever. Usage: test_failures.sh BIN_FOLDER PICTURE.png PNG|NO_PNG
# shellcheck disable=SC2015 # what stands before || fails, or is the test
set -u
bin=$(readlink -f -- "$1")
picture=$(readlink -f -- "$2")
has_png=$3
# shellcheck source=common/tests/shell.sh
. "$(dirname -- "$(readlink -f -- "$0")")/shell.sh"

# ends CODE TEXT COMMAND...: the command must end in time with that code. It must print one line with TEXT to
# standard error, or no line if TEXT is empty.
ends() {
    local code=$1 text=$2 found lines=1
    shift 2
    [[ -n $text ]] || lines=0
    timeout 60 "$@" >output 2>errors </dev/null
    found=$?
    [[ $found -eq $code ]] || fail "exit code $found, not $code: $*"
    [[ $(wc -l <errors) -eq $lines ]] && grep -qF -- "$text" <(cat errors; [[ -n $text ]] || echo) || fail "not the line '$text': $*"
}

# ---- outputs --------------------------------------------------------------------------------------

quick=(--n 10 --reps 1 --warmup 0 --skip-small)
step=$bin/01_cpu_naive
python3 -c 'import struct, sys
header = b"{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (4,), }\n"
open("a.npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(16))' ||
    printf '\x93NUMPY\x01\x00\x3b\x00%s\n%b' "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }" '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >a.npy
cp a.npy kept.npy
ln -s a.npy link.npy
for output in a.npy ./a.npy link.npy "$work/a.npy"; do
    for option in --csv --json; do
        ends 2 'name the same file' "$step" --a a.npy --b a.npy "$option" "$output"
        cmp -s a.npy kept.npy || fail "$option $output has overwritten the input"
    done
done
ends 2 '--csv and --json name the same file' "$step" "${quick[@]}" --csv rows --json ./rows
ends 2 '--csv and --json name the same file' "$step" "${quick[@]}" --csv rows --json "$work/../${work##*/}/rows"
ends 0 '' "$step" "${quick[@]}" --csv rows --json rows.json
ends 0 '' "$step" "${quick[@]}" --csv /dev/null --json rows.json
ends 2 '--threads' "$bin/02_cpu_simd_threads" "${quick[@]}" --threads 257
ends 0 '' "$bin/02_cpu_simd_threads" "${quick[@]}" --threads 256 --rung local

# With little address space, the program does not load OpenBLAS. (Programs with a sanitizer cannot start then.)
if (ulimit -v 8000000 && "$step" --version) >/dev/null 2>&1; then
    (ulimit -v 8000000 && ends 0 '' "$step" "${quick[@]}" --rung openblas && exit "$failures") || fail 'OpenBLAS under ulimit -v'
    grep -q 'ulimit -v' output || fail 'OpenBLAS is not left alone under ulimit -v'
fi

# ---- pipes ----------------------------------------------------------------------------------------

mkfifo pipe
ends 4 'a pipe without a reader' "$step" "${quick[@]}" --csv pipe
ends 4 'a pipe without a reader' "$step" "${quick[@]}" --json pipe
cat pipe >copy &
ends 0 '' "$step" "${quick[@]}" --csv pipe
wait $!
[[ $(head -c 9 copy) == step,rung ]] || fail 'a pipe with a reader gets the rows'
head -c 1 pipe >/dev/null & # the reader exits after one byte; the rest does not fit in the pipe
ends 4 'cannot write pipe: Broken pipe' "$step" --sweep 1:64 --reps 101 --warmup 0 --skip-small --json pipe
wait $!

# ---- pictures -------------------------------------------------------------------------------------

conv=$bin/08_conv
if [[ -x $conv && $has_png == PNG ]]; then
    filter=(--rung naive --filter edges --skip-small)
    # A limit on the size of files acts like a full disk. Even if its signal ends the program, no
    # temporary file may remain.
    for signal in ignored fatal; do
        printf old >old.png
        {
            (
                [[ $signal == fatal ]] || trap '' XFSZ
                ulimit -f 1 -c 0
                timeout 60 "$conv" "${filter[@]}" --image "$picture" -o old.png >/dev/null 2>errors
            )
            found=$?
        } 2>/dev/null
        [[ $signal == fatal || $found -eq 4 ]] || fail "a full disk: exit code $found"
        [[ $(cat old.png) == old ]] || fail "a full disk has cost the old picture (signal $signal)"
        rm -f old.png.*
    done
    ends 4 'cannot write /nonexistent/o.png' "$conv" "${filter[@]}" --image "$picture" -o /nonexistent/o.png
    ends 4 'is a pipe' "$conv" "${filter[@]}" --image pipe -o o.png
    ends 4 'a pipe without a reader' "$conv" "${filter[@]}" --image "$picture" -o pipe
    [[ ! -e o.png ]] || fail 'a picture of nothing'
    cp "$picture" in.png
    ends 2 'name the same file' "$conv" "${filter[@]}" --image in.png -o in.png
    ends 2 'name the same file' "$conv" "${filter[@]}" --image in.png -o out.png --csv out.png
    ends 2 'name the same file' "$conv" --rung naive --image in.png --filter kept.npy -o kept.npy
    cmp -s in.png "$picture" && cmp -s a.npy kept.npy || fail 'an input was overwritten'
fi

# ---- little memory --------------------------------------------------------------------------------

# There is enough address space for the program, but not for its kernels.
gpu_step=$bin/05_gpu_shared_tree
if (ulimit -v 400000 && "$gpu_step" --version) >/dev/null 2>&1; then
    (ulimit -v 400000 && ends 3 'simt: ' "$gpu_step" "${quick[@]}" && exit "$failures") || fail 'a memory error is 3'
fi

finish
# SPDX-License-Identifier: MIT
