"""Tests that the pages show the current output of commands: test_outputs.py BIN_DIR

    <!-- output: COMMAND -->         COMMAND runs in a folder with the repository's files, in which
    ```text                          build/simt/bin is BIN_DIR. The lines are its output, in this
    ```                              order. A line "..." stands for any number of lines. At the end of
    <!-- end output -->              a line, "..." stands for the rest of the line

A page of an edition shows the output in its language. Repeated spaces do not count. If a line has a time or a speed,
its numbers and rungs do not count. Programs of the steps measure once, for 100 columns. The test shows lines that
differ; paste the right lines into the page."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

from test_commands import ROOT, docs, write_program

MEASURED = re.compile(r"\d (ns|us|ms|s|GB/s|pass)\b|\d[x%](?!\w)")
RUNGS = re.compile(r"\b(%s)\b" % "|".join(
    name for source in sorted(glob.glob(os.path.join(ROOT, "0[12]_*", "*ladder.c")))
    for name in re.findall(r'\.name = "(\w+)", *\n? *\.idea', docs.read(source))))
PRELUDE = 'cmake() { [[ $1 != --version ]] || command cmake --version; }\nexport -f cmake\nset -eu\n'
ONCE = """#!/bin/sh
COLUMNS=${COLUMNS:-100} exec %s "$@" --warmup 0 --reps 1
"""


def make_tree(folder, bin_dir):
    """Copies the repository's tree for scripts that need files next to them. Their outputs go elsewhere."""
    for name in os.listdir(ROOT):
        if not name.startswith((".", "build")) and name not in ("run.sh", "test.sh", "common"):
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
    os.makedirs(os.path.join(folder, "common"))
    for name in os.listdir(os.path.join(ROOT, "common")):
        if name != "scripts":
            os.symlink(os.path.join(ROOT, "common", name), os.path.join(folder, "common", name))
    shutil.copytree(os.path.join(ROOT, "common", "scripts"), os.path.join(folder, "common", "scripts"))
    for name in ("run.sh", "test.sh"):
        shutil.copy(os.path.join(ROOT, name), folder)
    here = os.path.join(folder, "build", "simt", "bin")
    os.makedirs(here)
    for name in os.listdir(bin_dir):
        if re.match(r"\d\d_", name):
            write_program(os.path.join(here, name), ONCE % os.path.join(bin_dir, name))
        else:
            os.symlink(os.path.join(bin_dir, name), os.path.join(here, name))


def plain(line):
    line = " ".join(line.split())
    if MEASURED.search(line) and "in every row" not in line:
        line = re.sub(r"\d[\d.,]*( (ns|us|ms|s)\b)?", "#", RUNGS.sub("rung", line))
        line = re.sub(r", # (racy|skip)", "", line)  # a race may be won; a library may be missing
    return line


def is_like(shown, printed):
    shown, printed = plain(shown), plain(printed)
    return printed.startswith(shown[:-3].rstrip()) if shown.endswith("...") else printed == shown


def missing(shown, printed):
    """The first line that is missing, or None."""
    place, anywhere = 0, False
    for line in shown:
        if line.strip() == "...":
            anywhere = True
            continue
        while anywhere and place < len(printed) and not is_like(line, printed[place]):
            place += 1
        if place == len(printed) or not is_like(line, printed[place]):
            return line
        place, anywhere = place + 1, False
    return None


def main(bin_dir):
    count = failed = 0
    for page in docs.find_pages(ROOT):
        text = docs.read(os.path.join(ROOT, page))
        for match in docs.OUTPUT.finditer(text):
            with tempfile.TemporaryDirectory() as folder:
                make_tree(folder, bin_dir)
                language = dict(os.environ, LC_ALL="", LC_MESSAGES="", LANG=(docs.edition_of(page) or "docs/C")[len("docs/"):])
                result = subprocess.run(["bash", "-c", PRELUDE + match["command"]], cwd=folder, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True,
                                        check=False, timeout=300, env=language)
                printed = result.stdout.replace(os.path.realpath(folder) + "/", "").replace(ROOT + "/", "").split("\n")
            count += 1
            line = missing(match["text"].splitlines(), printed)
            if line is not None:
                failed += 1
                print("%s:%d: `%s` does not print:\n%s\nbut:\n%s" % (
                    page, docs.line_of(text, match.start()), match["command"], line, "\n".join(printed)))
    print("%d outputs compared, %d differ" % (count, failed))
    return 1 if failed or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
# SPDX-License-Identifier: MIT
