#!/usr/bin/env bash
# Builds the container of .devcontainer and works in it as docs/room.md says: test_room.sh
#
# buildah builds it from the unchanged Dockerfile, for this machine's processor. It uses no registry,
# because this script makes the base image from Debian packages. Then the container's user runs, in a copy of
# this tree: the commands of devcontainer.json, run.sh and test.sh. These must not install anything.
#
# Exit status: 0 success, 1 failure. If it cannot run here, prints why it is skipped.
set -euo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../.." && pwd -P)

skip() {
    echo "skipped: $1"
    exit 0
}

((EUID == 0)) || skip 'a file system of its own needs root'
for program in buildah mmdebstrap git python3; do
    command -v "$program" >/dev/null || skip "$program is not installed"
done

git -C "$root" rev-parse --git-dir >/dev/null 2>&1 || skip 'this folder is no clone'

# field FILE NAME: prints a value of a JSON file.
field() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$1" "$2"; }

work=$(mktemp -d "${TMPDIR:-/tmp}/test_room.XXXXXX")
buildah() { command buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$@"; }
clean() {
    buildah rm --all >/dev/null 2>&1 || true
    rm -rf -- "$work"
}
trap clean EXIT
export BUILDAH_ISOLATION=chroot

echo "== the image it begins with"
base=$(sed -n 's/^ARG BASE=//p' "$root/.devcontainer/Dockerfile")
case $base in
debian:12) suite=bookworm ;;
debian:13) suite=trixie ;;
*) echo "WRONG: this test cannot make the image $base" && exit 1 ;;
esac
mmdebstrap --quiet --variant=minbase "$suite" "$work/base.tar"
container=$(buildah from scratch)
buildah add --quiet "$container" "$work/base.tar" / >/dev/null
buildah commit --quiet "$container" "docker.io/library/$base" >/dev/null
buildah rm "$container" >/dev/null
rm "$work/base.tar"

echo "== the Dockerfile"
buildah bud --pull-never --tag rungs "$root/.devcontainer" >"$work/log" 2>&1 || {
    tail -n 40 "$work/log"
    echo "WRONG: the Dockerfile does not build"
    exit 1
}
grep '^without ' "$work/log" || true

echo "== in the container"
user=$(field "$root/.devcontainer/devcontainer.json" remoteUser)
prepare=$(field "$root/.devcontainer/devcontainer.json" postCreateCommand)
mkdir "$work/tree"
(cd "$root" && git ls-files -z | tar -c --null -T -) | tar -x -C "$work/tree"
chown -R 1000:1000 "$work/tree"
container=$(buildah from --pull-never localhost/rungs)
# inside COMMAND: runs it as the image's user and in the image's working folder.
inside() { buildah run -v "$work/tree:/rungs" "$container" -- bash -c "$1"; }
[[ $(inside 'id -un; pwd') == "$user"$'\n'/rungs ]] || {
    echo "WRONG: not $user in /rungs, but $(inside 'id -un; pwd')"
    exit 1
}
[[ $(inside 'sudo -n id -un') == root ]] || { echo "WRONG: $user may not install" && exit 1; }
inside 'touch of_mine'
[[ $(stat -c %u "$work/tree/of_mine") == 1000 ]] || { echo "WRONG: a file made in there is another's" && exit 1; }
inside "$prepare && ./run.sh --no-install && ./test.sh --no-install"
# SPDX-License-Identifier: MIT
