#!/usr/bin/env python3
"""Limits the files that a reader opens to follow a rung of a main climb: test_following.py [--list] [--files]

Counts the rung's own file, its includes within the step and common/kernel, and the files that define a
launch_ function that one of these files calls. Does not count ladder.c, rungs.h and common/problem.
A file counts as a whole, and with its includes.

--list prints per rung the number of files and lines, and the lines of code that the rung below does not
have: kernels, launches and their includes, without comments and blank lines.
--files also prints the names of the files.

Exit status: 0 every rung is within the limits, 1 a rung is not. Needs nothing but Python 3.7."""
import collections
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import test_layers as layers  # noqa: E402

FILES, LINES = 8, 1100
# Limits for the rungs below the first rung with asynchronous copies: these rungs need fewer files.
EARLY_FILES = {"07_gemm": 3, "08_conv": 5}
FIRST_ASYNC = {
    "07_gemm/cpu": None,
    "07_gemm/float32": "async_copies",
    "07_gemm/float32_tensor_cores": "tensor_3xtf32",
    "07_gemm/bfloat16": "mma_sync",
    "07_gemm/bfloat16_mma": "swizzled",
    "07_gemm/tf32": "wgmma",
    "08_conv/cpu": None,
    "08_conv/direct": "async_tile",
    "08_conv/gemm": "implicit_gemm_async",
    "08_conv/winograd": "winograd_2x2",
    "08_conv/tensor_cores": "tensor_3xtf32",
    "08_conv/grouped": None,
}
LIBRARY = ("any_shape", "several_gpus")  # folders with a ladder.c that are not a climb


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)


def lines_of_code(text):
    return [" ".join(line.split()) for line in without_comments(text).split("\n") if line.strip()]


class Sources:
    def __init__(self):
        files = layers.sources()
        self.text = {path: layers.read(path) for path in files if re.match(r"0[78]_|common/kernel/", path)}
        self.code = {path: without_comments(text) for path, text in self.text.items()}
        self.included = collections.defaultdict(list)
        for path, _, target in layers.includes(files):
            if path in self.text and target is not None:
                self.included[path].append(target)
        self.definer = {}
        for path, code in self.code.items():
            if not re.search(r"/(exercise|tests)/", path):
                start = r'^extern "C" ' if path.endswith(".cu") else "^"
                for name in re.findall(start + r"(?:void|bool) ((?:launch|run)_\w+)\([^;{]*\)\s*\{", code, re.M):
                    self.definer[path.split("/")[0], name] = path

    def counts(self, path):
        return path in self.text and os.path.basename(path) not in ("rungs.h", "ladder.c", "ladders.h")

    def followed(self, start):
        """The files that a reader of this file opens, including the file itself."""
        found, waiting = set(), [start]
        while waiting:
            path = waiting.pop()
            if path in found or not self.counts(path):
                continue
            found.add(path)
            waiting += self.included[path]
            if path.startswith("common/"):
                continue
            for name in re.findall(r"(?<!void )\b(launch_\w+)\(", self.code[path]):
                for step in (path.split("/")[0], "07_gemm"):  # step 08 launches a rung of step 07
                    if (step, name) in self.definer:
                        waiting.append(self.definer[step, name])
                        break
        return found


def main_climbs(sources):
    """{folder: [(rung, its file)]}, without side rungs, libraries and rungs in common."""
    climbs = {}
    for path, text in sources.text.items():
        match = re.match(r"(0[78]_\w+)/(\w+)/ladder\.c$", path)
        if not match or match.group(2) in LIBRARY:
            continue
        table = re.search(r"\brungs\[\] = \{(.*?)\n\};", text, re.S).group(1)
        rungs = []
        for entry in re.split(r"\n    \{\n", table)[1:]:
            name = re.search(r'\.name = "([^"]+)"', entry).group(1)
            run = re.search(r"\.run = (\w+)", entry).group(1)
            if "RUNG_SIDE" not in entry:
                rungs.append((name, sources.definer[match.group(1), run]))
        climbs["/".join(match.groups())] = rungs
    return climbs


def new_lines(sources, files, below):
    """The lines of code in `files` that the files of the rung below do not have."""
    code, known = collections.Counter(), collections.Counter()
    for counter, paths in ((code, files), (known, below)):
        for path in paths:
            counter.update(lines_of_code(sources.text[path]))
    return sum((code - known).values())


def main():
    sources = Sources()
    climbs = main_climbs(sources)
    wrong = ["%s: FIRST_ASYNC does not agree with the ladders there are" % folder
             for folder in sorted(set(climbs) ^ set(FIRST_ASYNC))]
    # Check that this test can fail: a library that plans for every shape exceeds the limits.
    library = sources.followed(sources.definer["07_gemm", "launch_any_shape_bf16"])
    if len(library) <= FILES or sum(sources.text[path].count("\n") for path in library) <= LINES:
        wrong.append("07_gemm/any_shape is not found to be too much")
    for folder, rungs in climbs.items():
        first_async = FIRST_ASYNC.get(folder)
        names = [name for name, _ in rungs]
        if first_async is not None and first_async not in names:
            wrong.append("%s: no rung %s" % (folder, first_async))
            continue
        early = len(names) if first_async is None else names.index(first_async)
        below = set()
        for index, (name, path) in enumerate(rungs):
            files = sources.followed(path)
            lines = sum(sources.text[file].count("\n") for file in files)
            most = EARLY_FILES[folder.split("/")[0]] if index < early else FILES
            if "--list" in sys.argv[1:]:
                print("%-30s %-26s %2d files %5d lines, %4d new lines of code" %
                      (folder, name, len(files), lines, new_lines(sources, files, below)))
            if "--files" in sys.argv[1:]:
                print("".join("    %4d %s\n" % (sources.text[file].count("\n"), file) for file in sorted(files)))
            if len(files) > most or lines > LINES:
                wrong.append("%s: %s takes %d files, %d lines; at most %d and %d" %
                             (path, name, len(files), lines, most, LINES))
            below = files
    print("\n".join(wrong) if wrong else "%d rungs: at most %d files, %d lines" %
          (sum(map(len, climbs.values())), FILES, LINES))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: MIT
