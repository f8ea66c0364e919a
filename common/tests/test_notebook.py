#!/usr/bin/env python3
"""Runs the notebook from start to end: test_notebook.py

Runs in an empty folder, on a clone of the last commit, with the CPU back end and one step. Takes minutes.
IPython is not needed: this script checks the output of each cell.

Exit status: 0 success, 1 failure. If git is not installed, prints why the test is skipped."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import types

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NOTEBOOK = os.path.join(ROOT, "docs", "notebook", "rungs.ipynb")


def main():
    if not shutil.which("git") or subprocess.run(
            ["git", "-C", ROOT, "rev-parse", "--verify", "--quiet", "HEAD"],
            stdout=subprocess.DEVNULL, check=False).returncode:
        print("skipped: no clone to make: git, or a commit, is missing")
        return 0
    with open(NOTEBOOK, encoding="utf-8") as file:
        notebook = json.load(file)
    shown = []
    display = types.ModuleType("IPython.display")
    display.HTML, display.display = str, shown.append
    sys.modules["IPython"] = types.ModuleType("IPython")
    sys.modules["IPython.display"] = display

    folder = tempfile.mkdtemp(prefix="test_notebook.")
    os.environ.update(RUNGS_SOURCE=ROOT, RUNGS_STEPS="05")
    names = {}
    try:
        os.chdir(folder)
        for cell in notebook["cells"]:
            if cell["outputs" if cell["cell_type"] == "code" else "metadata"]:
                print("WRONG: the notebook is kept without outputs")
                return 1
            if cell["cell_type"] == "code":
                exec(compile("".join(cell["source"]), NOTEBOOK, "exec"), names)
    finally:
        os.chdir(ROOT)
        shutil.rmtree(folder)
    wrong = [what for right, what in (
        (len(shown) == 2, "shows %d things, not 2" % len(shown)),
        (shown and shown[0].count("<tr>") > 5 and "sequential" in shown[0], "the ladder has no rungs"),
        (shown and "srcdoc=" in shown[-1] and len(shown[-1]) > 100000, "no page of the explorer"),
    ) if not right]
    for what in wrong:
        print("WRONG: " + what)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: MIT
