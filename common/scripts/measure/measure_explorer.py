#!/usr/bin/env python3
"""Measures the explorer's pages in a browser: measure_explorer.py BIN_DIR FILE.csv

Makes a page of each rung of steps 03 to 08 that has a kernel, with the programs of a build with the preset
simt, opens it in a headless Chromium, and writes a row for each rung: the page's bytes, its launches, the steps and
threads of its longest block; the milliseconds from the navigation to the first complete drawing (the median of
several); and, while all of the timeline is scrubbed, a new place in every frame, the frames a second (Chromium
draws 60 at most) and how long the page's thread computes for one. The last is processor time: it says what a
machine could do that has nothing else to do.

Exit status: 0 done, 1 a program failed, 2 bad usage, 3 no browser or no program, 4 the file cannot be written."""
import csv
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "simt", "tests"))
import browser  # noqa: E402
import provenance  # noqa: E402

OPENINGS, FRAMES = 3, 90
# (ladder, program, options): problems from the tests and the gallery, and a block of 1024 threads.
RUNS = (
    ("vectors", "03_gpu_single_thread", "--n 4K"),
    ("vectors", "04_gpu_atomic", "--n 64K"),
    ("vectors", "05_gpu_shared_tree", "--n 64K"),
    ("block_1024", "05_gpu_shared_tree", "--n 64K --block 1024"),
    ("vectors", "06_gpu_warp_shuffle", "--n 64K"),
    ("rows", "06_gpu_warp_shuffle", "--ladder rows --m 40 --n 300"),
    ("columns", "06_gpu_warp_shuffle", "--ladder columns --m 300 --n 40"),
    ("f32", "07_gemm", "--all --m 128 --n 128 --k 64"),
    ("tf32", "07_gemm", "--all --type tf32 --m 128 --n 128 --k 64"),
    ("bf16", "07_gemm", "--all --type bf16 --m 128 --n 128 --k 128"),
    ("conv", "08_conv", "--all --batch 1 --channels 4 --height 18 --width 34 --filters 8"),
)

DRAWN = "return Math.max(performance.getEntriesByName('explorer drawn')[0].startTime, ...performance.getEntriesByName('first-contentful-paint').map(one => one.startTime))"
# LONGEST opens the longest launch, which is the slowest. SCRUB then shows a new place per frame, from first to last.
LONGEST = """const launch = longest(data.launches.map((launch, i) => i));
    explorer.launch = launch; explorer.block = 0; explorer.build();
    return [data.launches.length, data.launches[launch].blocks[0].steps.length, data.launches[launch].blocks[0].threads]"""
SCRUB = """const done = arguments[0], frames = FRAMES; let count = 0, start = 0;
    const frame = now => {
        if (count === 0) start = now;
        if (count === frames) return done(1000 * frames / (now - start));
        explorer.go(Math.floor(explorer.columns.count * count++ / frames));
        return requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame)"""
def fail(status, text):
    print("measure_explorer.py: " + text, file=sys.stderr)
    sys.exit(status)


def rungs_of(program, options):
    """The names of the rungs that run kernels on this machine."""
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "counters.csv")
        done = subprocess.run([program, *options, "--counters", "--counters-csv", table], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True, check=False)
        if done.returncode != 0:
            fail(1, "%s: exit status %d: %s" % (program, done.returncode, done.stderr.strip()))
        with open(table, newline="", encoding="utf-8") as file:
            return [row["rung"] for row in csv.DictReader(file) if row["launches"]]


def busy(window):
    """The processor time of the page's thread, in milliseconds."""
    metrics = window.call("POST", "/goog/cdp/execute", {"cmd": "Performance.getMetrics", "params": {}})["metrics"]
    return next(1000 * metric["value"] for metric in metrics if metric["name"] == "TaskDuration")


def measure(window, path):
    opened = []
    for _ in range(OPENINGS):
        window.open("about:blank")
        window.open(browser.address_of(path))
        window.settled()
        opened.append(window.run(DRAWN))
    launches, steps, threads = window.run(LONGEST)
    window.settled()
    before = busy(window)
    rate = window.call("POST", "/execute/async", {"script": SCRUB.replace("FRAMES", str(FRAMES)), "args": []})
    frame = (busy(window) - before) / FRAMES
    if window.complaints():
        fail(1, "%s: the console complains" % path)
    return {"bytes": os.path.getsize(path), "launches": launches, "steps": steps, "block": threads,
            "open_ms": "%.0f" % sorted(opened)[OPENINGS // 2], "frames_per_s": "%.0f" % rate, "frame_cpu_ms": "%.1f" % frame}


def main():
    if len(sys.argv) != 3 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    bin_dir, table = sys.argv[1:]
    reason = browser.missing()
    if reason:
        fail(3, reason)
    fields = ["step", "ladder", "rung", "options", "bytes", "launches", "steps", "block", "open_ms", "frames_per_s", "frame_cpu_ms"]
    try:
        file = open(table, "w", newline="", encoding="utf-8")
    except OSError as problem:
        fail(4, str(problem))
    with file, tempfile.TemporaryDirectory() as folder, browser.Browser() as window:
        writer = csv.DictWriter(file, fields, lineterminator="\n")
        writer.writeheader()
        window.call("POST", "/goog/cdp/execute", {"cmd": "Performance.enable", "params": {"timeDomain": "threadTicks"}})
        for ladder, step, options in RUNS:
            program = os.path.join(bin_dir, step)
            if not os.path.exists(program):
                fail(3, program + " is not there")
            for rung in rungs_of(program, options.split()):
                path = os.path.join(folder, "page.html")
                made = subprocess.run([program, *options.split(), "--rung", rung, "--explore", path],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, check=False)
                if made.returncode != 0:
                    fail(1, "%s %s: exit status %d: %s" % (step, rung, made.returncode, made.stderr.strip()))
                row = {"step": step, "ladder": ladder, "rung": rung, "options": options, **measure(window, path)}
                writer.writerow(row)
                file.flush()
                print("%-22s %-8s %-20s %9d bytes %6s ms %5s frames/s" % (
                    step, ladder, rung, row["bytes"], row["open_ms"], row["frames_per_s"]), flush=True)
    provenance.main(["write", table, "common/scripts/measure/measure_explorer.py", bin_dir, table])
    return 0


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: MIT
