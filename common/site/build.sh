#!/usr/bin/env bash
# Builds the site. Called by ./run.sh --site. See --help.
set -euo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../.." && pwd -P)
install=yes site=site
# shellcheck source=common/scripts/setup/setup.sh
. "$root/common/scripts/setup/setup.sh"
self=site

usage() {
    cat <<'EOF2'
Usage: common/site/build.sh [--no-install] [--test]
Builds the pages as a site in build/site, with MkDocs from PyPI in build/site-venv.

  --no-install   install nothing: say what is missing and stop
  --test         in build/site-test, without the explorer's pages

The programs of the preset simt that make the explorer's pages are built first, unless their pages
of an earlier build are still right.

RUNGS_SOURCE=URL in the environment is where the links to the repository's files lead, such as
https://github.com/NAME/rungs; by default the remote "origin", or the files of this folder.
Exit status: 0 done, 1 a page or a link is wrong, 2 bad usage, 3 something missing, 4 cannot write.
EOF2
}

while (($# > 0)); do
    case $1 in
    --no-install) install=no ;;
    --test) site="site-test" ;;
    --help | -h) say "$(usage)" && exit ;;
    *) die_usage "$1: no such option" ;;
    esac
    shift
done

# Prints the address of the remote, if a browser can open it.
source_of() {
    git -C "$root" remote get-url origin 2>/dev/null |
        sed -nE 's|^git@([^:/]+):|https://\1/|; s|\.git$||; /^https?:\/\//p' || true
}

venv=$root/build/site-venv
prepare_venv() {
    local wanted
    wanted=$(cksum <"$root/common/site/requirements.txt")
    [[ ! -e $venv/ready || $(<"$venv/ready") != "$wanted" ]] || return 0
    [[ $install == yes ]] || die "$exit_machine" "--no-install was given, and MkDocs is not in $(shown "$venv")"
    python3 -c 'import ensurepip, venv' 2>/dev/null ||
        die "$exit_machine" "the site needs python3 with venv and pip (Debian: python3-venv)"
    mkdir -p -- "$root/build" || die "$exit_file" "cannot write $root/build"
    say "Installing MkDocs in $(shown "$venv") (from PyPI) ..."
    if ! { python3 -m venv "$venv" && "$venv/bin/pip" install --disable-pip-version-check --retries 2 \
        --require-hashes -r "$root/common/site/requirements.txt"; } >"$root/build/site-venv.log" 2>&1; then
        die "$exit_machine" "MkDocs could not be installed (no network?): $(shown "$root/build/site-venv.log")"
    fi
    printf '%s\n' "$wanted" >"$venv/ready"
}

# build_pages CONFIG FOLDER: builds the pages of one language.
build_pages() {
    local log=$root/build/$site.log
    # jieba caches its dictionary in the folder for temporary files, so this sets that folder to our own.
    if ! (cd "$root/common/site" && NO_MKDOCS_2_WARNING=1 PYTHONDONTWRITEBYTECODE=1 TMPDIR=$venv \
        "$venv/bin/mkdocs" build -q --strict -f "$1" -d "$2") >"$log" 2>&1; then
        grep -vE 'jieba|^(Building prefix|Loading model|Prefix dict)' "$log" >&2 || true
        die 1 "$1: the site was not built"
    fi
}

start=$SECONDS
prepare_venv
export RUNGS_SOURCE=${RUNGS_SOURCE-$(source_of)}
stage=$root/build/$site-source
export RUNGS_STAGE_EN=$stage/en RUNGS_STAGE_ZH=$stage/zh
export RUNGS_SITE_URL_ZH=${RUNGS_SITE_URL:+${RUNGS_SITE_URL%/}/zh/}
built=$root/build/$site gallery=$root/build/gallery
if [[ $site == site ]]; then
    "$root/common/scripts/draw/gallery.sh" --build "$root/build/simt/bin" "$gallery" >/dev/null || exit 3
    "$venv/bin/python" -B "$root/common/site/stage.py" "$stage" --pictures "$gallery"
else
    "$venv/bin/python" -B "$root/common/site/stage.py" "$stage"
fi
build_pages mkdocs.yml "$built"
build_pages mkdocs.zh.yml "$built/zh"
pdf=()
[[ $site == site ]] || pdf=(--no-pdf)
"$venv/bin/python" -B "$root/common/site/slides.py" ${pdf[@]+"${pdf[@]}"} "$built/slides"
mkdir -p -- "$built/gallery"
if [[ $site == site ]]; then
    cp -R -- "$gallery/." "$built/gallery"
    printf '<!DOCTYPE html><title>Gallery</title><meta http-equiv="refresh" content="0; url=../gallery.html">\n' \
        >"$built/gallery/index.html"
else
    "$root/common/scripts/draw/gallery.sh" --bench "" "$built/gallery"
    printf '<!DOCTYPE html><title>left out</title>\n' >"$built/gallery/index.html"
    "$root/common/scripts/draw/gallery.sh" --list | while IFS='|' read -r page _; do
        printf '<!DOCTYPE html><title>left out</title>\n' >"$built/gallery/$page.html"
    done
fi
"$venv/bin/python" -B "$root/common/site/links.py" "$built" || exit 1
say "Built in $((SECONDS - start)) s. To read it, open $(shown "$built/index.html") in a browser, or:"
say "python3 -m http.server --bind 127.0.0.1 --directory $(shown "$built") 8000   # http://127.0.0.1:8000"
# SPDX-License-Identifier: MIT
