#!/usr/bin/env python3
"""The licence of each source, as its last line: licences.py --add | --check

The last line, because tests and pages name sources by line, and the first says what a file is for.
REUSE.toml says the same of all files: programs that pages show, answers to exercises, sources of tests
and of CUDA's headers, pages of the explorer, and plot_results.py, by whose text docs.py knows its
pictures, have no line of their own.
Exit status: 0 all is well, 1 a source has no such line (--check), 2 bad usage."""
import os
import re
import sys

import tracked

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
LICENCE = "SPDX-License" "-Identifier: MIT"  # in two parts, so that this is no licence itself
WITHOUT = re.compile(r"docs/|common/scripts/draw/plot_results\.py$|\d\d_[^/]*/exercise/|common/simt/(cuda|tests|explore/page)/")
COMMENTS = ((re.compile(r"\.(c|h|cu|cuh|S|js|css)$"), "/* %s */"),
            (re.compile(r"\.(py|sh|cmake|awk|yml)$|(^|/)CMakeLists\.txt$|^\.ci/run$|/simtcc$"), "# %s"))


def lines():
    """Yields (path, the last line that it should have)."""
    for path in tracked.files(ROOT):
        for pattern, comment in COMMENTS:
            if pattern.search(path) and not WITHOUT.match(path):
                yield path, comment % LICENCE + "\n"


def main(words):
    if words not in (["--add"], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    count = without = 0
    for path, line in lines():
        count += 1
        with open(os.path.join(ROOT, path), "r+", encoding="utf-8") as file:
            text = file.read()
            if text.endswith("\n" + line):
                continue
            without += 1
            if words == ["--add"]:
                file.write(line if text.endswith("\n") else "\n" + line)
            else:
                print("%s: expected as its last line: %s" % (path, line.rstrip("\n")))
    if words == ["--check"] and without:
        print("licences.py: %d of %d sources have no licence: common/scripts/check/licences.py --add" % (without, count))
        return 1
    print("licences.py: %d sources%s" % (count, ", %d lines added" % without if words == ["--add"] else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
# SPDX-License-Identifier: MIT
