"""Compiles the programs of docs/programs with simtcc, runs them, and compares their output with NAME.txt next to
them, which the pages show: test_programs.py SIMTCC CXX [--update | --cures]

A run is a program without change, or with the one change that its page asks the reader to make. After the first report,
only "..." is kept. Addresses become 0x..., and paths lose the folders of this machine. --cures runs the mistakes
with -DRIGHT instead: then each must be right, without a report."""
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))
FOLDER = os.path.join(ROOT, "docs", "programs")
sys.path.insert(0, os.path.join(ROOT, "common", "scripts", "check"))
import tracked  # noqa: E402

NAMES = [os.path.basename(path)[:-3] for path in tracked.files(ROOT)
         if os.path.dirname(path) == "docs/programs" and path.endswith(".cu")]


class Run:
    """NAME.txt is the output of SOURCE with `old` replaced by `new`, with these options and this environment."""

    def __init__(self, name, status, source=None, change=None, options=(), arguments=(), shown=True, **environment):
        self.name, self.status, self.options, self.environment = name, status, options, environment
        self.source, self.change = source or name, change
        self.arguments, self.shown = arguments, shown

    def output(self, simtcc, compiler):
        """(exit status, output)"""
        with open(os.path.join(FOLDER, self.source + ".cu"), encoding="utf-8") as file:
            text = file.read()
        if self.change:
            old, new = self.change
            if text.count(old) != 1:
                raise SystemExit("test_programs.py: %s.cu does not have '%s' once" % (self.source, old))
            text = text.replace(old, new)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, self.source + ".cu")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            result = subprocess.run(
                [simtcc, "-ccbin", compiler, "-I", FOLDER, *self.options, "--run", path, "--",
                 *self.arguments], cwd=folder,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, check=False,
                env=dict(os.environ, **self.environment), timeout=120)
            return result.returncode, normal(result.stdout, folder)


def normal(text, folder):
    for path in (os.path.realpath(folder), folder, FOLDER, ROOT):
        text = text.replace(path + "/", "")
    text = re.sub(r"\b0x[0-9a-f]{6,}\b", "0x...", text)
    reports = re.split(r"^(?=simt: kernel )", text, flags=re.M)
    return "".join(reports[:2]) + ("...\n" if len(reports) > 2 else "")


# Mistakes: first two early ones, then those of the page on mistakes, which also shows the cure of each.
MISTAKES = {"unset_shared": 1, "slice_past_the_end": 1, "halves_rounded_up": 1, "tree_without_barrier": 1,
            "guard_without_index": 1, "warp_in_step": 1, "float4_of_a_row": 1, "int_index": 1}
RUNS = [
    Run("vector_add", 0),
    Run("vector_add_without_if", 1, "vector_add", ("    if (i < n)\n        c[i]", "    c[i]")),
    Run("vector_add_race", 1, "vector_add", ("c[i] = a[i] + b[i];", "c[i / 2] = a[i] + b[i];")),
    Run("vector_add_large_block", 3, "vector_add", ("#define BLOCK 256", "#define BLOCK 2000")),
    Run("vector_add_counters", 0, "vector_add", SIMT_COUNTERS="table"),
    Run("vector_add_apart", 0, "vector_add", ("blockIdx.x * blockDim.x + threadIdx.x",
                                              "threadIdx.x * gridDim.x + blockIdx.x"), SIMT_COUNTERS="table"),
    Run("lanes", 0),
    Run("launches", 0, shown=False),  # it prints times
    Run("overlap", 0, arguments=("10000",), shown=False),
    Run("mma_ceiling", 0, arguments=("2",), shown=False),
] + [Run(name, status) for name, status in MISTAKES.items()]
CURES = [Run(name, 0, options=("-DRIGHT",)) for name in MISTAKES]


def main(simtcc, compiler, update, cures):
    runs = CURES if cures else RUNS
    named = {run.source for run in RUNS}
    wrong = ["docs/programs/%s.cu has no run in test_programs.py" % name for name in NAMES if name not in named]
    with ThreadPoolExecutor(2) as pool:
        outputs = list(pool.map(lambda run: run.output(simtcc, compiler), runs))
    for run, (status, output) in zip(runs, outputs):
        if status != run.status:
            wrong.append("%s%s: exit status %d, not %d:\n%s" % (
                run.name, " -DRIGHT" if cures else "", status, run.status, output))
        elif cures:
            if "simt: kernel" in output:
                wrong.append("%s -DRIGHT is not right:\n%s" % (run.name, output))
        elif run.shown:
            path = os.path.join(FOLDER, run.name + ".txt")
            before = None
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    before = file.read()
            if update:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(output)
            elif before != output:
                wrong.append("%s.txt is not what it prints (test_programs.py --update, then docs.py --update):\n%s"
                             % (run.name, output))
    for text in wrong:
        print(text)
    print("%d programs run, %d wrong" % (len(runs), len(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2], "--update" in sys.argv, "--cures" in sys.argv))
# SPDX-License-Identifier: MIT
