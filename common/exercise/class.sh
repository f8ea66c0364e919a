#!/usr/bin/env bash
# Grades a class: ./test.sh exercise --class FOLDER. Usage:
#   class.sh FOLDER REPORT SEED [OPTION...] -- NAME...
# FOLDER has a student's copy in each subfolder, or a hand-in file STUDENT.tar.gz. REPORT gets STUDENT.json,
# class.csv, index.html and students/STUDENT.html.
# If SEED is not empty, answers that are identical byte for byte are graded once. OPTIONs are the grading
# options of exercise.sh.
set -euo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../.." && pwd -P)
install=no
# shellcheck source=common/scripts/setup/setup.sh
. "$root/common/scripts/setup/setup.sh"
self='./test.sh exercise --class'

class=$1 report=$2 seed=$3 options=() exercises=()
shift 3
while [[ $1 != -- ]]; do
    options+=("$1")
    shift
done
shift
for folder; do
    exercises+=("${folder#"$root"/}")
done
mkdir -p -- "$report" 2>/dev/null || true
[[ -d $report && -w $report ]] || die "$exit_file" "cannot write $(shown "$report")"
work=$(mktemp -d "${TMPDIR:-/tmp}/rungs-class.XXXXXX" 2>/dev/null) ||
    die "$exit_file" "${TMPDIR:-/tmp}: no folder for temporary files can be made there"
trap 'rm -rf -- "$work"' EXIT

# unpack ARCHIVE FOLDER: extracts only the answers from a hand-in file. Fails if it contains none.
unpack() {
    local most=$((64 << 20)) exercise
    gzip -dc -- "$1" 2>/dev/null | head -c "$most" >"$work/hand_in.tar" || return
    for exercise in "${exercises[@]}"; do
        printf '%s\n' {,./}"$exercise"/task.c{,u}
    done >"$work/wanted"
    tar -tf "$work/hand_in.tar" 2>/dev/null >"$work/members" &&
        grep -q '^\(\./\)\{0,1\}0[1-8]_[^/]*/exercise/[^/]*/task\.cu\{0,1\}$' "$work/members" || return
    grep -xFf "$work/wanted" "$work/members" >"$work/taken" || return 0 # it has answers to other exercises only
    tar -C "$2" -xf "$work/hand_in.tar" --no-same-owner -T "$work/taken" 2>/dev/null
}

# Each student's answers, by name: the folders with the copies, and links to these in work/answers.
declare -A copies=()
for entry in "$class"/*; do
    name=$(basename -- "${entry%.tar.gz}")
    if [[ -d $entry ]]; then
        copy=$entry
    elif [[ -f $entry && $entry == *.tar.gz ]]; then
        copy=$work/unpacked/$name
        mkdir -p -- "$copy"
        unpack "$entry" "$copy" || copy=
    else
        continue
    fi
    [[ -z ${copies[$name]+set} ]] || die "$exit_file" "$class: $name is there twice, as a folder and as a file"
    copies[$name]=$copy
    mkdir -p -- "$work/answers" && { [[ -z $copy ]] || ln -s -- "$(readlink -f -- "$copy")" "$work/answers/$name"; }
done
mapfile -t students < <(printf '%s\n' "${!copies[@]}" | LC_ALL=C sort)
((${#copies[@]} > 0)) || die "$exit_file" "$class: no folder of a student in it, and no hand-in file (.tar.gz)"

# not_graded NAME WHY: writes a result without points.
not_graded() {
    printf '{"version": 1, "exercise": "%s", "status": "error", "score": null, "max_score": 100, "tests": [\n  {"name": "not graded", "status": "error", "score": null, "max_score": 100, "line_no": 0, "message": "%s"}\n]}\n' \
        "$1" "$(LC_ALL=C tr -c ' -~\n' '?' <<<"$2" | sed 's/[\"]/?/g')"
}
export -f not_graded

# The list of gradings. Each has three entries: the result, the exercise and the student's copy.
for student in "${students[@]}"; do
    copy=${copies[$student]}
    for exercise in "${exercises[@]}"; do
        name=${exercise##*/} answers=("$copy/$exercise"/task.c*)
        key=$student
        if [[ -n $seed && -f ${answers[0]} && $(readlink -f -- "${answers[0]}") == "$(readlink -f -- "$copy")/$exercise/"* ]]; then
            key=$(sha256sum <"${answers[0]}" | tr -d ' -')
        fi
        printf '%s\n' "$key" >>"$work/keys"
        if [[ -z $copy ]]; then
            not_graded "$name" "$student.tar.gz: not a hand-in file as --pack makes it" >"$work/$name.$key"
        elif [[ ! -e $work/$name.$key.wanted ]]; then
            printf '%s\0%s\0%s\0' "$work/$name.$key" "$name" "$copy"
        fi
        : >"$work/$name.$key.wanted"
    done
done >"$work/todo"

[[ -z $seed ]] || options+=(--student "$seed")
say "Grading ${#students[@]} students in ${#exercises[@]} exercises, $jobs at a time ..."
start=$SECONDS
: >"$work/done"
count=$(($(tr -dc '\000' <"$work/todo" | wc -c) / 3))
# progress: prints how far the grading is, every few seconds until it ends.
progress() {
    local graded told=0 last=0
    while sleep 1; do
        graded=$(wc -l <"$work/done")
        if ((graded > told && SECONDS - last >= 5)); then
            last=$SECONDS told=$graded
            put '  %d of %d graded, about %d s to go\n' "$graded" "$count" \
                $(((SECONDS - start) * (count - graded) / graded))
        fi
    done
}
progress &
progress=$!
trap 'kill "$progress" 2>/dev/null || true; rm -rf -- "$work"' EXIT
# The first grading runs alone, because it compiles the files that all gradings use.
head -z -n 3 "$work/todo" >"$work/first"
tail -z -n +4 "$work/todo" >"$work/others"
# If the grader wrote no result, the machine is to blame and not the answer.
# shellcheck disable=SC2016 # for the inner shells
grade='grader=$1 to=$2 name=$3 from=$4 done=$5; shift 5
    "$grader" --json --from "$from" "$@" "$name" >"$to" 2>"$to.errors" </dev/null || true
    tail -n 1 "$to" | grep -q "^\]}\$" || {
        why=$(head -n 1 "$to.errors")
        not_graded "$name" "${why:-the grader was stopped}" >"$to"
    }
    echo "$name" >>"$done"'
for part in first others; do
    # shellcheck disable=SC2016
    xargs -0 -r -a "$work/$part" -P "$jobs" -n 3 bash -c '
        grade=$1 grader=$2 done=$3 count=$4; shift 4
        options=("${@:1:count}"); shift "$count"
        exec bash -c "$grade" grade "$grader" "$1" "$2" "$3" "$done" ${options[@]+"${options[@]}"}' \
        class "$grade" "$root/common/scripts/setup/exercise.sh" "$work/done" "${#options[@]}" ${options[@]+"${options[@]}"} ||
        die "$exit_machine" "the grading was stopped"
done
kill "$progress" 2>/dev/null || true

rows=0
for student in "${students[@]}"; do
    {
        printf '['
        for i in "${!exercises[@]}"; do
            rows=$((rows + 1))
            ((i == 0)) || printf ',\n'
            cat -- "$work/${exercises[i]##*/}.$(sed -n "${rows}p" "$work/keys")"
        done
        printf ']\n'
    } >"$report/$student.json" 2>/dev/null || die "$exit_file" "cannot write $(shown "$report")"
done
files=("${students[@]/%/.json}")
files=("${files[@]/#/$report/}")
"$root/common/scripts/setup/exercise.sh" --merge "${files[@]}" >"$report/class.csv" 2>/dev/null ||
    die "$exit_file" "cannot write $(shown "$report/class.csv")"
say "Graded in $((SECONDS - start)) s: $(shown "$report/class.csv")"
have python3 || die "$exit_machine" "the report, index.html, needs python3"
python3 -B "$root/common/exercise/report.py" --answers "$work/answers" --output "$report/index.html" "${files[@]}"
not_graded=$(cat -- "${files[@]}" | grep -c '"score": null, "max_score": 100, "tests"' || true)
((not_graded == 0)) || die "$exit_machine" "$not_graded answers could not be graded on this machine; they have no points in" \
    "the table, and the report says why"
# SPDX-License-Identifier: MIT
