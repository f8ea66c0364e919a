"""Tests that C and CUDA sources are formatted as in .clang-format, with lines of at most 100 columns, and that
the first GPU steps use only C: test_source_format.py

Versions of clang-format format differently with the same settings. Only the version that formatted the
sources is used. Line lengths are checked on every machine."""
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "common", "scripts", "check"))
import tracked  # noqa: E402

COLUMNS = 100
VERSION = "14"

# The steps that a reader reads before C++ appears, and the headers that their kernels include.
C_FIRST = re.compile(r"0[3-6]_\w+/|common/kernel/(reduce|blocks)\.cuh$")
CPP = re.compile(r"\b(template|typename|auto|decltype|operator|class|constexpr)\b|\[[=&]?\]\s*\(|\bstd::")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def sources():
    for name in tracked.files(ROOT):
        if name.endswith((".c", ".h", ".cu", ".cuh")):
            yield os.path.join(ROOT, name)


def cpp_words(text):
    """[(line, word)]: the words that only C++ has, outside comments."""
    text = COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    return [(text.count("\n", 0, match.start()) + 1, match.group()) for match in CPP.finditer(text)]


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
    # Check that this test can fail: it finds the words in code, but not in comments.
    assert [word for _, word in cpp_words("/* a template */ auto f = [=](int x) { return x; };")] == ["auto", "[=]("]
    as_c = [path for path in files if C_FIRST.match(os.path.relpath(path, ROOT))]
    for path in as_c:
        with open(path, encoding="utf-8") as file:
            for number, word in cpp_words(file.read()):
                bad += 1
                print("%s:%d: '%s' is C++, and this file reads as C" % (os.path.relpath(path, ROOT), number, word))
    formatter = find_formatter()
    if formatter is not None:
        done = subprocess.run([formatter, "--dry-run", "-Werror"] + files, cwd=ROOT, check=False)
        bad += done.returncode != 0
    elif bad == 0:
        print("skipped: clang-format %s is not installed (lines were measured)" % VERSION)
    print("%d sources" % len(files))
    return 1 if bad or not files or not as_c else 0


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: MIT
