"""Tests that figures that programs show as recorded are in docs/results, from one run: test_recorded.py BIN_DIR

Runs the program of each ladder in common/report/recorded.txt, and looks for every figure of its second table in the
ladder's file. Rows of one run imply the same time of the library, or of the first rung. If one such time fits all
rows of a shape, they come from one run."""
import csv
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIST = os.path.join(ROOT, "common", "report", "recorded.txt")
NOT_MEASURED = "not measured"


def time_text(microseconds):
    size, units = float(microseconds) * 1000, ["ns", "us", "ms", "s"]
    while size >= 999.5 and len(units) > 1:
        size, units = size / 1000, units[1:]
    return "%.*f %s" % (2 if size < 9.995 else 1 if size < 99.95 else 0, size, units[0])


def shape_text(shape):
    for suffix in " KMG":
        if not shape.isdigit() or int(shape) % 1024:
            return shape + suffix.strip()
        shape = str(int(shape) // 1024)
    return shape + "T"


def table_of(text):
    """The table below "recorded on": device, shapes, file, and per rung a dict of cells for each shape."""
    match = re.search(r"\n  recorded on a GPU \((.*?)\): (.*)\n\n((?:  \w.*\n)+)(?:  < .*\n)?"
                      r"  from docs/results/(.*)\n", text.replace(" <\n", "\n"))
    if not match:
        sys.exit("no recorded table in:\n" + text)
    lines = match.group(3).splitlines()
    titles = list(re.finditer(r"\S+(?: \S+)*", lines[0]))[1:]
    rows = {}
    for line in lines[1:]:
        start, shapes = len(line.split()[0]) + 2, []
        for title in titles:  # right-aligned
            if title.group() not in ("vs library", "of peak"):
                shapes.append({"vs library": "", "of peak": ""})
            name = title.group() if title.group() in shapes[-1] else "time"
            shapes[-1][name] = line[start:title.end()].strip()
            start = title.end()
        rows[line.split()[0]] = shapes
    return match.group(1), match.group(2), match.group(4), rows


def implied(row):
    return float(row["median_us"]) * float(row["speedup_library"] or row["speedup_first"])


def is_like(row, cells):
    """Whether the cells equal the row's time, speed and share of the peak, within the printed digits."""
    if time_text(row["median_us"]) != cells["time"]:
        return False
    for cell, field in ((cells["vs library"], "speedup_library"), (cells["of peak"], "percent_of_peak")):
        if (cell == "") != (row[field] == ""):
            return False
        number = cell.rstrip("x%")
        digits = len(number.split(".")[-1])
        if cell and abs(float(number) - float(row[field])) > 0.5001 * 10**-digits:
            return False
    return True


def check_shape(where, shown, rows, left_out):
    """The errors of a shape: `shown` has the cells of each rung, `rows` the file's rows of that ladder and shape."""
    runs = [{implied(row) for row in rows if row["rung"] == rung and is_like(row, cells)}
            for rung, cells in shown.items() if cells["time"] != NOT_MEASURED]
    missing = ["%s: %s: no such row" % (where, rung) for rung, cells in shown.items()
               if cells["time"] != NOT_MEASURED and
               not any(row["rung"] == rung and is_like(row, cells) for row in rows)]
    if missing or not runs:
        return missing or [where + ": nothing is measured"]
    common = [time for time in runs[0] if all(any(abs(one / time - 1) < 4e-5 for one in run) for run in runs)]
    if not common:
        return [where + ": rows of several runs"]
    return ["%s: %s: is measured" % (where, row["rung"]) for row in rows
            if row["rung"] not in left_out and shown.get(row["rung"], {}).get("time") == NOT_MEASURED
            and abs(implied(row) / common[0] - 1) < 2e-5]


def main():
    with open(LIST, encoding="utf-8") as file:
        ladders = [line.split() for line in file if not line.startswith("#")]
    wrong, cells = [], 0
    for step, op, kind in dict.fromkeys(tuple(ladder[:3]) for ladder in ladders):
        words = [os.path.join(sys.argv[1], step), "--skip-small", "--warmup", "0", "--reps", "1"]
        words += {"dot": ["--n", "1K"], "gemm": ["--type", kind, "--m", "16", "--n", "16", "--k", "256"],
                  "conv": ["--height", "6", "--width", "6"]}.get(op, [])
        if op in ("row_sum", "column_sum"):
            words += ["--ladder", op.replace("_sum", "s"), "--m", "64", "--n", "64"]
        result = subprocess.run(words, stdout=subprocess.PIPE, env=dict(os.environ, COLUMNS="200"), check=True,
                                universal_newlines=True)
        device, shapes, name, shown = table_of(result.stdout)
        with open(os.path.join(ROOT, "docs", "results", name), encoding="utf-8", newline="") as file:
            everything = list(csv.DictReader(file))
        for place, (_, _, _, shape, wanted, *left_out) in enumerate(
                ladder for ladder in ladders if ladder[:3] == [step, op, kind]):
            wanted_row = {"step": step, "op": op, "type": kind, "shape": shape, "device": device, "cache": "warm"}
            rows = [row for row in everything if row["verdict"] in ("pass", "racy") and
                    all(row[key] == text for key, text in wanted_row.items())]
            where = "%s %s" % (step, shape)
            if wanted != name or shape_text(shape) not in shapes:
                wrong.append("%s: the heading has %s, %s" % (where, shapes, name))
            part = {rung: row[place] for rung, row in shown.items()}
            cells += sum(row["time"] != NOT_MEASURED for row in part.values())
            wrong += check_shape(where, part, rows, left_out)
    print("%d recorded times, %d wrong" % (cells, len(wrong)), *wrong, sep="\n")
    return 1 if wrong or cells < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: MIT
