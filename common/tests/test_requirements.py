#!/usr/bin/env python3
"""Tests that README.md names the versions that the build requires, and the systems that were tried:
test_requirements.py

In each edition of the page, the oldest cmake, compilers and CUDA are those of CMakeLists.txt, simt.cmake and
toolkit.cmake. The workflow compiles with the oldest CUDA. The systems on which both commands were run have
such a row, without a failure, in docs/results/portability.csv. Together with the systems that, as the page
says, the workflow adds, they are the workflow's systems. The version is the same in CMake, in the programs,
in CITATION.cff and at the top of CHANGELOG.md. The site's packages have hashes.

Exit status: 0 success, 1 failure. Needs nothing but Python 3.7."""
import csv
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
wrong = []


def check(right, what):
    if not right:
        wrong.append(what)
        print("WRONG: " + what)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def only(pattern, path):
    """The text that the pattern's group matches. The pattern must match exactly once in the file."""
    found = re.findall(pattern, read(path), re.M)
    check(len(found) == 1, "%s: %d matches of %s" % (path, len(found), pattern))
    return found[0] if found else "?"


def systems(text):
    return set(re.findall(r"(?:Debian|Ubuntu) (?:\d[\d.]*\d|[a-z]+)", text))


cmake = only(r"^cmake_minimum_required\(VERSION ([\d.]+)\)", "CMakeLists.txt")
compiler = only(r"^set\(SIMT_OLDEST_COMPILER\n  (\d+)\)", "common/simt/simt.cmake")
cuda = only(r"^set\(RUNGS_OLDEST_CUDA ([\d.]+)\)", "common/toolkit.cmake")
cub = only(r"^set\(RUNGS_OLDEST_CUDA_OF_CUB ([\d.]+)\)", "common/toolkit.cmake")
for page in ("README.md", "docs/zh/README.md"):
    table = read(page)
    for pattern, oldest in ((r"cmake ([\d.]+\d)", cmake), (r"g\+\+ (\d+)", compiler), (r"clang\+\+ (\d+)", compiler),
                            (r"CUDA [^\d|]*(\d+\.\d+)", cuda), (r"`cub`[^\d|]*(\d+\.\d+)", cub)):
        rows = [row for row in table.splitlines() if row.startswith("| ") and re.search(pattern, row)]
        named = {version for row in rows for version in re.findall(pattern, row)}
        check(named == {oldest}, "%s: %s is %s, and the build's is %s"
              % (page, pattern, ", ".join(sorted(named)) or "not there", oldest))

workflow = ".github/workflows/tests.yml"
check(re.search(r"nvidia/cuda:%s\.\d" % re.escape(cuda), read(workflow)),
      "%s: nothing compiled with CUDA %s, the oldest" % (workflow, cuda))
ran = {tuple(row["system"].split("-")) for row in csv.DictReader(read("docs/results/portability.csv").splitlines())
       if row["compiler"] == "commands" and row["failed"] == "0"}
ran = {"%s %s" % (name.capitalize(), version) for name, version in ran}
matrix = {"%s %s" % (name.capitalize(), version) for images in re.findall(r"image: \[(.*)\]", read(workflow))
          for name, version in re.findall(r"'(debian|ubuntu):([^']*)'", images)}
for page in ("README.md", "docs/zh/README.md"):
    sentence = [text for text in read(page).split("\n\n") if "workflows/tests.yml" in text and systems(text)]
    check(len(sentence) == 1, "%s: %d paragraphs of systems and the workflow" % (page, len(sentence)))
    for text in sentence:
        before, after = re.split(r"workflows/tests\.yml", text, maxsplit=1)
        check(systems(before) == ran, "%s: both commands were run on %s, and portability.csv has %s"
              % (page, ", ".join(sorted(systems(before))), ", ".join(sorted(ran))))
        check(systems(text) == matrix, "%s: the systems are %s, and the workflow's %s"
              % (page, ", ".join(sorted(systems(text))), ", ".join(sorted(matrix))))
        check(not systems(before) & systems(after), "%s: a system is named twice" % page)
version = only(r'^#define RUNGS_VERSION "(.*)"', "common/base/version.h")
check(only(r"^project\(rungs VERSION ([\d.]+)", "CMakeLists.txt") == version.replace("-dev", ""),
      "CMakeLists.txt: the version is not %s" % version)
check(only(r"^version: (\S+)", "CITATION.cff") == version, "CITATION.cff: the version is not %s" % version)
check(re.search(r"^## (\S+)", read("CHANGELOG.md"), re.M).group(1) == version,
      "CHANGELOG.md: the first version is not %s" % version)
# All packages of the site are pinned, including their dependencies: pip refuses others.
pinned = re.sub(r"\\\n|#.*", "", read("common/site/requirements.txt")).strip().splitlines()
check(len(pinned) > 7 and all(re.match(r"[\w.-]+==\S+( +--hash=sha256:[0-9a-f]{64})+ *$", line) for line in pinned),
      "common/site/requirements.txt: a package without version or hash")
check(re.search(r"pip\" install [^;]*--require-hashes -r", read("common/site/build.sh"), re.S),
      "common/site/build.sh: pip does not ask for hashes")
if not wrong:
    print("cmake %s, g++ %s, CUDA %s, CUB of %s; %d systems, %d of them tried" % (cmake, compiler, cuda, cub,
                                                                               len(matrix), len(ran)))
sys.exit(1 if wrong else 0)
# SPDX-License-Identifier: MIT
