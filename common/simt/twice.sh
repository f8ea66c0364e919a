#!/bin/sh
# Compiles device code twice, with the hooks and without, into one object file. The program chooses one
# translation per launch (cc/simt_twice.c, machine/launch.c). simtcc calls this script.
#
# Usage: twice.sh REWRITER COMMAND...
# COMMAND is COMPILER OPTION... -o OBJECT -c SOURCE and compiles with the hooks. Without the options from
# -DSIMT_HOOKS to -USIMT_HOOKS, the same command compiles without the hooks. It then reads SOURCE.plain if
# that file exists. A COMMAND without these options runs unchanged. If the two translations cannot be
# combined, OBJECT contains only the one with the hooks, which works in both cases. Exit status: the
# compiler's.
set -u
rewriter=$1
shift

compiler='' object='' previous='' has_hooks=no
for word; do
    case $word in -*) break ;; esac
    compiler="$compiler $word"
done
for word; do
    [ "$previous" != -o ] || object=$word
    [ "$word" != -DSIMT_HOOKS ] || has_hooks=yes
    previous=$word
done
[ $has_hooks = yes ] || exec "$@"
trap 'rm -f -- "$object".hooks.* "$object".plain.*' EXIT

# translate hooks|plain COMMAND...: compiles to OBJECT.hooks.s or OBJECT.plain.s.
translate() {
    kind=$1 previous='' is_left_out=no
    shift
    for word; do
        shift
        [ "$kind$word" != plain-DSIMT_HOOKS ] || is_left_out=yes
        new=$word
        case $previous in
        -o) new=$object.$kind.s ;;
        -MF) [ "$kind" = hooks ] || new=$object.plain.d ;;
        -c) [ "$kind" = hooks ] || [ ! -f "$word.plain" ] || new=$word.plain ;;
        esac
        [ "$word" != -c ] || new=-S
        [ $is_left_out = yes ] || set -- "$@" "$new"
        [ "$word" != -USIMT_HOOKS ] || is_left_out=no
        previous=$word
    done
    if [ "$kind" = hooks ]; then "$@"; else "$@" -w 2>/dev/null; fi # same warnings as with the hooks
}

translate plain "$@" &
translate hooks "$@"
status=$?
wait $! && together=0 || together=2
[ $status -eq 0 ] || exit $status
[ "$together" -ne 0 ] || "$rewriter" --twice "$object.hooks.s" "$object.plain.s" || together=$?
# shellcheck disable=SC2086 # $compiler may be several words, such as "ccache g++"
case $together in
0) $compiler -c "$object.hooks.s" -o "$object.hooks.o" && $compiler -c "$object.plain.s" -o "$object.plain.o" &&
    $compiler -r -nostdlib "$object.hooks.o" "$object.plain.o" -o "$object" ;;
2) $compiler -c "$object.hooks.s" -o "$object" ;; # cannot be combined
*) exit 1 ;;
esac
# SPDX-License-Identifier: MIT
