#!/usr/bin/env bash
# Lists and grades the exercises, shows hints, makes handouts. Called by ./test.sh exercise. See
# --help.
set -euo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../../.." && pwd -P)
install=yes
# shellcheck source=common/scripts/setup/setup.sh
. "$root/common/scripts/setup/setup.sh"
# shellcheck disable=SC2154 # variables that setup.sh sets
self='./test.sh exercise'

readonly begin_mark='/* ---- your work ---- */' end_mark='/* ---- end of your work ---- */'
# compile_seconds limits processor time, which does not depend on other processes. patience limits wall-clock time.
readonly compile_seconds=60 patience=600 memory_kib=$((4 << 20)) file_kib=$((256 << 10))

usage() {
    cat <<'EOF'
Usage: ./test.sh exercise [OPTION]... [NAME]...
Without a NAME: lists the exercises. With one, such as 05a: builds your answer, the file task.cu or
task.c in the exercise's folder, and grades it. The first call puts the file there. NAME may be all.
You need no GPU.

  --hint NAME           print the next hint; each call prints one more
  --reset NAME          restore the file; yours is kept as task.cu.old
  --watch NAME          grade again whenever you save the file, until Ctrl-C
  --explore PAGE.html NAME
                        also write a page that replays the kernel, at the line that the first
                        failed test names (docs/explorer.md)
  --pack FILE.tar.gz    put your answers (all, or those of the NAMEs) into a file to hand in
  --json                print the points as JSON; docs/teaching.md describes the format
  --student SEED        derive sizes and data from this word; otherwise they differ in every run
  --backend simt|cuda   choose simt, the CPU, which counts (default), or cuda, a GPU, which is timed
  --seconds N           limit the processor time of one run of an answer (default 10)
  --compiler CXX        use g++ or clang++ (default: $CXX, or the first that is installed)

For teachers:
  --from FOLDER         take the answers from FOLDER, a student's copy, instead of this one
  --file FILE NAME      take this file as the answer
  --handout PATH        make a copy without solutions: a folder, or an archive if PATH ends in .tar.gz
  --class FOLDER        grade a class; FOLDER has students' copies, one subfolder each, or the files
                        STUDENT.tar.gz that --pack made
  --report FOLDER       write the results of --class there: pages to read, index.html and
                        students/STUDENT.html, a table, class.csv, and STUDENT.json
                        (default build/exercise/class)
  --merge FILE.json...  print results of --json, one file per student, as one CSV

Exit status: 0 all points, 1 not all, 2 bad usage, 3 not graded, because of this machine, 4 a file
unreadable or not writable.
EOF
}

# ---- the reader's language -----------------------------------------------------------------------

# The locale's language if docs has an edition in it, such as zh. Empty means English.
language=${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}
language=${language:0:2}
[[ -n $language && -r $root/docs/$language/messages.txt ]] || language=

# page_of FOLDER: prints the path of its README, in that language if there is one.
page_of() {
    local page=$1/README.$language.md
    [[ -n $language && -r $page ]] || page=$1/README.md
    printf '%s\n' "$page"
}

# tell TEXT: prints it. Translates the lines that docs/zh/messages.txt has (see there).
tell() {
    [[ -n $language ]] || { say "$*" && return; }
    say "$(printf '%s\n' "$*" | LC_ALL=C awk -v table="$root/docs/$language/messages.txt" '
        BEGIN {
            while ((getline line <table) > 0) {
                if (line ~ /^#/ || (at = index(line, " | ")) == 0) continue
                into[++count] = substr(line, at + 3)
                rest = substr(line, 1, at - 1)
                for (n = 0; match(rest, /%[dfs]/); n++) {
                    piece[count, n] = substr(rest, 1, RSTART - 1)
                    is_number[count, n + 1] = substr(rest, RSTART + 1, 1) != "s"
                    rest = substr(rest, RSTART + 2)
                }
                piece[count, pieces[count] = n] = rest
            }
        }
        # fit: whether the text matches line i of the table. Sets got to the values of its formats.
        function fit(text, i, got,  j, at, next_one) {
            if (substr(text, 1, length(piece[i, 0])) != piece[i, 0]) return 0
            text = substr(text, length(piece[i, 0]) + 1)
            for (j = 1; j <= pieces[i]; j++) {
                next_one = piece[i, j]
                at = j < pieces[i] ? index(text, next_one) : length(text) - length(next_one) + 1
                if (at < 1 || substr(text, at, length(next_one)) != next_one) return 0
                got[j] = substr(text, 1, at - 1)
                if (is_number[i, j] && got[j] !~ /^ *[-+]?([0-9][-+.0-9e]*|nan|inf) *$/) return 0
                text = substr(text, at + length(next_one))
            }
            return text == ""
        }
        function said(text,  i, at, rest, out, got) {
            if ((at = match(text, /[^ ]/)) > 1) return substr(text, 1, at - 1) said(substr(text, at))
            for (i = 1; i <= count && !fit(text, i, got); i++) ;
            if (i > count) return text
            for (rest = into[i]; (at = match(rest, /%[1-9]/)) > 0; rest = substr(rest, at + 2))
                out = out substr(rest, 1, at - 1) said(got[substr(rest, at + 1, 1)])
            return out rest
        }
        { print said($0) }')"
}

# ---- the exercises -------------------------------------------------------------------------------

# The exercises' folders, in the order of the steps.
folders=()
for folder in "$root"/0[1-8]_*/exercise/*/; do
    [[ ! -d ${folder}skeleton ]] || folders+=("${folder%/}")
done

# suffix FOLDER: the suffix of its skeleton, cu or c.
suffix() {
    local file=("$1"/skeleton/task.*)
    printf '%s\n' "${file[0]##*.}"
}

title() { sed -n '1s/^# *//p' "$(page_of "$1")"; }

# find_exercise NAME: sets the variable found, or exits with a message.
find_exercise() {
    local folder name
    found=
    for folder in ${folders[@]+"${folders[@]}"}; do
        name=${folder##*/}
        if [[ $1 == "$name" || $1 == "${name%%_*}" ]]; then
            found=$folder
            return
        fi
    done
    die_usage "$1: no such exercise; $self without a name lists them"
}

answer_of() { printf '%s\n' "$1/task.$(suffix "$1")"; }

# Copies the skeleton to the file that the student edits.
provide_answer() {
    local answer
    answer=$(answer_of "$1")
    if [[ ! -e $answer ]]; then
        cp -- "$1/skeleton/${answer##*/}" "$answer" 2>/dev/null ||
            die "$exit_file" "cannot write $answer"
        chmod u+w -- "$answer"
        [[ $json == yes ]] || tell "Made $(shown "$answer"): that is the file to edit."
    fi
}

list_exercises() {
    local folder name score begun=no first='' after='' tried='' next
    tell "Exercises (name, last score, title):"
    for folder in "${folders[@]}"; do
        name=${folder##*/}
        score='     -'
        if [[ -s $state/$name.score ]]; then
            score=$(printf '%3d' "$(<"$state/$name.score")")/100
            begun=yes
        fi
        if [[ $score == 100/100 ]]; then
            after=
        else
            [[ -n $first ]] || first=${name%%_*}
            [[ -n $after ]] || after=${name%%_*}
            [[ -n $tried || $score == *-* ]] || tried=${name%%_*}
        fi
        put '  %-4s %7s  %s\n' "${name%%_*}" "$score" "$(title "$folder")"
    done
    # The exercise that was begun, or the one after the last solved exercise, or the first.
    next=${tried:-${after:-$first}}
    if [[ -z $next ]]; then
        tell "All are solved."
        [[ ! -d ${folders[0]}/solution ]] ||
            tell "The folder solution/ of each has another answer, to compare yours with."
        return
    elif [[ $begun == yes ]]; then
        tell "Go on with: $self $next"
    else
        tell "Begin with: $self $next"
    fi
    tell "Its folder has a README.md with the task. docs/exercises.md tells more."
}

# ---- hints, reset --------------------------------------------------------------------------------

# Hints are sections of the README, in the order of the page.
show_hint() {
    local name=${1##*/} count=0 all page
    page=$(page_of "$1")
    all=$(grep -c '^## ' "$page" || true)
    [[ ! -s $state/$name.hints ]] || count=$(<"$state/$name.hints")
    ((count >= all)) || count=$((count + 1))
    for ((i = 1; i <= count; i++)); do
        put '%s%s%s %s\n' "$bold" "$(tell "Hint $i of $all.")" "$plain" \
            "$(awk -v wanted="$i" '/^## /{on = (++at == wanted); next} on && NF && !/^<\/?details/' "$page")"
    done
    printf '%d\n' "$count" 2>/dev/null >"$state/$name.hints" || true
    if ((count == all)); then
        tell "That was the last hint."
    fi
}

reset_exercise() {
    local answer
    answer=$(answer_of "$1")
    if [[ -e $answer ]]; then
        mv -- "$answer" "$answer.old" || die "$exit_file" "cannot write $answer.old"
        tell "Yours is now $(shown "$answer.old")."
    fi
    rm -f -- "$state/${1##*/}.hints" "$state/${1##*/}.score"
    provide_answer "$1"
}

# ---- compiling -----------------------------------------------------------------------------------

# kept_objects SOURCE...: sets the variable kept to the folder with their object files. They are
# compiled once for each compiler and version of the sources. The caller sets flags (for the C
# compiler) and headers.
kept_objects() {
    local source one pids=()
    kept=$cache/grader-$({
        printf '%s\n' "$@" "${flags[@]}"
        cat -- "$@" "${headers[@]}"
        "$c_compiler" --version
        if [[ $* == *.cu ]]; then
            printf '%s\n' "$architecture"
            nvcc --version
        fi
    } | cksum | tr ' ' -)
    [[ ! -d $kept ]] || return 0
    objects_here=$work/objects-${kept##*-}
    mkdir -- "$objects_here" || return
    for source; do
        one=$objects_here/$(basename -- "${source%.*}").o
        if [[ $source == *.cu ]]; then
            nvcc -std=c++17 -arch="$architecture" -I "$root/common" -I "${folder%/*/*}" -c "$source" -o "$one"
        else
            "$c_compiler" "${flags[@]}" -I "$root/common" -I "$root/common/exercise" -c "$source" -o "$one"
        fi >"$one.messages" 2>&1 &
        pids+=($!)
    done
    for one in "${pids[@]}"; do
        wait "$one" || {
            trouble="The grader does not build with $c_compiler${architecture:+ and nvcc}:
$(cat -- "$objects_here"/*.messages | head -n 5)"
            return 1
        }
    done
    rm -f -- "$objects_here"/*.messages
    # If the folder exists by now, another process was faster. If the cache is not writable, this run uses its own copy.
    mkdir -p -- "$cache" 2>/dev/null && mv -T -- "$objects_here" "$kept" 2>/dev/null || true
    [[ -d $kept ]] || kept=$objects_here
}

# prepare_runtime: builds the runtime that simtcc links to programs, if it is missing. No limits apply to this.
prepare_runtime() {
    local line
    [[ $has_runtime == no ]] || return 0
    trouble=
    : >"$work/empty.c" || return
    while IFS= read -r line; do
        case $line in
        *'building the runtime once'*) tell 'Building the runtime once, about 12 s of processor time ...' >&2 ;;
        built) has_runtime=yes ;;
        *) trouble+=${trouble:+$'\n'}$line ;;
        esac
    done < <("$root/common/simt/simtcc" -ccbin "$compiler" -c "$work/empty.c" -o "$work/empty.o" 2>&1 && echo built)
    [[ $has_runtime == yes ]]
}

# prepare_grader FOLDER KIND: sets objects to the grader's object files: those that all exercises share, and those of
# this exercise. Sets grader to the program that judges. It is linked with the skeleton, so it contains no code of an
# answer. If this fails, trouble says why.
prepare_grader() {
    local folder=$1 kind=$2 kept flags=(-std=c11 -O1 -g -D_GNU_SOURCE -w) skeleton
    local shared=("$root"/common/exercise/{grade,grade_run,grade_answer,speed}.c "$root/common/measure/statistics.c")
    local own=("$folder/check.c") headers
    skeleton=$folder/skeleton/task.$(suffix "$folder")
    mapfile -t headers < <(find "$root"/common/{exercise,base,measure} "${folder%/*}" -name '*.h')
    [[ $kind != simt ]] || prepare_runtime || return
    case $kind in
    simt) flags+=(-DGRADE_SIMT -isystem "$root/common/simt/cuda") shared+=("$root/common/exercise/grade_gpu.c")
        headers+=("$root"/common/simt/cuda/*.h) ;;
    cuda) flags+=(-isystem "$(dirname -- "$(readlink -f -- "$(command -v nvcc)")")/../include")
        shared+=("$root/common/exercise/grade_gpu.c") ;;
    threads) shared+=("$root/common/exercise/grade_threads.c") ;;
    plain) shared+=("$root/common/exercise/grade_plain.c") ;;
    esac
    kept_objects "${shared[@]}" || return
    objects=("$kept"/*.o)
    if [[ $kind == cuda ]] && is_timed "$folder"; then # the rungs that the answer is timed against
        own+=("${folder%/*}/rungs.cu")
        mapfile -t -O "${#headers[@]}" headers < <(
            find "$root"/common/{device,kernel,problem} "${folder%/*/*}" \( -name '*.h' -o -name '*.cu*' \))
    fi
    headers+=("$skeleton")
    kept_objects "${own[@]}" || return
    objects+=("$kept"/*.o)
    grader=$kept/grader
    [[ ! -x $grader ]] || return 0
    compile "$kind" "$skeleton" "$work/grader" || {
        trouble="The compiler does not work here, now:
$(grep -v '^$' "$work/messages" | head -n 8)"
        return 1
    }
    mv -f -- "$work/grader" "$grader" 2>/dev/null || grader=$work/grader
}

# is_timed FOLDER: whether the exercise has a test of speed.
is_timed() { grep -q 'GRADE_SPEED' "$1/check.c"; }

# limited COMMAND...: runs a compiler with limits on time and memory, since an answer may make it run forever.
# Status 124 means that it exceeded the limit of wall-clock time.
limited() {
    (
        tighten() {
            local has
            has=$(ulimit -H "$1")
            [[ $has != unlimited && $has -le $2 ]] || ulimit "$1" "$2"
        }
        tighten -v "$memory_kib"
        tighten -f "$file_kib"
        tighten -t $((compile_seconds + 5))
        ulimit -S -c 0
        [[ $(ulimit -S -t) != unlimited && $(ulimit -S -t) -le $compile_seconds ]] || ulimit -S -t "$compile_seconds"
        LC_ALL=C exec timeout -k 5 "$patience" "$@"
    )
}

has_less_memory() { [[ $(ulimit -H -v) != unlimited && $(ulimit -H -v) -lt $memory_kib ]]; }

# hide_names OBJECT: makes all names local except for those that the check calls. Otherwise a function of the answer,
# such as read() or main(), could replace a function of libc or of the grader.
hide_names() {
    local names
    have nm && have objcopy || return 0 # without binutils, the linker reports such a name as an error
    mapfile -t names < <(nm -u -- "${objects[@]: -1}" | sed 's/^ *[Uwv] /--keep-global-symbol=/')
    objcopy "${names[@]}" -- "$1"
}

# compile KIND SOURCE PROGRAM: compiles and links SOURCE. Messages go to work/messages. Every user may run PROGRAM.
compile() {
    case $1 in
    simt) limited "$root/common/simt/simtcc" -ccbin "$compiler" -I "$root/common" "$2" "${objects[@]}" \
        -lm -pthread -o "$3" ;;
    cuda) LC_ALL=C timeout -k 5 "$patience" nvcc -std=c++17 -arch="$architecture" -lineinfo -I "$root/common" "$2" \
        "${objects[@]}" -lm -o "$3" ;;
    *) limited "$c_compiler" -std=c11 -O1 -g -Wall -Wextra "$([[ $1 == threads ]] && echo -fsanitize=thread ||
        echo -ffp-contract=off)" -D_GNU_SOURCE -I "$root/common/exercise" -c "$2" -o "$work/task.o" &&
        hide_names "$work/task.o" && limited "$c_compiler" "$work/task.o" "${objects[@]}" -lm -pthread -o "$3" ;;
    esac >"$work/messages" 2>&1 </dev/null && chmod 755 -- "$3"
}

# ---- the answer, between the marks ---------------------------------------------------------------

# outside FILE: prints the lines outside the marks, to compare them with those of the skeleton.
outside() {
    awk -v first="$begin_mark" -v last="$end_mark" \
        'index($0, last) {on = 0} !on {print} index($0, first) {on = 1}' "$1"
}

# take_answer SKELETON ANSWER: copies the student's file to work/task.*, with the line ends of this system. Sets
# compiled to the file to compile: the skeleton with the student's text between the marks. If the two files differ
# outside the marks, by more than spaces and line ends, work/note describes it. Fails if the marks are wrong;
# trouble then says why.
take_answer() {
    local task=$work/task.${1##*.} head status=0
    trouble=
    head=$(head -c 2 -- "$2" | od -An -tx1 | tr -d ' ')
    case $head in
    fffe | feff) iconv -f UTF-16 -t UTF-8 <"$2" 2>/dev/null || cat -- "$2" ;;
    *) cat -- "$2" ;;
    esac | awk '{ if (NR == 1) sub(/^\357\273\277/, ""); sub(/\r$/, ""); gsub(/\r/, "\n"); sub(/[ \t]+$/, ""); print }' \
        >"$task" || return
    compiled=$task
    ! cmp -s <(outside "$1") <(outside "$task") || [[ $(grep -cF -- "$begin_mark" "$task") != 1 ]] ||
        [[ $(grep -cF -- "$end_mark" "$task") != 1 ]] || return 0
    compiled=$work/graded.${1##*.}
    LC_ALL=C awk -v task="$task" -v note="$work/note" -v begin_mark="$begin_mark" -v end_mark="$end_mark" '
        function squeezed(text) { gsub(/[ \t\r\f\v]/, "", text); return text }
        function pattern(mark) { # allows any spaces within the mark
            gsub(/[*]/, "[*]", mark); gsub(/ /, "[ \t]*", mark)
            return mark
        }
        function find(file, kind, mark,  rest, at) { # records all places of a mark in the current line
            rest = line[file, FNR]
            for (at = 0; match(rest, mark); rest = substr(rest, RSTART + RLENGTH)) {
                found[file, kind]++; lines[file, kind] = lines[file, kind] (found[file, kind] > 1 ? ", " : "") FNR
                row[file, kind] = FNR; column[file, kind] = at + RSTART; width[file, kind] = RLENGTH
                at += RSTART + RLENGTH - 1
            }
        }
        function check(kind, mark) {
            if (found[2, kind] == 1) return 1
            print found[2, kind] == 0 ? "The mark  " mark "  is missing." : \
                "The mark  " mark "  stands there " found[2, kind] " times, in lines " lines[2, kind] "."
            return 0
        }
        function emit(text, number) { # prints a line of the skeleton; number is its line in the file of the student, or 0
            if (number > 0 && number != next_number && !continued) {
                printf "#line %d \"%s\"\n", number, task
                next_number = number
            }
            print text
            next_number++
            continued = text ~ /\\$/
        }
        # Prints lines FROM to TO of the skeleton, each with the number of the equal line among LOW to HIGH of the other.
        function emit_outside(from, to, low, high,  i, j, number) {
            for (i = from; i <= to; i++) {
                number = 0
                if (squeezed(line[1, i]) != "")
                    for (j = low; j <= high && number == 0; j++)
                        if (squeezed(line[2, j]) == squeezed(line[1, i])) { number = j; low = j + 1 }
                emit(line[1, i], number)
            }
        }
        function part(file, from, to,  i, all) {
            for (i = from; i <= to; i++) all = all squeezed(line[file, i])
            return all
        }
        # Notes up to six lines that differ there.
        function tell(from, to, low, high,  i, j, known, mine, given) {
            if (part(1, from, to) == part(2, low, high)) return
            for (i = from; i <= to; i++) known[squeezed(line[1, i])]++
            for (j = low; j <= high; j++)
                if (known[squeezed(line[2, j])]-- <= 0 && squeezed(line[2, j]) != "" && told++ < 6)
                    print "  line " j " of yours: " line[2, j] >note
            split("", known)
            for (j = low; j <= high; j++) known[squeezed(line[2, j])]++
            for (i = from; i <= to; i++)
                if (known[squeezed(line[1, i])]-- <= 0 && squeezed(line[1, i]) != "" && told++ < 6)
                    print "  line " i " as given: " line[1, i] >note
        }
        BEGIN { marks["begin"] = pattern(begin_mark); marks["end"] = pattern(end_mark) }
        FNR == 1 { file++ }
        { line[file, FNR] = $0; count[file] = FNR
          for (kind in marks) find(file, kind, marks[kind]) }
        END {
            ok = check("begin", begin_mark); ok = check("end", end_mark) && ok
            if (ok && (row[2, "end"] < row[2, "begin"] ||
                row[2, "end"] == row[2, "begin"] && column[2, "end"] < column[2, "begin"])) {
                print "The mark  " end_mark "  stands before the other, in line " row[2, "end"] "."
                ok = 0
            }
            if (!ok) exit 1
            b = row[2, "begin"]; e = row[2, "end"]; next_number = 0
            first = column[2, "begin"]; after = first + width[2, "begin"]; last = column[2, "end"]
            # On the lines of the marks, text before the first mark and after the last mark is outside.
            begins = substr(line[2, b], after); ends = substr(line[2, e], last + width[2, "end"])
            work_first = b == e ? substr(line[2, b], after, last - after) : begins
            work_last = b == e ? "" : substr(line[2, e], 1, last - 1)
            for (i = b + 1; i < e; i++) work[i] = line[2, i]
            line[2, b] = substr(line[2, b], 1, first - 1) # the part outside
            line[2, count[2] + 1] = ends; after_row = e
            tell(1, row[1, "begin"] - 1, 1, b)
            tell(row[1, "end"] + 1, count[1], e + 1, count[2] + 1)
            printf "#line 1 \"%s\"\n", task; next_number = 1
            emit_outside(1, row[1, "begin"] - 1, 1, b - 1)
            if (next_number != b) printf "#line %d \"%s\"\n", b, task
            printf "%s%s", substr(line[1, row[1, "begin"]], 1, column[1, "begin"] + width[1, "begin"] - 1), work_first
            if (b != e) print ""
            for (i = b + 1; i < e; i++) print work[i]
            print work_last substr(line[1, row[1, "end"]], column[1, "end"])
            next_number = e + 1; continued = 0
            emit_outside(row[1, "end"] + 1, count[1], e + 1, count[2])
        }' "$1" "$task" >"$compiled" || status=$?
    if ((status != 0)); then
        trouble=$(<"$compiled")
        rm -f -- "$compiled"
        return 1
    fi
    [[ ! -s $work/note ]] || {
        echo 'Outside of the marks your file is not as it was given. That costs nothing, and is not graded:'
        cat -v <"$work/note"
    } >"$work/noted"
}

# ---- grading -------------------------------------------------------------------------------------

# clean: keeps text that is valid UTF-8. In other text, replaces all bytes that are not ASCII.
clean() {
    local text
    text=$(tr -d '\r\000' | tr '\t' ' ')
    if printf '%s' "$text" | iconv -f UTF-8 -t UTF-8 >/dev/null 2>&1; then
        printf '%s\n' "$text" | LC_ALL=C tr '\001-\011\013-\037\177' '[?*]'
    else
        printf '%s\n' "$text" | LC_ALL=C tr -c '\n -~' '?'
    fi
}

json_quoted() {
    clean | sed 's/[\\"]/\\&/g' |
        LC_ALL=C awk 'BEGIN {ORS = ""; print "\""} NR > 1 {print "\\n"} {print} END {print "\""}'
}

# report NAME TITLE TEST TEXT LAST_LINE STATUS SCORE LOOK: sets result_text and result_json for an answer that was
# not run.
report() {
    local quoted look=''
    quoted=$(printf '%s\n' "$4" | json_quoted)
    [[ -z $8 ]] || look=$(printf '"look": %s, ' "$(printf '%s\n' "$8" | json_quoted)")
    result_text="$1: $2"$'\n'"  ${4//$'\n'/$'\n'  }"$'\n'"  $5"
    result_json=$(printf '{"version": 1, "exercise": "%s", "status": "%s", "score": %s, "max_score": 100, %s"tests": [\n  {"name": "%s", "status": "%s", "score": %s, "max_score": 100, "line_no": 0, "message": %s}\n]}' \
        "$1" "$6" "$7" "$look" "$3" "$6" "$7" "$quoted")
}

# refuse TEST NAME TITLE TEXT [LOOK]: reports 0 points and the reason. LOOK is a note for the teacher.
refuse() {
    local text=$4
    [[ ! -s $work/noted ]] || text+=$'\n'$(<"$work/noted")
    report "$2" "$3" "$1" "$text" '0 of 100 points' fail 0 "${5:-}"
    return 1
}

# not_graded NAME TITLE TEXT: reports that this machine could not grade the answer.
not_graded() {
    report "$1" "$2" 'not graded' "$3" 'Not graded: that says nothing about the answer.' error null ''
    return 3
}

# run_program NAME OPTION...: grades work/program. Writes work/raw and work/json.
run_program() {
    local name=$1 options=() limit=$((seconds * 120))
    shift
    [[ -z $student ]] || options+=(-s "$student")
    # The grader limits each run of the answer; this limit is a second safeguard. The grader may wait for the GPU.
    [[ $backend != cuda ]] || limit=$((limit + 600))
    (
        cd "$work" || exit 3
        ulimit -t $((seconds + 600)) 2>/dev/null || true
        exec timeout -k 5 "$limit" "$grader" -a program -e "$name" -c "$(echo "$work"/task.c*)" -o "$work/output" \
            -j "$work/json" -t "$seconds" ${options[@]+"${options[@]}"} "$@"
    ) >"$work/raw" 2>&1 </dev/null
}

# results_are_right: whether the program that run_program graded computes the right results. If not, the
# grader graded nothing else.
results_are_right() { [[ -s $work/json ]] && ! grep -q '"message": "graded once all results' "$work/json"; }

# right_in_any_order NAME: whether the results are also right in other orders of threads and blocks. If not,
# work/order names the wrong one. If there is no work/order, the runs failed for another reason.
right_in_any_order() {
    local schedule
    cp -- "$work/raw" "$work/told"
    for schedule in 1 2; do
        SIMT_SCHEDULE=$schedule run_program "$1" -r "$work/order" || return 1
    done
    mv -- "$work/told" "$work/raw"
}

# count_for_gpu FOLDER: writes the CPU back end's findings about the answer to work/counted. The grader
# shows them if the answer is too slow on a GPU.
count_for_gpu() {
    local grader objects
    if prepare_grader "$1" simt && compile simt "$compiled" "$work/program"; then
        run_program "${1##*/}" || true
        awk '/^  [^ ]+ +[0-9]+\/[0-9]+ / { name = ""; if ($1 == "FAILED") { name = $0; sub(/^ *FAILED +[^ ]+ +/, "", name) }; next }
            /^           / && name != "" && !/graded once/ {
                sub(/^ +/, ""); print (name == last ? "  " : name ": ") $0; last = name; next }
            { name = "" }' "$work/raw" | sed "s|$work/||g" >"$work/counted"
    fi
    rm -f -- "$work/program" "$work/json"
}

# keep_page: moves the page that run_program has made to the file that the user named. Appends its address,
# with the line to look at, to work/raw.
keep_page() {
    local place target
    place=$(sed -n 's/^#line=//p' "$work/raw")
    sed -i '/^#line=/d' "$work/raw"
    if [[ ! -s $work/page.html ]]; then
        printf '  --explore: nothing to show: it was stopped before a warp had done a step\n' >>"$work/raw"
        return
    fi
    target=$(readlink -f -- "$page")
    if [[ -e $target && ! -f $target ]]; then # /dev/stdout
        sed "s|${work##*/}/||g" "$work/page.html" 2>/dev/null >"$target" || die "$exit_file" "cannot write $page"
    elif ! { sed "s|${work##*/}/||g" "$work/page.html" >"$target.$$" && mv -- "$target.$$" "$target"; } 2>/dev/null; then
        rm -f -- "$target.$$"
        die "$exit_file" "cannot write $page"
    fi
    [[ ${place:-0} == 0 ]] || place="#line=$place"
    printf '  Watch it: %s%s\n' "$(shown "$page")" "${place#0}" >>"$work/raw"
}

# skeleton_works KIND SKELETON: for an answer that did not compile: whether the skeleton compiles on this machine
# now. If it does not, the answer is not to blame.
skeleton_works() {
    cp -- "$work/messages" "$work/messages.answer" 2>/dev/null && compile "$1" "$2" "$work/program"
}

# find_trouble ANSWER: sets test and trouble if the file cannot be taken as an answer.
find_trouble() {
    test='' trouble=''
    if [[ -L $1 ]] || [[ -e $1 && -n $from && $(readlink -f -- "$1") != "$(readlink -f -- "$from")"/* ]]; then
        test=symlink trouble="$(shown "$1") is a symbolic link, or in a folder that is one: put the file itself there"
    elif [[ ! -f $1 || ! -r $1 ]]; then
        test=no_answer trouble="no answer: $(shown "${1#"${from:+$from/}"}") is not there"
    elif (($(stat -c %s -- "$1") > 1 << 20)); then
        test=too_large trouble='the answer is larger than 1 MiB'
    fi
    [[ -z $test ]]
}

# grade FOLDER ANSWER: sets result_text and result_json. Returns 0 for all points, 1 for fewer, 3 if this machine
# could not grade it.
grade() {
    local folder=$1 answer=$2 name=${1##*/} what kind status=0 test trouble skeleton look='' compiled
    what=$(title "$folder")
    skeleton=$folder/skeleton/task.$(suffix "$folder")
    rm -rf -- "${work:?}"/*
    kind=plain
    if [[ $(suffix "$folder") == cu ]]; then
        kind=$backend
    elif grep -q 'grade: threads' "$folder/check.c"; then
        kind=threads
    fi
    if ! find_trouble "$answer"; then
        [[ $test != symlink ]] || look='a symbolic link as the answer'
        refuse "$test" "$name" "$what" "$trouble" "$look" || return
    fi
    if ! take_answer "$skeleton" "$answer" 2>/dev/null; then
        [[ -n $trouble ]] || { not_graded "$name" "$what" "Cannot write in $work: is the disk full?" || return; }
        refuse marks "$name" "$what" "$trouble
Your work is what stands between the two; without them it cannot be found. --reset gives the file as it was,
and keeps yours." || return
    fi
    if [[ $kind == cuda ]] && is_timed "$folder"; then
        count_for_gpu "$folder"
    fi
    trouble=
    if ! prepare_grader "$folder" "$kind"; then
        not_graded "$name" "$what" "${trouble:-Cannot write in $work: is the disk full?}" || return
    fi
    compile "$kind" "$compiled" "$work/program" || status=$?
    if ((status != 0)); then
        if ((status == 124)); then
            not_graded "$name" "$what" "The compiler did not get through in $patience s: the machine is too busy." || return
        # (Out of memory means that the limit of limited was reached. That is the answer's fault, unless this shell has less.)
        elif grep -v 'task\.c' "$work/messages" | grep -qE 'Killed|No space left|Disk quota' ||
            { has_less_memory && grep -qE 'Cannot allocate memory|out of memory' "$work/messages"; } ||
            ! skeleton_works "$kind" "$skeleton"; then
            not_graded "$name" "$what" "The compiler does not work here, now:
$(grep -v '^$' "$work/messages" | sed "s|$work/||g" | head -n 8)" || return
        fi
        refuse compiles "$name" "$what" "It does not compile:
$(grep -v '^$' "$work/messages.answer" | sed "s|$work/||g" | head -n 20)
$(! ((status == 137 || status == 152)) && ! grep -q 'CPU time limit exceeded' "$work/messages.answer" ||
            echo "The compiler was stopped after $compile_seconds s of processor time.")" || return
    fi
    if [[ -s $work/messages ]]; then
        sed "s|$work/||g; s/^/  /" "$work/messages" | head -n 12 >"$work/warnings"
    fi
    local options=()
    [[ $kind != cuda ]] || options=(-l "$cache/gpu.lock" -w "$work/counted")
    [[ -z $page ]] || options=(-p "$work/page.html")
    run_program "$name" ${options[@]+"${options[@]}"} || status=$?
    if [[ $kind == simt ]] && results_are_right && ! right_in_any_order "$name"; then
        status=0
        rm -f -- "$work/json"
        if [[ -s $work/order ]]; then
            run_program "$name" ${options[@]+"${options[@]}"} -x "$work/order" || status=$?
        else
            status=3
        fi
    fi
    mkdir -p -- "$work" # the answer may have removed it, if the kernel could not prevent that
    if ((status > 1)) || ! tail -n 1 "$work/json" 2>/dev/null | grep -q '^\]}$'; then
        rm -f -- "$work/json"
        not_graded "$name" "$what" "The grader did not get through (exit status $status):
$(tail -n 5 "$work/raw" 2>/dev/null | clean)" || return
    fi
    [[ -z $page ]] || keep_page
    result_json=$(sed "s|$work/||g" "$work/json" | clean)
    result_text=$(sed "s|$work/||g" "$work/raw")
    [[ -z $language ]] || result_text="$name: $what"$'\n'"${result_text#*$'\n'}"
    if [[ -s $work/noted ]]; then
        result_json=${result_json/, \"tests\": \[/, \"note\": $(json_quoted <"$work/noted"), \"tests\": [}
    fi
    return "$status"
}

# say_next FOLDER: names the first exercise after this one that does not have all points yet.
say_next() {
    local folder name passed=no
    for folder in "${folders[@]}"; do
        name=${folder##*/}
        if [[ $passed == yes && $(cat -- "$state/$name.score" 2>/dev/null) != 100 ]]; then
            tell "  Next: $self ${name%%_*} ($(title "$folder"))"
            return
        fi
        [[ $folder != "$1" ]] || passed=yes
    done
}

# wrapped: wraps text at the width of the terminal, if there is one. A continued line keeps its indent.
wrapped() {
    [[ -z $language ]] || { cat && return; } # awk counts bytes, not columns
    awk -v width="$columns" '{
        match($0, /^ */)
        indent = RLENGTH; rest = $0
        while (width >= 40 && length(rest) > width) {
            for (at = width; at > indent + 1 && substr(rest, at + 1, 1) != " "; at--) ;
            if (at <= indent + 1) at = width
            print substr(rest, 1, at)
            rest = substr(rest, at + 1)
            sub(/^ +/, "", rest)
            rest = sprintf("%" (indent + 2 < width / 2 ? indent + 2 : 0) "s", "") rest
        }
        print rest
    }'
}

# grade_and_tell FOLDER: grades the exercise and prints the result.
grade_and_tell() {
    local answer status=0 score number=${1##*/}
    number=${number%%_*}
    answer=$given_file
    if [[ -z $answer && -n $from ]]; then
        answer=$from/${1#"$root"/}/task.$(suffix "$1")
    elif [[ -z $answer ]]; then
        provide_answer "$1"
        answer=$(answer_of "$1")
    fi
    grade "$1" "$answer" || status=$?
    score=$(sed -n '1s/.*"score": \([0-9]*\), "max_score".*/\1/p' < <(printf '%s\n' "$result_json"))
    if [[ -z $given_file$from && -n $score ]]; then
        printf '%s\n' "$score" 2>/dev/null >"$state/${1##*/}.score" || true
    fi
    if [[ $json == yes ]]; then
        say "$result_json"
        return "$status"
    fi
    if [[ -s $work/warnings ]]; then
        tell "The compiler warns:"
        say "$(wrapped <"$work/warnings")"
    fi
    if [[ -s $work/noted && $status != 3 ]]; then
        tell "$(wrapped <"$work/noted")"
    fi
    say "$(tell "$(printf '%s\n' "$result_text" | wrapped)" |
        sed -E "s/^  (passed|通过) /  $green\1$plain /; s/^  (FAILED|失败) /  $red\1$plain /")"
    if ((status != 0)) && [[ -z $given_file$from ]]; then
        tell "  Task: $(shown "$(page_of "$1")"). A hint: $self --hint $number"
        [[ -n $page || $backend == cuda || $(suffix "$1") != cu ]] ||
            tell "  To watch the kernel where it goes wrong: $self --explore page.html $number"
    elif [[ -z $given_file$from && ${#chosen[@]} -eq 1 ]]; then
        say_next "$1"
    fi
    return "$status"
}

watch_exercise() {
    local answer last='' now
    provide_answer "$1"
    answer=$(answer_of "$1")
    while true; do
        now=$(stat -c '%Y %s %i' -- "$answer" 2>/dev/null || echo none)
        if [[ $now != "$last" && $now != none ]]; then
            last=$now
            heading "== $(date +%T)"
            grade_and_tell "$1" || true
            tell "Waiting for $(shown "$answer") to change; Ctrl-C ends."
        fi
        sleep 0.5
    done
}

# pack_answers FILE FOLDER...: packs the existing answers into one file.
pack_answers() {
    local to=$1 folder answer files=()
    shift
    [[ $to == *.tar.gz ]] || die_usage "--pack $to: the name has to end in .tar.gz, such as ann.tar.gz"
    for folder; do
        answer=$(answer_of "$folder")
        [[ ! -f $answer ]] || files+=("${answer#"$root"/}")
    done
    ((${#files[@]} > 0)) || die "$exit_file" "no answers yet: $self 04a puts the first file in place"
    tar -C "$root" --owner=0 --group=0 --numeric-owner -czhf - -- "${files[@]}" 2>/dev/null >"$to" ||
        die "$exit_file" "cannot write $to"
    tell "Made $(shown "$to"): ${#files[@]} answers. Name it after yourself."
}

# ---- for teachers --------------------------------------------------------------------------------

make_handout() {
    local to=$1 copy=$work/rungs folder
    case $to in
    *.tar.gz | *.tgz) [[ ! -e $to ]] || die "$exit_file" "$to is already there" ;;
    *) [[ ! -e $to || -z $(ls -A -- "$to") ]] || die "$exit_file" "$to is already there and not empty" ;;
    esac
    mkdir -- "$copy"
    tar -C "$root" --exclude=./.git --exclude=./build --exclude='./0*/exercise/*/solution' \
        --exclude='./0*/exercise/*/wrong' -cf - . | tar -C "$copy" -xf -
    for folder in "$copy"/0[1-8]_*/exercise/*/; do
        rm -f -- "$folder"task.*
        cp -- "$folder"skeleton/task.* "$folder"
    done
    case $to in
    *.tar.gz | *.tgz) tar -C "$work" -czf "$to" rungs 2>/dev/null || die "$exit_file" "cannot write $to" ;;
    *)
        { mkdir -p -- "$to" && cp -r -- "$copy/." "$to"; } 2>/dev/null ||
            die "$exit_file" "cannot write $to"
        ;;
    esac
    say "Made $(shown "$to"): ${#folders[@]} exercises, no solutions."
}

# merge_results FILE...: prints one CSV row per student and exercise.
merge_results() {
    local result
    for result; do
        [[ -r $result ]] || die "$exit_file" "$result: cannot read it"
        grep -q '"exercise": "' -- "$result" || die "$exit_file" "$result: not what --json writes"
    done
    awk '
        function text(key,  s) {
            if (!match($0, "\"" key "\": \"([^\"\\\\]|\\\\.)*\"")) return ""
            s = substr($0, RSTART, RLENGTH)
            sub("^\"" key "\": \"", "", s); sub("\"$", "", s)
            return s
        }
        function number(key,  s) {
            if (!match($0, "\"" key "\": [0-9]+")) return "" # null: not graded
            s = substr($0, RSTART, RLENGTH); sub(/^.*: /, "", s)
            return s
        }
        function quoted(s) { gsub(/\\"/, "\"", s); gsub(/"/, "\"\"", s); return s ~ /[",]/ ? "\"" s "\"" : s }
        function flush() {
            if (exercise != "") print quoted(student) "," exercise "," score "," most "," quoted(failed)
            exercise = ""
        }
        BEGIN { print "student,exercise,score,max_score,failed_tests" }
        FNR == 1 { flush(); student = FILENAME; sub(/.*\//, "", student); sub(/\.json$/, "", student) }
        /"exercise": "/ { flush(); exercise = text("exercise"); score = number("score")
                          most = number("max_score"); failed = ""; next }
        /"status": "(fail|error)"/ { failed = failed (failed == "" ? "" : "; ") text("name") }
        END { flush() }' "$@"
}

# ---- arguments -----------------------------------------------------------------------------------

action=grade json=no page='' student='' backend=simt seconds=10 from='' given_file='' names=()
compiler=${CXX:-}
destination='' class='' report=$root/build/exercise/class
while (($# > 0)); do
    case $1 in
    --explore | --student | --backend | --seconds | --from | --file | --pack | --handout | --compiler | --class | --report)
        (($# > 1)) || die_usage "$1 needs a value" ;;&
    --hint | --reset | --watch | --merge) action=${1#--} ;;
    --json) json=yes ;;
    --explore) page=$2 && shift ;;
    --student) student=$2 && shift ;;
    --backend) backend=$2 && shift ;;
    --seconds) seconds=$2 && shift ;;
    --from) from=$2 && shift ;;
    --file) given_file=$2 && shift ;;
    --compiler) compiler=$2 && shift ;;
    --class) action=class class=$2 && shift ;;
    --report) report=$2 && shift ;;
    --handout | --pack) action=${1#--} destination=$2 && shift ;;
    --no-install) install=no ;;
    --help | -h)
        say "$(usage)"
        exit 0
        ;;
    --outside) outside "$2" && exit 0 ;; # for the tests
    -*) die_usage "$1: no such option" ;;
    *) names+=("$1") ;;
    esac
    shift
done
[[ $backend == simt || $backend == cuda ]] || die_usage "--backend $backend: expected simt or cuda"
[[ $seconds =~ ^[1-9][0-9]{0,3}$ ]] || die_usage "--seconds $seconds: expected a whole number from 1 to 9999"
[[ -z $given_file || -r $given_file ]] || die "$exit_file" "--file $given_file: cannot read it"
[[ -z $class || -d $class ]] || die "$exit_file" "--class $class: no such folder"
[[ -z $from || -d $from ]] || die "$exit_file" "--from $from: no such folder"
((${#folders[@]} > 0)) || die "$exit_file" "no exercises in $root"
trap 'printf "\n" >&2; exit 130' INT
trap 'exit 143' TERM HUP PIPE

if [[ $action == merge ]]; then
    ((${#names[@]} > 0)) || die_usage "--merge needs files"
    merged=$(merge_results "${names[@]}")
    say "$merged"
    exit
fi

# This folder keeps the last scores and hints. The script works without it if it is not writable.
state=$root/build/exercise
mkdir -p -- "$state" 2>/dev/null || true
if ((${#names[@]} == 0)) && [[ $action == grade ]]; then
    list_exercises
    exit
fi

# This folder keeps the compiled parts of graders.
cache=${SIMTCC_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/rungs}
work=$(mktemp -d "${TMPDIR:-/tmp}/rungs-exercise.XXXXXX" 2>/dev/null) ||
    die "$exit_file" "${TMPDIR:-/tmp}: no folder for temporary files can be made there"
trap 'rm -rf -- "$work"' EXIT
chmod 755 -- "$work" # if root grades, answers run as the user nobody
if [[ $action == handout ]]; then
    make_handout "$destination"
    exit
fi

chosen=()
for name in ${names[@]+"${names[@]}"}; do
    if [[ $name == all ]]; then
        chosen+=("${folders[@]}")
    else
        find_exercise "$name"
        chosen+=("$found")
    fi
done
if [[ $action == pack ]]; then
    ((${#chosen[@]} > 0)) || chosen=("${folders[@]}")
    pack_answers "$destination" "${chosen[@]}"
    exit
fi
if [[ ! $action =~ ^(grade|class)$ || -n $given_file$page ]] && ((${#chosen[@]} != 1)); then
    what=$action
    [[ $action != grade ]] || what=${page:+explore}
    die_usage "--${what:-file} needs one exercise, such as 05a"
fi
if [[ -n $page ]]; then
    [[ $action == grade && $json == no ]] || die_usage "--explore goes with grading one exercise, without --json"
    [[ $backend == simt ]] || die_usage "--explore is for --backend simt, the CPU, which sees what threads do"
    [[ $(suffix "${chosen[0]}") == cu ]] || die_usage "--explore: ${chosen[0]##*/} has no kernel"
    if [[ -e $page ]]; then
        : 2>/dev/null >>"$page" || die "$exit_file" "cannot write $page"
    else # there may be none in the end
        { : 2>/dev/null >"$page"; } && rm -f -- "$page" || die "$exit_file" "cannot write $page"
    fi
fi
case $action in
hint) show_hint "${chosen[0]}" && exit ;;
reset) reset_exercise "${chosen[0]}" && exit ;;
esac

missing=() why=()
have_c || { missing+=(gcc) why+=('compiles the C sources'); }
have_cxx || { missing+=(g++) why+=('compiles the kernels (.cu) for the CPU'); }
if ((${#missing[@]} > 0)); then
    install_packages >&2
fi
if [[ $backend == cuda ]]; then
    nvcc_works || die "$exit_machine" "--backend cuda: nvcc was found neither on PATH nor in /usr/local/cuda/bin"
    gpu_works || die "$exit_machine" "--backend cuda: no GPU answers"
    architecture=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | sed -n '1s/\.//p')
fi
[[ -n $compiler ]] || compiler=$(cxx_compiler)
have "$compiler" || die "$exit_machine" "--compiler $compiler: not found"
c_compiler=$(c_compiler)
[[ $compiler != *clang* ]] || c_compiler=$(first_of clang "$c_compiler")

has_runtime=no
if [[ $action == class ]]; then
    ((${#chosen[@]} > 0)) || chosen=("${folders[@]}")
    for folder in "${chosen[@]}"; do
        [[ $backend == cuda || $(suffix "$folder") != cu ]] || prepare_runtime || die "$exit_machine" "$trouble"
    done
    rm -rf -- "$work" # exec runs no trap
    exec "$root/common/exercise/class.sh" "$class" "$report" "$student" --seconds "$seconds" --backend "$backend" \
        --compiler "$compiler" -- "${chosen[@]}"
fi
if [[ $action == watch ]]; then
    watch_exercise "${chosen[0]}"
fi
status=0
[[ $json == no ]] || ((${#chosen[@]} == 1)) || say '['
for i in "${!chosen[@]}"; do
    [[ $json == no ]] || ((i == 0)) || say ','
    grade_and_tell "${chosen[i]}" || { now=$? && status=$((now > status ? now : status)); }
done
[[ $json == no ]] || ((${#chosen[@]} == 1)) || say ']'
exit "$status"
# SPDX-License-Identifier: MIT
