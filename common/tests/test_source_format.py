"""C and CUDA sources are formatted as .clang-format says, in lines of at most 100 columns: test_source_format.py

Versions of clang-format differ in what they make of the same settings, so only the one that the
sources were formatted with is asked; lines are measured everywhere."""
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "common", "scripts"))
import tracked  # noqa: E402

COLUMNS = 100
VERSION = "14"


def sources():
    for name in tracked.files(ROOT):
        if name.endswith((".c", ".h", ".cu", ".cuh")):
            yield os.path.join(ROOT, name)


def find_formatter():
    for name in ("clang-format-" + VERSION, "clang-format"):
        path = shutil.which(name)
        if path is None:
            continue
        said = subprocess.run([path, "--version"], stdout=subprocess.PIPE, check=False).stdout.decode()
        if re.search(r"version %s\." % VERSION, said):
            return path
    return None


def main():
    files = list(sources())
    if tracked.note(ROOT):
        print(tracked.note(ROOT))
    bad = 0
    for path in files:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if len(line.rstrip("\n")) > COLUMNS:
                    bad += 1
                    print("%s:%d: %d columns, at most %d" % (os.path.relpath(path, ROOT), number,
                                                             len(line) - 1, COLUMNS))
    formatter = find_formatter()
    if formatter is not None:
        done = subprocess.run([formatter, "--dry-run", "-Werror"] + files, cwd=ROOT, check=False)
        bad += done.returncode != 0
    elif bad == 0:
        print("skipped: clang-format %s is not installed (lines were measured)" % VERSION)
    print("%d sources" % len(files))
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
