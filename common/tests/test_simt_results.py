"""Tests that the programs have the errors that docs/results/reductions_simt.csv lists: test_simt_results.py BIN_DIR

On the CPU back end, the errors are the same on every machine. Runs of 16M elements would take too long here."""
import csv
import os
import subprocess
import sys
import tempfile
import unittest

BIN = os.path.abspath(sys.argv.pop(1))
RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "results", "reductions_simt.csv")


class SimtResults(unittest.TestCase):
    def test_errors(self):
        with open(RESULTS, encoding="utf-8", newline="") as file:
            wanted = [row for row in csv.DictReader(file) if int(row["shape"]) <= 1 << 20]
        runs = list(dict.fromkeys((row["step"], row["shape"]) for row in wanted))
        self.assertEqual(len(runs), 5)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rows.csv")
            for step, shape in runs:
                subprocess.run([os.path.join(BIN, step), "--n", shape, "--warmup", "0", "--reps", "1", "--csv", path],
                               stdout=subprocess.DEVNULL, check=True)
                with open(path, encoding="utf-8", newline="") as file:
                    got = {row["rung"]: row for row in csv.DictReader(file)}
                for row in wanted:
                    if (row["step"], row["shape"]) == (step, shape):
                        for column in ("error", "error_bound", "verdict"):
                            self.assertEqual(got[row["rung"]][column], row[column], "%s %s" % (step, row["rung"]))


if __name__ == "__main__":
    unittest.main()
# SPDX-License-Identifier: MIT
