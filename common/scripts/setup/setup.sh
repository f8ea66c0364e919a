# shellcheck shell=bash
# Functions of run.sh and test.sh: messages, installing missing packages, choosing the back end,
# configuring and building. Source this file with set -euo pipefail. The caller sets root (the
# repository's folder) and install (yes or no).
# shellcheck disable=SC2154 # the caller sets root and install
# shellcheck disable=SC2034 # the caller uses the colours

# The programs' exit codes (common/base/error.h).
readonly exit_usage=2 exit_machine=3 exit_file=4

# ---- messages ------------------------------------------------------------------------------------

bold='' red='' green='' yellow='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]; then
    bold=$'\e[1m' red=$'\e[31m' green=$'\e[32m' yellow=$'\e[33m' plain=$'\e[0m'
fi
self=${0##*/}

# The largest number of characters in a line of a table, or 0 for any number. As in the programs (report/columns.h).
columns=${COLUMNS:-}
if [[ -z $columns && -t 1 ]]; then
    { columns=$(stty size <&3 2>/dev/null) || true; } 3>&1
    columns=${columns#* }
fi
[[ $columns =~ ^[0-9]+$ ]] || columns=0

# put FORMAT ARGUMENT...: prints to standard output. Exits if that fails, for example because the disk is full.
# shellcheck disable=SC2059 # the format is an argument
put() { printf "$@" 2>/dev/null || die "$exit_file" "cannot write standard output"; }
say() { put '%s\n' "$*"; }
heading() { put '\n%s%s%s\n' "$bold" "$*" "$plain"; }
complain() { printf '%s: %s\n' "$self" "$*" >&2; }

# die STATUS LINE...: prints the lines to stderr and exits with that status.
die() {
    local status=$1
    shift
    complain "$1"
    shift
    (($# == 0)) || printf '%s\n' "$@" >&2
    exit "$status"
}

# die_usage LINE: reports bad usage and exits. LINE says what is wrong and what is accepted.
die_usage() { die "$exit_usage" "$1; --help lists the options"; }

# shown PATH: prints the path, relative to the current folder if it is inside that folder.
shown() { printf '%q\n' "${1#"$PWD"/}"; }

# show_end FILE: prints the end of a log, and the log's path. If it is ctest's log and a test failed, prints the
# output of the failed tests instead, because the end has only their names.
show_end() {
    local failed
    failed=$(awk '/^ *([0-9]+\/[0-9]+ Test|Start) +#?[0-9]+:/ { on = / Test .*\*\*\*/ && !/\*\*\*Skipped/ }
        / tests passed, / { on = 0 } on' "$1" | tail -n 25)
    {
        if [[ -n $failed ]]; then
            say "---- the failed tests wrote:"$'\n'"$failed"
        else
            say "---- the end of the log:"
            tail -n 25 -- "$1"
        fi
        say "---- the whole log: $(shown "$1")"
    } >&2
}

stop_on_interrupt() { trap 'printf "\n" >&2; complain "interrupted"; exit 130' INT; }

# ---- what has to be installed --------------------------------------------------------------------

have() { command -v "$1" >/dev/null 2>&1; }

# compiles LANGUAGE HEADER COMPILER: whether the compiler and its headers are installed.
compiles() {
    have "$3" && printf '#include <%s>\n' "$2" | "$3" -fsyntax-only -x "$1" - >/dev/null 2>&1
}

# The compilers that CMake will choose.
c_compiler() { first_of "${CC:-}" cc gcc clang; }
cxx_compiler() { first_of "${CXX:-}" c++ g++ clang++; }

# first_of NAME...: prints the first of these programs that is installed. Skips empty names.
first_of() {
    local name
    for name; do
        if [[ -n $name ]] && have "$name"; then
            printf '%s\n' "$name"
            return
        fi
    done
    printf 'none\n'
}

have_c() { compiles c stdio.h "$(c_compiler)"; }
have_cxx() { compiles c++ vector "$(cxx_compiler)"; }
have_make() { have make || { [[ ${CMAKE_GENERATOR:-} == Ninja* ]] && have ninja; }; }
have_cmocka() {
    # cmocka.h requires these before it.
    printf '#include <%s>\n' stdarg.h stddef.h stdint.h setjmp.h cmocka.h |
        "$(c_compiler)" -fsyntax-only -x c - >/dev/null 2>&1
}

# require_packages build|tests: finds the missing packages and installs them, or exits with a message that
# says what to do.
require_packages() {
    local missing=() why=()

    have_c || { missing+=(gcc) why+=('compiles the C sources'); }
    have_cxx || { missing+=(g++) why+=('compiles the kernels (.cu) for the CPU'); }
    have_make || { missing+=(make) why+=('runs the build'); }
    have cmake || { missing+=(cmake) why+=('configures the build'); }
    if [[ $1 == tests ]]; then
        have_cmocka || { missing+=(libcmocka-dev) why+=('the library that the tests are written with'); }
    fi
    if ((${#missing[@]} > 0)); then
        install_packages
    fi
    require_cmake_version
}

# Installs the packages in the array missing; the array why has the reasons (require_packages).
install_packages() {
    local i list=() as_root=() command="apt-get install ${missing[*]}"

    for i in "${!missing[@]}"; do
        list+=("$(printf '  %-14s %s' "${missing[i]}" "${why[i]}")")
    done
    if ! have apt-get; then
        die "$exit_machine" "needed here, and not found (the names are Debian's):" "${list[@]}" \
            "There is no apt-get on this machine: please install them with what it has."
    fi
    if [[ $install == no ]]; then
        die "$exit_machine" "not found, and --no-install was given:" "${list[@]}" \
            "To install: $command"
    fi
    if ((EUID != 0)); then
        if ! have sudo; then
            die "$exit_machine" "not found, and only root can install it:" "${list[@]}" \
                "Ask the administrator of this machine to run: $command"
        fi
        # Without a terminal, sudo cannot ask for a password.
        if ! sudo -n true 2>/dev/null && [[ ! -t 0 ]]; then
            die "$exit_machine" "not found, and sudo asks for a password:" "${list[@]}" \
                "Please run: sudo $command"
        fi
        as_root=(sudo)
        command="sudo $command"
    fi

    say "Installing what is missing here ($command):"
    put '%s\n' "${list[@]}"
    local log
    log=$(mktemp "${TMPDIR:-/tmp}/rungs-apt.XXXXXX")
    as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120)
    # A fresh machine has no package lists, or outdated lists that name files which no longer exist.
    if ! apt-get -q install --simulate --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
        apt_update
        apt_install || apt_failed
    elif ! apt_install; then
        apt_update
        apt_install || apt_failed
    fi
    rm -f -- "$log"
}

apt_update() {
    say "Reading the package lists (apt-get update) ..."
    "${as_root[@]}" update >>"$log" 2>&1 </dev/null || true # if this failure matters, the install fails also
}

apt_install() {
    "${as_root[@]}" install --yes --no-install-recommends "${missing[@]}" >>"$log" 2>&1 </dev/null
}

apt_failed() {
    complain "apt-get could not install: ${missing[*]}"
    show_end "$log"
    exit "$exit_machine"
}

require_cmake_version() {
    local wanted found lower
    wanted=$(sed -n 's/^cmake_minimum_required(VERSION \([0-9.]*\)).*/\1/p' "$root/CMakeLists.txt")
    found=$(cmake --version | sed -n '1s/.*version \([0-9.]*\).*/\1/p')
    lower=$(printf '%s\n%s\n' "$wanted" "$found" | sort -V | head -n 1)
    if [[ $lower != "$wanted" ]]; then
        die "$exit_machine" "cmake $found is too old: $wanted or later is needed" \
            "($(command -v cmake); Debian 12 and Ubuntu 22.04 have a later one)"
    fi
}

# ---- back end ------------------------------------------------------------------------------------

# Whether there is a usable GPU; sets the variable gpu to its name.
gpu_works() {
    local listing
    have nvidia-smi || return 1
    listing=$(timeout 60 nvidia-smi -L 2>/dev/null) || return 1
    gpu=$(sed -n '/^GPU [0-9]/{s/^GPU [0-9]*: *//;s/ *(UUID.*//;p;q;}' <<<"$listing")
    [[ -n $gpu ]]
}

# Whether nvcc works. If nvcc is only in the toolkit's usual folder, adds that folder to PATH.
nvcc_works() {
    local folder
    for folder in '' "${CUDA_HOME:+$CUDA_HOME/bin}" /usr/local/cuda/bin; do
        if [[ -n $folder && -x $folder/nvcc ]]; then
            PATH=$PATH:$folder
        fi
        if have nvcc; then
            nvcc --version >/dev/null 2>&1
            return
        fi
    done
    return 1
}

# ---- building ------------------------------------------------------------------------------------

# The number of parallel jobs: one per processor that this process may use.
jobs=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)

# lock_build PRESET: waits until no other run.sh or test.sh builds this preset, and locks it. unlock_build or the
# end of this script releases the lock.
lock_build() {
    have flock || return 0
    mkdir -p -- "$root/build" 2>/dev/null || return 0
    { exec {build_lock}>"$root/build/$1.lock"; } 2>/dev/null || return 0
    if ! flock --nonblock "$build_lock"; then
        say "Another run.sh or test.sh builds in $(shown "$root/build/$1"): waiting for it ..."
        flock "$build_lock"
    fi
}

unlock_build() {
    if [[ -n ${build_lock:-} ]]; then
        exec {build_lock}>&-
        build_lock=
    fi
}

# prepare_folder PRESET: makes sure that build/PRESET is writable and was configured for this
# repository.
prepare_folder() {
    local folder=$root/build/$1 home
    mkdir -p -- "$folder" 2>/dev/null || true
    if [[ ! -d $folder || ! -w $folder || (-e $folder/CMakeCache.txt && ! -w $folder/CMakeCache.txt) ]]; then
        die "$exit_file" "cannot write $folder (is it another user's, or the disk read-only?)"
    fi
    if [[ -e $folder/CMakeCache.txt ]]; then
        home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$folder/CMakeCache.txt")
        if [[ ! $home -ef $root ]]; then
            say "build/$1 was configured for $home: starting it anew."
            rm -rf -- "$folder"
            mkdir -p -- "$folder"
        fi
    fi
}

# refusal PRESET: prints in one line what this repository's CMake files miss on this machine. Prints nothing if
# configuring failed for another reason.
refusal() {
    awk '/^CMake Error at [^\/ ][^ ]* \(message\):$/ { inside = 1; next }
        inside && /^  / { sub(/^ +/, ""); text = text (text == "" ? "" : " ") $0; next }
        text != "" { exit }
        END { if (text != "") print text }' "$root/build/$1/configure.log"
}

# configure PRESET OPTION...: runs cmake quietly. If it fails, prints what the machine lacks and returns
# exit_machine, or prints the end of the log and returns 1. The build stays locked until build() has ended.
configure() {
    local preset=$1 log=$root/build/$1/configure.log
    shift
    lock_build "$preset"
    prepare_folder "$preset"
    # Without this option, CMake would start another process per file, only to log a line.
    if ! (cd "$root" && cmake --preset "$preset" -DCMAKE_RULE_MESSAGES=OFF "$@") >"$log" 2>&1 </dev/null; then
        if [[ -n $(refusal "$preset") ]]; then
            complain "$(refusal "$preset")"
            unlock_build
            return "$exit_machine"
        fi
        complain "configuring with preset $preset failed"
        show_end "$log"
        unlock_build
        return 1
    fi
}

# build PRESET TARGET...: builds these targets, or all if none is given. Handles failures like configure.
build() {
    local preset=$1 log=$root/build/$1/build.log status=0
    shift
    (cd "$root" && cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"}) \
        >"$log" 2>&1 </dev/null || status=$?
    unlock_build
    if ((status != 0)); then
        complain "building with preset $preset failed"
        # With several jobs, the first error may be far from the end.
        head -n -25 -- "$log" | grep -m 3 -E '(error: |undefined reference)' >&2 || true
        show_end "$log"
        return 1
    fi
}
# SPDX-License-Identifier: MIT
