"""Runs every command of all pages, or of the named pages: test_commands.py BIN_DIR [PAGE...]

Runs each ```sh block of the pages unchanged, in a folder in which build/simt/bin is BIN_DIR. Replaces commands that
build, install or test (cmake, ctest, ./run.sh, ./test.sh, test programs). A target to build must exist, and
./run.sh --benchmark measures step 01 only. Leaves out, and names, blocks that need something that is not installed
(numpy, matplotlib, a GPU's tools)."""
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "common", "scripts", "docs"))
import docs  # noqa: E402

PRELUDE = """set -eu
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
cmake() {
    while [ $# -gt 0 ]; do
        if [ "$1" = --target ]; then
            [ -e "build/simt/bin/$2" ] || [ -e "build/simt/tests/$2" ] || { echo "no target $2" >&2; return 1; }
        fi
        shift
    done
}
ctest() { :; }
"""

RUN = """#!/bin/sh
if [ "$1" = --benchmark ]; then
    exec common/scripts/measure/benchmark.sh --quick --step 01 build/simt/bin "$2"
fi
"""

# Runs a step's program with one repetition and a limited number of elements. Skips commands that another block
# has already run, and commands without arguments, which the test STEP.run covers.
ONCE = """#!/bin/bash
shopt -s extglob
arguments="${*//+([0-9])M/%(most)s}"
[[ $# -gt 0 ]] || exit 0
if [[ $arguments != *[./]* && -z ${OMPI_COMM_WORLD_SIZE:-} ]]; then # each rank of mpirun runs
    [[ ! -e %(done)s/"$arguments" ]] || exit 0
    : >%(done)s/"$arguments"
fi
exec %(program)s "${@//+([0-9])M/%(most)s}" --warmup 0 --reps 1
"""

NEEDS = {"numpy": ["-c", "import numpy"], "matplotlib": ["-c", "import matplotlib"]}


def blocks_of(text):
    for match in re.finditer(r"^```sh\n(.*?)^```", text, re.S | re.M):
        yield docs.line_of(text, match.start()), match.group(1)


def needs(block):
    wanted = [name for name in NEEDS if name in block or (name == "matplotlib" and "plot_results" in block)]
    for name in wanted:
        if subprocess.run([sys.executable, *NEEDS[name]], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            return name
    if "mpirun" in block and shutil.which("mpirun") is None:
        return "mpirun"
    if re.search(r"build/cuda|--preset cuda|\bncu\b|\bnvcc\b", block):
        return "a GPU's tools"
    if "build/tsan" in block or "build/05" in block:
        return "another build"
    if "./program" in block:
        return "a program of the reader's own"
    if "submissions/" in block:
        return "a class's submissions (exercise.grader tests that)"
    if "simtcc" in block and "docs/programs/" not in block:
        return "a kernel of the reader's own (simt.simtcc tests that)"
    return None


def write_program(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)


def run(block, done):
    with tempfile.TemporaryDirectory() as folder:
        here = os.path.join(folder, "build", "simt", "bin")
        os.makedirs(here)
        tests = os.path.join(folder, "build", "simt", "tests")
        os.makedirs(tests)
        for name in os.listdir(os.path.join(BIN, "..", "tests")):
            write_program(os.path.join(tests, name), "#!/bin/sh\n")
        for name in os.listdir(BIN):
            if re.match(r"\d\d_", name):
                os.makedirs(os.path.join(done, name), exist_ok=True)
                write_program(os.path.join(here, name), ONCE % {
                    "program": os.path.join(BIN, name), "done": os.path.join(done, name),
                    "most": "1M" if name < "03" else "64K"})
            else:
                os.symlink(os.path.join(BIN, name), os.path.join(here, name))
        for name in os.listdir(ROOT):
            if not name.startswith((".", "build")) and name not in ("run.sh", "test.sh"):
                os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
        for name in ("run.sh", "test.sh"):
            write_program(os.path.join(folder, name), RUN)
        return subprocess.run(["bash", "-c", PRELUDE + block], cwd=folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, check=False,
                              timeout=250)


def main():
    with tempfile.TemporaryDirectory() as done:
        return run_all(done)


def run_all(done):
    failed = left_out = count = 0
    seen = set()
    for page in sys.argv[2:] or docs.find_pages(ROOT):
        for line, block in blocks_of(docs.read(os.path.join(ROOT, page))):
            if block in seen:
                continue
            seen.add(block)
            missing = needs(block)
            if missing:
                print("%s:%d: left out: needs %s" % (page, line, missing))
                left_out += 1
                continue
            start = time.monotonic()
            result = run(block, done)
            count += 1
            print("%s:%d: %.1f s" % (page, line, time.monotonic() - start))
            if result.returncode != 0:
                failed += 1
                print("%s:%d: exit status %d of\n%s%s" % (page, line, result.returncode, block,
                                                          "\n".join(result.stdout.split("\n")[-12:])))
    print("%d blocks of commands run, %d failed, %d left out" % (count, failed, left_out))
    return 1 if failed or count == 0 else 0


if __name__ == "__main__":
    BIN = os.path.abspath(sys.argv[1])
    sys.exit(main())
# SPDX-License-Identifier: MIT
